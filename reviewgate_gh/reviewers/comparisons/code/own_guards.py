"""Guards that a project wrote itself, whatever it calls them: a call or a decorator is gone, and
what it names answers strangers with 401 or 403."""

from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, decorated, surroundings_stay
from .._remark import taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word
from ._access_words import CALL, DECORATOR
from .access_checks import RULE, unless_asked_anew
from .guarded_routes import refuses

EVERY_FILE = False
_CALL = lazy_pattern(
    r"^\s*(?:await\s+)?(?:self\.|this\.|\$this->|Self::|self::)?"
    r"(?P<name>(?!(?:end|begin|else|do|next|break|continue|return|raise|pass|super|yield)\b)"
    r"[a-z_]\w{3,})(?P<called>!|!?\([^=]*\))?\s*(?:;\s*)?$"
)
_ABOVE = lazy_pattern(r"^\s*(?:@|#?\[)(?:\w+\.)*(?P<name>[A-Za-z_]\w{3,})(?:\(.*\))?\]?\s*$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path):
            yield from islice(unless_asked_anew(sources, _in_file(sources, file)), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    lost = [
        (line, *named)
        for block in file.blocks
        for line in block.removed
        if (named := _called(file, block, line) or _above(file, line))
        and not has_word(sources.added_text, named[0])
    ]
    sources.find_words({name for _line, name, _what in lost})  # one search for all
    for line, name, what in lost:
        if refuses(sources, name):
            title = f"{what} is no longer guarded by {name}"
            yield taken(RULE, file, line, title)


def _called(file: ComparedFile, block: Block, line: Line) -> tuple[str, str] | None:
    """A statement that only calls something, where nothing takes its place."""
    code = code_of(line.text)
    found = _CALL.match(code)
    # A word alone is a call in Ruby, and a value elsewhere
    if found and not (found["called"] or file.path.endswith((".rb", ".rake"))):
        return None
    if not found or block.added or CALL.match(code) or not surroundings_stay(file, line):
        return None
    return found["name"], file.base_code.unit(line.number).rpartition(".")[2] or "this"


def _above(file: ComparedFile, line: Line) -> tuple[str, str] | None:
    """A decorator of a definition that stays."""
    code = code_of(line.text)
    found = _ABOVE.match(code)
    name = decorated(file.base, line.number) if found and not DECORATOR.match(code) else ""
    return (found["name"], name) if found and name and has_word(file.head, name) else None

"""Refusals of input that are only written down: the condition stays, what is refused goes on."""

from collections.abc import Iterator
from itertools import islice, takewhile

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of
from .._remark import hint, put, quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from ._deciding import only_shows
from ._meant_refusals import BRANCH, is_decided, names_no_value
from .access_checks import is_access_check
from .validation import RULE, asks_input, asks_nothing, is_of_errors

EVERY_FILE = False
_WORDS = (b"raise", b"throw", b"panic", b"bail!", b"halt", b"rr")
_REFUSES = lazy_pattern(
    r"^\s*(?:raise\b|throw\b|halt\b|panic!?\(|(?:\w+::)?bail!|return\s+(?:.*,\s*)?(?:fmt\.Errorf"
    r"|errors\.New|Err\())"
)
_MOST_ROWS = 6


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        removed = [line for line in block.removed if line.text.strip()]
        if not (removed and block.added) or len(block.removed) > _MOST_ROWS:
            continue
        first = removed[0]
        if not _REFUSES.match(code_of(first.text)) or _has_moved(sources, block):
            continue
        if removed[-1].number in file.base_code.rows(first.number) and (
            branch := _branch(file, first, block.added[0])
        ):
            unsure = is_decided(sources, file, block) or names_no_value(code_of(branch.text))
            rule = hint(RULE) if unsure or not asks_input(file, branch) else RULE
            title = f"what was refused is only written down: {quoted(branch.text)}"
            yield put(rule, file, block.added[0], title, quoted(first.text))


def _branch(file: ComparedFile, old: Line, new: Line) -> Line | None:
    """The condition of the base above a line that refuses, where the head has it above the new one,
    and nothing but messages below it."""
    row = file.base_rows[old.number - 2] if old.number > 1 else ""
    code = code_of(row)
    if not BRANCH.match(code) or new.number < 2 or file.head_rows[new.number - 2] != row:
        return None
    if is_of_errors(code) or asks_nothing(code) or is_access_check(code):
        return None
    depth = _depth(row)
    below = takewhile(
        lambda line: not line.text.strip() or _depth(line.text) > depth,
        (Line(at, text) for at, text in enumerate(file.head_rows[new.number - 1 :], new.number)),
    )
    shown = all(only_shows(file, line) for line in below if line.text.strip())
    return Line(old.number - 1, row) if shown else None


def _has_moved(sources: ComparisonInput, block: Block) -> bool:
    return any(squeeze(line.text) in sources.added_statements for line in block.removed)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

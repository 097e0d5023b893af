"""Lists of what guards that lose an entry."""

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of
from .._remark import quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .access_checks import RULE, is_hook, unless_asked_anew

EVERY_FILE = False
_RULE = replace(
    RULE,
    advice=("What it refused is now let through. Restore the entry, or name what checks instead."),
)
_GUARDS = lazy_pattern(
    r"(?i)\bmiddlewares?\b|\bpermissions?(?:_map|_classes|s?Map)?\b|\bguards?\b|\bauthenticators?\b"
    r"|\bpolicies\b|\bpassword_validators\b|\binterceptors\b"
)
# Of a middleware that only some routes have, and of what is granted rather than asked for
_ASKS = lazy_pattern(
    r"(?i)must_|require|verified|auth(?!or(?!i[sz]))|csrf|throttle|\bcan\b|signed|permission|polic"
    r"|guard|rate_?limit|limiter\b|protect|password\w*\.\w*valid"
)
# Names in quotes that nothing is asked by: what somebody is given
_GRANTS = lazy_pattern(r"(?i)\bpermissions?\b")
_MUST = lazy_pattern(r"(?i)must|require|only|verified")
_PLAIN_TEXT = lazy_pattern(r"^\s*[\"'][\w:/ -]+[\"'],?\s*$")
EXCEPTIONS = lazy_pattern(
    r"(?i)\bexcept|exempt|exclud|skip|without|remove|allow_?list|whitelist|public"
)
_ENTRY = lazy_pattern(
    r"^\s*(?:[\"'][^\"']+[\"'](?:\s*(?:=>|:)\s*.*[^;\s])?|[\w:\\.]+(?:\([^;]*\))?),?\s*$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_product and not (file.is_new or file.is_gone) and language_of(file.path):
            yield from islice(unless_asked_anew(sources, _in_file(sources, file)), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if block.removed and not block.added:
            yield from _lost(sources, file, block)


def _lost(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Finding]:
    first = block.removed[0]
    entry = code_of(first.text)
    if (
        not _ENTRY.match(entry)
        or not _ASKS.search(entry)
        or squeeze(entry) in sources.added_statements
    ):
        return
    if is_hook(entry):
        return  # told as such
    opener, around = rows_around(file.base_rows, first)
    named = f"{opener} {file.base_code.unit(first.number).rpartition('.')[2]} {around}"
    if not _GUARDS.search(named) or EXCEPTIONS.search(opener) or opener not in file.head_rows:
        return
    if _GRANTS.search(named) and _PLAIN_TEXT.match(entry) and not _MUST.search(entry):
        return
    yield taken(_RULE, file, first, f"a guard is taken from its list: {quoted(entry)}")


def rows_around(rows: tuple[str, ...], line: Line) -> tuple[str, str]:
    """The row that opens the list, and the one that it is indented below."""
    found, depth = list[str](), len(line.text) - len(line.text.lstrip())
    for row in reversed(rows[: line.number - 1]):
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            found.append(row)
            depth = indent
            if len(found) > 1:
                break
    opener, around, *_rest = [*found, "", ""]
    return opener, around

"""What a handler does for those who come after it, and which code it belongs to."""

from collections.abc import Sequence
from itertools import takewhile

from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._sources import ComparedFile, has_word, squeeze

_KEEPS = lazy_pattern(r"^\s*(?:(?:self|this)\.|@|\$this->|\$)?(?P<name>\w+)\s*=(?!=)")
_ASKS = lazy_pattern(r"[!=]==?|\bis\b|\?|\b(?:if|unless|guard|while|assert)\b")


def is_asked_later(file: ComparedFile, number: int) -> bool:
    """The handler that begins in a line of the head keeps a value, and new code beside it asks
    about it."""
    inside = range(number + 1, number + 1 + len(rows_under(file.head_rows, number)))
    found = (_KEEPS.match(code_of(file.head_rows[at - 1])) for at in inside)
    names = {each["name"] for each in found if each}
    asking = (
        code_of(line.text)
        for line in file.added
        if line.number not in inside and _ASKS.search(line.text)
    )
    return bool(names) and any(has_word(row, name) for row in asking for name in names)


def guards_the_same(file: ComparedFile, number: int) -> bool:
    """Something of what the handler of the base was for is at head: git takes the head of one
    handler for that of another."""
    depth = _depth(file.base_rows[number - 1])
    body = takewhile(
        lambda row: not row.strip() or _depth(row) > depth, reversed(file.base_rows[: number - 1])
    )
    said = [squeeze(row) for row in body if len(row.strip()) > 2]
    now = {*map(squeeze, file.head_rows)}
    return not said or any(row in now for row in said)


def rows_under(rows: Sequence[str], number: int) -> Sequence[str]:
    """Those that are indented below one."""
    depth = _depth(rows[number - 1])
    first = number + (rows[number : number + 1] != () and rows[number].strip() == "{")
    return [*takewhile(lambda row: not row.strip() or _depth(row) > depth, rows[first:])]


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

"""Lines that speak of code and are none: texts that are shown to people, samples inside of texts,
and the tests that stand beside the code."""

from collections.abc import Sequence, Set
from functools import lru_cache

from ...text.patterns import lazy_pattern
from ._guards import code_of

_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`")
# What surrounds a text of several lines
_LONG = {
    (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".go"): "`",
    (".py", ".pyi", ".kt", ".kts", ".java", ".scala", ".swift", ".ex", ".exs", ".cs"): '"""',
}
_KEY = lazy_pattern(r"\s*(?:-\s+)?[\"']?(?P<key>[\w.-]+)[\"']?\s*:(?:\s|$)")
_OF_PEOPLE = lazy_pattern(
    r"(?i)(?:msg|message|description|summary|title|help|name|body|notes?|docs?|documentation"
    r"|comment|label|display_?name|text|example)\Z"
)


def is_in_text(row: str, start: int, end: int) -> bool:
    """This part of a line is inside of one text, with its quotation marks around it."""
    return any(each.start() < start and end < each.end() for each in _TEXT.finditer(row))


def is_in_long_text(path: str, rows: Sequence[str], number: int) -> bool:
    """The line is inside of a text that began in a line above it."""
    return number in lines_in_long_texts(path, rows)


def lines_in_long_texts(path: str, rows: Sequence[str]) -> Set[int]:
    """The numbers of all such lines; none where the marks do not go together."""
    if path.endswith(".lua"):
        return _between_brackets(tuple(rows))
    mark = next((mark for suffixes, mark in _LONG.items() if path.endswith(suffixes)), "")
    return _between_marks(mark, tuple(rows)) if mark else frozenset()


# Of C#, where a quotation mark inside is written twice
_VERBATIM = lazy_pattern(r"@\$?\"(?:[^\"]|\"\")*(?:\"|$)")


@lru_cache(16)  # asked for line by line
def _between_marks(mark: str, rows: tuple[str, ...]) -> Set[int]:
    if not any(mark in row for row in rows):
        return frozenset()
    found, inside = set[int](), False
    for number, row in enumerate(rows, 1):
        if inside:
            found.add(number)
        bare = row if inside else _VERBATIM.sub("", code_of(row))
        if bare.replace("\\`", "").count(mark) % 2:
            inside = not inside
    return frozenset() if inside else found


@lru_cache(16)
def _between_brackets(rows: tuple[str, ...]) -> Set[int]:
    """https://www.lua.org/manual/5.4/manual.html#3.1"""
    found, inside = set[int](), False
    for number, row in enumerate(rows, 1):
        if inside:
            found.add(number)
        inside = "]]" not in row if inside else row.rfind("[[") > row.rfind("]]")
    return frozenset() if inside else found


def is_told_to_people(path: str, rows: Sequence[str], number: int) -> bool:
    """The line of a file of settings is a message or a description by its key."""
    if not path.endswith((".yml", ".yaml", ".json", ".jsonc", ".json5")):
        return False
    row = rows[number - 1]
    if found := _KEY.match(row):
        return _OF_PEOPLE.match(found["key"]) is not None
    depth = _depth(row)
    above = (each for each in reversed(rows[: number - 1]) if each.strip() and _depth(each) < depth)
    holder = next(above, "")
    found = _KEY.match(holder)
    is_block = holder.rstrip().endswith(("|", ">", "|-", ">-", "|+", ">+"))
    return bool(found and is_block and _OF_PEOPLE.match(found["key"]))


def is_in_tests(path: str, rows: Sequence[str], number: int) -> bool:
    """The line belongs to the tests in a file of Rust that they are about.
    https://doc.rust-lang.org/book/ch11-03-test-organization.html"""
    if not path.endswith(".rs"):
        return False
    depth = _depth(rows[number - 1])
    for at in range(number - 1, 0, -1):
        row = rows[at - 1]
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            above = rows[at - 2] if at > 1 else ""
            if _TESTS.match(row) or _FOR_TESTS.match(above):
                return True
    return False


_TESTS = lazy_pattern(r"\s*(?:pub(?:\(\w+\))?\s+)?mod\s+(?:\w+_)?tests?\b")
_FOR_TESTS = lazy_pattern(r"\s*#\[(?:cfg\((?:all\()?test\b|(?:\w+::)?test\b)")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

"""What switches a test off, and the suites and classes that are off with all tests in them."""

from collections.abc import Iterator, Sequence

from ...text.patterns import lazy_pattern

# In the text of a test before its body
SKIPPED_ABOVE = lazy_pattern(
    r"(?m)@(?:pytest\.mark|mark|unittest)\.(?:skip|xfail|expectedFailure)\b(?!if|If|Unless)"
    r"|@(?:skip|expectedFailure)\b(?!\.(?:if|unless|when))|@(?:Disabled|Ignore|Ignored)\b(?!If|On"
    r"|For)"
    r"|#\[ignore|Skip\s*=\s*\"|@tag\s+:?skip\b|\bDISABLED_|markTestSkipped"
    # Alone or among others; run only by whoever asks for it by name:
    # https://docs.nunit.org/articles/nunit/writing-tests/attributes/explicit.html
    r"|^\s*\[(?:[^\n]*[,\[]\s*)?(?:Ignore|Explicit)\b\s*[(\],]"
    # https://testng.org/annotations.html, https://developer.apple.com/documentation/testing/trait
    r"|@Test\(.*\benabled\s*=\s*false|@Test\(.*\.disabled\((?!\s*if)|@PendingFeature\b"
)
# The test is off for some versions and platforms only, or where a name says so
CONDITION = lazy_pattern(
    r"(?i)\b(?:sys|os|platform|win|linux|darwin|mac|runtime\.GOOS|version)\b"
    # https://docs.pytest.org/en/stable/reference/reference.html#pytest-mark-xfail
    r"|\bxfail\(\s*(?!(?:reason|strict|raises|run|condition\s*=\s*True)\b)[a-z_]"
    r"|(?m:^[ \t]*#[ \t]*if\b)"  # of the preprocessor
)


# How each language begins a suite or a class of tests
_CLASSES = {
    "py": lazy_pattern(r"\s*class\s+\w"),
    "java": lazy_pattern(r"[^\"/*]*\b(?:class|object|record)\s+\w"),
}
# What says itself that it is off: https://jestjs.io/docs/api,
# https://rspec.info/features/3-13/rspec-core/pending-and-skipped-examples/
_SUITES = {
    "js": lazy_pattern(r"\s*(?:x(?:describe|context|suite)|(?:describe|context|suite)\.skip)\b"),
    "rb": lazy_pattern(
        r"\s*(?:x(?:describe|context|feature)\b"
        r"|(?:RSpec\.)?(?:describe|context|feature)\b.*,\s*(?::skip\b|skip:\s*(?:true|[\"'])))"
    ),
}
# What says so inside of a suite
_INSIDE = {"ex": lazy_pattern(r"\s*@describetag\s+(?::skip\b|skip:\s*(?:true|[\"~]))")}
# https://docs.pytest.org/en/stable/how-to/skipping.html, https://hexdocs.pm/ex_unit/ExUnit.Case.html
_FILES = {
    "py": lazy_pattern(r"pytestmark\s*=.*\bmark\.skip\b"),
    "ex": lazy_pattern(r"\s*@moduletag\s+:?skip\b"),
    "dart": lazy_pattern(r"@Skip\b"),
}
_TEXTS = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_LONGEST_CALL = 400  # lines
# Named arguments of a test: https://pub.dev/documentation/test/latest/; of Pest what is called on
# it, under no condition: https://pestphp.com/docs/skipping-tests
SKIPPED_OPTION = lazy_pattern(
    r"[(,]\s*skip:\s*(?:true\b|\"\")|->(?:todo\(|skip\(\s*(?:true\s*,\s*)?(?:\"\"\s*)?\))"
)
FOCUSED_OPTION = lazy_pattern(r"[(,]\s*solo:\s*true\b|->only\(\s*\)")


def lines_of_skipped_suites(kind: str, rows: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines inside of what is switched off as a whole."""
    whole = _FILES.get(kind)
    if whole and any(map(whole.match, rows)):
        return frozenset(range(1, len(rows) + 1))
    return frozenset(
        number for first in _openers(kind, rows) for number in range(first + 1, _end(rows, first))
    )


def options_of_call(rows: Sequence[str], first: int) -> str:
    """The arguments of the call that begins in a line, without what is inside of them, and what is
    called on its result in the same line or the next ones."""
    depth, kept = 0, list[str]()
    for row in rows[first - 1 : first - 1 + _LONGEST_CALL]:
        if kept and depth <= 0 and not row.lstrip().startswith("->"):
            break
        for sign in _TEXTS.sub('""', row):
            depth -= sign in ")]}"
            if depth <= 1:
                kept.append(sign)
            depth += sign in "([{"
        kept.append(" ")
    return "".join(kept) if depth <= 0 else ""


def _openers(kind: str, rows: Sequence[str]) -> Iterator[int]:
    """The number of the line that begins each."""
    classes, suites, inside = _CLASSES.get(kind), _SUITES.get(kind), _INSIDE.get(kind)
    for number, row in enumerate(rows, 1):
        if inside and inside.match(row):
            yield _above(rows, number)
        if (suites and suites.match(row)) or (
            classes and classes.match(row) and _is_marked(rows, number)
        ):
            yield number


def _above(rows: Sequence[str], number: int) -> int:
    """The number of the line that a line is indented below."""
    depth = _depth(rows[number - 1])
    above = (at for at in range(number - 1, 0, -1) if rows[at - 1].strip())
    return next((at for at in above if _depth(rows[at - 1]) < depth), 1)


def _is_marked(rows: Sequence[str], number: int) -> bool:
    first = number - 1
    while first > 0 and rows[first - 1].lstrip().startswith(("@", "[", ")")):
        first -= 1
    above = "\n".join(rows[first:number])
    return SKIPPED_ABOVE.search(above) is not None and CONDITION.search(above) is None


def _end(rows: Sequence[str], first: int) -> int:
    """The line behind the block that begins at a line, by how deep it is indented."""
    depth, inside = _depth(rows[first - 1]), False
    for number in range(first + 1, len(rows) + 1):
        row = rows[number - 1]
        if not row.strip():
            continue
        if _depth(row) > depth:
            inside = True
        elif inside or not row.lstrip().startswith(("{", ")")):
            return number
    return len(rows) + 1


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

"""Tests for many values that a change brings: what they call, and how many values they name."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ....text.patterns import lazy_pattern
from .._parameters import split_arguments
from .._sources import ComparedFile
from .._tests import Test, find_tests

# One test for many values, in the frameworks' words
_TABLE = lazy_pattern(
    r"\bparametri[sz]e|\bsubTest\(|\b(?:it|test|describe)\.each\b|@(?:Csv|Value|Method|Enum)Source"
    r"|\[(?:InlineData|MemberData|TestCase)\(|DataProvider|#\[(?:case|rstest|test_case)\b"
    r"|\bt\.Run\("
    r"|\[\]struct\s*\{|\bforEach\(|\bfor\b.*\b(?:in|of|range)\b|\.each\b.*\bdo\b|where:$"
)
_CALL = lazy_pattern(r"\b([A-Za-z_]\w*)\s*\(")
_FRAMEWORK = lazy_pattern(
    r"(?:[Aa]ssert|ASSERT|[Ee]xpect|EXPECT|[Tt]est|TEST|should|to[A-Z]|require"
    r"|(?:it|describe|context|for|forEach|if|while|switch|func|function|def|fn|len|range|print\w*"
    r"|str|int|[Rr]un|each|[Ee]qual|parametri[sz]e|t)$)"
)

# Of JavaScript, whose name stands behind the table: https://jestjs.io/docs/api#testeachtablename-fn-timeout
_EACH = lazy_pattern(r"^\s*(?:it|test|describe)(?:\.\w+)?\.each\b")
_WRITTEN_OUT = lazy_pattern(r"\.each\(|\bparametri[sz]e\(")
_LONGEST = 200  # lines of one call
_MOST = 5  # of them in one table


class _Table(NamedTuple):
    """What a new test for many values calls, and how many it names; None where that is said
    elsewhere."""

    called: set[str]
    values: int | None


def called_in_tables(file: ComparedFile, gone: Sequence[Test]) -> set[str]:
    """What the new tables call that have as many values as tests are gone which call it too."""
    bodies = [called(file.base_rows[test.line : test.last]) for test in gone if not test.suite]
    return {
        name
        for table in _tables(file)
        if table.values is None
        or table.values >= sum(not body.isdisjoint(table.called) for body in bodies)
        for name in table.called
    }


def _tables(file: ComparedFile) -> Iterator[_Table]:
    """Of the tests that the change made tests for many values; what stands above a test
    (parameters) belongs to it."""
    numbers = [line.number for line in file.added if _TABLE.search(line.text)]
    end = 0
    tests = find_tests(file.path, file.head).values() if numbers else ()
    for test in (each for each in tests if not each.suite):
        if any(end < number <= test.last for number in numbers):
            yield _table(file.head_rows[end : test.last])
        end = test.last
    for number in numbers:
        if _EACH.match(file.head_rows[number - 1]):
            yield _table(_whole_call(file.head_rows, number))


def _whole_call(rows: Sequence[str], number: int) -> tuple[str, ...]:
    """The rows up to the bracket that is as deep as the first one and ends the last argument."""
    depth = _depth(rows[number - 1])
    for at, row in islice(enumerate(rows[number:], number + 1), _LONGEST):
        if row.strip() and _depth(row) <= depth and not row.rstrip().endswith(("{", "(", ",")):
            return tuple(rows[number - 1 : at])
    return tuple(rows[number - 1 : number])


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _table(rows: Sequence[str]) -> _Table:
    text = "\n".join(rows)
    calls = islice(_WRITTEN_OUT.finditer(text), _MOST)
    counts = [_count(text, each.end(), "param" in each[0]) for each in calls]
    known = [count for count in counts if count is not None]
    return _Table(called(rows), max(known) if known and len(known) == len(counts) else None)


def _count(text: str, start: int, named: bool) -> int | None:
    """The values of a list that is written out, behind the names of the parameters or alone."""
    given = split_arguments(text, start) or ()
    values = "".join(given[named : named + 1])
    if not (values.startswith(("[", "(")) and values.endswith(("]", ")"))) or _MADE.search(values):
        return None
    inner = split_arguments(f"{values[1:-1]})", 0)
    return len(inner) if inner else None


_MADE = lazy_pattern(r"\.\.\.|\*[A-Za-z_]|\bfor\b")


def called(rows: Iterable[str]) -> set[str]:
    """The names that are called, those of the language and the frameworks aside."""
    return {m[1] for row in rows for m in _CALL.finditer(row) if not _FRAMEWORK.match(m[1])}

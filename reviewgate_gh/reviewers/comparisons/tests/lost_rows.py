"""Rows of a table of cases that a test loses while it stays."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._parameters import split_arguments
from .._related import touches_subject
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .._tests import find_tests, has_tests, product_shrinks

EVERY_FILE = False
_RULE = ComparisonRule(
    "test-case-removed",
    Priority.P2,
    "What these values tested is no longer tested. Restore them, or say why they no longer apply.",
)
# https://docs.nunit.org, https://xunit.net, JUnit's @CsvSource and @ValueSource, rstest
_MARK = lazy_pattern(
    r"^\s*(?:\[(?:InlineData|TestCase|DataRow|Arguments)\(|#\[(?:case|test_case)\b|@(?:TestCase"
    r"|Data)\b"
    r"|#\[(?:TestWith|DataProvider)\()"
)
_TABLE = lazy_pattern(
    r"parametrize\(|\.each\b|\b(?:tests?|cases|tt|tc|tcs|testCases|test_cases|table|fixtures|inputs"
    r"|scenarios|examples)\b\s*(?::?=|:)|struct\s*\{|@(?:CsvSource|ValueSource|MethodSource)"
    r"|[dD]ata[pP]rovider|\bwhere:|TestCaseData|TheoryData|\b\w*(?:[Pp]rovider|[Cc]ases)\b\s*[(=]"
)
_ROW = lazy_pattern(r"^\s*(?:\{.*\}|\(.*\)|\[.*\]|[\"'].*[\"'](?:\s*(?:=>|:)\s*.+)?)\s*,\s*$")
_INLINE = lazy_pattern(r"(?:parametrize\([^\[]*|\.each\(|ValueSource\([^{]*|CsvSource\(\{?)[\[{(]")
_NEAR = 40  # lines between a row and what opens its table


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_test and has_tests(file.path) and not (file.is_new or file.is_gone):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not file.removed or product_shrinks(sources):
        return
    for block in file.blocks:
        lost = [
            line
            for line in _rows_lost(file, block)
            if not (_is_twice(file, line) or _is_of_new_test(file, line))
        ]
        if not lost or any(_comes_back(sources, line) for line in lost):
            continue
        if _is_made_now(file, lost[0]):
            continue
        name = _test_around(file, lost[0])
        if name:
            count = f"{len(lost)} cases are" if len(lost) > 1 else "a case is"
            rule = hint(_RULE) if _is_reworked(sources, file) else _RULE
            now = quoted(block.added[0].text) if block.added else ""
            first = Line(lost[0].number, _whole(file, lost[0]))
            yield taken(rule, file, first, f"{count} removed from a test that stays: {name}", now)


def _whole(file: ComparedFile, line: Line) -> str:
    """The row; of one that only opens an entry of several lines what that begins with as well."""
    if not _OPENS.match(line.text):
        return line.text
    return " ".join(file.base_rows[line.number - 1 : line.number + 1])


def _comes_back(sources: ComparisonInput, line: Line) -> bool:
    """The row stands elsewhere, unless it is only what opens one of several lines."""
    bare = squeeze(line.text)
    return len(bare) > 1 and bare in sources.added_statements


def _is_made_now(file: ComparedFile, line: Line) -> bool:
    """The change lets something else give rows to tests of the file, or code beside the table make
    more of those that stay."""
    unit = file.base_code.unit(line.number)
    return any(
        _GIVES_ROWS.search(new.text)
        or (_MAKES.search(new.text) and file.head_code.unit(new.number) == unit)
        for new in file.added
    )


_GIVES_ROWS = lazy_pattern(
    r"(?i)dataprovider\b|@\w+Source\(|\[\w*(?:Member|Class|TestCase)(?:Data|Source)\(|\bproduct\("
)
_MAKES = lazy_pattern(
    r"^\s*(?:for(?:each)?|while|yield)\b|\bfor\s.*\bin\b|\.(?:\w*[mM]ap|forEach|each|append|push"
    r"|concat|extend|add)\(|\barray_\w+\(|^\s*\.\.\.|^\s*\*\w|\bappend\("
)


def _is_twice(file: ComparedFile, line: Line) -> bool:
    """The same row stands near it, and stays."""
    if _OPENS.match(line.text):
        return False
    gone = {each.number for each in file.removed}
    near = range(max(1, line.number - _NEAR), min(len(file.base_rows), line.number + _NEAR) + 1)
    return any(
        number not in gone and squeeze(file.base_rows[number - 1]) == squeeze(line.text)
        for number in near
    )


def _is_of_new_test(file: ComparedFile, line: Line) -> bool:
    """A test that the file did not have names the same values: it may say what holds now."""
    texts = _TEXTS.findall(line.text)
    before = find_tests(file.diff.old_path, file.base) if texts else {}
    now = find_tests(file.path, file.head) if texts else {}
    bodies = (
        "\n".join(file.head_rows[test.line - 1 : test.last])
        for name, test in now.items()
        if name not in before and not test.suite
    )
    return any(all(text in body for text in texts) for body in bodies)


_TEXTS = lazy_pattern(r"\"[^\"]{2,}\"|'[^']{2,}'")


def _is_reworked(sources: ComparisonInput, file: ComparedFile) -> bool:
    """Other rows come, or what it is about changes: what was wrong may be right now."""
    return touches_subject(sources, file) or len(file.added) > 1


def _rows_lost(file: ComparedFile, block: Block) -> list[Line]:
    """The removed rows that nothing takes the place of; or the one row whose list is shorter."""
    rows, new = ([line for line in side if line.text.strip()] for side in block)
    if rows and len(new) < len(rows):
        marks = all(_MARK.match(line.text) for line in (*rows, *new))
        if marks or (
            all(_ROW.match(line.text) for line in (*rows, *new)) and _is_in_table(file, rows[0])
        ):
            return rows if not new else _without_likes(rows, new)
    if not block.added:
        return _entry(file, rows)
    if len(block.removed) == len(block.added) == 1:
        old = block.removed[0]
        before, after = _values(old.text), _values(block.added[0].text)
        if after and len(after) < len(before):
            return [old]
    return []


def _without_likes(rows: Sequence[Line], new: Sequence[Line]) -> list[Line]:
    """The rows without those that a new one is like, each of which stands for one."""
    left = [*rows]
    for line in new:
        words = {*_WORDS.findall(line.text)}
        alike = max(left, key=lambda row: len(words & {*_WORDS.findall(row.text)}))
        left.remove(alike)
    return left


_WORDS = lazy_pattern(r"[\w.-]+")


def _entry(file: ComparedFile, rows: Sequence[Line]) -> list[Line]:
    """The first line of each entry of a table, where whole entries of several lines are gone."""
    above = file.base_rows[rows[0].number - 2] if rows else ""
    if rows and _OPENS.match(rows[-1].text) and _OPENS.match(above):
        # The same loss, as git may cut it
        rows = [Line(rows[0].number - 1, above), *rows[:-1]]
    if len(rows) < 3 or not (_OPENS.match(rows[0].text) and _CLOSES.match(rows[-1].text)):
        return []
    depth = _depth(rows[0].text)
    if any(_depth(row.text) < depth for row in rows) or not _is_in_table(file, rows[0]):
        return []
    return [row for row in rows if _depth(row.text) == depth and _OPENS.match(row.text)]


_OPENS = lazy_pattern(r"^\s*(?:[\w.\"'-]+\s*[:=]\s*)?(?:&?\w+)?[{(\[]\s*$")
_CLOSES = lazy_pattern(r"^\s*[})\]]\s*,\s*$")


def _values(text: str) -> Sequence[str]:
    found = _INLINE.search(text)
    if found is None:
        return ()
    opener = text[found.end() - 1]
    # The brackets that close it are counted as those of a call
    plain = text[: found.end() - 1] + "(" + text[found.end() :]
    close = {"[": "]", "{": "}", "(": ")"}[opener]
    at = _closing(text, found.end() - 1, opener, close)
    if at < 0:
        return ()
    return split_arguments(plain[:at] + ")" + plain[at + 1 :], found.end()) or ()


def _closing(text: str, start: int, opener: str, close: str) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == opener) - (text[at] == close)
        if not depth:
            return at
    return -1


def _is_in_table(file: ComparedFile, line: Line) -> bool:
    """What is open around the row is a table of cases, with a row of the same kind beside it."""
    depth = _depth(line.text)
    for row in reversed(file.base_rows[max(0, line.number - _NEAR) : line.number - 1]):
        if row.strip() in ("[", "(", "{") and _depth(row) < depth:
            depth = _depth(row)  # what it is an argument of stands further out
            continue
        if row.strip() and _depth(row) < depth and not re.match(r"\s*[)\]}]", row):
            return _TABLE.search(row) is not None
        if row.strip() and _depth(row) < depth and row.strip().endswith(("{", "[", "(")):
            return True  # the end of a type, and the beginning of its values
    return False


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _test_around(file: ComparedFile, line: Line) -> str:
    """The name of the test of the base that the line belongs to, or stands above, where the head
    has it as well."""
    now = find_tests(file.path, file.head)
    before = find_tests(file.diff.old_path, file.base)
    around = [
        name
        for name, test in before.items()
        if not test.suite and test.line - 12 <= line.number <= test.last and name in now
    ]
    if not around:
        return _name_of_table(file, line)
    inside = [name for name in around if before[name].line <= line.number]
    below = [name for name in around if name not in inside]
    return (inside or below or [""])[-1 if inside else 0]


def _name_of_table(file: ComparedFile, line: Line) -> str:
    """Of a test whose rows stand before its name: https://vitest.dev/api/#test-each"""
    below = file.base_rows[line.number : line.number + _NEAR]
    named = next((found for row in below if (found := _NAMED_AFTER.match(row))), None)
    row = named.string.strip() if named else ""
    return named["name"] if named and any(each.strip() == row for each in file.head_rows) else ""


_NAMED_AFTER = lazy_pattern(r"\s*\]\s*(?:as const)?\)\(\s*[\"'`](?P<name>[^\"'`]+)")

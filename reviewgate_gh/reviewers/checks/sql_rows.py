"""Statements of SQL that change or delete every row of a table."""

from collections.abc import Iterator

from ...findings.lines import DiffLines
from ...model.finding import Finding, Priority
from ...text.lines import LineNumbers
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_tests
from ._sources import CheckInput

WANTS = ("*.sql",)
EVERY_FILE = False
_LARGEST = 1_000_000  # bytes
_NAME = r"[\w.\"`\[\]]{1,120}"
# From its first word to its end; within texts and comments no semicolon is looked for
_STATEMENT = lazy_pattern(
    rf"(?im)^[ \t]*(?:(?P<deletes>delete)[ \t]+from[ \t]+{_NAME}|update[ \t]+{_NAME}\s+set\b"
    r"(?P<rest>(?:[^;'\"\-/]|'[^']*'|\"[^\"]*\"|[-/](?![-*])){0,2000}))\s*;"
)
_TEXT = lazy_pattern(r"'[^']*'")
_SOME = lazy_pattern(r"(?i)\b(?:where|join|from|limit|current of|case)\b")


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a statement of which the change adds a line."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or len(data) > _LARGEST:
            continue
        if is_fixture(file.path) or is_tests(file.path):
            continue
        text, shown = data.decode("utf-8", "replace"), DiffLines(file)
        lines = LineNumbers(text)
        for found in _STATEMENT.finditer(text):
            first = lines.at(found.start())
            last = first + found[0].count("\n")
            rest = _TEXT.sub("", found["rest"] or "")
            if shown.adds(first, last) and not _SOME.search(rest):
                yield _finding(file.path, first, last, "deletes" if found["deletes"] else "changes")


def _finding(path: str, first: int, last: int, does: str) -> Finding:
    return Finding(
        Priority.P3,
        "correctness",
        "builtin/sql-every-row",
        path,
        first,
        last,
        f"this statement {does} every row of the table",
        "No `WHERE` limits it.",
    )

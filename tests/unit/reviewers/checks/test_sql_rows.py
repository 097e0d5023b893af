"""Statements without a `WHERE`."""

import pytest

from reviewgate_gh.reviewers.checks import sql_rows
from tests.unit.reviewers.checks.support import edited, on, short, sources


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("DELETE FROM a;\n", ["1"]),
        ("DELETE FROM a WHERE b = 1;\n", []),
        ("UPDATE a SET b = 'x; WHERE';\n", ["1"]),
        ("UPDATE a\nSET b = 1\nWHERE c = 2;\n", []),
        ("UPDATE a SET b = 1\n;\nDELETE FROM a;\n", ["1", "3"]),
        ("-- DELETE FROM a;\nUPDATE a SET b = c.d FROM c;\n", []),
        ("DELETE FROM a\n", []),
    ],
)
def test_every_row(text: str, lines: list[str]) -> None:
    expected = [("P3", "sql-every-row", f"a.sql:{line}") for line in lines]
    assert on(sql_rows, "a.sql", text) == expected
    assert on(sql_rows, "tests/fixtures/a.sql", text) == []


def test_what_stood_there_is_no_doing_of_the_change() -> None:
    text = "DELETE FROM a;\nDELETE FROM b;\n"
    given = sources(edited("a.sql", " DELETE FROM a;", "+DELETE FROM b;"), contents={"a.sql": text})
    assert [row[2] for row in short(sql_rows, given)] == ["a.sql:2"]

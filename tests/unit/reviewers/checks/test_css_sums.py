"""Sums within `calc()` without spaces."""

import pytest

from reviewgate_gh.reviewers.checks import css_sums
from tests.unit.reviewers.checks.support import on


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("calc(100%-240px)", True),
        ("calc(100% - 240px)", False),
        ("calc(100% -240px)", True),
        ("calc(100% * -1)", False),
        ("calc(2 * (10px+1em))", True),
        ("calc(1em*-1)", False),
        ("calc(100%-(1px + 2px))", True),
        ("calc(var(--a-100px-2) - 1px)", False),
        ("100%-240px", False),
        ("w-[calc(100%-240px)]", False),
        ("a(calc(1px), 100%); /* calc(100%-1px) */", False),
    ],
)
def test_sums(value: str, found: bool) -> None:
    expected = [("P2", "css-sum", "a.css:2")] if found else []
    assert on(css_sums, "a.css", f"a {{\n  width: {value};\n}}\n") == expected
    assert on(css_sums, "tests/fixtures/a.css", f"a {{\n  width: {value};\n}}\n") == []

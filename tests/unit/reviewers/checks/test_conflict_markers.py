"""Conflict markers: whole conflicts and leftovers, but no headings, quotations or patches."""

import pytest

from reviewgate_gh.reviewers.checks import conflict_markers
from tests.unit.reviewers.checks.support import edited, new, on, short, sources

START, BASE, MIDDLE, END = "<" * 7, "|" * 7, "=" * 7, ">" * 7
WHOLE = f"x\n{START} HEAD\na\n{BASE} 1234567\nb\n{MIDDLE}\nc\n{END} topic\n"


def test_a_conflict_is_one_finding_that_lists_its_lines() -> None:
    found = list(conflict_markers.check(sources(new("a.py", WHOLE + WHOLE))))
    assert [(f.priority.value, f.line_start) for f in found] == [("P0", 2), ("P0", 10)]
    assert "2, 4, 6, 8." in found[0].body and "10, 12, 14, 16." in found[1].body


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{START} HEAD\n", [1]),
        (f"{START}\n", [1]),
        (f"{START}\r\n", [1]),
        (f"{END} topic\n", [1]),
        (f"{BASE} base\n", [1]),
        (f"{MIDDLE}\nb\n{END} topic\n", [1]),
        (f"{MIDDLE}\n", []),
        (f"{START} HEAD\na\n{END} b\nTitle\n{MIDDLE}\n", [1]),
        (f"{START}HEAD\n{END}>\n {START} HEAD\n>>> doctest\n{START[1:]} x\n", []),
        (f"# {START} HEAD\n", []),
        ("a ||||||| b\n", []),
    ],
)
def test_what_is_a_marker(text: str, lines: list[int]) -> None:
    assert on(conflict_markers, "a.py", text) == [
        ("P0", "conflict-marker", f"a.py:{line}") for line in lines
    ]


@pytest.mark.parametrize("path", ["a.md", "docs/a.rst", "notes.txt", "fix.patch", "README"])
def test_documents_need_both_ends(path: str) -> None:
    assert on(conflict_markers, path, f"{START} HEAD\n{MIDDLE}\n") == []
    assert on(conflict_markers, path, f"{END} quoted\n") == []
    assert on(conflict_markers, path, WHOLE) == [("P0", "conflict-marker", f"{path}:2")]


def test_markers_that_are_there_already_or_go_away_do_not_count() -> None:
    file = edited("a.py", f" {START} HEAD", f"-{MIDDLE}", f"-{END} topic", "+x")
    assert short(conflict_markers, sources(file)) == []
    half = edited("a.py", f" {START} HEAD", "+x", f"+{END} topic", start=5)
    assert short(conflict_markers, sources(half)) == [("P0", "conflict-marker", "a.py:7")]

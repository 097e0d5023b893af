"""A tool's edits become the whole lines of a suggestion, or nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import ruff, shellcheck
from reviewgate_gh.reviewers.linters._edits import Edit, settle_edits, with_edits
from tests.support import run
from tests.unit.reviewers.linters.real import ask, program_of

FOUND = Finding(Priority.P3, "lint", "tool/rule", "a.py", 2, 3, "t")
FILE = b"one\ntwo words\nthree\nfour\n"


def suggested(*edits: Edit, data: bytes = FILE, found: Finding = FOUND) -> str | None:
    settled = settle_edits(with_edits(found, edits), lambda: data)
    assert type(settled) is Finding
    return settled.suggestion


@pytest.mark.parametrize(
    ("edits", "lines"),
    [
        ([Edit(2, 1, 2, 4, "2")], "2 words\nthree"),
        ([Edit(2, 5, 2, 5, "big "), Edit(3, 1, 3, 6, "3")], "two big words\n3"),
        ([Edit(2, 4, 3, 1, "-")], "two-three"),
        ([Edit(3, 1, 4, 1, "")], "two words"),
        ([Edit(2, 1, 4, 1, "")], ""),
        ([Edit(2, 4, 2, 5, "_"), Edit(2, 5, 2, 5, "my")], "two_mywords\nthree"),
        ([Edit(3, 6, 3, 6, "\r\nand")], "two words\nthree\nand"),
    ],
)
def test_edits_within_its_lines(edits: list[Edit], lines: str) -> None:
    assert suggested(*edits) == lines


@pytest.mark.parametrize(
    "edits",
    [
        [],
        [Edit(1, 1, 1, 4, "1")],  # beside its lines
        [Edit(3, 1, 4, 2, "1")],
        [Edit(2, 11, 2, 11, "x")],  # beyond the line
        [Edit(2, 4, 2, 1, "x")],
        [Edit(2, 0, 2, 1, "x")],
        [Edit(2, 1, 2, 4, "a"), Edit(2, 3, 2, 5, "b")],  # they meet
        [Edit(2, 1, 2, 1, "a"), Edit(2, 1, 2, 1, "b")],  # in which order?
        [Edit(2, 1, 2, 1, "")],  # nothing changes
        [Edit(3, 6, 4, 1, "")],  # no whole line is left at the end
        [Edit(2, 1, 2, 4, "AKIAQ3EGRKZ5TN7P" + "LXWD")],  # a secret goes nowhere
    ],
)
def test_no_suggestion_where_one_could_be_wrong(edits: list[Edit]) -> None:
    assert suggested(*edits) is None


def test_neither_for_a_whole_file_nor_where_columns_could_mean_bytes() -> None:
    edit = Edit(2, 1, 2, 4, "2")
    assert suggested(edit, data=FILE.replace(b"words", "wörds".encode())) is None
    assert suggested(edit, data=b"one\n") is None
    whole = Finding(Priority.P3, "lint", "tool/rule", "a.py", 0, 0, "t")
    assert suggested(edit, found=whole) is None
    assert suggested(edit, data=FILE.replace(b"\n", b"\r\n")) == "2 words\nthree"


@given(st.lists(st.builds(Edit, *[st.integers(0, 9)] * 4, st.text("ab\n", max_size=4)), max_size=4))
def test_any_edits_leave_whole_lines(edits: list[Edit]) -> None:
    text = suggested(*edits)
    if text is not None:
        assert text == "" or not text.endswith("\n\n")


RUFF = {
    "F541": "def f():\n    return f'a' + 'b'\n",
    "F401": "import os\n\nprint(1)\n",
    "F632": "def f(a):\n    return a is 'x'\n",
    "F811": "import os\nimport os\n\nprint(os)\n",
    "F504": "print('%(a)s' % {'a': 1, 'b': 2})\n",
}


@pytest.mark.parametrize("code", RUFF)
def test_ruffs_suggestion_is_what_ruff_would_write(code: str, tmp_path: Path) -> None:
    source = RUFF[code]
    asked = ask(ruff, tmp_path, {"a.py": source})
    (found,) = (f for f in asked.findings if f.rule.endswith(code))
    settled = settle_edits(found, source.encode)
    assert settled.suggestion is not None
    rows = source.split("\n")
    new = settled.suggestion.split("\n") if settled.suggestion else []
    rows[settled.line_start - 1 : settled.line_end] = new
    options = ("check", "--isolated", "--fix", "--quiet", f"--select={code}")
    run([program_of(ruff), *options, "a.py"], tmp_path)
    assert "\n".join(rows) == (tmp_path / "a.py").read_text()


def test_shellchecks_quotes_are_a_suggestion(tmp_path: Path) -> None:
    source = "#!/bin/sh\nls $1 -la\n"
    (found,) = ask(shellcheck, tmp_path, {"a.sh": source}).findings
    settled = settle_edits(found, source.encode)
    assert settled.suggestion == 'ls "$1" -la'
    assert (settled.column_start, settled.column_end) == (4, 6)

"""Findings get their quoted code, and those off the changed lines are marked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.findings.identity import all_names
from reviewgate_gh.findings.scope import ChangedLines, anchor_findings, mark_outside_change
from reviewgate_gh.model.finding import FindingState, QuotedLine
from tests.unit.support import added, change, edited, finding


def anchored(one, *files):
    return anchor_findings([one], ChangedLines(change(*files)), "linters/ruff")[0]


def test_the_excerpt_is_the_line_between_its_neighbours():
    file = edited("a.py", " def f():", " ", "+    return x", "+", "+    # end", " ", start=7)
    placed = anchored(finding(line=9), file)
    assert placed.excerpt == (
        QuotedLine(7, "def f():"),
        QuotedLine(9, "    return x"),
        QuotedLine(11, "    # end"),
    )
    assert placed.placed and placed.anchor == "    return x" and placed.sources == ("linters/ruff",)


def test_a_place_that_the_diff_does_not_show_is_not_placed():
    assert not anchored(finding(line=99), added("a.py", "x\n")).placed
    assert not anchored(finding(path="other.py"), added("a.py", "x\n")).placed
    assert anchored(finding(line=0), added("a.py", "x\n")).placed


def test_secrets_never_reach_an_excerpt():
    token = "ghp_" + "a1B2c3D4e5" * 4
    placed = anchored(finding(line=2), added("a.py", f"x = 1\nt = '{token}'\n"))
    assert token not in f"{placed}" and "[REDACTED:github-token]" in placed.anchor


@pytest.mark.req("R003-065")
def test_line_ends_of_windows_are_the_same_code():
    unix, windows = (
        anchored(finding(line=2), added("a.py", text)) for text in ("a\nb\nc\n", "a\r\nb\r\nc\r\n")
    )
    assert unix.fingerprint == windows.fingerprint


def test_fingerprints_survive_moved_lines_renames_and_new_titles():
    def at(start, path="a.py", old="a.py", title="Undefined name x", indent=""):
        file = edited(
            path,
            " before",
            f"+{indent}use(x)",
            " after",
            start=start,
            old_path=old,
            status="R" if path != old else "M",
        )
        return anchored(finding(path, start + 1, title=title), file)

    prints = {at(start).fingerprint for start in range(1, 502)} | {
        at(1, title="x is not known").fingerprint,
        at(4, indent="   ").fingerprint,
    }
    assert len(prints) == 1
    assert at(1, "b.py", "b.py").fingerprint not in prints
    renamed = at(1, "b.py")
    assert prints <= set(all_names(renamed, {})) and renamed.fingerprint not in prints


def test_fingerprints_tell_rules_files_and_code_apart():
    file = added("a.py", "use(x)\nuse(y)\n")
    ones = [finding(line=1), finding(line=2), finding(line=1, rule="ruff/F401"), finding("b.py", 1)]
    assert (
        len({anchored(one, file, added("b.py", "use(x)\nuse(y)\n")).fingerprint for one in ones})
        == 4
    )


@pytest.mark.parametrize(
    ("start", "end", "state"),
    [
        (1, 1, "outside_diff"),
        (2, 2, "open"),
        (1, 9, "open"),
        (3, 9, "outside_diff"),
        (0, 0, "open"),
        (1, 0, "outside_diff"),
    ],
)
def test_only_added_lines_are_in_scope(start, end, state):
    file = edited("a.py", " one", "+two", " three")
    (marked,) = mark_outside_change([finding(line=start, line_end=end)], ChangedLines(change(file)))
    assert marked.state == state and bool(marked.note) is (state != "open")


def test_a_file_that_is_not_in_the_change_is_out_of_scope_and_a_parse_error_is_in():
    changed_lines = ChangedLines(change(edited("a.py", " one", "+two")))
    outside, syntax = mark_outside_change(
        [finding("b.py"), finding(line=1, category="syntax")], changed_lines
    )
    assert (outside.state, syntax.state) == (FindingState.OUTSIDE_DIFF, FindingState.OPEN)


@given(
    st.lists(st.sampled_from([" x", "+x", "-x", "+"]), min_size=1, max_size=30), st.integers(1, 40)
)
def test_added_blocks_agree_with_the_lines_one_by_one(rows, start):
    file = edited("a.py", *rows, start=start)
    new = {line.new for line in file.added_lines()}
    changed_lines = ChangedLines(change(file))
    for number in range(1, start + 35):
        assert changed_lines.diff_lines("a.py").adds(number, number) is (number in new)

"""Suppressions in code: honoured with a reason, and never a stranger's word against a critical
finding."""

import pytest

from reviewgate_gh.findings.scope import ChangedLines
from reviewgate_gh.findings.suppressions import SuppressionFilter, apply_suppressions
from reviewgate_gh.model.finding import FindingState, Priority
from tests.unit.support import added, change, edited, finding


def at_head(file, data):
    return SuppressionFilter(lambda: (file,)).at_head(file.path, data)


def judged(one, *files, trusted=True):
    return apply_suppressions([one], ChangedLines(change(*files, trusted=trusted)), trusted)[0]


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # reviewgate-gh: ignore[ruff/F821] set by the loader",
        "x = 1  # reviewgate-gh: ignore[F821] set by the loader",
        "x = 1  # reviewgate-gh: ignore[S101, F821]: set by the loader",
        "let x;  /* reviewgate-gh: ignore[F821] set by the loader */",
    ],
)
def test_ours_with_a_reason_waives(text):
    waived = judged(finding(), added("a.py", text))
    assert (
        waived.state is FindingState.WAIVED
        and waived.note == "ignored in the code: set by the loader"
    )


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # reviewgate-gh: ignore[F821]",
        "x = 1  # reviewgate-gh: ignore[F999] other rule",
        "x = 1  # reviewgate-gh: ignore everything",
        "x = 1  # reviewgate-gh: ignore[*] all of it",
    ],
)
def test_ours_without_reason_or_rule_does_nothing(text):
    assert judged(finding(), added("a.py", text)).state is FindingState.OPEN


def test_ours_alone_on_the_line_above_counts_and_behind_code_does_not():
    above = "# reviewgate-gh: ignore[F821] loader\nuse(x)"
    assert judged(finding(line=2), added("a.py", above)).state is FindingState.WAIVED
    behind = "y = 1  # reviewgate-gh: ignore[F821] loader\nuse(x)"
    assert judged(finding(line=2), added("a.py", behind)).state is FindingState.OPEN


@pytest.mark.parametrize("priority", list(Priority))
@pytest.mark.parametrize("comment", ["# reviewgate-gh: ignore[F821] trust me", "# noqa: F821"])
@pytest.mark.req("R008-005")
def test_an_untrusted_change_cannot_clear_its_own_critical_finding(priority, comment):
    judged_one = judged(
        finding(priority=priority), added("a.py", f"use(x)  {comment}"), trusted=False
    )
    assert (
        judged_one.state is (FindingState.OPEN if priority in ("P0", "P1") else FindingState.WAIVED)
        and judged_one.note
    )


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("line", [1, 2])
def test_what_its_own_tool_waived_by_a_new_comment_is_open_for_a_stranger(line, trusted):
    file = edited("a.py", "-# old", "+# nosonar", " use(x)", " use(y)")
    waived = finding(
        line=line,
        priority=Priority.P1,
        state=FindingState.WAIVED,
        note="suppressed in the source: it is fine",
    )
    assert judged(waived, file, trusted=trusted).state is (
        FindingState.WAIVED if trusted else FindingState.OPEN
    )
    elsewhere = finding(
        line=3, priority=Priority.P1, state=FindingState.WAIVED, note="suppressed in the source"
    )
    assert judged(elsewhere, file, trusted=trusted).state is FindingState.WAIVED, (
        "the comment was there before"
    )
    outside = finding(
        line=line,
        priority=Priority.P1,
        state=FindingState.WAIVED,
        note="suppressed outside the source",
    )
    assert judged(outside, file, trusted=trusted).state is FindingState.WAIVED


def test_a_suppression_that_was_there_before_is_not_for_new_code():
    file = edited("a.py", " # reviewgate-gh: ignore[F821] loader", "+use(x)")
    new = judged(finding(line=2), file, trusted=False)
    assert (new.state, new.note) == (
        FindingState.OPEN,
        "the suppression on line 1 was made for other code, so it does not apply",
    )
    assert judged(finding(line=2), file, trusted=True).state is FindingState.WAIVED
    mild = finding(line=2, priority=Priority.P2)
    assert judged(mild, file, trusted=False).state is FindingState.WAIVED


@pytest.mark.parametrize("priority", ["P1", "P2"])
@pytest.mark.req("R008-006")
def test_a_suppression_of_another_rule_clears_nothing(priority):
    file = edited("a.py", " run(  # noqa: E501", "+    name,", " )")
    other = finding(line=1, priority=Priority(priority), rule="ruff/S602")
    assert judged(other, file, trusted=False).state is FindingState.OPEN
    same = finding(line=1, priority=Priority(priority), rule="ruff/E501")
    assert judged(same, file, trusted=False).state is (
        FindingState.OPEN if priority == "P1" else FindingState.WAIVED
    )


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ((" run(  # noqa", "+    name,", " )"), 1),
        (("+run(", "     name,", " )  # noqa"), 3),
        ((" # shellcheck disable=SC2071", "+if [ 1 > 2 ]"), 1),
        ((" # eslint-disable-next-line", " call(", "+  name)"), 1),
    ],
)
@pytest.mark.req("R008-006")
def test_a_suppression_in_a_statement_that_the_change_edits_is_defused(rows, line):
    data = "\n".join(row[1:] for row in rows).encode()
    before, after = data.split(b"\n"), at_head(edited("a.py", *rows), data)
    changed = [n for n, row in enumerate(after.split(b"\n"), 1) if row != before[n - 1]]
    assert changed == [line]


def test_a_suppression_beside_what_the_change_edits_stays():
    rows = (" call()  # noqa", "+new()", " # noqa", " other()")
    data = "\n".join(row[1:] for row in rows).encode()
    assert at_head(edited("a.py", *rows), data) == data


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa", "#noqa:F401", "# ruff: noqa", "# ruff: disable[F401]", "# flake8: noqa",
        "# type: ignore", "# nosec",
        "# pylint: disable=all",
        "# shellcheck disable=SC2086", "// eslint-disable-next-line", "/* oxlint-disable */",
        ("# zizmor: "
        "ignore[unpinned-uses]"),
        "# nosemgrep", "//nolint:errcheck", "# hadolint ignore=DL3008", "# gitleaks:allow",
        "# NOQA",
        "#\u00a0noqa", "#\u2003NoQA", "# ruff: file-ignore[F401]", "# why # noqa", "# nosem",
        ("# hadolint global "
        "ignore=DL3008"),
        "# shellcheck shell=bash disable=all", "# shellcheck enable=all  disable=SC2086",
    ],
)  # fmt: skip
def test_new_suppressions_are_defused_in_place_and_old_ones_stay(comment):
    file = edited("a.py", f" old {comment}", f"+new {comment}")
    before = f"old {comment}\nnew {comment}\nlast".encode()
    after = at_head(file, before)
    old, new, last = after.split(b"\n")
    assert old == f"old {comment}".encode() and last == b"last"
    assert new != f"new {comment}".encode() and len(new) == len(f"new {comment}".encode())

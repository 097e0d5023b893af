"""The head that moved on: said, and whether comments would still hit their lines."""

import pytest

from reviewgate_gh.model.pull_request import Comparison, HeadMovement
from reviewgate_gh.pull_request.event import head_movement, head_movement_text
from tests.unit.pull_request.pulls import HEAD, OLD

ELSEWHERE = frozenset({"z.py"})


def test_the_same_commit_has_not_moved() -> None:
    drift = head_movement(HEAD, HEAD, Comparison("diverged"), None)
    assert (
        drift == HeadMovement(HEAD, HEAD, moved=False, compare="identical")
        and head_movement_text(drift) == ""
    )


@pytest.mark.parametrize(
    ("comparison", "paths", "at_risk"),
    [
        (Comparison("ahead", 2, ELSEWHERE), {"a.py"}, False),
        (Comparison("ahead", 2, ELSEWHERE), set(), False),
        (Comparison("ahead", 2, ELSEWHERE), {"a.py", "z.py"}, True),
        (Comparison("ahead", 2, ELSEWHERE), None, True),
        (Comparison("ahead", 2, None), {"a.py"}, True),
        (Comparison("diverged", 2, ELSEWHERE), {"a.py"}, True),
        (Comparison("behind", 0, ELSEWHERE), {"a.py"}, True),
        (Comparison("identical", 0, ELSEWHERE), {"a.py"}, True),
        (Comparison("frobnicate", 2, ELSEWHERE), {"a.py"}, True),
        (None, {"a.py"}, True),
    ],
)
def test_lines_are_safe_only_where_all_that_is_known(
    comparison: Comparison | None, paths: set[str] | None, at_risk: bool
) -> None:
    drift = head_movement(OLD, HEAD, comparison, paths)
    assert (drift.moved, drift.at_risk) == (True, at_risk)
    assert drift.compare == (
        "unknown" if comparison is None or comparison.status == "frobnicate" else comparison.status
    )


@pytest.mark.parametrize(
    ("comparison", "how"),
    [
        (Comparison("ahead", 1), " (1 commit later)"),
        (Comparison("ahead", 3), " (3 commits later)"),
        (Comparison("behind"), " (commits were removed)"),
        (Comparison("diverged", 3), " (history was rewritten)"),
        (None, ""),
    ],
)
def test_what_people_read(comparison: Comparison | None, how: str) -> None:
    assert (
        head_movement_text(head_movement(OLD, HEAD, comparison, None))
        == f"Commit {OLD[:12]} was reviewed, but the head is now {HEAD[:12]}{how}."
    )


def test_a_head_that_is_gone() -> None:
    assert "now gone" in head_movement_text(head_movement(OLD, "", None, None))

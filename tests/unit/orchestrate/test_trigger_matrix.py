"""Outcome, failure mode and threshold are three axes: the whole table, on real repositories and
real reviewers."""

import os
from itertools import product
from pathlib import Path

import pytest

from reviewgate_gh.model.errors import Exit
from tests.orchestrating import CLEAN, DEFECTS, Place, review
from tests.support import Repo

pytestmark = pytest.mark.big  # minutes in all
MODES = ("abort", "continue", "remediate")
THRESHOLDS = ("none", "P0", "P1", "P2", "P3")
OUTCOMES = (*DEFECTS, "clean", "error", "error once")
RETRIES = 2 if os.environ.get("REVIEWGATE_GH_FULL") else 1
ROWS = [*product(OUTCOMES, MODES, THRESHOLDS)]


def expected(outcome: str, mode: str, threshold: str) -> tuple[int, int, int]:
    """Exit code, calls of the reviewer, calls of the fixer."""
    if outcome == "error once":
        return {
            "abort": (Exit.INCONCLUSIVE, 1, 0),
            "continue": (Exit.OK, 1, 0),
            "remediate": (Exit.OK, 2, 0),
        }[mode]
    if outcome == "error":
        return {
            "abort": (Exit.INCONCLUSIVE, 1, 0),
            "continue": (Exit.OK, 1, 0),
            "remediate": (Exit.OK, 1 + RETRIES, 0),
        }[mode]
    if outcome == "clean" or threshold == "none" or outcome > threshold:
        return Exit.OK, 1, 0
    return Exit.BLOCK, 1 + RETRIES, RETRIES


@pytest.mark.req(
    "R000-091", "R000-092", "R000-093", "R000-130", "R000-131", "R000-132", "R000-133", "R000-134",
    "R000-135", "R000-136", "R000-137",
    "R000-138", "R000-139", "R000-140", "R000-141", "R000-142", "R000-143", "R000-144", "R000-148",
    "R000-150",
)  # fmt: skip
@pytest.mark.parametrize(
    ("outcome", "mode", "threshold"), ROWS, ids=[" ".join(row) for row in ROWS]
)
def test_each_row(repo: Repo, outcome: str, mode: str, threshold: str) -> None:
    place = Place(repo)
    tries = place.fixer(
        "n = len((here / 'fixer.calls').read_text())\ncommit('a try', notes__txt=f'{n}\\n')"
    )
    block = review(
        failure_mode=mode,
        finding_threshold=threshold,
        max_retries=RETRIES,
        baseline="since_run_start",
    )
    place.configure(
        flaky=True,
        validation_triggers={"run_end": {"code_review": block}},
        remediation={"fixer": tries},
    )
    place.begin()
    repo.commit({"a.txt" if outcome == "P0" else "a.py": DEFECTS.get(outcome, CLEAN)}, "work")
    if outcome.startswith("error"):
        (place.beside / "faults").write_text("9" if outcome == "error" else "1")
    head = repo.head
    fired = place.fire("run_end")

    assert (fired.exit, place.noted("flaky"), place.noted("fixer")) == expected(
        outcome, mode, threshold
    ), fired
    assert fired.fixes == place.noted("fixer") and fired.review
    failed = outcome == "error" or (outcome == "error once" and mode != "remediate")
    assert fired.review.status == ("failed" if failed else "success")
    assert fired.review.outcome == (
        "execution_error"
        if failed
        else "completed_with_findings"
        if outcome in DEFECTS
        else "completed_no_findings"
    )
    run = place.store.load()
    reached = repo.head if fired.fixes else head
    assert run and dict(run.last_cumulative_review_commits) == (
        {} if failed else {"run_end": reached}
    )
    summary, *issues = place.issues() or [None]
    assert len(issues) == (outcome in DEFECTS) and bool(summary) == bool(issues)
    assert Path(place.repo.path, "notes.txt").exists() == bool(fired.fixes)

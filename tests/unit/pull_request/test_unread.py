"""A review of less than the whole change: never greener for it, and nothing of it lost."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.report import Outcome
from reviewgate_gh.pull_request.fetch_by_api import with_unread_paths
from tests.unit.reporters.sample import BLOCKED, CLEAN, RICH


@pytest.mark.parametrize(
    ("report", "outcome"),
    [(CLEAN, Outcome.INCONCLUSIVE), (BLOCKED, Outcome.BLOCK), (RICH, Outcome.BLOCK)],
    ids=["clean", "blocked", "rich"],
)
def test_the_verdict_follows(report, outcome) -> None:
    found = with_unread_paths(report, {"lost.py", "also lost.py"})
    unread = {
        "lost.py",
        "also lost.py",
        *report.verdict.not_reviewed,
        *(row.path for row in report.coverage.missing),
    }
    assert found.verdict.outcome is outcome and unread == {*found.verdict.not_reviewed}
    assert "not reviewed" in found.verdict.reasons[-1] and found.findings == report.findings


def test_where_all_was_read_nothing_changes() -> None:
    assert with_unread_paths(RICH, ()) is RICH


def test_an_override_stays_one() -> None:
    report = replace(CLEAN, skipped="it burns")
    assert with_unread_paths(report, {"lost.py"}) is report

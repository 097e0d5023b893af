"""Reports of the past, judged at every threshold and summed by rule."""

from msgspec.structs import replace

from reviewgate_gh.model.change import Commit
from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from reviewgate_gh.model.report import (
    ChangedFile,
    Outcome,
    Report,
    ReviewedChange,
    ReviewRow,
    Verdict,
)
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.tools.backtest import RuleRow, backtest_change, summarise_backtest
from tests.unit.support import finding

COMMIT = Commit("c" * 40, "a subject")
FOUND = finding(placed=True)


def report(
    *findings: object, status: ReviewStatus = ReviewStatus.OK, unread: tuple[str, ...] = ()
) -> Report:
    """A report of one reviewer."""
    change = ReviewedChange("a" * 40, "b" * 40, False, "a" * 40, files=(ChangedFile("a.py", "M"),))
    verdict = Verdict(Outcome.PASS, counts={"P1": len(findings)}, not_reviewed=unread)
    return Report("id", change, (ReviewRow("linters", "ruff", status),), findings, verdict)  # type: ignore[arg-type]


def test_each_threshold_gets_the_verdict_of_policy_itself() -> None:
    outcomes = backtest_change(COMMIT, report(FOUND), 0.5).outcomes
    assert outcomes == {"P0": Outcome.CONCERNS, "P1": Outcome.BLOCK, "P2": Outcome.BLOCK}
    broken = backtest_change(COMMIT, report(FOUND, status=ReviewStatus.FAILED), 0.5).outcomes
    assert broken == {"P0": Outcome.INCONCLUSIVE, "P1": Outcome.BLOCK, "P2": Outcome.BLOCK}
    assert (
        backtest_change(COMMIT, report(unread=("x.bin",)), 0.5).outcomes["P2"]
        is Outcome.INCONCLUSIVE
    )
    assert (
        backtest_change(COMMIT, report(replace(FOUND, confidence=Confidence.LOW)), 0.5).outcomes[
            "P2"
        ]
        is Outcome.PASS
    )


def test_only_open_findings_count_for_a_rule() -> None:
    row = backtest_change(
        COMMIT,
        report(
            FOUND,
            replace(FOUND, state=FindingState.WAIVED),
            replace(FOUND, rule="", category="lint"),
        ),
        0.5,
    )
    assert row.rules == {"ruff/F821": 1, "lint": 1}
    assert (row.files, row.seconds, row.subject) == (1, 0.5, "a subject")


def test_rules_are_summed_over_changes_most_severe_first() -> None:
    style = replace(FOUND, rule="ruff/E501", priority=Priority.P3)
    rows = [
        backtest_change(COMMIT, report(FOUND, style, style), 0.1),
        backtest_change(COMMIT, report(style), 0.1),
        backtest_change(COMMIT, report(), 0.1),
    ]
    result = summarise_backtest("merges", rows)
    assert result.rules == (
        RuleRow("ruff/F821", Priority.P1, 1, 1),
        RuleRow("ruff/E501", Priority.P3, 3, 2),
    )
    assert result.blocked == {"P0": 0, "P1": 1, "P2": 1}

"""One review of a trigger: where it begins, when there is none, what is said, and what it comes
to."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.options import ReviewOptions
from reviewgate_gh.gate.review import review
from reviewgate_gh.git import open_repository
from reviewgate_gh.issues.tracked import IssueOrigin
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.errors import (
    ConfigError,
    DeadlinePassed,
    InternalError,
    NoReviewers,
    UpstreamError,
)
from reviewgate_gh.model.report import Report
from reviewgate_gh.model.run import LogEvent, RunMetadata
from reviewgate_gh.model.triggers import CodeReview
from reviewgate_gh.orchestrate.events import json_line, text_line
from reviewgate_gh.orchestrate.review import (
    LARGE_DIFF_THRESHOLD,
    CumulativeReviewRunner,
    baseline_key,
    issue_origin,
)
from reviewgate_gh.system.environment import Environment
from tests.orchestrating import CLEAN, DEFECTS
from tests.support import Repo

START, LAST = (
    CodeReview(enabled=True, baseline="since_run_start"),
    CodeReview(enabled=True, baseline="since_last_review"),
)


class Bench:
    """A runner over a real repository and the real reviewers, and what it told and asked."""

    def __init__(self, repo: Repo, ask: Callable[[Range], Report] | None = None) -> None:
        self.git = open_repository(repo.path, os.environ)
        self.environment = Environment(dict(os.environ), repo.path)
        self.ranges: list[Range] = []
        self.tracked: list[IssueOrigin] = []
        self.events: list[LogEvent] = []
        self.ask = ask or (lambda wanted: review(ReviewOptions(wanted), self.git, self.environment))
        self.runner = CumulativeReviewRunner(
            self.reviewed,
            self.git,
            lambda _report, why: self.tracked.append(why),
            self.events.append,
            self.environment.clock,
        )

    def reviewed(self, wanted: Range) -> Report:
        self.ranges.append(wanted)
        return self.ask(wanted)

    def lines(self) -> list[str]:
        return [text_line(event) for event in self.events]

    def spans(self) -> list[tuple[str, str]]:
        return [(wanted.base, wanted.head) for wanted in self.ranges]


@pytest.fixture
def bench(repo: Repo) -> Bench:
    return Bench(repo)


@pytest.mark.req(
    "R000-066", "R000-084", "R000-097", "R000-157", "R000-158", "R000-159", "R000-160", "R000-164"
)
def test_a_session_is_reviewed_from_its_issues_first_commit(repo: Repo, bench: Bench) -> None:
    base = repo.commit(message="bd-8: another issue")
    repo.commit({"a.py": DEFECTS["P3"]}, "bd-7: one")
    head = repo.commit({"b.py": CLEAN}, "bd-7: two")
    repo.git("checkout", "--quiet", "--detach")
    result = bench.runner.run_review(
        "session_end", CodeReview(enabled=True), RunMetadata(), issue_id="7"
    )
    assert bench.spans() == [(base, head)] and bench.tracked == [
        IssueOrigin("per_issue_review", "session_end", link="7")
    ]
    assert (result.status, result.outcome, result.new_baseline_commit, result.skip_reason) == (
        "success",
        "completed_with_findings",
        head,
        None,
    )
    assert [finding.rule for finding in result.findings] == ["ruff/F401"] and isinstance(
        result.findings, tuple
    )


@pytest.mark.req("R000-083", "R000-095", "R000-161", "R000-168")
def test_an_issue_without_commits_is_not_reviewed(bench: Bench) -> None:
    result = bench.runner.run_review(
        "session_end", CodeReview(enabled=True), RunMetadata(), issue_id="7"
    )
    assert (result.status, result.skip_reason, result.new_baseline_commit, result.outcome) == (
        "skipped",
        "baseline_not_found",
        None,
        None,
    )
    assert bench.ranges == [] and bench.lines() == [
        "No commits for issue, skipping review",
        (
            "WARN  cumulative_review: Missing baseline trigger_type=session_end "
            "baseline_mode=per_issue skip_reason=baseline_not_found"
        ),
    ]


@pytest.mark.req("R000-064", "R000-065", "R000-085", "R000-086", "R000-087", "R000-174")
def test_where_epics_and_runs_begin(repo: Repo, bench: Bench) -> None:
    start, one = repo.head, repo.commit({"a.py": CLEAN}, "one")
    two = repo.commit({"b.py": CLEAN}, "two")
    run = RunMetadata("r", start, {"run_end": one, "epic_completion:E": one})
    for config, epic in ((START, "E"), (LAST, "E"), (LAST, "F")):
        bench.runner.run_review("epic_completion", config, run, epic_id=epic)
    for config in (START, LAST):
        bench.runner.run_review("run_end", config, run)
    bench.runner.run_review("run_end", LAST, replace(run, last_cumulative_review_commits={}))
    assert bench.spans() == [
        (start, two),
        (one, two),
        (start, two),
        (start, two),
        (one, two),
        (start, two),
    ]
    assert (baseline_key("run_end", ""), baseline_key("epic_completion", "bd-x")) == (
        "run_end",
        "epic_completion:bd-x",
    )


@pytest.mark.req("R000-098", "R000-161")
@pytest.mark.parametrize("config", [START, LAST])
def test_a_run_without_a_first_commit_is_not_reviewed(bench: Bench, config: CodeReview) -> None:
    result = bench.runner.run_review("run_end", config, RunMetadata("r"))
    assert (result.status, result.skip_reason) == (
        "skipped",
        "baseline_not_found",
    ) and bench.ranges == []
    assert bench.events[0].level == "ERROR" and "skipping review" in bench.events[0].name


@pytest.mark.req("R000-096", "R000-099", "R000-168")
def test_a_commit_that_a_shallow_clone_lacks_is_named_and_nothing_fails(
    repo: Repo, tmp_path: Path
) -> None:
    base = repo.head
    repo.commit({"a.py": CLEAN}, "bd-7: one")
    bench = Bench(repo.clone(tmp_path / "shallow", "--depth=1"))
    said = f"Baseline commit {base} not reachable (shallow clone?), skipping review"
    for trigger, run in (("run_end", RunMetadata("r", base)), ("session_end", RunMetadata())):
        bench.events.clear()
        result = bench.runner.run_review(trigger, LAST, run, issue_id="7")  # type: ignore[arg-type]
        assert (result.status, result.skip_reason) == ("skipped", "baseline_not_found")
        assert (
            bench.events[0] == LogEvent("ERROR", said)
            and bench.events[1].name == "Missing baseline"
        )
    assert bench.ranges == []


@pytest.mark.req("R000-094", "R000-099", "R000-103", "R000-166", "R000-174")
def test_without_a_difference_nobody_is_asked(repo: Repo, bench: Bench) -> None:
    start, head = repo.head, repo.commit(message="nothing")
    result = bench.runner.run_review("run_end", START, RunMetadata("r", start))
    assert (result.status, result.skip_reason, result.new_baseline_commit) == (
        "skipped",
        "empty_diff",
        None,
    )
    assert bench.ranges == [] and bench.tracked == [] and bench.lines() == [
        "No changes since baseline, skipping review",
        (f"INFO  cumulative_review: Empty diff skip trigger_type=run_end baseline_sha={start} "
        f"head_sha={head} skip_reason=empty_diff"),
    ]  # fmt: skip


@pytest.mark.req(
    "R000-105", "R000-106", "R000-109", "R000-165", "R000-167", "R000-169", "R000-172", "R000-174"
)
@pytest.mark.parametrize("more", [0, 1])
def test_a_large_difference_is_said_to_be_and_reviewed_as_one(
    repo: Repo, bench: Bench, more: int
) -> None:
    start = repo.commit({"old.txt": "x\n" * 2000})
    head = repo.commit({"old.txt": None, "new.txt": "y\n" * (3000 + more)}, "much")
    bench.runner.run_review("run_end", START, RunMetadata("r", start))
    assert LARGE_DIFF_THRESHOLD == 5000 and bench.spans() == [(start, head)]
    first, *large, last = bench.lines()
    sides = f"baseline_sha={start} head_sha={head}"
    assert first == (
        "INFO  cumulative_review: Review started trigger_type=run_end "
        f"baseline_mode=since_run_start {sides}"
    )
    assert large == ([
        "WARNING: Large diff (5001 lines) may affect review quality",
        ("WARN  cumulative_review: Large diff warning trigger_type=run_end diff_lines=5001 "
        f"threshold=5000 {sides}"),
    ] if more else [])  # fmt: skip
    head_of_line, _, took = last.rpartition("=")
    assert head_of_line == (
        "INFO  cumulative_review: Review completed trigger_type=run_end status=success "
        "finding_count=0 duration_ms"
    )
    assert took.isdecimal()


def broken(error: Exception) -> Callable[[Range], Report]:
    def ask(_wanted: Range) -> Report:
        raise error

    return ask


@pytest.mark.req("R000-130", "R000-159", "R000-171")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (DeadlinePassed("too late"), "timeout"),
        (UpstreamError('no "network" today'), "execution_error"),
    ],
    ids=["deadline", "network"],
)
def test_a_reviewer_without_a_result_is_a_failed_review(
    repo: Repo, error: Exception, kind: str
) -> None:
    start = repo.head
    repo.commit({"a.py": CLEAN})
    bench = Bench(repo, broken(error))
    result = bench.runner.run_review("run_end", START, RunMetadata("r", start))
    assert (result.status, result.outcome, result.error_type, result.new_baseline_commit) == (
        "failed",
        "execution_error",
        kind,
        None,
    )
    quoted = json.dumps(str(error))
    assert bench.lines()[-1] == (
        f"ERROR cumulative_review: Reviewer error trigger_type=run_end error_type={kind} "
        f"error_message={quoted}"
    )


@pytest.mark.parametrize(
    "error", [NoReviewers("nobody"), InternalError("a bug"), ConfigError("wrong")]
)
def test_what_no_failure_mode_covers_is_raised(repo: Repo, error: Exception) -> None:
    start = repo.head
    repo.commit({"a.py": CLEAN})
    with pytest.raises(type(error)):
        Bench(repo, broken(error)).runner.run_review("run_end", START, RunMetadata("r", start))


def test_an_overridden_review_is_none(repo: Repo) -> None:
    start = repo.head
    repo.commit({"a.py": DEFECTS["P1"]})
    bench = Bench(repo)
    bench.environment = Environment({**os.environ, "REVIEWGATE_GH_SKIP": "in a hurry"}, repo.path)
    result = bench.runner.run_review("run_end", START, RunMetadata("r", start))
    assert (result.status, result.skip_reason, result.new_baseline_commit) == (
        "skipped",
        "override",
        None,
    )
    assert "in a hurry" in bench.lines()[-1] and bench.tracked == []


@pytest.mark.req("R000-163")
def test_the_reviewer_the_tracker_and_the_log_are_handed_in(repo: Repo, bench: Bench) -> None:
    start = repo.head
    repo.commit({"a.py": DEFECTS["P2"]})
    result = bench.runner.run_review("epic_completion", START, RunMetadata("r", start), epic_id="E")
    assert len(bench.ranges) == 1 and len(result.findings) == 1 and result.report is not None
    assert bench.tracked == [IssueOrigin("cumulative_review", "epic_completion", "E", "E", "r")]
    assert [event.name for event in bench.events] == ["Review started", "Review completed"]


@pytest.mark.req("R000-123")
def test_what_a_runs_findings_hang_on() -> None:
    assert issue_origin("run_end", RunMetadata("r", epics=("E", "F")), "", "") == IssueOrigin(
        "cumulative_review", "run_end", "", "E", "r"
    )
    assert issue_origin("run_end", RunMetadata("r"), "", "") == IssueOrigin(
        "cumulative_review", "run_end", "", "", "r"
    )


@pytest.mark.req("R000-172")
def test_lines_hold_no_second_line_no_secret_and_no_control_character() -> None:
    token = "ghp_" + "R7wKx2LmQ9vTz4YbN8sJd3FhG6pC1aEuW5iO"
    event = LogEvent(
        "ERROR",
        "Reviewer error",
        {"error_message": f"a\nb \x1b[31m{token}", "n": 3, "empty": "", "::set-output": "##[x"},
    )
    line = text_line(event)
    assert (
        line.startswith("ERROR cumulative_review: Reviewer error error_message=")
        and "\n" not in line
        and "\x1b" not in line
    )
    record = json.loads(json_line(event, "now", "r"))
    assert record["n"] == 3 and record["logger"] == "cumulative_review" and record["run_id"] == "r"
    assert (
        token not in line
        and token not in json_line(event, "now", "r")
        and "##[" not in json_line(event, "now", "r")
    )
    assert text_line(LogEvent("WARN", "one\ntwo")) == "one\ntwo" and "##[" not in line

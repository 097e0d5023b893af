"""The library for orchestrators, against both dialects."""

import asyncio
import inspect
import os
from pathlib import Path

import pytest

from reviewgate_gh.model.config import Config
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.orchestrate.external_review import (
    DefaultReviewer,
    Effect,
    range_since,
    review_context,
    review_session,
)
from reviewgate_gh.reviewers.gates.client import GateOptions

from ...peers.gates import FINDING, install_gate, register
from ..gating import BAD


@pytest.fixture(params=["spec", "v1"])
def gate(tmp_path, request):
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    return install_gate(tmp_path / "plugin", request.param)


@pytest.fixture
def reviewer(repo):
    return DefaultReviewer(repo.path)


class Heard:
    def __init__(self):
        self.events = []

    def on_review_started(self, attempt, attempts):
        self.events.append(("started", attempt, attempts))

    def on_review_passed(self, attempt):
        self.events.append(("passed", attempt))

    def on_review_retry(self, attempt, attempts, error):
        self.events.append(("retry", attempt, error))


def session(reviewer, span, context, **more):
    heard = Heard()
    effect, result = asyncio.run(review_session(reviewer, span, context, events=heard, **more))
    return effect, result, heard.events


@pytest.mark.contract(plain=["v1"])
@pytest.mark.req("R001-050", "R001-051", "R001-052", "R001-054", "R001-055", "R001-069")
def test_an_issue_is_reviewed_from_its_baseline_in_its_own_repository(
    repo, gate, reviewer, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    base, head = repo.head, repo.commit({"bad.py": BAD})
    with (
        review_context(reviewer, "bd-7/../x", "Title", "The body") as context,
        review_context(reviewer, "bd-8", "Other", "") as other,
    ):
        assert (
            context != other
            and context.name == "review-context-bd-7-..-x.txt"
            and context.parent == other.parent
        )
        effect, result, _events = session(
            reviewer, range_since(reviewer, base, "HEAD"), context, timeout=123
        )
    assert effect is Effect.DONE and result.passed and not context.exists()
    (spawn,), (wait,) = gate.called("spawn-code-review"), gate.called("wait")
    span = f"{base}..{head}"
    assert spawn in (
        ["--diff", span, "--context-file", str(context)],
        ["--context-file", str(context), span],
    )
    assert "--json" in wait and wait[-2:] == ["--timeout", "123"]
    assert {call["cwd"] for call in gate.calls} == {str(repo.path)} and not any(
        "reasoning" in word for word in spawn
    )
    (call,) = [
        call for call in gate.calls if call["files"] and call["argv"][0] == "spawn-code-review"
    ]
    assert call["files"][str(context)] == "# Title\n\nThe body\n"


@pytest.mark.req("R001-049")
def test_a_reviewer_is_called_with_range_context_and_timeout_alone():
    parameters = inspect.signature(DefaultReviewer.__call__).parameters
    assert [*parameters][1:] == ["diff_range", "context_file", "timeout"] and parameters[
        "timeout"
    ].default == 300
    assert not [
        key
        for key in (*Config.__struct_fields__, *GateOptions.__struct_fields__)
        if "reasoning" in key or "thinking" in key
    ]


@pytest.mark.req("R001-053")
def test_without_a_baseline_it_is_the_commit_alone(repo, gate, reviewer, tmp_path):
    root, head = repo.head, repo.commit({"a.txt": "a\n"})
    assert range_since(reviewer, "", "HEAD") == f"{root}..{head}"
    span = range_since(reviewer, "", root)
    assert (
        span.endswith(f"..{root}") and session(reviewer, span, tmp_path / "none")[0] is Effect.DONE
    )
    with pytest.raises(UsageError):
        range_since(reviewer, "", "nowhere")


@pytest.mark.req("R001-041", "R001-042", "R001-043", "R001-070")
def test_an_empty_diff_spawns_nothing_and_is_no_pass_on_a_retry(repo, gate, tmp_path):
    base = repo.commit({"a.txt": "a\n"})
    repo.branch("side")
    repo.commit({}, "empty")
    repo.switch("main")
    repo.git("merge", "--quiet", "--no-ff", "--no-edit", "side")
    for span in (f"{base}..{base}", f"{base}..HEAD"):
        effect, result, _events = session(DefaultReviewer(repo.path), span, tmp_path / "none")
        assert (
            effect is Effect.DONE
            and result.passed
            and result.issues == []
            and result.parse_error is None
            and not result.fatal_error
        )
        effect, result, _events = session(
            DefaultReviewer(repo.path, retry=True), span, tmp_path / "none"
        )
        assert (
            effect is Effect.FAIL
            and not result.passed
            and result.parse_error is None
            and result.issues == []
        )
    assert gate.calls == []


@pytest.mark.req("R001-040", "R001-056", "R001-058", "R001-068")
def test_a_gate_that_gives_no_answer_is_asked_again_without_the_agent(
    repo, gate, reviewer, tmp_path
):
    repo.commit({"a.txt": "a\n"})
    gate.plan(
        spawn={"flaky": [{"code": 1, "out": "", "err": "no room\n"}]},
        wait={"flaky": [{"code": 2, "out": "{"}]},
    )
    effect, result, events = session(reviewer, "HEAD~1..HEAD", tmp_path / "none")
    assert effect is Effect.DONE and result.passed
    assert [event[:2] for event in events] == [
        ("started", 1),
        ("retry", 1),
        ("started", 2),
        ("retry", 2),
        ("started", 3),
        ("passed", 3),
    ]
    assert events[1][2] == "spawn failed: no room"
    gate.plan(wait={"code": 3, "out": {"status": "timeout", "consensus_verdict": None}})
    effect, result, events = session(
        reviewer, "HEAD~1..HEAD", tmp_path / "none", max_review_retries=1
    )
    assert (
        effect is Effect.FAIL
        and result.parse_error == "timeout"
        and [event[0] for event in events] == ["started", "retry", "started"]
    )


@pytest.mark.req("R001-057")
def test_issues_go_to_the_agent_and_a_fatal_error_ends_it(repo, gate, reviewer, tmp_path):
    repo.commit({"bad.py": BAD})
    gate.plan(findings=[FINDING])
    effect, result, events = session(reviewer, "HEAD~1..HEAD", tmp_path / "none")
    assert (
        effect is Effect.SEND_REVIEW_RETRY
        and [issue.file for issue in result.issues] == ["bad.py"]
        and len(events) == 1
    )
    gate.plan(verdict="no_reviewers", status="no_reviewers")
    assert session(reviewer, "HEAD~1..HEAD", tmp_path / "none")[0] is Effect.FAIL
    gate.program.unlink()
    effect, result, _events = session(reviewer, "HEAD~1..HEAD", tmp_path / "none")
    assert effect is Effect.FAIL and result.fatal_error

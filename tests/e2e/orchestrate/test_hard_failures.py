"""Exit codes 4 and 5 of an external gate end the run whatever the failure mode says, and what was
found by then is kept."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrating import Place, data
from tests.peers.gates import FINDING, FakeGate, install_gate, register
from tests.support import Ran, Repo

BAD = "def f():\n    return missing\n"
MODES = pytest.mark.parametrize("mode", ["abort", "continue", "remediate"])
# How a gate fails for good, and with which exit code that ends the run.
HARD: dict[str, tuple[dict[str, Any], int]] = {
    "exit 4": ({"wait": {"code": 4, "out": ""}}, 4),
    "its word for exit 4": ({"verdict": "no_reviewers", "status": "no_reviewers"}, 4),
    "exit 4 beside a pass": ({"wait": {"code": 4}}, 4),
    "exit 5": ({"wait": {"code": 5, "out": ""}}, 5),
    "exit 5 beside a pass": ({"wait": {"code": 5}}, 5),
    "exit 5 beside issues": ({"findings": [FINDING], "wait": {"code": 5}}, 5),
    "an exit code that nobody knows": ({"wait": {"code": 77, "out": ""}}, 5),
}
# How it breaks so that the failure mode decides.
SOFT: dict[str, dict[str, Any]] = {
    "exit 2": {"wait": {"code": 2, "out": "{"}},
    "exit 3": {"verdict": None, "status": "timeout"},
    "no spawn": {"spawn": {"code": 5, "err": "Error: no\n", "out": ""}},
}


@pytest.fixture
def gate(tmp_path: Path, request: pytest.FixtureRequest) -> FakeGate:
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    return install_gate(tmp_path / "plugin", getattr(request, "param", "spec"))


def session(repo: Repo, block: dict[str, Any], **keys: Any) -> Ran:
    """The end of a session about issue 7, whose only commit is bad."""
    Place(repo).configure(
        validation_triggers={"session_end": {"code_review": {"enabled": True, **block}}}, **keys
    )
    repo.commit({"bad.py": BAD}, "bd-7: work")
    return repo.cli("orchestrate", "trigger", "session_end", "--issue", "7", "--output", "json")


@pytest.mark.parametrize("gate", ["spec", "v1"], indirect=True)
@MODES
@pytest.mark.parametrize("how", ["exit 4", "exit 5", "exit 5 beside issues"])
def test_alone_it_ends_the_run_at_once(repo: Repo, gate: FakeGate, how: str, mode: str) -> None:
    plan, code = HARD[how]
    gate.plan(**plan)
    done = session(repo, {"failure_mode": mode, "max_retries": 2})
    assert (done.code, len(gate.called("spawn-code-review"))) == (code, 1), done.output


@MODES
@pytest.mark.parametrize("how", HARD)
def test_beside_others_too_and_what_they_found_is_in_the_tracker(
    repo: Repo, gate: FakeGate, how: str, mode: str
) -> None:
    plan, code = HARD[how]
    gate.plan(**plan)
    place = Place(repo)
    idle = place.fixer("")
    block = {
        "failure_mode": mode,
        "max_retries": 2,
        "reviewer_type": "ensemble",
        "finding_threshold": "P1",
    }
    reviewers = {
        "gate": {"type": "review_gate"},
        "linters": {"type": "linters"},
        "builtin": {"type": "builtin"},
    }
    done = session(repo, block, reviewers=reviewers, remediation={"resume": idle})
    said = data(done)
    assert (
        done.code,
        said["exit"],
        len(gate.called("spawn-code-review")),
        place.noted("fixer"),
    ) == (code, code, 1, 0), done.output
    assert said["review"]["status"] == "failed" and said["review"]["new_baseline_commit"] is None
    assert "this ends the run whatever failure_mode says" in said["why"] and "gate " in said["why"]
    titles = [issue["title"] for issue in place.issues()]
    assert any("missing" in title for title in titles) and (
        "findings" not in plan or any("Undefined name (" in t for t in titles)
    ), titles


@pytest.mark.parametrize("how", SOFT)
@pytest.mark.parametrize(("mode", "goes_on"), [("continue", True), ("abort", False)])
def test_any_other_failure_stays_the_failure_modes_business(
    repo: Repo, gate: FakeGate, how: str, mode: str, goes_on: bool
) -> None:
    gate.plan(**SOFT[how])
    done = session(repo, {"failure_mode": mode})
    assert (done.code == 0) == goes_on and done.code not in (4, 5), done.output


def test_a_gate_that_need_not_answer_may_have_no_reviewers(repo: Repo, gate: FakeGate) -> None:
    reviewers = {
        "gate": {"type": "review_gate", "required": False},
        "builtin": {"type": "builtin"},
        "linters": {"type": "linters"},
    }
    gate.plan(**HARD["exit 4"][0])
    assert session(repo, {"reviewer_type": "ensemble"}, reviewers=reviewers).code == 0
    gate.plan(**HARD["exit 5"][0])
    repo.commit({"bad.py": BAD + "\n"}, "bd-7: more")
    assert repo.cli("orchestrate", "trigger", "session_end", "--issue", "7").code == 5


def test_a_gate_that_is_not_there_ends_it_too(repo: Repo) -> None:
    reviewers = {
        "gate": {"type": "review_gate"},
        "builtin": {"type": "builtin"},
        "linters": {"type": "linters"},
    }
    done = session(repo, {"reviewer_type": "ensemble"}, reviewers=reviewers)
    assert done.code == 4 and [issue["title"] for issue in Place(repo).issues()], done.output


@pytest.mark.parametrize("how", ["exit 4", "exit 5"])
@pytest.mark.parametrize("trigger", ["epic_completion", "run_end"])
def test_nothing_after_it_fires_and_the_run_is_not_over(
    repo: Repo, gate: FakeGate, how: str, trigger: str
) -> None:
    plan, code = HARD[how]
    gate.plan(**plan)
    block = {
        "code_review": {
            "enabled": True,
            "failure_mode": "continue",
            "baseline": "since_last_review",
        },
        "fire_on": "both",
    }
    Place(repo).configure(
        validation_triggers={
            trigger: block,
            **({} if trigger == "run_end" else {"run_end": {"fire_on": "both"}}),
        }
    )
    assert repo.cli("orchestrate", "start").code == 0
    repo.commit({"bad.py": BAD}, "work")
    done = repo.cli("orchestrate", "end", "--epics", "E", "--output", "json")
    run = json.loads(repo.file(".git/reviewgate-gh/run_metadata.json").read_text())
    assert (
        done.code == code
        and run["ended"] == ""
        and run["completed"] == []
        and run["last_cumulative_review_commits"] == {}
    ), done.output
    gate.plan()
    assert repo.cli("orchestrate", "end", "--epics", "E").code == 0
    assert json.loads(repo.file(".git/reviewgate-gh/run_metadata.json").read_text())["ended"]


class TestEpics:
    """The same of a gate that verifies epics."""

    @pytest.fixture(autouse=True)
    def epic(self, repo: Repo) -> None:
        """An epic whose only issue is closed, and its commit."""
        rows = [
            {"id": "E", "title": "Speed", "status": "open", "acceptance_criteria": "- it is fast"},
            {"id": "E.1", "title": "One", "status": "closed"},
        ]
        repo.write(
            {".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
        )

    def configured(self, repo: Repo, mode: str) -> None:
        triggers = {"epic_completion": {"fire_on": "both"}, "run_end": {"fire_on": "both"}}
        own = {"reviewer_type": "cerberus", "max_retries": 2, "failure_mode": mode}
        Place(repo).configure(epic_verification=own, validation_triggers=triggers)
        assert repo.cli("orchestrate", "start", "--issues", "E.1").code == 0
        repo.commit({"a.py": "x = 1\n"}, "bd-E.1: one")

    @MODES
    @pytest.mark.parametrize("how", HARD)
    def test_it_ends_the_run_and_is_tried_once(
        self, repo: Repo, gate: FakeGate, how: str, mode: str
    ) -> None:
        plan, code = HARD[how]
        self.configured(repo, mode)
        gate.plan(**plan)
        verified = repo.cli("orchestrate", "verify-epic", "E", "--output", "json")
        said = json.loads(verified.stdout)
        assert (verified.code, said["exit"], said["aborts"], said["attempts"]) == (
            code,
            code,
            True,
            1,
        ), verified.output
        done = repo.cli("orchestrate", "end", "--output", "json")
        fired = json.loads(done.stdout)["fired"]
        assert done.code == code and [each["trigger"] for each in fired] == ["epic_completion"], (
            done.output
        )
        assert "max_retries_exceeded" not in done.stderr
        made = [
            row["title"]
            for row in Place(repo).issues()
            if "epic_verification" in row.get("notes", "")
        ]
        assert made == (["Not met: [P1] Undefined name"] if "findings" in plan else []), made

    @pytest.mark.parametrize("how", ["exit 2", "exit 3"])
    def test_any_other_failure_stays_the_failure_modes_business(
        self, repo: Repo, gate: FakeGate, how: str
    ) -> None:
        self.configured(repo, "continue")
        gate.plan(**SOFT[how])
        assert repo.cli("orchestrate", "end").code == 0

    def test_what_a_gate_names_without_a_verdict_is_kept(self, repo: Repo, gate: FakeGate) -> None:
        self.configured(repo, "continue")
        gate.plan(findings=[FINDING], wait={"code": 2})
        assert repo.cli("orchestrate", "verify-epic", "E").code == 2
        made = [
            row["title"]
            for row in Place(repo).issues()
            if "epic_verification" in row.get("notes", "")
        ]
        assert made == ["Not met: [P1] Undefined name"]

"""Whoever verifies an epic, the same is asked, told and made of it; and only `epic_verification`
says who it is."""

import json
import os
from pathlib import Path

import pytest

from tests.e2e.epics.test_epics import by_models, configure, events, issues, verdict, verify, work
from tests.peers.gates import FakeGate, install_gate, register
from tests.support import Repo

EPIC = {
    "id": "E",
    "title": "Speed",
    "status": "open",
    "description": "Make it fast.",
    "acceptance_criteria": "- it is fast",
}
ROWS = [
    EPIC,
    {"id": "E.1", "title": "One", "status": "closed"},
    {"id": "E.2", "title": "Two", "status": "closed"},
]
UNMET = [
    {"criterion": "it is fast", "priority": 0, "reason": "It is slow."},
    {"criterion": "it is told", "priority": 3, "reason": "No."},
]


@pytest.fixture
def gate(repo: Repo, tmp_path: Path) -> FakeGate:
    """An epic whose issues are closed, and a gate that is there."""
    repo.write({".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS)})
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    return install_gate(tmp_path / "plugin", "v1")


def by(who: str, repo: Repo, gate: FakeGate, server, unmet: list) -> None:
    """That verifier says this."""
    if who == "ensemble":
        by_models(repo, one=server)
        server.answer = lambda asked: verdict(asked, rows=unmet)
    else:
        configure(repo, reviewer_type="cerberus", max_retries=1)
        own = [
            {
                "title": each["criterion"],
                "priority": each["priority"],
                "body": each["reason"],
                "reviewer": "x",
            }
            for each in unmet
        ]
        gate.plan(findings=own, verdict="FAIL" if unmet else "PASS")
    work(repo)


@pytest.mark.req("R002-022", "R002-027", "R002-073", "R002-083")
@pytest.mark.parametrize("who", ["cerberus", "ensemble"])
@pytest.mark.parametrize("unmet", [[], UNMET], ids=["met", "not met"])
def test_a_verdict_leads_to_the_same_whoever_gives_it(
    repo: Repo, gate: FakeGate, model_server, who: str, unmet: list
) -> None:
    by(who, repo, gate, model_server, unmet)
    done, said = verify(repo, "E")
    told = [
        f"started E {who} 1",
        f"failed E {who} 1 verdict_fail" if unmet else f"passed E {who} 1",
    ]
    assert (done.code, events(done)) == (1 if unmet else 0, told), done.output
    assert (said["passed"], said["failure_reason"], said["attempts"]) == (
        not unmet,
        "verdict_fail" if unmet else None,
        1,
    )
    assert set(said["verdict"]) == {"passed", "unmet_criteria", "confidence", "reasoning"}
    assert said["verdict"]["unmet_criteria"] == unmet
    made = [
        (
            row["title"],
            row["priority"],
            [label for label in row["labels"] if label.startswith("epic-")],
        )
        for row in issues(repo)
    ]
    assert made == (
        [
            ("Not met: it is fast", 0, ["epic-remediation"]),
            ("Not met: it is told", 3, ["epic-advisory"]),
        ]
        if unmet
        else []
    )


OTHERS = {
    "reviewer_type": {"reviewer_type": "ensemble"},
    "per_issue_review": {"per_issue_review": {"enabled": True, "reviewer_type": "ensemble"}},
    "the trigger's review": {
        "validation_triggers": {
            "epic_completion": {"code_review": {"enabled": True, "reviewer_type": "ensemble"}}
        }
    },
    "a gate elsewhere": {
        "reviewers": {
            "linters": False,
            "change": False,
            "callers": False,
            "builtin": False,
            "other": {"type": "review_gate", "options": {"path": "/no/gate"}},
        }
    },
}


@pytest.mark.req("R002-015")
@pytest.mark.parametrize("who", ["cerberus", "ensemble"])
@pytest.mark.parametrize("other", OTHERS)
def test_no_other_key_says_who_verifies(
    repo: Repo, gate: FakeGate, model_server, who: str, other: str
) -> None:
    model_server.answer = verdict
    options = {"dialect": "openai", "url": model_server.url("openai"), "model": "one"}
    named = (
        OTHERS[other]
        if who == "cerberus"
        else json.loads(json.dumps(OTHERS[other]).replace('"ensemble"', '"cerberus"'))
    )
    reviewers = {"one": {"type": "api", "options": options}, **named.get("reviewers", {})}
    configure(repo, {**named, "reviewers": reviewers}, reviewer_type=who)
    work(repo)
    done, said = verify(repo, "E")
    assert (
        done.code == 0
        and said["reviewer_type"] == who
        and events(done) == [f"started E {who} 1", f"passed E {who} 1"]
    ), done.output
    assert (len(gate.called("spawn-epic-verify")), len(model_server.requests)) == (
        (1, 0) if who == "cerberus" else (0, 1)
    )

"""An epic verified by the agent SDK: the real program of its wheel, asked by the real command line;
the model is on loopback."""

import json
import socket
import sys

import pytest

from tests.agents import KEY, MODELS, NAME
from tests.e2e.epics.test_epics import configure, events, issues, verdict, verify, work
from tests.peers.model_server import Asked, ModelServer, Say, Spoken
from tests.peers.model_shapes import anthropic, streamed
from tests.support import Ran, Repo, peer

pytestmark = pytest.mark.peer
SDK = "venv/lib/python{}.{}/site-packages/claude_agent_sdk".format(*sys.version_info)
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


@pytest.fixture
def epic(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """An epic whose issues are closed, and their commits; the SDK is found behind everything
    else."""
    monkeypatch.setenv("PYTHONPATH", str(peer(SDK).parent))
    repo.write({".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS)})
    work(repo)
    return repo


def by_sdk(repo: Repo, address: str, max_retries: int) -> tuple[Ran, dict]:
    """What `verify-epic` says when the SDK's model is there."""
    options = {"model": MODELS["agent_sdk"], "url": address, "key": NAME}
    own = {"reviewer_type": "agent_sdk", "max_retries": max_retries, "timeout": 120}
    configure(
        repo,
        {
            "reviewers": {
                "linters": False,
                "change": False,
                "callers": False,
                "builtin": False,
                "sdk": {"type": "agent_sdk", "options": options},
            }
        },
        **own,
    )
    return verify(repo, "E", env={NAME: KEY})


def structured(asked: Asked) -> Say:
    """A model that answers by the tool that the SDK offers for it."""
    made = anthropic(Spoken("", "tool_use"), 10, asked.json())
    made["content"] = [
        {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "StructuredOutput",
            "input": json.loads(verdict(asked)),
        }
    ]
    return Say(200, streamed("anthropic", made), {"content-type": "text/event-stream"})


@pytest.mark.req("R002-022", "R002-027")
def test_an_epic_that_meets_its_criteria_passes(epic: Repo, model_server: ModelServer) -> None:
    model_server.answer = structured
    done, said = by_sdk(epic, model_server.url("anthropic"), max_retries=1)
    assert done.code == 0 and said["passed"] and said["verdict"]["unmet_criteria"] == [], (
        done.output
    )
    assert events(done) == ["started E agent_sdk 1", "passed E agent_sdk 1"] and issues(epic) == []
    (asked,) = model_server.requests
    assert (
        "- it is fast" in asked.prompt
        and "x = 2" in asked.prompt
        and asked.json()["model"] == MODELS["agent_sdk"]
    )


@pytest.mark.req("R002-058", "R002-065")
def test_a_criterion_that_is_not_met_becomes_one_issue(
    epic: Repo, model_server: ModelServer
) -> None:
    model_server.answer = lambda asked: verdict(asked, "it is fast")
    done, said = by_sdk(epic, model_server.url("anthropic"), max_retries=1)
    assert done.code == 1 and said["failure_reason"] == "verdict_fail" and said["attempts"] == 1, (
        done.output
    )
    assert events(done) == ["started E agent_sdk 1", "failed E agent_sdk 1 verdict_fail"]
    assert [row["title"] for row in issues(epic)] == ["Not met: it is fast"]


@pytest.mark.req("R002-057", "R002-061")
def test_the_same_rubbish_twice_is_not_asked_for_a_third_time(
    epic: Repo, model_server: ModelServer
) -> None:
    model_server.answer = "The epic is fine, trust me."
    done, said = by_sdk(epic, model_server.url("anthropic"), max_retries=2)
    assert (
        done.code == 2
        and said["failure_reason"] == "parse_error"
        and said["attempts"] == 2
        and not said["passed"]
    ), done.output
    told = [f"{what} E agent_sdk {attempt}" for attempt in (1, 2) for what in ("started", "failed")]
    assert (
        events(done)
        == [f"{each} parse_error" if each.startswith("failed") else each for each in told]
        and issues(epic) == []
    )
    assert "the same parse error twice" in done.stderr


@pytest.mark.big
@pytest.mark.req("R002-056", "R002-068")
def test_a_server_that_is_down_is_tried_as_often_as_the_config_says(epic: Repo) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    done, said = by_sdk(epic, nobody, max_retries=1)
    assert (
        done.code == 2
        and said["failure_reason"] == "execution_error"
        and said["attempts"] == 2
        and not said["passed"]
    ), done.output
    assert events(done) == [
        "started E agent_sdk 1", "failed E agent_sdk 1 execution_error", "started E agent_sdk 2",
        ("failed E agent_sdk 2 "
        "execution_error"),
        "failed E agent_sdk 2 max_retries_exceeded",
    ]  # fmt: skip
    assert "ECONNREFUSED" in said["message"] and issues(epic) == []

"""A template's review by the real agent SDK and the program in its wheel; the model on loopback
asks for what it must not get."""

import asyncio
import json
import os
import re
import sys
import threading

import pytest

from reviewgate_gh.documents.agent import SdkAgent, run_review
from reviewgate_gh.documents.registry import find_template
from reviewgate_gh.documents.result import Severity, Verdict
from reviewgate_gh.documents.trusted_side import TrustedSide
from tests.peers.model_server import Say
from tests.peers.model_shapes import streamed
from tests.support import PEERS, peer

SDK = "venv/lib/python{}.{}/site-packages/claude_agent_sdk".format(*sys.version_info)
ANSWER = (
    "## Summary\n[overall assessment: CONCERNS]\n\n## Findings\n\n### [CONCERN] Cycle\n"
    "src/a.py:1 imports itself.\n"
)


def says(request, *blocks, tokens=10) -> Say:
    """A model's turn, as a stream."""
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    usage = {
        "input_tokens": tokens,
        "output_tokens": 10,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    made = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "m"),
        "content": [*blocks],
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    return Say(body=streamed("anthropic", made), headers={"content-type": "text/event-stream"})


def use(number, name, **given):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}


@pytest.fixture
def project(repo, monkeypatch, model_server):
    """A repository in which the SDK's program asks our server."""
    site = str(peer(SDK).parent)
    # Behind our own, so that nothing else of it counts here
    monkeypatch.setattr(sys, "path", [*sys.path, site])
    monkeypatch.setenv("PYTHONPATH", site)
    repo.commit({"src/a.py": "import a\n", "plan.md": "# Plan\n", "arch.md": "# Architecture\n"})
    for name, value in {
        "ANTHROPIC_BASE_URL": model_server.root, "ANTHROPIC_API_KEY": "sk-ant-api03-dummy",
        "GITHUB_TOKEN": "ghs_canary0123456789",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    return repo


def asked(server):
    """The requests that carry the review's conversation."""
    return [
        request.json()
        for request in server.requests
        if request.dialect == "anthropic" and request.json().get("tools")
    ]


@pytest.mark.req("R004-041", "R004-042", "R004-068")
def test_one_question_is_answered_and_only_the_templates_tools_are_offered(project, model_server):
    model_server.answer = lambda request: says(request.json(), {"type": "text", "text": ANSWER})
    template = find_template("arch", TrustedSide(None, all_approved=True))
    inputs = {"input": "plan.md", "against": "arch.md", "cwd": str(project.path)}
    result = asyncio.run(run_review(template, inputs, SdkAgent(seconds=120)))
    assert (result.verdict, result.error) == (Verdict.CONCERNS, "")
    assert [(f.severity, f.title, f.file_ref) for f in result.findings] == [
        (Severity.CONCERN, "Cycle", "src/a.py:1")
    ]
    (request,) = asked(model_server)
    assert {tool["name"] for tool in request["tools"]} - {"DeferredToolPlaceholder"} == {
        "Read",
        "Glob",
        "Grep",
    }
    assert "You review designs." in json.dumps(request["system"]) and "plan.md" in json.dumps(
        request["messages"]
    )


WISHES = {
    "git": use(1, "Bash", command="git log --format=%s"),
    "shell": use(2, "Bash", command="git log; touch made-by-shell"),
    "writes": use(3, "Bash", command="git diff --output=made-by-git"),
    "touch": use(4, "Bash", command="touch made-by-touch"),
    "write": use(5, "Write", file_path="made-by-write", content="x"),
    "outside": use(6, "Read", file_path="/etc/hostname"),
    "credentials": use(8, "Read", file_path=".git/config"),
    "search": use(9, "Grep", pattern="in-the-config", output_mode="content"),
    "inside": use(7, "Read", file_path="plan.md"),
}


@pytest.mark.req("R004-044", "R004-045")
def test_what_the_model_asks_for_beyond_reading_is_refused(project, model_server):
    left = [*WISHES.values()]

    def answer(request):
        body = request.json()
        if not body.get("tools"):
            return says(body, {"type": "text", "text": "ok"})
        return says(body, left.pop(0) if left else {"type": "text", "text": ANSWER})

    model_server.answer = answer
    WISHES["inside"]["input"]["file_path"] = str(project.file("plan.md"))
    project.git("config", "http.extraheader", "in-the-config")
    template = find_template("code", TrustedSide(None, all_approved=True))
    result = asyncio.run(
        run_review(template, {"diff": "HEAD", "cwd": str(project.path)}, SdkAgent(seconds=120))
    )
    results = {
        block["tool_use_id"]: (bool(block.get("is_error")), json.dumps(block["content"]))
        for message in asked(model_server)[-1]["messages"]
        for block in (message["content"] if isinstance(message["content"], list) else ())
        if block["type"] == "tool_result"
    }
    said = {name: results[wish["id"]] for name, wish in WISHES.items()}
    assert result.verdict is Verdict.CONCERNS
    assert {name for name, (failed, _text) in said.items() if not failed} >= {"git", "inside"}
    assert {"shell", "writes", "touch", "write", "outside", "credentials"} <= {
        name for name, (failed, _text) in said.items() if failed
    }
    assert "extraheader" not in said["search"][1]
    assert [path.name for path in project.path.glob("made-by-*")] == []
    assert "canary" not in b"".join(request.body for request in model_server.requests).decode()


@pytest.mark.parametrize("budget", [{"calls": 2}, {"input_tokens": 5000}])
def test_the_budget_of_the_config_holds_for_every_turn(project, model_server, budget):
    """A model that wants to read for ever; each question has 2,000 tokens, it says, and the third
    answer does not come while we listen."""
    project.commit({".reviewgate-gh.yaml": json.dumps({"ensemble": {"budget": budget}})})
    over = threading.Event()

    def answer(request):
        number = len(asked(model_server))
        if number > 2:
            over.wait(120)
        return says(request.json(), use(number, "Read", file_path="plan.md"), tokens=2000)

    model_server.answer = answer
    done = project.cli("review", "arch", "plan.md", "--against", "arch.md")
    over.set()
    assert done.code == 2 and f"(ensemble.budget.{next(iter(budget))})" in done.output, done.output
    assert 2 <= len(asked(model_server)) <= (2 if "calls" in budget else 3), (
        "the third may be on its way when the second is counted"
    )


def test_the_command_line_asks_it_with_the_users_key_and_from_a_home_of_its_own(
    project, model_server, isolated
):
    model_server.answer = lambda request: says(request.json(), {"type": "text", "text": ANSWER})
    project.commit({"CLAUDE.md": "Use tabs, says the project.\n"})
    done = project.cli("review", "code", "--diff", "HEAD~1")
    assert done.code == 1 and done.stdout.endswith(
        "review code · CONCERNS · 1 concern · by agent_sdk\n"
    ), done.output
    (request,) = asked(model_server)
    assert "Use tabs, says the project." in json.dumps(request)
    assert {row.headers["x-api-key"] for row in model_server.requests if row.dialect} == {
        "sk-ant-api03-dummy"
    }
    assert not (isolated / ".claude").exists() and not (isolated / ".claude.json").exists()


PROGRAMS = {
    "codex": ("responses", "node_modules/.bin/codex", "gpt-5.1"),
    "gemini": ("gemini", "node_modules/.bin/gemini", "gemini-2.5-pro"),
    "qwen": ("openai", "node_modules/.bin/qwen", "qwen3-coder-plus"),
    "claude": ("anthropic", f"{SDK}/_bundled/claude", "claude-sonnet-4-5"),
}
RUNS = [("codex", "arch"), ("gemini", "tasks"), ("qwen", "code"), ("claude", "arch")]


@pytest.mark.peer
@pytest.mark.parametrize(("name", "template"), RUNS)
def test_a_real_coding_agent_is_given_the_documents_and_answers(
    repo, model_server, monkeypatch, name, template
):
    dialect, program, model = PROGRAMS[name]
    monkeypatch.setenv("MY_MODEL_KEY", "key-0f1e2d3c4b5a69788796")
    monkeypatch.setenv(
        "PATH",
        os.pathsep.join(
            map(str, (PEERS / "venv/bin", PEERS / "node_modules/.bin", os.environ["PATH"]))
        ),
    )
    options = {
        "key": "MY_MODEL_KEY",
        "model": model,
        "url": model_server.url(dialect),
        "path": str(peer(program)),
    }
    config = {
        "reviewers": {
            "linters": False,
            "change": False,
            "callers": False,
            "builtin": False,
            "them": {"type": name, "options": options},
        }
    }
    repo.commit(
        {
            ".reviewgate-gh.yaml": json.dumps(config),
            "plan.md": "# Plan of the day\n",
            "arch.md": "# Architecture\n",
            "src/a.py": "a\n",
        }
    )
    model_server.answer = lambda request: json.dumps(
        {"nonce": re.findall(r"nonce: ([0-9a-f]{32})", request.prompt)[-1], "review": ANSWER}
    )
    inputs = ("--files", "plan.md") if template == "code" else ("plan.md", "--against", "arch.md")
    done = repo.cli("review", template, *inputs, "--reviewer", "them")
    assert done.code == 1 and done.stdout.endswith(
        f"review {template} · CONCERNS · 1 concern · by them\n"
    ), done.output
    assert "CONCERN  src/a.py:1  Cycle\n" in done.stdout
    assert all("     1 | # Plan of the day" in prompt for prompt in model_server.prompts)

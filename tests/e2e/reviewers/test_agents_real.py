"""The real coding agents against a model on loopback: answers, refusals, a megabyte on standard
input, and what they send."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.model.question import ModelReply, Prompt
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.system.environment import Environment

from ...agents import KEY, MODELS, NAME, PROMPT, SCHEMA, TEXT, module
from ...peers.aimock import Aimock, error, row
from ...peers.model_server import Asked, ModelServer, Say, Spoken, whole
from ...peers.model_shapes import anthropic, streamed
from ...support import PEERS, Repo, peer

pytestmark = pytest.mark.peer
DIALECTS = {
    "claude": "anthropic",
    "agent_sdk": "anthropic",
    "codex": "responses",
    "gemini": "gemini",
    "qwen": "openai",
}
SDK = "venv/lib/python{}.{}/site-packages/claude_agent_sdk".format(*sys.version_info)
PROGRAMS = {name: f"node_modules/.bin/{name}" for name in ("codex", "gemini", "qwen")} | {
    "claude": f"{SDK}/_bundled/claude"
}
# What may stand among the tools that a model is offered: nothing that reads a file, runs a program
# or opens a connection.
HARMLESS = {
    "claude": set(),
    "agent_sdk": {"StructuredOutput"},
    "codex": {"request_user_input"},
    "gemini": {"list_directory"},
    "qwen": {"get_goal", "update_goal"},
}
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
each_agent = pytest.mark.parametrize("name", DIALECTS)


def one_agent(at: int) -> pytest.MarkDecorator:
    """All of them with REVIEWGATE_GH_FULL; else one, another for each test: starting one takes
    seconds, and the fakes show every way."""
    return pytest.mark.parametrize("name", DIALECTS if FULL else [[*DIALECTS][at % len(DIALECTS)]])


@pytest.fixture(autouse=True)
def found(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of the test is here; the SDK is found where install.sh puts it, behind everything
    else."""
    name = request.node.callspec.params["name"]
    peer(PROGRAMS.get(name, SDK))
    if name == "agent_sdk":
        monkeypatch.setattr(sys, "path", [*sys.path, str((PEERS / SDK).parent)])


def seat(
    folder: Path, timeout: float = 120, trusted: bool = False, tree: Path | None = None, **more: str
) -> ModelContext:
    """A person's own machine with one key on it, and Node 24 first on PATH."""
    folders = (PEERS / "venv/bin", PEERS / "node_modules/.bin", os.environ["PATH"])
    path = os.pathsep.join(map(str, folders))
    return ModelContext(
        Environment({"PATH": path, "HOME": str(folder), NAME: KEY, **more}, folder),
        timeout,
        trusted,
        tree,
    )


def ask(
    name: str, address: str, at: ModelContext, prompt: Prompt = PROMPT, **options: Any
) -> ModelReply:
    """One question to the real program."""
    where = {"path": str(PEERS / PROGRAMS["claude"])} if name == "claude" else {}
    chosen = module(name).Options(
        **{"key": NAME, "model": MODELS[name], "url": address, **where, **options}
    )
    return module(name).ask(prompt, chosen, at)


@each_agent
def test_a_megabyte_is_asked_and_answered(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = lambda asked: Spoken(TEXT, cached=40)
    lines = "".join(f"+ line {number} {'x' * 50}\n" for number in range(16_000))
    reply = ask(
        name,
        model_server.url(DIALECTS[name]),
        seat(tmp_path),
        Prompt(lines, "the very end\n", SCHEMA),
    )
    assert (reply.status, reply.text) == (ReviewStatus.OK, TEXT), reply.error
    assert (reply.model, reply.usage.cached > 0, reply.version[:1].isdigit()) == (
        MODELS[name],
        True,
        True,
    )
    assert all(lines in prompt and "the very end" in prompt for prompt in model_server.prompts)
    assert len(model_server.requests) == reply.usage.calls <= 2
    assert all(
        json.loads(asked.body)["model"] == MODELS[name]
        for asked in model_server.requests
        if name != "gemini"
    )
    assert all(KEY in str(asked.headers) and asked.dialect for asked in model_server.requests)
    assert name != "claude" or b"cache_control" not in model_server.requests[0].body


@each_agent
def test_no_tool_reaches_anything_and_no_file_around_is_read(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = TEXT
    with traps(tmp_path) as around:
        reply = ask(name, model_server.url(DIALECTS[name]), seat(around))
    assert reply.status is ReviewStatus.OK, reply.error
    assert not (tmp_path / "sprung").exists()
    for asked in model_server.requests:
        assert tools(asked.json()) <= HARMLESS[name]
        assert (
            b"OBEY-THE-FILE" not in asked.body
            and b"OBEY-THE-FILE" not in str(asked.headers).encode()
        )


@contextmanager
def traps(folder: Path) -> Iterator[Path]:
    """A home in a repository, with the temporary folders below it, full of files that agents read
    and hooks that they run."""
    home = Repo.init(folder / "home").path
    words, spring = "OBEY-THE-FILE\n", f"touch {folder}/sprung"
    hook = [{"hooks": [{"type": "command", "command": spring}]}]
    hooks = {
        "hooks": dict.fromkeys(("SessionStart", "UserPromptSubmit", "BeforeAgent", "Stop"), hook)
    }
    server = {"mcpServers": {"x": {"command": "sh", "args": ["-c", spring]}}}
    for at in (home, home / "tmp"):
        for name in (
            "CLAUDE.md",
            "AGENTS.md",
            "GEMINI.md",
            "QWEN.md",
            ".claude/CLAUDE.md",
            ".codex/AGENTS.md",
            ".gemini/GEMINI.md",
        ):
            (at / name).parent.mkdir(parents=True, exist_ok=True)
            (at / name).write_text(words)
        for name in (
            ".claude/settings.json",
            ".gemini/settings.json",
            ".qwen/settings.json",
            ".mcp.json",
        ):
            (at / name).parent.mkdir(parents=True, exist_ok=True)
            (at / name).write_text(json.dumps({**hooks, **server}))
        (at / ".codex/config.toml").write_text(
            f'notify = ["sh", "-c", "{spring}"]\n[mcp_servers.x]\ncommand = "sh"\n'
            f'args = ["-c", "{spring}"]\n'
        )
        bad = "".join(
            f"{key}=http://127.0.0.1:9/OBEY-THE-FILE\n"
            for key in ("GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL", "HTTPS_PROXY")
        )
        for name in (".env", ".gemini/.env", ".qwen/.env"):
            (at / name).parent.mkdir(parents=True, exist_ok=True)
            (at / name).write_text(bad)
    before = tempfile.tempdir
    tempfile.tempdir = str(home / "tmp")
    try:
        yield home
    finally:
        tempfile.tempdir = before
    left = [
        entry.name for entry in (home / "tmp").iterdir() if entry.name.startswith("reviewgate-gh")
    ]
    assert left == []


def tools(request: dict[str, Any]) -> set[str]:
    """The names of the tools in a request, whoever it is for."""
    found = set()
    for tool in request.get("tools") or ():
        for each in tool.get("functionDeclarations") or [tool.get("function") or tool]:
            found.add(each.get("name") or each.get("type"))
    return found


@one_agent(1)
def test_prose_is_no_failure_of_the_program(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = "I think it is fine."
    reply = ask(name, model_server.url(DIALECTS[name]), seat(tmp_path))
    assert (reply.status, reply.text) == (ReviewStatus.OK, "I think it is fine."), reply.error


@one_agent(2)
def test_a_key_that_is_refused_is_a_failure(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = lambda asked: Say(
        401, {"error": {"message": f"no such key: {KEY}", "type": "auth", "code": 401}}
    )
    reply = ask(name, model_server.url(DIALECTS[name]), seat(tmp_path))
    assert (reply.status, reply.text) == (ReviewStatus.FAILED, "") and "no such key" in reply.error
    assert KEY not in repr(reply)


@one_agent(4)
@pytest.mark.parametrize("status", [429, 500])
def test_a_server_that_is_busy_or_broken_is_no_answer(
    name: str, status: int, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = lambda asked: Say(
        status, {"error": {"message": "not now", "type": "x", "code": status}}
    )
    reply = ask(
        name, model_server.url(DIALECTS[name]), seat(tmp_path, timeout=6 if name == "qwen" else 100)
    )
    # qwen tries again for minutes, and nothing that it reads in its bare mode stops that.
    assert reply.status is (ReviewStatus.TIMEOUT if name == "qwen" else ReviewStatus.FAILED), reply
    assert reply.text == "" and reply.error


@one_agent(3)
def test_a_model_that_says_nothing_meets_the_deadline(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = lambda asked: Say(mode="stall")
    reply = ask(name, model_server.url(DIALECTS[name]), seat(tmp_path, timeout=6))
    assert (reply.status, reply.text) == (ReviewStatus.TIMEOUT, "")


@pytest.mark.parametrize("name", ["codex", "gemini", "qwen"] if FULL else ["gemini"])
def test_aimock_is_answered_alike(name: str, aimock: Aimock, tmp_path: Path) -> None:
    dialect = {"codex": "openai", "qwen": "openai", "gemini": "gemini"}[name]
    aimock.add(row(TEXT))
    assert ask(name, aimock.url(dialect), seat(tmp_path)).text == TEXT
    aimock.reset()
    aimock.add(row(error(401, "no such key")))
    assert ask(name, aimock.url(dialect), seat(tmp_path)).status is ReviewStatus.FAILED


def wanting(path: str, asked: Asked) -> Say:
    """A model that reads this file first, and answers with whatever it was told about it."""
    messages = asked.json()["messages"]
    results = [
        part
        for message in messages
        if isinstance(message["content"], list)
        for part in message["content"]
    ]
    results = [part for part in results if part.get("type") == "tool_result"]
    if results:
        return whole(asked, Spoken(json.dumps(results[-1]["content"])))
    made = anthropic(Spoken("", "tool_use"), 10, asked.json())
    made["content"] = [
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": path}}
    ]
    return Say(200, streamed("anthropic", made), {"content-type": "text/event-stream"})


@pytest.mark.parametrize("name", ["agent_sdk"])
def test_with_tools_it_reads_the_work_tree_and_nothing_else(
    name: str, model_server: ModelServer, repo: Repo, tmp_path: Path
) -> None:
    repo.write({"app.py": "INSIDE = 1\n"})
    (tmp_path / "outside.txt").write_text("OUTSIDE\n")
    said = {}
    for path in (repo.file("app.py"), tmp_path / "outside.txt", Path("/proc/self/environ")):
        model_server.answer = partial(wanting, str(path))
        at = seat(tmp_path, trusted=True, tree=repo.path)
        reply = ask(name, model_server.url("anthropic"), at, tools=("Read", "Grep", "Glob"))
        assert reply.status is ReviewStatus.OK, reply.error
        said[path.name] = reply.text
    assert "INSIDE = 1" in said["app.py"]
    assert "OUTSIDE" not in said["outside.txt"] and KEY not in said["environ"]
    assert (
        {"Read", "Grep", "Glob"}
        <= tools(model_server.requests[0].json())
        <= {"Read", "Grep", "Glob", "StructuredOutput"}
    )


@pytest.mark.parametrize("name", ["agent_sdk"])
def test_a_structured_answer_takes_one_call(
    name: str, model_server: ModelServer, tmp_path: Path
) -> None:
    def structured(asked: Asked) -> Say:
        made = anthropic(Spoken("", "tool_use"), 10, asked.json())
        made["content"] = [
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "StructuredOutput",
                "input": json.loads(TEXT),
            }
        ]
        return Say(200, streamed("anthropic", made), {"content-type": "text/event-stream"})

    model_server.answer = structured
    reply = ask(name, model_server.url("anthropic"), seat(tmp_path))
    assert (reply.status, json.loads(reply.text)) == (ReviewStatus.OK, json.loads(TEXT)), reply
    assert len(model_server.requests) == 1


@pytest.mark.parametrize("name", ["claude", "agent_sdk"] if FULL else ["claude"])
def test_a_login_alone_is_enough(name: str, model_server: ModelServer, tmp_path: Path) -> None:
    login = tmp_path / ".claude/.credentials.json"
    login.parent.mkdir()
    token = {
        "accessToken": "sk-ant-oat01-x",
        "refreshToken": "sk-ant-ort01-x",
        "expiresAt": 10**13,
        "scopes": ["user:inference"],
    }
    login.write_text(json.dumps({"claudeAiOauth": token}))
    model_server.answer = TEXT
    reply = ask(name, "", seat(tmp_path, ANTHROPIC_BASE_URL=model_server.url("anthropic")), key="")
    assert (reply.status, reply.text) == (ReviewStatus.OK, TEXT), reply.error
    assert {asked.headers["authorization"] for asked in model_server.requests} == {
        "Bearer sk-ant-oat01-x"
    }
    assert json.loads(login.read_text()) == {"claudeAiOauth": token}

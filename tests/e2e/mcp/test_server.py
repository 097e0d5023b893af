"""The server as agents start it: a process, and a client that speaks its protocol."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.support import ROOT, Ran, Repo, peer, run, run_on_terminal

TOKEN = "ghp_" + "a8Zk3" * 7 + "Q"
BAD = "import os\n\n\ndef f():\n    return missing()\n"


class Client:
    """A client that asks one thing after another."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process, self.last, self.heard = process, 0, list[dict[str, Any]]()
        self.schemas: dict[str, Any] = {}

    def send(self, method: str, **params: Any) -> int:
        self.last += 1
        self._write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def notify(self, method: str, **params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, id: int) -> dict[str, Any]:
        assert self.process.stdout
        while True:
            said: dict[str, Any] = json.loads(self.process.stdout.readline())
            if said.get("id") == id:
                return said
            self.heard.append(said)

    def call(self, tool: str, **arguments: Any) -> tuple[Any, str, bool]:
        """The structured content, the text, and whether it failed."""
        said = self.answer(self.send("tools/call", name=tool, arguments=arguments))["result"]
        content = said.get("structuredContent")
        if content is not None:
            jsonschema_rs.validate(self.schemas[tool], content)
        return content, said["content"][0]["text"], said["isError"]

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


@contextmanager
def connected(
    folder: Path, *options: str, env: Mapping[str, str] | None = None
) -> Iterator[Client]:
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "mcp", *options]
    with subprocess.Popen(
        argv,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        client = Client(process)
        client.answer(client.send("initialize", protocolVersion="2025-11-25"))
        tools = client.answer(client.send("tools/list"))["result"]["tools"]
        client.schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
        yield client
        assert process.stdin
        process.stdin.close()
        assert process.wait(60) == 0


def program(path: Path, script: str) -> None:
    """A linter that says its version, and else does as the script says."""
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo ruff 0.99.0 && exit\n{script}\n')
    path.chmod(0o755)


def on_path(tool: Path) -> dict[str, str]:
    return {"PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}"}


def has_ended(number: int) -> bool:
    """The process ends, sooner or later."""
    for _ in range(600):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def bad(repo: Repo) -> Repo:
    repo.commit({"a.py": BAD}, f"two {TOKEN}")
    return repo


@pytest.mark.contract
@pytest.mark.req("R010-004", "R010-005", "R010-006")
def test_an_agent_finds_fixes_and_passes(bad: Repo) -> None:
    with connected(bad.path, "--write", env={"REVIEWGATE_GH_SKIP": "because"}) as client:
        found, text, failed = client.call("review", commit="HEAD")
        assert not failed and found["verdict"] == "block" and not found["may_push"]
        assert "Not a pass" in text and TOKEN not in json.dumps(found) + text
        first = next(row for row in found["findings"] if row["rule"] == "ruff/F821")
        assert first["blocks"] and first["code"] == "    return missing()"
        assert first["fingerprint"] in text

        listed, text, _failed = client.call("findings")
        assert listed["findings"] == found["findings"] and listed["is_present"]
        told, text, _failed = client.call("explain", name=first["fingerprint"])
        assert told["total"] == 1 and "return missing()" in text
        told, text, _failed = client.call("explain", name="ruff/F401")
        assert told["rule"] == "ruff/F401" and told["about"]

        waived, text, failed = client.call(
            "propose_waiver", fingerprint=first["fingerprint"], reason="it's late"
        )
        assert waived["applied"] is False and "a person has to decide" in text
        assert not bad.file(".reviewgate-gh-waivers.yaml").exists()

        shown, text, _failed = client.call("preview_fixes")
        assert shown["files"][0]["path"] == "a.py" and "-import os" in text
        assert bad.file("a.py").read_text() == BAD
        done, _text, failed = client.call("apply_fixes")
        assert not failed and done["files"] == 1
        bad.write({"a.py": "def f():\n    return 1\n"})
        listed, text, _failed = client.call("findings")
        assert not listed["is_present"] and "call review" in text
        found, text, _failed = client.call("review", uncommitted=True)
        assert (found["verdict"], found["may_push"], found["findings"]) == ("pass", True, [])


@pytest.mark.contract(plain=False)
@pytest.mark.req("R010-002", "R010-007")
def test_what_cannot_be_done_is_said_and_is_no_pass(repo: Repo) -> None:
    repo.commit({"a.py": BAD})
    with connected(repo.path) as client:
        content, text, failed = client.call("review", commit="nowhere")
        assert failed and content is None
        assert "'nowhere' is not a commit here; list branches" in text
        found, text, _failed = client.call("review", staged=True)
        assert found["verdict"] == "pass" and "nothing was reviewed" in found["next"]
    tool = repo.path.parent / "bin/ruff"
    program(tool, "exit 1")
    with connected(repo.path, env=on_path(tool)) as client:
        found, text, failed = client.call("review", commit="HEAD")
        assert not failed and found["verdict"] == "inconclusive" and not found["may_push"]
        assert "Not a pass" in text and "ruff" in " ".join(found["reasons"])
    nowhere = repo.path.parent / "nowhere"
    nowhere.mkdir()
    with connected(nowhere) as client:
        content, text, failed = client.call("review")
        assert failed and content is None and "not in a git repository" in text


@pytest.mark.contract(plain=False)
@pytest.mark.req("R010-008")
def test_a_call_that_is_cancelled_ends_its_programs_and_gets_no_answer(
    repo: Repo, tmp_path: Path
) -> None:
    slow, started = tmp_path / "bin/ruff", tmp_path / "started"
    program(slow, f"echo $$ > {started}\nexec sleep 300")
    repo.commit({"a.py": BAD})
    with connected(repo.path, env=on_path(slow)) as client:
        asked = {"name": "review", "arguments": {"commit": "HEAD"}, "_meta": {"progressToken": 5}}
        id = client.send("tools/call", **asked)
        while not started.exists() or not started.read_text():
            client.heard.append(json.loads(client.process.stdout.readline()))
        assert {each["params"]["progressToken"] for each in client.heard} == {5}
        number = int(started.read_text())
        client.notify("notifications/cancelled", requestId=id)
        assert has_ended(number), "while the server goes on"
        found, _text, failed = client.call("doctor")
        assert not failed and found["checks"]
    assert id not in [each.get("id") for each in client.heard]


def test_a_person_at_a_terminal_is_told_what_it_is_for(repo: Repo) -> None:
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "mcp"]
    code, seen = run_on_terminal(argv, repo.path, {"PYTHONPATH": str(ROOT)})
    assert code == 64 and "init --agents" in seen


_SDK = """
import asyncio, sys
from mcp import StdioServerParameters
from mcp.client.client import Client

async def main(mode):
    heard = []
    async def told(done, total, message):
        heard.append(message)
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(server, mode=mode) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        found = await client.call_tool("review", {"commit": "HEAD"}, progress_callback=told)
        wrong = await client.call_tool("review", {"commit": "nowhere"})
        verdict = found.structured_content["verdict"]
        print(mode, "review" in names, verdict, bool(heard), wrong.is_error)

for mode in ("auto", "legacy"):
    asyncio.run(main(mode))
"""


@pytest.mark.peer
@pytest.mark.req("R010-001")
def test_the_official_client_reviews_with_each_generation_of_the_protocol(bad: Repo) -> None:
    python = peer("venv-mcp/bin/python")
    server = [sys.executable, "-P", "-m", "reviewgate_gh", "mcp"]
    done = run([python, "-c", _SDK, *server], bad.path, {"PYTHONPATH": ""})
    assert done.stdout == "auto True block True True\nlegacy True block True True\n", done.output


def inspector(repo: Repo, *words: str) -> Ran:
    """What the MCP Inspector says of the server, or of a program that stands in its place."""
    program = peer("more/node_modules/.bin/mcp-inspector")
    env = {"PYTHONPATH": str(ROOT), "HOME": str(repo.path.parent), "PATH": os.environ["PATH"]}
    server = [sys.executable, "-P", "-m", "reviewgate_gh", "mcp"]
    return run([program, "--cli", *server, *words], repo.path, env)


@pytest.mark.peer
@pytest.mark.req("R010-001")
def test_the_inspector_finds_nothing_wrong_with_the_schemas(repo: Repo) -> None:
    done = inspector(repo, "--method", "tools/list", "--strict")
    assert done.code == 0, done.output
    names = [each["name"] for each in json.loads(done.stdout)["tools"]]
    assert {"review", "findings", "explain", "preview_fixes", "propose_waiver", "doctor"} == {
        *names
    }
    assert "Warning: tool" not in done.stderr, done.stderr


@pytest.mark.peer
@pytest.mark.req("R010-001")
def test_the_inspector_calls_the_tools(repo: Repo) -> None:
    repo.commit({"a.py": BAD})
    call = ("--method", "tools/call", "--tool-name")
    done = inspector(repo, *call, "review", "--tool-arg", "commit=HEAD")
    assert done.code == 0, done.output
    assert json.loads(done.stdout)["structuredContent"]["verdict"] == "block", done.stdout
    listed = inspector(repo, *call, "findings")
    assert "Undefined name" in listed.stdout, listed.output

"""The gate's look-ups over MCP, as a coding agent starts and asks them: its bridge is a real
process, and what it asks comes from a real repository."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.ensemble.budget import BudgetAccount, TurnBudget
from reviewgate_gh.ensemble.repository_tools import MAX_CALLS, ReadableTree, RepositoryTools
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.config import Budget
from reviewgate_gh.model.review import ReviewStatus, Usage
from reviewgate_gh.reviewers.agents._tool_server import ToolServer, serve_tools
from tests.support import Repo

GREP = {"name": "grep", "arguments": {"text": "x"}}


@pytest.fixture
def tools(repo: Repo) -> RepositoryTools:
    base = repo.commit({"a.py": "x = 1\n"})
    head = repo.commit({"a.py": "x = 2\n"})
    git = open_repository(repo.path, {**os.environ})
    return RepositoryTools(ReadableTree(git, base, head, lambda paths: ()))


def turns(tokens: int = 100, **most: Any) -> TurnBudget:
    """The account of a question of so many tokens."""
    account = BudgetAccount(Budget(**{"calls": None, "input_tokens": None, **most}))
    ticket, why = account.reserve(account.estimate("x" * 4 * tokens, None))
    assert not why
    return TurnBudget(account, ticket, tokens)


class Client:
    """What an agent is to the server."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        self.program = program

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a request."""
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.send_line(json.dumps(asked))

    def send_line(self, line: str) -> dict[str, Any]:
        assert self.program.stdin and self.program.stdout
        self.program.stdin.write(f"{line}\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())

    def call(self, **params: Any) -> str:
        """What a tool says."""
        return self.send("tools/call", **params)["result"]["content"][0]["text"]


@contextmanager
def started(server: ToolServer, tools: RepositoryTools, folder: Path) -> Iterator[Client]:
    with serve_tools(server, tools, folder) as offered:
        argv, pipe = [offered.command, *offered.args], subprocess.PIPE
        # With nothing of ours: neither the folder nor the variables matter
        with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, cwd="/", env={}) as bridge:
            yield Client(bridge)
            assert bridge.stdin
            bridge.stdin.close()
            assert bridge.wait(20) == 0


# An address has room for about a hundred characters, a folder's name for more
@pytest.mark.parametrize("below", [(), ("n" * 120, "m" * 120)])
def test_an_agent_finds_the_tools_and_is_answered(
    tools: RepositoryTools, tmp_path: Path, below: tuple[str, ...]
) -> None:
    folder = tmp_path.joinpath(*below)
    folder.mkdir(parents=True, exist_ok=True)
    server = ToolServer(tools, turns())
    with started(server, tools, folder) as client:
        hello = client.send("initialize", protocolVersion="2025-06-18")["result"]
        assert (hello["protocolVersion"], hello["capabilities"]) == ("2025-06-18", {"tools": {}})
        listed = client.send("tools/list")["result"]["tools"]
        assert [each["name"] for each in listed] == ["read_file", "show_base", "grep", "list_files"]
        assert all(each["annotations"]["readOnlyHint"] for each in listed)
        assert listed[0]["inputSchema"]["required"] == ["path", "first_line"]
        assert "a.py:1: x = 2" in client.call(**GREP)
        base = {"path": "a.py", "first_line": 1}
        assert "1 | x = 1" in client.call(name="show_base", arguments=base)
        assert server.answered == 2 and not server.why_to_stop()


def test_two_clients_are_answered_and_the_calls_are_those_of_one_question(
    tools: RepositoryTools, tmp_path: Path
) -> None:
    """Agents start a server anew where it seems to be gone."""
    server = ToolServer(tools, turns())
    with started(server, tools, tmp_path) as one:
        one.call(**GREP)
    again = tmp_path / "again"
    again.mkdir()
    with started(server, tools, again) as two:
        two.call(**GREP)
    assert server.answered == 2


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nonsense", -32700),
        ("[]", -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sh"}}', -32602),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": []}}', -32602),
    ],
)
def test_whatever_else_is_sent_is_an_error_and_costs_nothing(
    tools: RepositoryTools, tmp_path: Path, line: str, code: int
) -> None:
    server = ToolServer(tools, turns())
    with started(server, tools, tmp_path) as client:
        assert client.send_line(line)["error"]["code"] == code
        wrong = client.call(name="grep", arguments={"tree": "HEAD"})
        assert wrong == "grep takes exactly: text"
    assert server.answered == 1


def test_a_turn_beyond_the_budget_is_not_answered(tools: RepositoryTools, tmp_path: Path) -> None:
    """The question is a call, and so is what follows each answer."""
    account = turns(calls=3)
    server = ToolServer(tools, account)
    with started(server, tools, tmp_path) as client:
        assert "x = 2" in client.call(**GREP) and "x = 2" in client.call(**GREP)
        assert not server.why_to_stop()
        assert client.call(**GREP) == client.call(**GREP) == "the question is over"
    why = "over the budget of 3 calls (ensemble.budget.calls)"
    assert server.stopped == (ReviewStatus.SKIPPED, why) and server.answered == 2
    account.end(Usage(3, 500))
    assert (account.account.spent.calls, account.account.spent.input) == (3, 500)


def test_each_turn_sends_all_again(tools: RepositoryTools, tmp_path: Path) -> None:
    server = ToolServer(tools, turns(tokens=1000, input_tokens=3050))
    with started(server, tools, tmp_path) as client:
        assert "x = 2" in client.call(**GREP) and "x = 2" in client.call(**GREP)
        assert client.call(**GREP) == "the question is over"
    assert "over the budget of 3,050 input tokens" in server.why_to_stop()


def test_several_runs_share_an_account(tools: RepositoryTools, tmp_path: Path) -> None:
    shared = BudgetAccount(Budget(calls=2, input_tokens=None))
    account = BudgetAccount(Budget(calls=None, input_tokens=None), shared=shared)
    ticket, _ = account.reserve(account.estimate("x", None))
    server = ToolServer(tools, TurnBudget(account, ticket, 1))
    with started(server, tools, tmp_path) as client:
        assert "x = 2" in client.call(**GREP)
        assert client.call(**GREP) == "the question is over"


def test_dollars_hold_as_well(tools: RepositoryTools, tmp_path: Path) -> None:
    account = BudgetAccount(Budget(calls=None, input_tokens=None, cost_usd=1.0))

    class Priced:
        @staticmethod
        def cost(usage: Usage) -> float:
            return 0.4

    estimate = account.estimate("x", Priced)
    ticket, _ = account.reserve(estimate)
    server = ToolServer(tools, TurnBudget(account, ticket, 1, 0.0, estimate.cost or 0.0))
    with started(server, tools, tmp_path) as client:
        assert "x = 2" in client.call(**GREP)
        assert client.call(**GREP) == "the question is over"
    assert "over the budget of $1" in server.why_to_stop()


def test_an_agent_that_only_looks_up_is_ended(tools: RepositoryTools, tmp_path: Path) -> None:
    server = ToolServer(tools, turns())
    with started(server, tools, tmp_path) as client:
        said = [client.call(**GREP) for _ in range(MAX_CALLS + 6)]
        assert all("x = 2" in each for each in said[:MAX_CALLS])
        assert {*said[MAX_CALLS:]} == {"no more calls are answered: answer the question now"}
        assert not server.why_to_stop()
        client.call(**GREP)
    why = "the model called a tool instead of answering"
    assert server.stopped == (ReviewStatus.UNPARSABLE, why)


def test_at_its_end_nobody_is_answered(tools: RepositoryTools, tmp_path: Path) -> None:
    """Whoever the agent has left behind ends with it."""
    with serve_tools(ToolServer(tools, None), tools, tmp_path) as offered:
        argv, pipe = [offered.command, *offered.args], subprocess.PIPE
        bridge = subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, env={})
        assert Client(bridge).send("ping")["result"] == {}
    with bridge:
        assert bridge.wait(20) == 0

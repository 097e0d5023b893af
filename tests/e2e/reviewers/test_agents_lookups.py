"""The real coding agents with the gate's own tools: a model that looks something up is answered
from git's objects, and has no other tool."""

import os
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.repository_tools import ReadableTree, RepositoryTools
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers._context import ToolBox

from ...agents import TEXT
from ...peers.model_server import Answer, Asked, ModelServer, Spoken
from ...support import Repo
from .test_agents_real import (
    DIALECTS,
    FULL,
    HARMLESS,
    ask,
    found,
    one_agent,
    pytestmark,
    seat,
    tools,
)
from .test_agents_tools import calls, insisting

__all__ = ["found", "pytestmark"]
NAMES = ("read_file", "show_base", "grep", "list_files")
PREFIXES = {
    "claude": "mcp__project__",
    "agent_sdk": "mcp__project__",
    "codex": "mcp__project.",
    "gemini": "mcp_project_",
    "qwen": "mcp__project__",
}
OURS = {name: {f"{prefix}{tool}" for tool in NAMES} for name, prefix in PREFIXES.items()}
OURS["codex"] = {"mcp__project"}  # one entry for all of a server's
# What stands there as well: nothing that reads a file. Those of codex list what its servers offer.
BESIDE = {
    "agent_sdk": HARMLESS["agent_sdk"],
    "codex": HARMLESS["codex"]
    | {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"},
    "qwen": HARMLESS["qwen"],
}
# All of them with REVIEWGATE_GH_FULL: most take many seconds
some_agents = pytest.mark.parametrize("name", DIALECTS if FULL else ["claude", "codex"])


@pytest.fixture
def box(repo: Repo) -> ToolBox:
    base = repo.commit({"app.py": "OLD = 1\n"})
    head = repo.commit({"app.py": "NEW = 2\n", "private/p.py": "NEW = 3\n"})
    repo.write({"app.py": "UNCOMMITTED = 1\n"})
    tree = ReadableTree(
        open_repository(repo.path, {**os.environ}),
        base,
        head,
        lambda paths: {path for path in paths if path.startswith("private/")},
    )
    return RepositoryTools(tree)


class LooksUp:
    """A model that makes these calls, and then answers."""

    def __init__(self, name: str, *calls: tuple[str, dict[str, Any]]) -> None:
        self.name, self.left = name, [*calls]

    def __call__(self, asked: Asked) -> Answer:
        if not self.left:
            return TEXT
        tool, arguments = self.left.pop(0)
        return Spoken("", tool=(f"{PREFIXES[self.name]}{tool}", arguments))


@some_agents
def test_a_model_reads_both_sides_and_nothing_denied(
    name: str, box: ToolBox, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = LooksUp(
        name,
        ("grep", {"text": "NEW"}),
        ("show_base", {"path": "app.py", "first_line": 1}),
        ("read_file", {"path": "private/p.py", "first_line": 1}),
    )
    reply = ask(name, model_server.url(DIALECTS[name]), replace(seat(tmp_path), tools=box))
    assert (reply.status, reply.text) == (ReviewStatus.OK, TEXT), reply
    said = model_server.requests[-1].body.decode()
    assert "app.py:1: NEW = 2" in said and "1 | OLD = 1" in said
    assert "not a file that you may read" in said and "NEW = 3" not in said
    assert "UNCOMMITTED" not in said
    # Of the SDK's a structured answer is wanted once more
    assert reply.usage.calls == (5 if name == "agent_sdk" else 4)
    for asked in model_server.requests:
        assert OURS[name] <= tools(asked.json()) <= OURS[name] | BESIDE.get(name, set())
        role = "no tools but read_file, show_base, grep, list_files"
        assert name == "codex" or role in asked.prompt, "codex has a role of its own"


@one_agent(4)
def test_a_tool_of_its_own_is_not_run_beside_ours(
    name: str, box: ToolBox, model_server: ModelServer, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    model_server.answer = partial(insisting, iter(calls(made)[DIALECTS[name]]), count())
    ask(name, model_server.url(DIALECTS[name]), replace(seat(tmp_path), tools=box))
    assert len(model_server.requests) > 1 and not made.exists()

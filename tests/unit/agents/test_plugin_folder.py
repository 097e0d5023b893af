"""The plug-in that this repository offers to coding agents."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.agents.plugin_folder import FOLDER, plugin_files
from reviewgate_gh.agents.program import ANY_AGENT, agent_names, load_agent, read_event, which_agent
from tests.support import ROOT, Ran


@pytest.mark.req("R010-016")
def test_the_folder_is_what_the_program_says() -> None:
    wanted = plugin_files()
    if "UPDATE_GOLDEN" in os.environ:
        for name, text in wanted.items():
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(text)
    there = [path for path in (ROOT / FOLDER).rglob("*") if path.is_file()]
    assert {str(path.relative_to(ROOT)) for path in there} == {
        name for name in wanted if name.startswith(FOLDER)
    }
    assert {name: (ROOT / name).read_text() for name in wanted} == wanted, "UPDATE_GOLDEN=1"


@pytest.mark.contract(plain=False)
@pytest.mark.req("R010-016")
def test_it_is_written_where_nothing_else_is(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    for _ in range(2):
        done = cli("agents", "plugin", "a b/gate")
        assert done.code == 0 and f"extensions install '{tmp_path}/a b/gate'/plug" in done.stdout
    assert (tmp_path / "a b/gate" / FOLDER / "hooks/hooks.json").is_file()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/x").touch()
    done = cli("agents", "plugin", "mine")
    assert done.code == 64 and "is not empty" in done.stderr, done.output


EVENTS: dict[str, tuple[dict[str, Any], str]] = {
    "copilot": ({"sessionId": "x", "toolName": "bash", "toolArgs": {"command": "ls"}}, ""),
    "gemini": ({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}, ""),
    "claude": ({"hook_event_name": "PreToolUse", "tool_name": "Bash"}, "Claude Code"),
    "codex": ({"hook_event_name": "PreToolUse", "tool_name": "Bash"}, ""),
    "qwen": ({"hook_event_name": "PreToolUse", "tool_name": "run_shell_command"}, ""),
}


@pytest.mark.req("R010-016")
@pytest.mark.parametrize("name", agent_names())
def test_hooks_that_all_share_know_whose_session_it_is(name: str) -> None:
    plain, title = EVENTS[name]
    event = read_event(json.dumps(plain).encode(), "/", {})
    assert which_agent(ANY_AGENT, event, title) == name
    assert which_agent("claude", event, load_agent("codex").TITLE) == "claude", "its own hook"


def test_a_command_in_words_keeps_its_quotes() -> None:
    plain = {"tool_input": {"command": ["bash", "-lc", "git commit -m 'add push'"]}}
    event = read_event(json.dumps(plain).encode(), "/", {})
    assert event.command == "bash -lc 'git commit -m '\"'\"'add push'\"'\"''"

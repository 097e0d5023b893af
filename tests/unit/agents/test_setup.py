"""What goes into agents' settings: ours is added, and nothing of the user's is lost."""

import json
import os
import tomllib
from typing import Any

import pytest

from reviewgate_gh.agents.program import agent_names, load_agent, read_event
from reviewgate_gh.agents.setup import FileEdit, plan_files
from reviewgate_gh.git import open_repository
from tests.support import Repo


def planned(repo: Repo, *names: str) -> dict[str, FileEdit]:
    git = open_repository(repo.path, os.environ)
    return {edit.path: edit for edit in plan_files(names or agent_names(), git)}


def written(repo: Repo, *names: str) -> None:
    repo.write({path: edit.data for path, edit in planned(repo, *names).items() if edit.data})


@pytest.mark.req("R010-009")
def test_what_is_there_stays_and_a_second_time_changes_nothing(repo: Repo) -> None:
    mine: dict[str, Any] = {
        "permissions": {"allow": ["Bash(ls)"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]},
    }
    repo.write(
        {
            ".claude/settings.json": json.dumps(mine, indent="\t"),
            ".mcp.json": '{"mcpServers": {"other": {"command": "x"}}}',
            ".codex/config.toml": 'model = "x" # mine\n',
            "CLAUDE.md": "# Mine\n",
            ".claude/skills/review-gate/SKILL.md": "my own\n",
        }
    )
    written(repo)
    text = repo.file(".claude/settings.json").read_text()
    now = json.loads(text)
    assert now["permissions"] == mine["permissions"] and '\n\t"permissions"' in text
    assert now["hooks"]["Stop"][0] == mine["hooks"]["Stop"][0] and len(now["hooks"]["Stop"]) == 2
    assert set(json.loads(repo.file(".mcp.json").read_text())["mcpServers"]) == {
        "other",
        "reviewgate-gh",
    }
    toml = repo.file(".codex/config.toml").read_text()
    assert toml.startswith('model = "x" # mine\n') and tomllib.loads(toml)["mcp_servers"]
    assert repo.file("CLAUDE.md").read_text().startswith("# Mine\n\n<!-- reviewgate-gh -->\n")
    assert repo.file(".claude/skills/review-gate/SKILL.md").read_text() == "my own\n"
    assert [edit.path for edit in planned(repo).values() if edit.data or edit.problem] == []


@pytest.mark.req("R010-009")
@pytest.mark.parametrize(
    "text",
    ['{"hooks": [] // mine\n}', "{", '{"hooks": {"Stop": {}}}', "[]", '{"a": 1, "a": 2}', "\xff"],
)
def test_what_cannot_be_merged_is_left_and_shown(repo: Repo, text: str) -> None:
    repo.write({".claude/settings.json": text.encode("latin-1")})
    edit = planned(repo, "claude")[".claude/settings.json"]
    assert edit.problem and edit.data is None and "agents stop claude" in edit.paste


@pytest.mark.parametrize("name", agent_names())
def test_each_agent_is_set_up_for_both_hooks(name: str) -> None:
    settings = json.dumps([file.content for file in load_agent(name).FILES])
    assert f"reviewgate-gh agents stop {name}" in settings
    assert f"reviewgate-gh agents tool {name}" in settings


@pytest.mark.parametrize("key", ["file_path", "path", "absolute_path"])
def test_the_file_of_an_event_is_found(key: str) -> None:
    for event in ({"tool_input": {key: "a"}}, {"toolArgs": json.dumps({key: "a"})}):
        assert read_event(json.dumps(event).encode(), "/here", {}).path == "a"
    seen = {"toolName": "view", "toolArgs": json.dumps({key: "a"})}
    assert read_event(json.dumps(seen).encode(), "/here", {}).path == "", "it only reads"


@pytest.mark.parametrize(
    ("data", "command"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "git push"}}, "git push"),
        ({"toolName": "bash", "toolArgs": '{"command": "git push"}'}, "git push"),
        ({"toolName": "bash", "toolArgs": "git push"}, "git push"),
        ({"tool_input": {"command": ["git", "push"]}}, "git push"),
        ({"tool_input": {"file_path": "a"}}, ""),
        ({"tool_input": 5}, ""),
    ],
)
def test_the_command_of_an_event_is_found(data: dict[str, Any], command: str) -> None:
    event = read_event(json.dumps(data).encode(), "/here", {})
    assert (event.command, event.folder, event.readable) == (command, "/here", True)


def test_the_project_of_an_event_is_the_agents_own() -> None:
    event = read_event(b'{"cwd": "/tmp"}', "/here", {"CLAUDE_PROJECT_DIR": "/project"})
    assert event.folder == "/project"
    assert read_event(b'{"cwd": "/there"}', "/here", {}).folder == "/there"
    assert not read_event(b"no", "/here", {}).readable

"""GitHub Copilot CLI. It passes over exit codes when it stops: only JSON counts."""

from collections.abc import Mapping
from pathlib import Path

from ..instructions import LINES, SKILL
from ..json_files import read_object
from ..program import (
    SERVER,
    STOP_SECONDS,
    TOOL_SECONDS,
    SettingsFile,
    deny_at_top,
    hook_command,
)

TITLE = "Copilot CLI"
PROGRAM = "copilot"
FOLDERS = (".github/hooks", ".github/copilot-instructions.md")
FILES = (
    SettingsFile(
        ".github/hooks/reviewgate-gh.json",
        "json",
        {
            "version": 1,
            "hooks": {
                event: [
                    {
                        "type": "command",
                        "bash": hook_command("copilot", hook),
                        "timeoutSec": seconds,
                    }
                ]
                for event, hook, seconds in (
                    ("agentStop", "stop", STOP_SECONDS),
                    ("preToolUse", "tool", TOOL_SECONDS),
                )
            },
        },
        "the gate before Copilot CLI stops and before it pushes",
    ),
    SettingsFile(
        ".mcp.json", "json", {"mcpServers": {"reviewgate-gh": SERVER}}, "the gate's MCP server"
    ),
    SettingsFile(".agents/skills/review-gate/SKILL.md", "text", SKILL, "a skill"),
    SettingsFile("AGENTS.md", "lines", LINES, "what agents are told of the gate"),
)
deny = deny_at_top


def obstacles(variables: Mapping[str, str], folder: str) -> list[str]:
    """With -p it loads hooks and MCP servers only where the folder is trusted."""
    home = Path(variables.get("COPILOT_HOME") or Path(variables.get("HOME", "/"), ".copilot"))
    plain = read_object(home / "config.json")
    folders = plain.get("trustedFolders")
    if isinstance(folders, list) and folder in folders:
        return []
    return [
        f"{home / 'config.json'} does not name this folder in trustedFolders, so `copilot -p` "
        "skips its hooks: start copilot here once and trust the folder"
    ]

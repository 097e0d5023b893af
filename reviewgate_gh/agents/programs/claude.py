"""Claude Code. https://code.claude.com/docs/en/hooks"""

from collections.abc import Mapping
from pathlib import Path

from ..instructions import LINES, SKILL
from ..json_files import read_object
from ..program import SERVER, SettingsFile, deny_in_hook_output, nested_hooks

TITLE = "Claude Code"
PROGRAM = "claude"
FOLDERS = (".claude", "CLAUDE.md")
FILES = (
    SettingsFile(
        ".claude/settings.json",
        "json",
        {
            "hooks": nested_hooks(
                "claude", "Stop", "PreToolUse", "Bash|Edit|MultiEdit|NotebookEdit|Write"
            )
        },
        "the gate before Claude Code stops and before it pushes",
    ),
    SettingsFile(
        ".mcp.json", "json", {"mcpServers": {"reviewgate-gh": SERVER}}, "the gate's MCP server"
    ),
    SettingsFile(".claude/skills/review-gate/SKILL.md", "text", SKILL, "a skill"),
    SettingsFile("CLAUDE.md", "lines", LINES, "what Claude Code is told of the gate"),
)
deny = deny_in_hook_output


def obstacles(variables: Mapping[str, str], folder: str) -> list[str]:
    """Settings that switch all hooks off."""
    home = Path(variables.get("CLAUDE_CONFIG_DIR") or Path(variables.get("HOME", "/"), ".claude"))
    files = (
        home / "settings.json",
        Path(folder, ".claude/settings.json"),
        Path(folder, ".claude/settings.local.json"),
    )
    return [
        f"{file} has disableAllHooks: true"
        for file in files
        if read_object(file).get("disableAllHooks") is True
    ]

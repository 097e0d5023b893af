"""Qwen Code."""

from collections.abc import Mapping

from ..instructions import LINES, SKILL
from ..program import SERVER, SettingsFile, deny_by_exit_code, nested_hooks
from ._folder_trust import untrusted_folder

TITLE = "Qwen Code"
PROGRAM = "qwen"
FOLDERS = (".qwen", "QWEN.md")
FILES = (
    SettingsFile(
        ".qwen/settings.json",
        "json",
        {
            "hooks": nested_hooks(
                "qwen", "Stop", "PreToolUse", "run_shell_command|edit|write_file"
            ),
            "mcpServers": {"reviewgate-gh": SERVER},
        },
        "the gate before Qwen Code stops and before it pushes, and the gate's MCP server",
    ),
    SettingsFile(".qwen/skills/review-gate/SKILL.md", "text", SKILL, "a skill"),
    SettingsFile("AGENTS.md", "lines", LINES, "what agents are told of the gate"),
)
deny = deny_by_exit_code


def obstacles(variables: Mapping[str, str], folder: str) -> list[str]:
    """Folders can be trusted, and hooks run in no other."""
    return untrusted_folder(variables, folder, ".qwen", TITLE)

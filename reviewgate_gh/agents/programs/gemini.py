"""Gemini CLI. Its times are milliseconds, and its standard output must be JSON alone."""

from collections.abc import Mapping

from ..instructions import LINES, SKILL
from ..program import SERVER, SettingsFile, deny_by_exit_code, nested_hooks
from ._folder_trust import untrusted_folder

TITLE = "Gemini CLI"
PROGRAM = "gemini"
FOLDERS = (".gemini", "GEMINI.md")
_TOOLS = "run_shell_command|replace|write_file"
FILES = (
    SettingsFile(
        ".gemini/settings.json",
        "json",
        {
            "hooks": nested_hooks("gemini", "AfterAgent", "BeforeTool", _TOOLS, 1000),
            "mcpServers": {"reviewgate-gh": SERVER},
        },
        "the gate before Gemini CLI stops and before it pushes, and the gate's MCP server",
    ),
    SettingsFile(".agents/skills/review-gate/SKILL.md", "text", SKILL, "a skill"),
    SettingsFile("GEMINI.md", "lines", LINES, "what Gemini CLI is told of the gate"),
)
deny = deny_by_exit_code


def obstacles(variables: Mapping[str, str], folder: str) -> list[str]:
    """Folders can be trusted, and hooks run in no other."""
    return untrusted_folder(variables, folder, ".gemini", TITLE)

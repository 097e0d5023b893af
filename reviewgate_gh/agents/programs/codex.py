"""Codex. It runs a project's hooks only where the project is trusted, and each hook only after the
user has approved it; others are skipped without a word."""

from collections.abc import Mapping
from pathlib import Path

from ...text.strict import load_toml
from ..instructions import LINES, SKILL
from ..program import SettingsFile, deny_in_hook_output, nested_hooks

TITLE = "Codex"
PROGRAM = "codex"
FOLDERS = (".codex",)
_SERVER = '[mcp_servers.reviewgate-gh]\ncommand = "reviewgate-gh"\nargs = ["mcp"]\n'
FILES = (
    SettingsFile(
        ".codex/hooks.json",
        "json",
        {"hooks": nested_hooks("codex", "Stop", "PreToolUse", "Bash")},
        "the gate before Codex stops and before it pushes",
    ),
    SettingsFile(".codex/config.toml", "toml", _SERVER, "the gate's MCP server"),
    SettingsFile(".agents/skills/review-gate/SKILL.md", "text", SKILL, "a skill"),
    SettingsFile("AGENTS.md", "lines", LINES, "what agents are told of the gate"),
)
deny = deny_in_hook_output


def obstacles(variables: Mapping[str, str], folder: str) -> list[str]:
    """The project is not trusted; whether the hooks were approved is kept in a form of its own."""
    home = Path(variables.get("CODEX_HOME") or Path(variables.get("HOME", "/"), ".codex"))
    if not _trusted(home / "config.toml", folder):
        return [
            f"{home / 'config.toml'} does not trust this folder, so Codex skips its hooks: start "
            "codex here, trust the folder (or codex exec --trust), and approve the hooks with "
            "/hooks"
        ]
    return []


def _trusted(file: Path, folder: str) -> bool:
    try:
        projects = load_toml(file.read_bytes(), "TOML").get("projects")
    except (OSError, ValueError):
        return False
    entry = projects.get(folder) if isinstance(projects, dict) else None
    return isinstance(entry, dict) and entry.get("trust_level") == "trusted"

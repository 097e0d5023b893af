"""One folder that Claude Code, Codex, Gemini CLI, Qwen Code and Copilot CLI each take as a plug-in:
the hooks, the MCP server and the skill, for all repositories of a user.

Each finds its own description in the folder; hooks and skill are shared.
https://code.claude.com/docs/en/plugins-reference, https://geminicli.com/docs/extensions/reference
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import __version__
from ..model.errors import UsageError
from ..system.files import write_atomic
from .instructions import SKILL
from .program import ANY_AGENT, SERVER, nested_hooks

NAME, MARKET = "review-gate", "reviewgate-gh"
FOLDER = f"plugins/{NAME}"
_DESCRIPTION = (
    "A review gate for git: findings before an agent stops, no push past the gate, and its tools "
    "over MCP. Needs the program reviewgate-gh on PATH."
)
_SERVERS = {"mcpServers": {MARKET: SERVER}}
_ABOUT: dict[str, Any] = {"name": NAME, "version": __version__, "description": _DESCRIPTION}
_AUTHOR = {"author": {"name": "The reviewgate-gh authors"}}
# Names of all agents; each passes over events and tools of others
_TOOLS = "Bash|Edit|MultiEdit|NotebookEdit|Write|run_shell_command|edit|write_file|bash|create"
_GEMINI_TOOLS = "run_shell_command|replace|write_file"


# How each agent takes the folder that `write_plugin` writes
INSTALLS = (
    "claude plugin marketplace add {folder} && claude plugin install review-gate@reviewgate-gh",
    "codex plugin marketplace add {folder} && codex plugin add review-gate@reviewgate-gh",
    "gemini extensions install {folder}/plugins/review-gate",
    "qwen extensions install {folder}:review-gate",
    "copilot --plugin-dir {folder}/plugins/review-gate",
)


def write_plugin(folder: Path) -> int:
    """Write the files, or renew them; how many there are.

    Raises:
        UsageError: the folder holds something else, or cannot be written.
    """
    files = plugin_files()
    try:
        if folder.exists() and not (folder / FOLDER).is_dir() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", "name a new folder")
        for name, text in files.items():
            write_atomic(folder / name, text.encode(), lasting=False)
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}", "name a new folder") from None
    return len(files)


def plugin_files() -> Mapping[str, str]:
    """The files of the folder, and the list of plug-ins at the top of this repository, which makes
    it a marketplace."""
    hooks = nested_hooks(ANY_AGENT, "Stop", "PreToolUse", _TOOLS)
    gemini = nested_hooks(ANY_AGENT, "AfterAgent", "BeforeTool", _GEMINI_TOOLS, 1000)
    entry = {"name": NAME, "source": f"./{FOLDER}", "description": _DESCRIPTION}
    market = {
        "name": MARKET,
        "owner": {"name": "The reviewgate-gh authors"},
        "description": _DESCRIPTION,
        "plugins": [entry],
    }
    files: Mapping[str, Any] = {
        ".claude-plugin/marketplace.json": market,
        f"{FOLDER}/.claude-plugin/plugin.json": {**_ABOUT, **_AUTHOR, **_SERVERS},
        f"{FOLDER}/.codex-plugin/plugin.json": {**_ABOUT, "mcpServers": "./codex.mcp.json"},
        f"{FOLDER}/codex.mcp.json": _SERVERS,
        f"{FOLDER}/gemini-extension.json": {**_ABOUT, **_SERVERS},
        f"{FOLDER}/hooks/hooks.json": {"hooks": {**hooks, **gemini}},
    }
    written = {path: json.dumps(content, indent=2) + "\n" for path, content in files.items()}
    return {**written, f"{FOLDER}/skills/{NAME}/SKILL.md": SKILL}

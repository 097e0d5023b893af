"""Settings of the user that make agents skip hooks are named, and others are not."""

from pathlib import Path

import pytest

from reviewgate_gh.agents.program import load_agent

FOLDER = "/home/ada/project"
_TRUST_ON = '{"security": {"folderTrust": {"enabled": true}}}'
CASES = {
    "codex: no settings": ("codex", {}, True),
    "codex: trusted": (
        "codex",
        {".codex/config.toml": f'[projects."{FOLDER}"]\ntrust_level = "trusted"\n'},
        False,
    ),
    "codex: not trusted": (
        "codex",
        {".codex/config.toml": f'[projects."{FOLDER}"]\ntrust_level = "untrusted"\n'},
        True,
    ),
    "codex: damaged": ("codex", {".codex/config.toml": "["}, True),
    "copilot: no settings": ("copilot", {}, True),
    "copilot: trusted, with a comment": (
        "copilot",
        {".copilot/config.json": f'// mine\n{{"trustedFolders": ["{FOLDER}"]}}'},
        False,
    ),
    "gemini: folder trust is off": ("gemini", {}, False),
    "gemini: not trusted": ("gemini", {".gemini/settings.json": _TRUST_ON}, True),
    "gemini: a folder above is trusted": (
        "gemini",
        {
            ".gemini/settings.json": _TRUST_ON,
            ".gemini/trustedFolders.json": '{"/home/ada": "TRUST_FOLDER"}',
        },
        False,
    ),
    "qwen: distrusted": (
        "qwen",
        {
            ".qwen/settings.json": _TRUST_ON,
            ".qwen/trustedFolders.json": f'{{"/": "TRUST_FOLDER", "{FOLDER}": "DO_NOT_TRUST"}}',
        },
        True,
    ),
    "claude: no settings": ("claude", {}, False),
    "claude: hooks are off": (
        "claude",
        {".claude/settings.json": '{"disableAllHooks": true}'},
        True,
    ),
}


@pytest.mark.req("R010-015")
@pytest.mark.parametrize("case", CASES)
def test_what_keeps_hooks_from_running_is_named(case: str, tmp_path: Path) -> None:
    name, files, is_named = CASES[case]
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    assert bool(load_agent(name).obstacles({"HOME": str(tmp_path)}, FOLDER)) is is_named

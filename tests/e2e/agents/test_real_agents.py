"""Real coding agents with a scripted model: the agent breaks the code, may not push past the gate,
says that it is done, is sent back, fixes the code, and is done."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.agents.plugin_folder import plugin_files
from tests.peers.model_server import Answer, Asked, ModelServer, Spoken
from tests.support import PEERS, ROOT, Repo, peer, run

pytestmark = pytest.mark.peer
_SDK = "venv/lib/python{}.{}/site-packages/claude_agent_sdk".format(*sys.version_info)
AGENTS = {
    "claude": (f"{_SDK}/_bundled/claude", "anthropic"),
    "codex": ("node_modules/.bin/codex", "responses"),
    "gemini": ("node_modules/.bin/gemini", "gemini"),
    "qwen": ("node_modules/.bin/qwen", "openai"),
    "copilot": ("more/node_modules/.bin/copilot", "openai"),
}
# Of the user's own: the folder is trusted, and how the model is reached
SETTINGS = {
    ".codex/config.toml": '[projects."REPO"]\ntrust_level = "trusted"\n',
    ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}',
}
ALLOWED = "Bash,mcp__reviewgate-gh__review"
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
PROMPT = "Write a.py."
BREAK = "printf 'def f():\\n    return missing()\\n' > a.py"
REVIEW = "(the tool of the MCP server)"
# How agents name the tools of a server; codex has a form of its own for them
CALLS = {
    "claude": "mcp__reviewgate-gh__review",
    "gemini": "mcp_reviewgate-gh_review",
    "qwen": "mcp__reviewgate-gh__review",
    "copilot": "reviewgate-gh-review",
}
# How each takes our plug-in
INSTALLS = {
    "claude": (
        ("plugin", "marketplace", "add", "MARKET"),
        ("plugin", "install", "review-gate@reviewgate-gh"),
    ),
    "codex": (
        ("plugin", "marketplace", "add", "MARKET"),
        ("plugin", "add", "review-gate@reviewgate-gh"),
    ),
    "gemini": (("extensions", "install", "MARKET/plugins/review-gate", "--consent"),),
    "qwen": (("extensions", "install", "MARKET:review-gate", "--consent"),),
    "copilot": (),
}
FIX = "printf 'def f():\\n    return 1\\n' > a.py"
PUSH = "git push --no-verify"


def started(name: str, program: Path, url: str, home: Path) -> tuple[list[Any], dict[str, str]]:
    """The command line and the variables of an agent that may do everything, and knows only this
    model."""
    common = {"HOME": str(home), "NO_COLOR": "1"}
    if name == "claude":
        argv = [program, "-p", PROMPT, "--model", "claude-sonnet-4-5", "--allowedTools", ALLOWED]
        keys = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "key-1", "DISABLE_TELEMETRY": "1"}
        return argv, {**common, **keys, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    if name == "codex":
        provider = f'{{name="x",base_url="{url}",env_key="OPENAI_API_KEY",wire_api="responses"}}'
        argv = [program, "exec", "--dangerously-bypass-approvals-and-sandbox"]
        argv += ["--dangerously-bypass-hook-trust", "-c", 'model_provider="x"', "-c"]
        argv += [f"model_providers.x={provider}", "--model", "gpt-5.1", PROMPT]
        return argv, {**common, "OPENAI_API_KEY": "key-1"}
    if name == "gemini":
        argv = [program, "--model", "gemini-2.5-pro", "--yolo", "--prompt", PROMPT]
        keys = {"GEMINI_API_KEY": "key-1", "GOOGLE_GEMINI_BASE_URL": url}
        return argv, {**common, **keys, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    if name == "copilot":
        argv = [program, "-p", PROMPT, "--allow-all-tools", "--trust-folder"]
        keys = {"COPILOT_PROVIDER_BASE_URL": url, "COPILOT_MODEL": "m", "COPILOT_OFFLINE": "true"}
        return argv, {**common, **keys}
    argv = [program, "--auth-type", "openai", "--model", "qwen3", "--yolo", "--prompt", PROMPT]
    return argv, {**common, "OPENAI_API_KEY": "key-1", "OPENAI_BASE_URL": url}


SHELLS = ("Bash", "run_shell_command", "exec_command", "shell_command", "bash")


def shell(asked: Asked) -> tuple[str, str]:
    """Of the tools that a request offers, that which runs a command, and the name of its
    argument."""
    for each in tools(asked.json()):
        schemas = (each.get(key) for key in ("input_schema", "parameters", "parametersJsonSchema"))
        fields = next(filter(None, schemas), {}).get("properties", {})
        if each["name"] in SHELLS:
            return each["name"], "cmd" if "cmd" in fields else "command"
    return "", ""


def tools(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in request.get("tools", ()):
        if "functionDeclarations" in each:
            yield from each["functionDeclarations"]
        elif "name" in each or "function" in each:
            yield each.get("function", each)


class Script:
    """A model that has a plan: command lines that it runs, and "" where it says that it is done."""

    def __init__(self, name: str, *steps: str) -> None:
        self.name, self.left, self.heard = name, list(steps), list[str]()
        self.patience = 30

    def __call__(self, asked: Asked) -> Answer:
        name, field = shell(asked)
        if not name:
            return "{}"
        # On a busy machine an agent asks before the server has told it of its tools
        waits = not self.heard and b"propose_waiver" not in asked.body and self.patience
        if waits:
            self.patience -= 1
            step = "sleep 1"
        else:
            self.heard.append(asked.body.decode())
            step = self.left.pop(0) if self.left else ""
        if not step:
            return "Done."
        if step == REVIEW:
            return Spoken("", tool=(CALLS[self.name], {"uncommitted": True}))
        more = {"description": "x"} if name == "Bash" else {}
        more |= {"is_background": False} if asked.dialect == "openai" else {}
        return Spoken("", tool=(name, {field: step, **more}))


def worked(
    name: str,
    script: Script,
    repo: Repo,
    model_server: ModelServer,
    folder: Path,
    plugin: bool = False,
) -> tuple[str, str]:
    """What the agent said, and its PATH; it works in a repository that is set up for it and
    published, or with our plug-in, and with this model."""
    program, dialect = AGENTS[name]
    found = peer(program)
    ours = folder / "bin/reviewgate-gh"
    ours.parent.mkdir()
    ours.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m reviewgate_gh "$@"\n'
    )
    ours.chmod(0o755)
    repo.bare_remote(folder / "remote.git")
    if not plugin:
        init = repo.cli("init", f"--agents={name}", "--no-workflow", "--no-hook", "--yes")
        assert init.code == 0, init.output
    repo.commit({"README.md": "# A project\n"})
    assert repo.push("-u", "origin", "main").code == 0

    model_server.answer = script
    home = folder / "home-of-agent"
    home.mkdir()
    for file, text in SETTINGS.items():
        (home / file).parent.mkdir(exist_ok=True)
        (home / file).write_text(text.replace("REPO", str(repo.path)))
    argv, env = started(name, found, model_server.url(dialect), home)
    folders = (ours.parent, PEERS / "venv/bin", PEERS / "node_modules/.bin", os.environ["PATH"])
    path = os.pathsep.join(map(str, folders))
    if plugin:
        market = folder / "market"
        for file, text in plugin_files().items():
            (market / file).parent.mkdir(parents=True, exist_ok=True)
            (market / file).write_text(text)
        for words in INSTALLS[name]:
            line = [word.replace("MARKET", str(market)) for word in words]
            done = run([found, *line], folder, {**env, "PATH": path}, "y\ny\n")
            assert done.code == 0, done.output
        if name == "copilot":
            argv += ["--plugin-dir", market / "plugins/review-gate"]
    return run(argv, repo.path, {**env, "PATH": path}).output, path


# All of them with REVIEWGATE_GH_FULL: each takes many seconds
@pytest.mark.parametrize("name", AGENTS if FULL else ["claude"])
@pytest.mark.req("R010-010", "R010-012", "R010-015")
def test_an_agent_finds_fixes_and_passes(
    name: str, repo: Repo, model_server: ModelServer, tmp_path: Path
) -> None:
    script = Script(name, BREAK, PUSH, *[REVIEW] * (name in CALLS), "", FIX, "")
    told, path = worked(name, script, repo, model_server, tmp_path)
    heard, wrong, back = script.heard, "Undefined name", "Fix these before pushing"
    assert script.left == [] and len(heard) == 5 + (name in CALLS), told
    assert "push without the hook" in heard[2] and wrong not in heard[2], told
    assert wrong in heard[3] and (back in heard[3]) == (name not in CALLS), told
    assert back in heard[-2], told
    assert "propose_waiver" in heard[0], "the tools of the MCP server are offered"
    assert repo.file("a.py").read_text() == "def f():\n    return 1\n"
    seen = repo.cli("agents", "status", env={"PATH": path}).stdout
    assert "last run by the agent itself" in seen and "tried to push without" in seen


@pytest.mark.parametrize("name", INSTALLS if FULL else ["claude"])
@pytest.mark.req("R010-010", "R010-012", "R010-016")
def test_the_plugin_does_the_same_in_a_repository_that_is_not_set_up(
    name: str, repo: Repo, model_server: ModelServer, tmp_path: Path
) -> None:
    script = Script(name, BREAK, PUSH, "", FIX, "")
    told, path = worked(name, script, repo, model_server, tmp_path, plugin=True)
    heard = script.heard
    assert script.left == [] and len(heard) == 5, told
    assert "push without the hook" in heard[2], told
    assert "Fix these before pushing" in heard[3], told
    assert "propose_waiver" in heard[0], "the tools of the MCP server are offered"
    seen = repo.cli("agents", "status", env={"PATH": path}).stdout
    assert "tried to push without" in seen and "last run by the agent itself" in seen, seen


@pytest.mark.req("R010-010")
def test_copilot_finds_the_skill_that_init_writes(repo: Repo, tmp_path: Path) -> None:
    program = peer(AGENTS["copilot"][0])
    assert repo.cli("init", "--agents=copilot", "--no-workflow", "--no-hook", "--yes").code == 0
    listed = run([program, "skill", "list"], repo.path, {"HOME": str(tmp_path), "NO_COLOR": "1"})
    own = listed.stdout.partition("Project skills:")[2].partition("Builtin")[0]
    assert "review-gate - Review a change before you commit" in own, listed.output


@pytest.mark.big
@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.req("R010-010")
def test_an_agent_that_fixes_nothing_comes_to_an_end(
    name: str, repo: Repo, model_server: ModelServer, tmp_path: Path
) -> None:
    script = Script(name, BREAK)
    told, _path = worked(name, script, repo, model_server, tmp_path)
    assert len(script.heard) == 3, told
    assert "Fix these before pushing" in script.heard[2], told

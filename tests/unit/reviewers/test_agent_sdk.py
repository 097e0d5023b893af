"""The agent SDK's reviewer with a fake SDK at the import boundary: what it is told, what counts as
its answer, and how it ends."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.model.question import ModelReply, Prompt
from reviewgate_gh.model.review import ReviewStatus, Usage
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.reviewers.agents import agent_sdk
from reviewgate_gh.system.environment import Environment
from tests.agents import KEY, MODELS, NAME, PROMPT, SCHEMA, TEXT
from tests.unit.reviewers.test_agents_hostile import survivors

_SDK = """
import json, os
from dataclasses import asdict, dataclass, field
__version__ = "0.9.9"
class ClaudeSDKError(Exception): pass
class CLINotFoundError(ClaudeSDKError): pass
class ProcessError(ClaudeSDKError): pass
@dataclass
class TextBlock:
    text: str
@dataclass
class ToolUseBlock:
    name: str
@dataclass
class AssistantMessage:
    content: list
@dataclass
class SystemMessage:
    subtype: str = "init"
@dataclass
class ResultMessage:
    subtype: str = "success"
    is_error: bool = False
    stop_reason: str = "end_turn"
    num_turns: int = 1
    total_cost_usd: float = 0.5
    usage: dict = field(default_factory=lambda: {"input_tokens": 10, "cache_read_input_tokens": 4}
                        | {"output_tokens": 3})
    structured_output: object = None
    result: str = "the result repeats"
class ClaudeAgentOptions:
    def __init__(self, **options):
        self.options = options
SEEN = {"entered": 0, "left": 0, "queries": [], "env": dict(os.environ)}
def note():
    with open(FOLDER + "/seen", "w") as file:
        json.dump(SEEN, file)
class ClaudeSDKClient:
    def __init__(self, options):
        SEEN["options"] = options.options
    async def __aenter__(self):
        SEEN["entered"] += 1
        ENTER
        return self
    async def __aexit__(self, *error):
        SEEN["left"] += 1
        note()
    async def query(self, prompt):
        SEEN["queries"].append(prompt)
    async def receive_response(self):
        yield SystemMessage()
        ANSWER
"""
SAYS = f"yield AssistantMessage([TextBlock({TEXT!r})]); yield ResultMessage()"


def sdk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str = SAYS, enter: str = "pass"
) -> Path:
    """A fake SDK that Python finds; each line of `answer` is one of its generator."""
    source = (
        _SDK.replace("FOLDER", repr(str(folder)))
        .replace("ENTER", enter)
        .replace("        ANSWER", _indented(answer))
    )
    package = folder / "packages/claude_agent_sdk"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(source)
    monkeypatch.syspath_prepend(str(package.parent))
    return folder


def _indented(text: str) -> str:
    return "\n".join(f"        {line}" for line in text.split("\n"))


def ask(
    folder: Path,
    prompt: Prompt = PROMPT,
    trusted: bool = False,
    tree: Path | None = None,
    timeout: float = 20,
    private: bool = False,
    **options: Any,
) -> ModelReply:
    chosen = agent_sdk.Options(**{"key": NAME, "model": MODELS["agent_sdk"], **options})
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        NAME: KEY,
        "GITHUB_TOKEN": "not-for-you",
        "OPENAI_API_KEY": "not-for-you",
    }
    return agent_sdk.ask(
        prompt,
        chosen,
        ModelContext(Environment(env, folder), timeout, trusted, tree, has_denied_files=private),
    )


def seen(folder: Path) -> dict[str, Any]:
    """What the SDK was told, and what its process could see."""
    return json.loads((folder / "seen").read_text())


@pytest.mark.req("R004-041", "R004-068", "R003-072")
def test_one_client_one_question_one_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = ask(sdk(tmp_path, monkeypatch))
    assert (reply.status, reply.text, reply.error) == (ReviewStatus.OK, TEXT, "")
    assert (reply.model, reply.version, reply.usage) == (
        MODELS["agent_sdk"],
        "0.9.9",
        Usage(1, 14, 4, 0, 3, 0.5),
    )
    told = seen(tmp_path)
    assert (told["entered"], told["left"], told["queries"]) == (1, 1, [PROMPT.text])


def test_what_it_is_told_for_somebody_elses_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"tools": ("Read", "Grep"), "setting_sources": ("project",)}
    ask(
        sdk(tmp_path, monkeypatch),
        Prompt("a", "b", SCHEMA, "high"),
        trusted=False,
        tree=tmp_path,
        **told,
    )
    options = seen(tmp_path)["options"]
    assert (options["tools"], options["allowed_tools"], options["setting_sources"]) == ([], [], [])
    assert (options["permission_mode"], options["strict_mcp_config"], options["effort"]) == (
        "dontAsk",
        True,
        "high",
    )
    assert options["output_format"] == {"type": "json_schema", "schema": SCHEMA}
    assert (
        not Path(options["cwd"]).is_relative_to(tmp_path / "packages")
        and Path(options["cwd"]).name == "work"
    )


@pytest.mark.contract(plain=False)
def test_tools_and_settings_are_for_changes_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"tools": ("Read", "Grep"), "setting_sources": ("project",)}
    ask(sdk(tmp_path, monkeypatch), trusted=True, tree=tmp_path, **told)
    options = seen(tmp_path)["options"]
    assert (options["tools"], options["allowed_tools"], options["setting_sources"]) == (
        ["Read", "Grep"],
        [],
        ["project"],
    )
    assert (options["permission_mode"], options["cwd"]) == ("dontAsk", str(tmp_path))
    # A tool could open what the policy denies
    ask(tmp_path, trusted=True, tree=tmp_path, private=True, **told)
    assert (seen(tmp_path)["options"]["tools"], Path(seen(tmp_path)["options"]["cwd"]).name) == (
        [],
        "work",
    )
    ask(tmp_path, trusted=True, tree=tmp_path, setting_sources=("project",))
    assert (seen(tmp_path)["options"]["tools"], seen(tmp_path)["options"]["setting_sources"]) == (
        [],
        [],
    )


@pytest.mark.contract(plain=False)
def test_its_variables_are_an_allow_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "not-for-you")
    ask(sdk(tmp_path, monkeypatch))
    env = seen(tmp_path)["env"]
    assert env["ANTHROPIC_API_KEY"] == KEY and "not-for-you" not in env.values()
    assert env["HOME"] != str(tmp_path)


ANSWERS = {
    "the structured answer, before the words": (
        f"yield ResultMessage(structured_output={json.loads(TEXT)!r})",
        ReviewStatus.OK,
        TEXT,
    ),
    "a structured answer that is empty": (
        "yield ResultMessage(structured_output={})",
        ReviewStatus.OK,
        "{}",
    ),
    "the last words, behind tools": (
        (
            "yield AssistantMessage([TextBlock('I look.')])\n"
            f"yield AssistantMessage([ToolUseBlock('Read')])\n{SAYS}"
        ),
        ReviewStatus.OK,
        TEXT,
    ),
    "prose": (
        "yield AssistantMessage([TextBlock('Fine.')])\nyield ResultMessage()",
        ReviewStatus.OK,
        "Fine.",
    ),
    "no words": ("yield ResultMessage()", ReviewStatus.UNPARSABLE, ""),
    "an API error, which is a success": (
        f"{SAYS[:-1]}subtype='success', is_error=True, result='API Error: 401')",
        ReviewStatus.FAILED,
        "",
    ),
    "too many turns": ("yield ResultMessage(subtype='error_max_turns')", ReviewStatus.FAILED, ""),
    "cut": (f"{SAYS[:-1]}stop_reason='max_tokens')", ReviewStatus.UNPARSABLE, ""),
    "a refusal": (f"{SAYS[:-1]}stop_reason='refusal')", ReviewStatus.FAILED, ""),
    "no result": (f"yield AssistantMessage([TextBlock({TEXT!r})])", ReviewStatus.FAILED, ""),
    "a process that fails": ("raise ProcessError('exit 1')", ReviewStatus.FAILED, ""),
    "an error of no kind": ("raise RuntimeError('boom')", ReviewStatus.FAILED, ""),
}


@pytest.mark.contract(plain=["prose", "a refusal"])
@pytest.mark.req("R004-066")
@pytest.mark.parametrize("case", ANSWERS)
def test_what_counts_as_an_answer(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, status, text = ANSWERS[case]
    reply = ask(sdk(tmp_path, monkeypatch, answer))
    assert (reply.status, reply.text) == (status, text), reply.error
    assert (
        bool(reply.error) == (status is not ReviewStatus.OK)
        and "\n" not in reply.error
        and "Traceback" not in reply.error
    )


@pytest.mark.req("R004-066")
def test_no_program_and_no_sdk_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = ask(tmp_path)
    assert (reply.status, reply.error) == (
        ReviewStatus.UNAVAILABLE,
        "no claude-agent-sdk here; pip install 'reviewgate-gh[agent-sdk]'",
    )
    sdk(tmp_path, monkeypatch, enter="raise CLINotFoundError('Claude Code not found')")
    assert ask(tmp_path).error == "CLINotFoundError: Claude Code not found"
    assert ask(tmp_path, path="/nowhere/claude").status is ReviewStatus.UNAVAILABLE


_HANGS = """import asyncio, subprocess, sys, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open({folder!r} + '/pid', 'w').write(f'{{os.getpid()}} {{child.pid}}')
await asyncio.sleep(60)
yield ResultMessage()"""


@pytest.mark.contract(plain=False)
def test_the_deadline_ends_it_and_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = ask(sdk(tmp_path, monkeypatch, _HANGS.format(folder=str(tmp_path))), timeout=3)
    assert (reply.status, reply.text) == (ReviewStatus.TIMEOUT, "")
    assert survivors(tmp_path) == []


def test_nothing_of_a_folder_or_a_variable_changes_what_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    for name in ("json", "asyncio", "claude_agent_sdk", "sitecustomize", "usercustomize"):
        (evil / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    monkeypatch.setenv("PYTHONPATH", str(evil))
    monkeypatch.chdir(evil)
    assert ask(sdk(tmp_path, monkeypatch)).text == TEXT
    assert not (tmp_path / "sprung").exists()

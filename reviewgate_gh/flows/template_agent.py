"""A template's review by the agent SDK: one fresh client, one question, tools that only read."""

import asyncio
import importlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..model.asked import Reply
from ..model.config import Budget
from ..model.errors import NoReviewers, OutOfTime, UsageError
from ..model.review import Status
from ..model.values import dataclass
from ..reviewers._access import Access
from ..reviewers._anthropic import ENVIRONMENT
from ..reviewers._handed import credentials, of_logins, without
from ..system.process import clean_environment
from ..templates.guard import guard
from ..templates.parser import parse_review_output
from ..templates.result import ReviewResult, Verdict
from ..templates.schema import READING, ReviewTemplate
from .spending import Spending
from .template_bill import Bill

_HINT = "pip install 'reviewgate-gh[agent-sdk]', or use another reviewer from the config with --reviewer NAME"
_KEPT = ("ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "CLOUD_ML_", "GIT_CONFIG_")  # in which programs of the vendor's find their account
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "NODE_EXTRA_CA_CERTS")
_QUIET = {**ENVIRONMENT, "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
_STDERR_LINES = 5


@dataclass(frozen=True, slots=True)
class Agent:
    """How the SDK is asked. `own`: the folder is the user's, so its settings count; `rules` are the project's from its trusted side.

    With `documents` they are the whole question's material and there are no tools. `roots` are where files may be read. `env` is all
    that its program sees of ours; None: what it needs to run and to find its account. `error`: it cannot be asked, `access` how it can.
    Each of its turns counts on `spending`, within that budget; None: no limit.
    """

    name: str = "agent_sdk"
    model: str = ""
    path: str = ""
    seconds: float = 900
    own: bool = True
    rules: str = ""
    documents: str = ""
    roots: tuple[Path, ...] = ()
    env: Mapping[str, str] | None = None
    access: Access | None = None
    error: str = ""
    spending: Spending | None = None


async def run_review(template: ReviewTemplate, inputs: Mapping[str, str], agent: Agent | None = None) -> ReviewResult:
    """Review and return the result; one that cannot be read or believed has the verdict UNKNOWN.

    Raises:
        UsageError: a required input is missing.
        NoReviewers: the SDK or its program is not there.
        OutOfTime: the time was over.
    """
    agent = agent or Agent()
    if missing := template.missing(template.completed(inputs)):
        raise UsageError(f"the template {template.name} needs {', '.join(missing)}", "give every required input")
    return concluded(template, inputs, await ask_agent(template, inputs, agent), agent.name)


def concluded(template: ReviewTemplate, inputs: Mapping[str, str], reply: Reply, reviewer: str) -> ReviewResult:
    """The result in a reply.

    Raises:
        NoReviewers: the reviewer is not available.
        OutOfTime: the time was over.
    """
    if reply.status is Status.UNAVAILABLE:
        raise NoReviewers(f"{reviewer}: {reply.error}", _HINT)
    if reply.status is Status.TIMEOUT:
        raise OutOfTime(f"{reviewer}: {reply.error}", "raise the reviewer's timeout in the config, or narrow the review")
    if reply.status is Status.OK:
        return replace(parse_review_output(reply.text, template.name, inputs), reviewer=reviewer)
    return ReviewResult(Verdict.UNKNOWN, (), reply.text, template.name, dict(inputs), reviewer=reviewer, error=reply.error)


async def ask_agent(template: ReviewTemplate, inputs: Mapping[str, str], agent: Agent) -> Reply:
    """The agent's whole text, or why there is none."""
    if agent.error:
        return Reply(Status.UNAVAILABLE, error=agent.error)
    try:
        sdk: Any = importlib.import_module("claude_agent_sdk")
    except ImportError:
        return Reply(Status.UNAVAILABLE, error="claude-agent-sdk is not installed")
    env, files = _environment(agent), agent.access.files if agent.access else {}
    logins = (*files.values(), *(Path(env.get("HOME", "")) / name for name in files))
    secrets = {*credentials(env), *of_logins(logins)}
    reply = await _asked(sdk, template, inputs, agent)
    return without(reply, {*secrets, *of_logins(logins)})  # renewed meanwhile


async def _asked(sdk: Any, template: ReviewTemplate, inputs: Mapping[str, str], agent: Agent) -> Reply:
    said: list[str] = []
    prompt = f"{agent.documents}\n\n{template.build_prompt(inputs)}" if agent.documents else template.build_prompt(inputs)
    bill = Bill(agent.spending or Spending(Budget(calls=None, input_tokens=None)))
    if refused := bill.begin(f"{template.system_prompt}{agent.rules}{prompt}"):
        return Reply(Status.SKIPPED, error=refused)
    options = sdk.ClaudeAgentOptions(**options_for(template, inputs, agent), **bill.limits(), stderr=said.append)
    try:
        async with asyncio.timeout(agent.seconds):
            return await _exchange(sdk, options, prompt, bill)
    except TimeoutError:
        return Reply(Status.TIMEOUT, error=f"no whole answer within {agent.seconds:.0f} s")
    except sdk.CLINotFoundError as error:
        return Reply(Status.UNAVAILABLE, error=str(error))
    except Exception as error:
        told = "; ".join(line for line in said[-_STDERR_LINES:] if line.strip())
        return Reply(Status.FAILED, error=f"{type(error).__name__}: {error}{f' ({told})' if told else ''}")


def options_for(template: ReviewTemplate, inputs: Mapping[str, str], agent: Agent) -> dict[str, Any]:
    """What the SDK is told: the template's own words and rights, held to reading by three means.

    `tools` takes everything else away, the permission mode never prompts, and each use is looked at by the guard.
    """
    cwd = Path(template.completed(inputs).get("cwd") or ".").resolve()
    tools = [] if agent.documents else [tool for tool in template.allowed_tools if tool in READING]
    hooks = {event: [*matchers] for event, matchers in (template.hooks or {}).items()}
    hooks["PreToolUse"] = [_Always([guard(cwd, agent.roots or (cwd,), tools)]), *hooks.get("PreToolUse", [])]
    told: dict[str, Any] = {
        "system_prompt": f"{template.system_prompt}\n\n{agent.rules}" if agent.rules else template.system_prompt,
        "tools": tools,
        "allowed_tools": tools,
        "permission_mode": _mode(template.permission_mode),
        "setting_sources": _sources(template, agent),
        "cwd": str(cwd),
        "hooks": hooks,
        "env": _environment(agent),
        "strict_mcp_config": True,
    }
    return told | ({"model": agent.model} if agent.model else {}) | ({"cli_path": agent.path} if agent.path else {})


class _Always:
    """A hook for every tool, which refuses where it fails."""

    matcher = None
    timeout = None
    on_failure = "block"

    def __init__(self, hooks: list[Any]) -> None:
        self.hooks = hooks


def _mode(wanted: str) -> str:
    """The program refuses `bypassPermissions` to root; with `dontAsk` it uses the allowed tools and no other."""
    return "dontAsk" if wanted == "bypassPermissions" and os.geteuid() == 0 else wanted


def _sources(template: ReviewTemplate, agent: Agent) -> list[str]:
    """Settings of the folder may start programs: only a template that asks for them has them, and where the folder is the user's own.

    None, which means all sources to the SDK, is the user's settings alone: the login may hang on them.
    """
    if not agent.own or agent.documents:
        return []
    return ["user"] if template.setting_sources is None else list(template.setting_sources)


def _environment(agent: Agent) -> dict[str, str]:
    """The SDK hands its program our whole environment; what is no business of a reviewer's is emptied."""
    kept = agent.env
    if kept is None:
        found = {name: value for name, value in os.environ.items() if name.startswith(_KEPT) or name.upper() in _PROXIES}
        kept = clean_environment(os.environ, found)
    return {**dict.fromkeys(os.environ, ""), **kept, **_QUIET}


async def _exchange(sdk: Any, options: Any, prompt: str, bill: Bill) -> Reply:
    texts, ended = [], None
    async with sdk.ClaudeSDKClient(options=options) as client:
        await client.query(prompt)
        async for message in client.receive_response():
            if isinstance(message, sdk.AssistantMessage):
                texts.append("".join(block.text for block in message.content if isinstance(block, sdk.TextBlock)))
                if beyond := bill.hear(message, any(isinstance(block, sdk.ToolUseBlock) for block in message.content)):
                    return Reply(Status.FAILED, _joined(texts), error=beyond)
            elif isinstance(message, sdk.UserMessage):
                bill.answered()
            elif isinstance(message, sdk.ResultMessage):
                ended = message
    error = bill.fault(getattr(ended, "subtype", "")) or _fault(ended)
    return Reply(Status.FAILED if error else Status.OK, _joined(texts), error=error)


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(part for part in texts if part.strip())


def _fault(ended: Any) -> str:
    """What is wrong with how the exchange ended; an API error comes as a success that says otherwise."""
    if ended is None:
        return "the agent ended without a result"
    if ended.is_error or ended.subtype != "success":
        return ended.result or f"the agent ended with {ended.subtype}"
    cut = getattr(ended, "stop_reason", None)
    return f"the answer was cut off: {cut}" if cut in ("max_tokens", "refusal", "model_context_window_exceeded") else ""

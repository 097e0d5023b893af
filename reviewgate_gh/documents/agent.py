"""A template's review by the agent SDK: one client, one question, read-only tools, each turn
counted against the budget."""

import asyncio
import dataclasses
import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..ensemble.budget import BudgetAccount, CostEstimate
from ..ensemble.models import read_options
from ..ensemble.prompt import estimate_tokens
from ..model.config import Budget, ReviewerConfig
from ..model.errors import DeadlinePassed, NoReviewers, UsageError
from ..model.question import ModelReply
from ..model.review import ReviewStatus
from ..model.values import dataclass
from ..reporters._words import count_noun
from ..reviewers._accounts import Access, agent_environment, find_access
from ..reviewers._credentials import find_credentials, login_credentials, reply_without_credentials
from ..reviewers._program import path_outside_tree
from ..reviewers.agents import agent_sdk
from ..reviewers.agents.claude import ENVIRONMENT, VENDOR, read_claude_usage
from ..system.environment import Environment
from ..system.fresh_home import program_folders
from ..system.process import clean_environment
from .guard import make_guard
from .parser import parse_review_output
from .result import ReviewResult, Verdict
from .template import READING_TOOLS, ReviewTemplate


@dataclasses.dataclass(slots=True)
class TurnBudget:
    """The account of a run, and the turn that is under way.

    `_size`: the tokens of the last turn that are known. `_answered`: tools have answered since its
    last message. `_doubtful`: what may be turns, of a server that gives all of them one name; None
    once a second name was heard.
    """

    spending: BudgetAccount
    _ticket: int = 0
    _turn: Any = None
    _size: int = 0
    _answered: bool = False
    _doubtful: list[int] | None = dataclasses.field(default_factory=list)

    def reserve_first_turn(self, prompt: str) -> str:
        """Why the first turn is beyond the budget; "" when it may begin."""
        self._size = estimate_tokens(prompt)
        return self._reserve()

    def count_message(self, message: Any, goes_on: bool) -> str:
        """Count a message of the agent's; why the turn that it asks for (`goes_on`) is beyond the
        budget.

        A turn may come in several messages, with answers of tools between them. The next one sends
        again all that this one has sent.
        """
        spent, turn = (
            read_claude_usage({"usage": getattr(message, "usage", None)}),
            getattr(message, "message_id", None) or object(),
        )
        other, grown = turn != self._turn, spent.input > self._size
        self._size = spent.input or self._size
        if other and self._turn is not None:
            self._tell_apart()
        sure = other or (self._answered and grown)
        perhaps = self._doubtful if self._answered and not sure else None
        if sure or perhaps is not None:
            if not self._ticket and (why := self._reserve()):
                return why
            if perhaps is None:
                self.spending.record_usage(self._ticket, spent)
            else:
                perhaps.append(self._ticket)
            self._ticket = 0
        self._turn, self._answered = turn, False
        return self._reserve() if goes_on and not self._ticket else ""

    def tools_answered(self) -> None:
        """Tools' answers came: a new turn may begin, even under the same name, or the same one may
        go on."""
        self._answered = True

    def _tell_apart(self) -> None:
        """Turns have names of their own here, so what came under one name was one."""
        for ticket in self._doubtful or ():
            self.spending.release(ticket)
        self._doubtful = None

    def _reserve(self) -> str:
        self._ticket, why = self.spending.reserve(
            CostEstimate(self._size)
        )  # the limit in dollars is passed to the agent
        return why

    def limits(self) -> dict[str, Any]:
        """The same for the agent itself, which knows before us what a turn has cost."""
        budget = self.spending.budget
        told = {"max_turns": budget.calls, "max_budget_usd": budget.cost_usd}
        return {name: most for name, most in told.items() if most is not None}

    def budget_error(self, subtype: str) -> str:
        """What an end of the agent's says of the budget."""
        budget = self.spending.budget
        if subtype == "error_max_turns" and budget.calls is not None:
            return f"over the budget of {count_noun(budget.calls, 'call')} (ensemble.budget.calls)"
        if subtype == "error_max_budget_usd" and budget.cost_usd is not None:
            return f"over the budget of ${budget.cost_usd:g} (ensemble.budget.cost_usd)"
        return ""


_HINT = (
    "pip install 'reviewgate-gh[agent-sdk]', or use another reviewer from the config with "
    "--reviewer NAME"
)
_KEPT = (
    "ANTHROPIC_",
    "CLAUDE_",
    "AWS_",
    "GOOGLE_",
    "CLOUD_ML_",
    "GIT_CONFIG_",
)  # in which programs of the vendor's find their account
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "NODE_EXTRA_CA_CERTS")
_QUIET = {**ENVIRONMENT, "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
_STDERR_LINES = 5


@dataclass(frozen=True, slots=True)
class SdkAgent:
    """How the SDK is asked. `own`: the folder is the user's, so its settings count; `rules` are the
    project's from its trusted side.

    With `documents` they are the whole question's material and there are no tools. `roots` are
    where files may be read. `env` is all that its program sees of ours; None: what it needs to run
    and to find its account. `error`: it cannot be asked, `access` how it can. Each of its turns
    counts on `spending`, within that budget; None: no limit.
    """

    name: str = "agent_sdk"
    model: str = ""
    path: str = ""
    seconds: float = 900
    use_user_settings: bool = True
    rules: str = ""
    documents: str = ""
    roots: tuple[Path, ...] = ()
    env: Mapping[str, str] | None = None
    access: Access | None = None
    error: str = ""
    spending: BudgetAccount | None = None


async def run_review(
    template: ReviewTemplate, inputs: Mapping[str, str], agent: SdkAgent | None = None
) -> ReviewResult:
    """Review and return the result; one that cannot be read or believed has the verdict UNKNOWN.

    Raises:
        UsageError: a required input is missing.
        NoReviewers: the SDK or its program is not there.
        OutOfTime: the time was over.
    """
    agent = agent or SdkAgent()
    if missing := template.missing(template.completed(inputs)):
        raise UsageError(
            f"the template {template.name} needs {', '.join(missing)}", "give every required input"
        )
    return result_of_reply(template, inputs, await ask_agent(template, inputs, agent), agent.name)


def result_of_reply(
    template: ReviewTemplate, inputs: Mapping[str, str], reply: ModelReply, reviewer: str
) -> ReviewResult:
    """The result in a reply.

    Raises:
        NoReviewers: the reviewer is not available.
        OutOfTime: the time was over.
    """
    if reply.status is ReviewStatus.UNAVAILABLE:
        raise NoReviewers(f"{reviewer}: {reply.error}", _HINT)
    if reply.status is ReviewStatus.TIMEOUT:
        raise DeadlinePassed(
            f"{reviewer}: {reply.error}",
            "raise the reviewer's timeout in the config, or narrow the review",
        )
    if reply.status is ReviewStatus.OK:
        return replace(parse_review_output(reply.text, template.name, inputs), reviewer=reviewer)
    return ReviewResult(
        Verdict.UNKNOWN,
        (),
        reply.text,
        template.name,
        dict(inputs),
        reviewer=reviewer,
        error=reply.error,
    )


async def ask_agent(
    template: ReviewTemplate, inputs: Mapping[str, str], agent: SdkAgent
) -> ModelReply:
    """The agent's whole text, or why there is none."""
    if agent.error:
        return ModelReply(ReviewStatus.UNAVAILABLE, error=agent.error)
    try:
        sdk: Any = importlib.import_module("claude_agent_sdk")
    except ImportError:
        return ModelReply(ReviewStatus.UNAVAILABLE, error="claude-agent-sdk is not installed")
    env, files = _environment(agent), agent.access.files if agent.access else {}
    logins = (*files.values(), *(Path(env.get("HOME", "")) / name for name in files))
    secrets = {*find_credentials(env), *login_credentials(logins)}
    reply = await _asked(sdk, template, inputs, agent)
    return reply_without_credentials(
        reply, {*secrets, *login_credentials(logins)}
    )  # renewed meanwhile


async def _asked(
    sdk: Any, template: ReviewTemplate, inputs: Mapping[str, str], agent: SdkAgent
) -> ModelReply:
    said: list[str] = []
    prompt = (
        f"{agent.documents}\n\n{template.build_prompt(inputs)}"
        if agent.documents
        else template.build_prompt(inputs)
    )
    turn_budget = TurnBudget(agent.spending or BudgetAccount(Budget(calls=None, input_tokens=None)))
    if refused := turn_budget.reserve_first_turn(f"{template.system_prompt}{agent.rules}{prompt}"):
        return ModelReply(ReviewStatus.SKIPPED, error=refused)
    options = sdk.ClaudeAgentOptions(
        **sdk_options(template, inputs, agent), **turn_budget.limits(), stderr=said.append
    )
    try:
        async with asyncio.timeout(agent.seconds):
            return await _exchange(sdk, options, prompt, turn_budget)
    except TimeoutError:
        return ModelReply(
            ReviewStatus.TIMEOUT, error=f"no whole answer within {agent.seconds:.0f} s"
        )
    except sdk.CLINotFoundError as error:
        return ModelReply(ReviewStatus.UNAVAILABLE, error=str(error))
    except Exception as error:
        told = "; ".join(line for line in said[-_STDERR_LINES:] if line.strip())
        return ModelReply(
            ReviewStatus.FAILED,
            error=f"{type(error).__name__}: {error}{f' ({told})' if told else ''}",
        )


def sdk_options(
    template: ReviewTemplate, inputs: Mapping[str, str], agent: SdkAgent
) -> dict[str, Any]:
    """What the SDK is told: the template's own words and rights, held to reading by three means.

    `tools` takes everything else away, the permission mode never prompts, and each use is looked at
    by the guard.
    """
    cwd = Path(template.completed(inputs).get("cwd") or ".").resolve()
    tools = (
        []
        if agent.documents
        else [tool for tool in template.allowed_tools if tool in READING_TOOLS]
    )
    hooks = {event: [*matchers] for event, matchers in (template.hooks or {}).items()}
    hooks["PreToolUse"] = [
        _RefusingHook([make_guard(cwd, agent.roots or (cwd,), tools)]),
        *hooks.get("PreToolUse", []),
    ]
    told: dict[str, Any] = {
        "system_prompt": f"{template.system_prompt}\n\n{agent.rules}"
        if agent.rules
        else template.system_prompt,
        "tools": tools,
        "allowed_tools": tools,
        "permission_mode": _mode(template.permission_mode),
        "setting_sources": _sources(template, agent),
        "cwd": str(cwd),
        "hooks": hooks,
        "env": _environment(agent),
        "strict_mcp_config": True,
    }
    return (
        told
        | ({"model": agent.model} if agent.model else {})
        | ({"cli_path": agent.path} if agent.path else {})
    )


class _RefusingHook:
    """A hook for every tool, which refuses where it fails."""

    matcher = None
    timeout = None
    on_failure = "block"

    def __init__(self, hooks: list[Any]) -> None:
        self.hooks = hooks


def _mode(wanted: str) -> str:
    """The program refuses `bypassPermissions` to root; with `dontAsk` it uses the allowed tools and
    no other."""
    return "dontAsk" if wanted == "bypassPermissions" and os.geteuid() == 0 else wanted


def _sources(template: ReviewTemplate, agent: SdkAgent) -> list[str]:
    """Settings of the folder may start programs: only a template that asks for them has them, and
    where the folder is the user's own.

    None, which means all sources to the SDK, is the user's settings alone: the login may hang on
    them.
    """
    if not agent.use_user_settings or agent.documents:
        return []
    return ["user"] if template.setting_sources is None else list(template.setting_sources)


def _environment(agent: SdkAgent) -> dict[str, str]:
    """The SDK hands its program our whole environment; what is no business of a reviewer's is
    emptied."""
    kept = agent.env
    if kept is None:
        found = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(_KEPT) or name.upper() in _PROXIES
        }
        kept = clean_environment(os.environ, found)
    return {**dict.fromkeys(os.environ, ""), **kept, **_QUIET}


async def _exchange(sdk: Any, options: Any, prompt: str, turn_budget: TurnBudget) -> ModelReply:
    texts, ended = [], None
    async with sdk.ClaudeSDKClient(options=options) as client:
        await client.query(prompt)
        async for message in client.receive_response():
            if isinstance(message, sdk.AssistantMessage):
                texts.append(
                    "".join(
                        block.text for block in message.content if isinstance(block, sdk.TextBlock)
                    )
                )
                if beyond := turn_budget.count_message(
                    message, any(isinstance(block, sdk.ToolUseBlock) for block in message.content)
                ):
                    return ModelReply(ReviewStatus.FAILED, _joined(texts), error=beyond)
            elif isinstance(message, sdk.UserMessage):
                turn_budget.tools_answered()
            elif isinstance(message, sdk.ResultMessage):
                ended = message
    error = turn_budget.budget_error(getattr(ended, "subtype", "")) or _fault(ended)
    return ModelReply(
        ReviewStatus.FAILED if error else ReviewStatus.OK, _joined(texts), error=error
    )


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(part for part in texts if part.strip())


def _fault(ended: Any) -> str:
    """What is wrong with how the exchange ended; an API error comes as a success that says
    otherwise."""
    if ended is None:
        return "the agent ended without a result"
    if ended.is_error or ended.subtype != "success":
        return ended.result or f"the agent ended with {ended.subtype}"
    cut = getattr(ended, "stop_reason", None)
    return (
        f"the answer was cut off: {cut}"
        if cut in ("max_tokens", "refusal", "model_context_window_exceeded")
        else ""
    )


SDK_REVIEWER = "agent_sdk"


def is_sdk_installed() -> bool:
    """The SDK can be imported."""
    return find_spec("claude_agent_sdk") is not None


def configure_sdk_agent(name: str, entry: ReviewerConfig, environment: Environment) -> SdkAgent:
    """The agent that the config describes; its `error` says why it cannot be asked.

    Raises:
        ConfigError: the options are wrong.
    """
    options = read_options(name, entry, agent_sdk)
    missing = "" if is_sdk_installed() else "claude-agent-sdk is not installed"
    found = find_access(VENDOR, options, environment)
    return SdkAgent(
        name, options.model, options.path, entry.timeout, access=found, error=missing or found.error
    )


@contextmanager
def with_temporary_home(
    agent: SdkAgent, tree: Path | None, environment: Environment
) -> Iterator[SdkAgent]:
    """The same with an environment that holds its account and nothing else of ours, and a home that
    is gone afterwards."""
    if agent.access is None or agent.error:
        yield agent
        return
    with program_folders(agent.access.files) as place:
        env = agent_environment(environment, agent.access, place.home, place.temporary)
        yield replace(
            agent,
            env={
                **env,
                "PATH": path_outside_tree(
                    environment.variables, tree, agent.path or sys.executable
                ),
            },
        )

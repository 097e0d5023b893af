"""A template's review by the agent SDK: what its agent may do, and one call for Python programs."""

import asyncio
import math
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.budget import BudgetAccount
from ..ensemble.client import ModelClient, Response, open_model_client
from ..ensemble.models import ModelReviewer, read_options
from ..model.config import Budget, Config, ReviewerConfig
from ..model.errors import DeadlinePassed, NoReviewers, UsageError
from ..model.question import Availability, ModelReply, Prompt
from ..model.review import ReviewStatus, Usage
from ..reviewers._accounts import Access, find_access
from ..reviewers._context import ModelContext
from ..reviewers.agents import agent_sdk
from ..reviewers.agents.agent_sdk import ToolQuestion, ask_with_tools, is_sdk_installed
from ..reviewers.agents.claude import VENDOR
from ..system.environment import Environment
from .guard import make_guard
from .parser import parse_review_output
from .result import ReviewResult, Verdict
from .template import READING_TOOLS, ReviewTemplate

SDK_REVIEWER = "agent_sdk"
_HINT = (
    "pip install 'reviewgate-gh[agent-sdk]', or use another reviewer from the config with "
    "--reviewer NAME"
)
_NO_LIMIT = Budget(calls=None, input_tokens=None)
RunCoroutine = Callable[[Coroutine[Any, Any, ModelReply]], ModelReply]


class SdkAgent(Struct, frozen=True):
    """How the SDK is asked.

    `use_user_settings`: the folder is the user's, so its settings count. `rules` are the project's,
    from its trusted side. `documents` are all that the question is about; then there are no tools.
    `roots` are where files may be read. `env` is all that its program sees of ours; None: what it
    needs to run and to find its account. `error` says why it cannot be asked, `access` how it can.
    Each of its turns counts on `spending`, within that budget; None: no limit.
    """

    name: str = SDK_REVIEWER
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
        DeadlinePassed: the time was over.
    """
    agent = agent or SdkAgent()
    if missing := template.missing(template.completed(inputs)):
        raise UsageError(
            f"the template {template.name} needs {', '.join(missing)}", "give every required input"
        )
    loop, asked = asyncio.get_running_loop(), list[Future[ModelReply]]()

    def in_this_loop(question: Coroutine[Any, Any, ModelReply]) -> ModelReply:
        asked.append(asyncio.run_coroutine_threadsafe(question, loop))
        return asked[-1].result()

    context = ModelContext(Environment.current(), agent.seconds)
    client = open_model_client({}, context, math.inf, Config())
    client = replace(client, budget=agent.spending or BudgetAccount(_NO_LIMIT))
    try:
        return await asyncio.to_thread(
            review_by_agent, client, template, inputs, agent, in_this_loop
        )
    finally:
        for question in asked:
            question.cancel()  # where the caller was cancelled; else it is done


def review_by_agent(
    client: ModelClient,
    template: ReviewTemplate,
    inputs: Mapping[str, str],
    agent: SdkAgent,
    run: RunCoroutine = asyncio.run,
) -> ReviewResult:
    """The same through this client, for callers that block; `run` runs the SDK's coroutine.

    Raises:
        NoReviewers, DeadlinePassed: as above.
    """
    question = _tool_question(template, inputs, agent)
    entry = ReviewerConfig(type=SDK_REVIEWER, timeout=agent.seconds)
    plugin = _Plugin(question, run)
    model = ModelReviewer(
        agent.name, entry, plugin, _Options(agent.model), Availability(agent.error)
    )
    prompt = Prompt(question.system_prompt, question.text, {})
    return result_of_response(template, inputs, client.ask(model, template.name, prompt, str))


class _Options(Struct, frozen=True):
    """What a recording knows of the agent."""

    model: str

    def cost(self, _usage: Usage) -> float:
        """The agent is told the limit in dollars: it knows before us what a turn has cost."""
        return 0.0


class _Plugin(Struct, frozen=True):
    """What stands for the plug-in's module: the agent SDK with this template's tools."""

    question: ToolQuestion
    run: RunCoroutine

    def ask(self, _prompt: Prompt, _options: _Options, context: ModelContext) -> ModelReply:
        """One answer, within the context's seconds."""
        return self.run(ask_with_tools(self.question, context))


def _tool_question(
    template: ReviewTemplate, inputs: Mapping[str, str], agent: SdkAgent
) -> ToolQuestion:
    """The template's words and rights, held to reading: each use of a tool passes the guard."""
    cwd = Path(template.completed(inputs).get("cwd") or ".").resolve()
    tools = (
        []
        if agent.documents
        else [tool for tool in template.allowed_tools if tool in READING_TOOLS]
    )
    hooks = {event: [*matchers] for event, matchers in (template.hooks or {}).items()}
    guard = _RefusingHook([make_guard(cwd, agent.roots or (cwd,), tools)])
    hooks["PreToolUse"] = [guard, *hooks.get("PreToolUse", [])]
    text = template.build_prompt(inputs)
    return ToolQuestion(
        f"{agent.documents}\n\n{text}" if agent.documents else text,
        f"{template.system_prompt}\n\n{agent.rules}" if agent.rules else template.system_prompt,
        tools,
        template.permission_mode,
        _sources(template, agent),
        hooks,
        cwd,
        agent.model,
        agent.path,
        agent.access,
        agent.env,
    )


class _RefusingHook:
    """A hook for every tool, which refuses where it fails."""

    matcher = None
    timeout = None
    on_failure = "block"

    def __init__(self, hooks: list[Any]) -> None:
        self.hooks = hooks


def _sources(template: ReviewTemplate, agent: SdkAgent) -> list[str]:
    """Settings of the folder may start programs: only a template that asks for them has them, and
    where the folder is the user's own.

    None, which means all sources to the SDK, is the user's settings alone: the login may hang on
    them.
    """
    if not agent.use_user_settings or agent.documents:
        return []
    return ["user"] if template.setting_sources is None else list(template.setting_sources)


def result_of_response(
    template: ReviewTemplate, inputs: Mapping[str, str], response: Response[str]
) -> ReviewResult:
    """The result in a model's response.

    Raises:
        NoReviewers: the reviewer is not available.
        DeadlinePassed: the time was over.
    """
    reply, reviewer = response.reply, response.model.name
    if reply.status is ReviewStatus.UNAVAILABLE:
        raise NoReviewers(f"{reviewer}: {reply.error}", _HINT)
    if reply.status is ReviewStatus.TIMEOUT:
        hint = "raise the reviewer's timeout in the config, or narrow the review"
        raise DeadlinePassed(f"{reviewer}: {reply.error}", hint)
    if response.answer is not None:
        return replace(
            parse_review_output(response.answer, template.name, inputs), reviewer=reviewer
        )
    return ReviewResult(
        Verdict.UNKNOWN,
        (),
        reply.text,
        template.name,
        dict(inputs),
        reviewer=reviewer,
        error=reply.error,
    )


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

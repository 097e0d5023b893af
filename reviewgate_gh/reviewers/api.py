"""A language model by its API: OpenAI's chat completions and all that speak like it, its responses,
Anthropic's messages, Gemini's generateContent."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from ..model.limits import ConfigSection
from ..model.question import Availability, ModelReply, Prompt
from ..model.review import NO_USAGE, ReviewStatus, Usage
from ..text.patterns import lazy_pattern
from ._context import ModelContext
from ._credentials import proxy_credentials, redact_credentials, reply_without_credentials
from ._prices import Price, usage_cost, with_cost
from .apis import API_DIALECTS, _addresses
from .apis._answer import (
    EFFORT_REFUSED,
    TOOL_CALLED,
    parse_body,
    refusal_reply,
    truncated_prompt_reason,
)
from .apis._client import ModelRequest, RetryTiming, SendResult, send_with_retries
from .apis._question import VENDOR_EFFORTS, ModelEffort, ModelParameters, StructuredOutput

_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = lazy_pattern(r"[A-Za-z0-9-]+")
_NO_NAME = (
    "key must be the name of an environment variable, such as OPENAI_API_KEY; the key itself "
    "stays out of the config"
)


# Models that have refused a run's effort, as (address, model): those that do not reason
_WITHOUT_EFFORT: set[tuple[str, str]] = set()


class Options(ConfigSection, frozen=True, kw_only=True):
    """Which model at which address, and the name of the environment variable that holds the key.

    `url` unset is the vendor's own. `structured`: whether the server can be held to a JSON schema,
    only to an object, or to nothing. `effort` unset sends what the run names, if the model takes
    it. `key_header` and `api_version` are for Azure and for proxies.
    """

    dialect: Literal["openai", "responses", "anthropic", "gemini"]
    model: str
    url: str | None = None
    key: str | None = None
    structured: StructuredOutput = "schema"
    effort: ModelEffort | None = None
    max_output_tokens: int | None = None
    key_header: str | None = None
    api_version: str | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        if wrong := self._wrong():
            raise ValueError(wrong)

    @property
    def base(self) -> str:
        """The address before the API's own paths."""
        return (self.url or _addresses.VENDOR_ADDRESSES[self.dialect]).rstrip("/")

    @property
    def own(self) -> bool:
        """The vendor's own server answers, or Microsoft's."""
        return _addresses.is_vendor_address(self.dialect, self.base) or _addresses.is_azure(
            self.base
        )

    @property
    def target(self) -> str:
        """The address that questions go to."""
        return _addresses.request_address(self.dialect, self.base, self.model, self.api_version)

    def terms(self, prompt: Prompt) -> ModelParameters:
        """How to put the question; an effort that the run names goes before the config's."""
        knows_none = (self.base, self.model) in _WITHOUT_EFFORT and self.effort is None
        effort = None if knows_none else prompt.effort or self.effort
        return ModelParameters(
            self.model,
            self.max_output_tokens,
            self.structured,
            effort,
            self.own,
            _addresses.is_openrouter(self.base),
        )

    def cost(self, usage: Usage) -> float | None:
        """US dollars, where they are known."""
        return usage_cost(usage, self.price, self.model, self.base)

    def _wrong(self) -> str:
        if not self.model.strip():
            return "model must name a model"
        if self.key is not None and not _VARIABLE.fullmatch(self.key):
            return _NO_NAME
        if self.key is None and self.url is None:
            return "key must name the environment variable that holds the API key"
        if self.key_header is not None and not _HEADER.fullmatch(self.key_header):
            return "key_header must be the name of a header, such as api-key"
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            return "max_output_tokens must be 1 or more"
        if self.effort and self.own and self.effort not in VENDOR_EFFORTS[self.dialect]:
            return f"effort must be one of {', '.join(VENDOR_EFFORTS[self.dialect])} here"
        return (
            _addresses.address_problem(self.url, self.key is not None)
            if self.url is not None
            else ""
        )


_PACE = RetryTiming()


def check(options: Options, context: ModelContext) -> Availability:
    """Whether there is a key; what the key is worth, only the server knows."""
    missing = options.key if options.key and not _key(options, context) else ""
    error = (
        f"{missing} is not set: set it to the API key for {_addresses.host_of(options.base)}"
        if missing
        else ""
    )
    sends = f"{options.base} (model {options.model})"
    return Availability(
        error,
        program=f"POST {options.target}",
        login="" if missing else options.key or "",
        destination=sends,
    )


def ask(
    prompt: Prompt, options: Options, context: ModelContext, pace: RetryTiming = _PACE
) -> ModelReply:
    """One answer, or why there is none; the key stands in neither."""
    standing = check(options, context)
    secrets = (_key(options, context), *proxy_credentials(context.environment.variables))
    reply = (
        ModelReply(ReviewStatus.UNAVAILABLE, error=standing.error)
        if standing.error
        else _asked_with_effort(_Exchange(prompt, options, context, pace, secrets))
    )
    return reply_without_credentials(
        replace(
            reply, usage=with_cost(reply.usage, options), model=options.model, endpoint=options.base
        ),
        secrets,
    )


def caches(options: Options) -> bool:
    """The server is known to serve what questions share from a cache for less money. A server that
    speaks Anthropic's dialect is told what to cache."""
    return options.dialect == "anthropic" or options.own or _addresses.is_openrouter(options.base)


def warm(prompt: Prompt, options: Options, context: ModelContext) -> Usage:
    """Let the vendor's cache take in what questions share: the same question, of whose answer one
    token is wanted."""
    return ask(prompt, replace(options, max_output_tokens=1), context).usage


class _Exchange(NamedTuple):
    """How questions are put to one server: the question, to whom, in which surroundings, how often,
    and what must not leave."""

    prompt: Prompt
    options: Options
    context: ModelContext
    pace: RetryTiming
    secrets: Sequence[str]


def _asked_with_effort(way: _Exchange) -> ModelReply:
    """With the effort that the run names; without it where the model refuses it."""
    reply = _asked(way)
    named = way.prompt.effort and way.options.effort is None
    if not named or EFFORT_REFUSED not in reply.error or not way.context.may_retry():
        return reply
    _WITHOUT_EFFORT.add((way.options.base, way.options.model))
    again = _asked(way)
    return replace(again, usage=again.usage.plus(reply.usage))


def _asked(way: _Exchange) -> ModelReply:
    options, tools, used = way.options, way.context.tools, NO_USAGE
    is_counted = way.context.turns is not None  # not where a cache is warmed up: one turn is enough
    body = API_DIALECTS[options.dialect].body(way.prompt, options.terms(way.prompt))
    dialect = API_DIALECTS[options.dialect]
    if tools is None:
        return _sent(body, way)[0]
    deadline = way.context.environment.clock() + way.context.timeout
    names = {spec.name for spec in tools.specs}
    for turn in count(1):
        is_used_up = tools.is_used_up
        dialect.offer_tools(body, tools.specs, is_used_up)
        left = deadline - way.context.environment.clock()
        reply, data = _sent(body, way._replace(context=replace(way.context, timeout=left)))
        used = used.plus(reply.usage)
        may_go_on = is_counted and not is_used_up and reply.error == TOOL_CALLED
        calls = dialect.tool_calls(data) if may_go_on else []
        goes_on = bool(calls) and names.issuperset(call.name for call in calls)
        why = _counted(turn, reply, way, goes_on) if goes_on or turn > 1 else ""
        if why or not goes_on:
            ended = ModelReply(ReviewStatus.SKIPPED, error=why) if why else reply
            return replace(ended, usage=used)
        said = {call.id: tools.call(call.name, call.arguments) for call in calls}
        dialect.add_answers(body, data, said)
        if way.context.turns:
            way.context.turns.tools_answered()
    raise AssertionError  # the tools are used up before


def _counted(turn: int, reply: ModelReply, way: _Exchange, goes_on: bool) -> str:
    """Count a turn; why the next one is beyond the budget."""
    turns, usage = way.context.turns, with_cost(reply.usage, way.options)
    return turns.count_turn(turn, usage, goes_on) if turns else ""


def _sent(body: Any, way: _Exchange) -> tuple[ModelReply, Any]:
    """One request: what the response says, and the response."""
    prompt, options, context, pace, secrets = way
    text = json.dumps(body, ensure_ascii=False)
    secret = _addresses.auth_headers(
        options.dialect, options.base, _key(options, context), options.key_header
    )
    request = ModelRequest(options.target, secret, text.encode("utf-8", "replace"))
    heard = send_with_retries(request, context.timeout, pace, context.may_retry)
    if heard.answer:
        heard = replace(
            heard, answer=replace(heard.answer, body=redact_credentials(heard.answer.body, secrets))
        )
    reply = _reply(heard, options, context.timeout)
    if (
        reply.status is ReviewStatus.OK
        and not options.own
        and (why := truncated_prompt_reason(prompt.text, reply.usage))
    ):
        reply = replace(reply, status=ReviewStatus.FAILED, text="", error=why)
    data = parse_body(heard.answer.body) if heard.answer else None
    return replace(reply, usage=replace(reply.usage, calls=heard.tries)), data


def _reply(response: SendResult, options: Options, seconds: float) -> ModelReply:
    if response.deadline_passed:
        return ModelReply(
            ReviewStatus.TIMEOUT,
            error=f"no complete answer within {seconds:.0f} s (tries: {response.tries})",
        )
    times = f", {response.tries} times" if response.tries > 1 else ""
    if response.answer is None:
        return ModelReply(ReviewStatus.FAILED, error=f"{response.error}{times}")
    if response.answer.status == 200:
        return _said(response.answer.body, options)
    reply = refusal_reply(
        response.answer.status, response.answer.body, options.model, options.key or ""
    )
    asks = (
        f"; it asks to wait {response.wait:.0f} s, longer than the time left of {seconds:.0f} s"
        if response.wait
        else ""
    )
    return replace(reply, error=f"{reply.error}{times}{asks}")


def _said(body: bytes, options: Options) -> ModelReply:
    data = parse_body(body)
    if data is None:
        return ModelReply(ReviewStatus.UNPARSABLE, error="the response is not JSON: check `url`")
    return API_DIALECTS[options.dialect].read(data)


def _key(options: Options, context: ModelContext) -> str:
    return context.environment.variables.get(options.key, "").strip() if options.key else ""

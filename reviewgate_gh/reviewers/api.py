"""A language model by its API: OpenAI's chat completions and all that speak like it, Anthropic's messages, Gemini's generateContent."""

import json
from collections.abc import Sequence
from dataclasses import replace

from ..model.asked import Prompt, Reply, Standing
from ..model.review import Status
from ..model.usage import Usage
from ..steps.llm import DIALECTS, again
from ..steps.llm.reading import misread
from ..steps.llm.refusals import parsed, refusal
from ..system.kit import Seat
from ..system.llm import Call, Heard, Pace, addresses, send
from ._api_options import Options as Options
from ._handed import cleaned, of_proxies, without
from ._price import priced

_PACE = Pace()


def check(options: Options, seat: Seat) -> Standing:
    """Whether there is a key; what the key is worth, only the server knows."""
    missing = options.key if options.key and not _key(options, seat) else ""
    error = f"{missing} is not set: set it to the API key for {addresses.host(options.base)}" if missing else ""
    sends = f"{options.base} (model {options.model})"
    return Standing(error, runs=f"POST {options.target}", login="" if missing else options.key or "", sends=sends)


def ask(prompt: Prompt, options: Options, seat: Seat, pace: Pace = _PACE) -> Reply:
    """One answer, or why there is none; the key stands in neither."""
    standing = check(options, seat)
    secrets = (_key(options, seat), *of_proxies(seat.world.env))
    reply = Reply(Status.UNAVAILABLE, error=standing.error) if standing.error else _asked(prompt, options, seat, pace, secrets)
    return without(replace(reply, usage=priced(reply.usage, options), model=options.model, endpoint=options.base), secrets)


def warm(prompt: Prompt, options: Options, seat: Seat) -> Usage:
    """Let the vendor's cache take in what questions share: the same question, of whose answer one token is wanted."""
    return ask(prompt, replace(options, max_output_tokens=1), seat).usage


def _asked(prompt: Prompt, options: Options, seat: Seat, pace: Pace, secrets: Sequence[str]) -> Reply:
    body = json.dumps(DIALECTS[options.dialect].body(prompt, options.terms(prompt)), ensure_ascii=False)
    secret = addresses.login(options.dialect, options.base, _key(options, seat), options.key_header)
    call = Call(options.target, secret, body.encode("utf-8", "replace"))
    heard = send(call, seat.timeout, lambda answer: again.wish(answer.status, answer.headers, answer.body), again.backoff, pace, seat.again)
    if heard.answer:
        heard = replace(heard, answer=replace(heard.answer, body=cleaned(heard.answer.body, secrets)))
    reply = _reply(heard, options, seat.timeout)
    if reply.status is Status.OK and not options.own and (why := misread(prompt.text, reply.usage)):
        reply = replace(reply, status=Status.FAILED, text="", error=why)
    return replace(reply, usage=replace(reply.usage, calls=heard.tries))


def _reply(heard: Heard, options: Options, seconds: float) -> Reply:
    if heard.late:
        return Reply(Status.TIMEOUT, error=f"no complete answer within {seconds:.0f} s (tries: {heard.tries})")
    times = f", {heard.tries} times" if heard.tries > 1 else ""
    if heard.answer is None:
        return Reply(Status.FAILED, error=f"{heard.error}{times}")
    if heard.answer.status == 200:
        return _said(heard.answer.body, options)
    reply = refusal(heard.answer.status, heard.answer.body, options.model, options.key or "")
    asks = f"; it asks to wait {heard.wait:.0f} s, longer than the time left of {seconds:.0f} s" if heard.wait else ""
    return replace(reply, error=f"{reply.error}{times}{asks}")


def _said(body: bytes, options: Options) -> Reply:
    data = parsed(body)
    if data is None:
        return Reply(Status.UNPARSABLE, error="the response is not JSON: check `url`")
    return DIALECTS[options.dialect].read(data)


def _key(options: Options, seat: Seat) -> str:
    return seat.world.env.get(options.key, "").strip() if options.key else ""

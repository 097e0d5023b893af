"""The secrets that a model's program is handed: which they are, and what it says without them."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from msgspec.structs import replace

from ..model.question import ModelReply
from ..system.credentials import read_small
from ..text.patterns import lazy_pattern
from ..text.redact import CREDENTIAL_WORDS, redact, redact_values

_NAMED = lazy_pattern(
    rf"(?i)(?<!^git_config_)key|{'|'.join(CREDENTIAL_WORDS)}|bearer|authorization|cookie"
)
_FILE = lazy_pattern(r"(?i)_file$")  # by convention where a secret lies
_PROXY = lazy_pattern(r"(?i)_proxy$")
# A line each; OpenTelemetry's have commas, "=" and the signs of addresses
_HEADERS = lazy_pattern(r"(?i)headers?$")
_QUERY = lazy_pattern(r"[?&;]([^?&;=#\s]{1,99})=([^&;#,\s\"'<>]+)")
# What a query calls one besides
_SIGNED = lazy_pattern(r"(?i)^(?:auth|code|pass|pwd|sas|sig|signature)$")
_GIT_PARAMETER = lazy_pattern(r"'([^'=]*)'?='?([^']*)'")
_GIT_VALUE = lazy_pattern(r"^GIT_CONFIG_VALUE_(?=\d+$)")


def find_credentials(named: Mapping[str, Any]) -> Iterator[str]:
    """The secrets in an environment, or in the JSON of a login: what is called one, and the logins
    within addresses and headers."""
    for name, value in named.items():
        yield from _within(name, value)
    for name, value in _of_git(named):
        if _HEADERS.search(name):
            yield from _in_headers(value)


def _within(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from find_credentials(value)
    elif isinstance(value, list):
        for each in value:
            yield from _within(name, each)
    elif isinstance(value, str):
        if _NAMED.search(name) and not _FILE.search(name):
            yield from _sent(value)
        if _HEADERS.search(name):
            yield from _in_headers(value)
        if "://" in value or _PROXY.search(name):
            yield from _in_addresses(value)


def proxy_credentials(env: Mapping[str, str]) -> Iterator[str]:
    """The logins of the proxies alone, which every question passes."""
    return find_credentials({name: value for name, value in env.items() if _PROXY.search(name)})


def login_credentials(files: Iterable[Path]) -> Iterator[str]:
    """Those in the files of logins, as far as they are JSON."""
    for path in files:
        with suppress(OSError, ValueError, RecursionError):
            yield from find_credentials({"": json.loads(read_small(path))})


def redact_credentials(output: bytes, secrets: Iterable[str]) -> bytes:
    """What a program or a server said, before anything is cut off: of half a secret nobody could
    tell that it is one."""
    return redact_values(output.decode("utf-8", "surrogateescape"), secrets).encode(
        "utf-8", "surrogateescape"
    )


def reply_without_credentials(reply: ModelReply, secrets: Iterable[str]) -> ModelReply:
    """The reply as it may be read, kept and shown.

    Its text keeps what only looks like a secret: findings quote the change.
    """
    held = tuple(secrets)
    text, error, endpoint = (
        redact_values(each, held) for each in (reply.text, reply.error, reply.endpoint)
    )
    return replace(reply, text=text, error=redact(error), endpoint=endpoint)


def _of_git(env: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Git's settings in an environment, by their own names."""
    for name, value in env.items():
        if _GIT_VALUE.match(name):
            yield str(env.get(_GIT_VALUE.sub("GIT_CONFIG_KEY_", name))), str(value)
        elif name == "GIT_CONFIG_PARAMETERS":
            yield from _GIT_PARAMETER.findall(str(value))


def _in_headers(value: str) -> Iterator[str]:
    """Those of `Name: value` lines, and of `name=value` pairs."""
    for line in value.splitlines():
        for pair in {line, *line.split(",")}:
            sent = re.split("[:=]", pair, maxsplit=1)[1:]
            for form in {*sent, *map(unquote, sent)}:
                yield from _sent(form)


def _sent(value: str) -> Iterator[str]:
    """A secret as a header has it: whole, without the word for its kind in front, and what that is
    in base64."""
    whole = value.strip()
    token = whole.partition(" ")[2].strip()
    yield from (whole, token)
    with suppress(ValueError):
        login = base64.b64decode(token, validate=True).decode()
        yield from (login, login.partition(":")[2])


def _in_addresses(value: str) -> Iterator[str]:
    """The logins, as they stand there and as they are sent (`name:password`), the passwords alone,
    and the secrets of the queries."""
    for rest in value.split("://")[1:] or [value]:
        for end in ("/", r"[/\s,\"'<>]"):  # a password may hold what ends an address among others
            login = re.split(end, rest, maxsplit=1)[0].rpartition("@")[0]
            for form in (login, unquote(login)):
                yield from (form, form.partition(":")[2])
    for name, secret in _QUERY.findall(value):
        if _NAMED.search(name) or _SIGNED.search(name):
            yield from (secret, unquote(secret))

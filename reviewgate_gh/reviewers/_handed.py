"""The secrets that a model's program is handed: which they are, and what it says without them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..model.asked import Reply
from ..text.redact import redact, redact_values

_NAMED = re.compile(r"(?i)(?<!^git_config_)key|token|secret|passw|passphrase|credential|bearer")
_FILE = re.compile(r"(?i)_file$")  # by convention where a secret lies
_PROXY = re.compile(r"(?i)_proxy$")


def credentials(named: Mapping[str, Any]) -> Iterator[str]:
    """The secrets in an environment, or in the JSON of a login: what is called one, and the logins within addresses."""
    for name, value in named.items():
        if isinstance(value, Mapping):
            yield from credentials(value)
        elif isinstance(value, str):
            if _NAMED.search(name) and not _FILE.search(name):
                yield value.strip()
            if "://" in value or _PROXY.search(name):
                yield from _logins(value)


def of_proxies(env: Mapping[str, str]) -> Iterator[str]:
    """The logins of the proxies alone, which every question passes."""
    return credentials({name: value for name, value in env.items() if _PROXY.search(name)})


def of_logins(files: Iterable[Path]) -> Iterator[str]:
    """Those in the files of logins, as far as they are JSON."""
    for path in files:
        with suppress(OSError, ValueError, RecursionError):
            yield from credentials({"": json.loads(path.read_bytes())})


def cleaned(output: bytes, secrets: Iterable[str]) -> bytes:
    """What a program or a server said, before anything is cut off: of half a secret nobody could tell that it is one."""
    return redact_values(output.decode("utf-8", "surrogateescape"), secrets).encode("utf-8", "surrogateescape")


def without(reply: Reply, secrets: Iterable[str]) -> Reply:
    """The reply as it may be read, kept and shown. Its text keeps what only looks like a secret: findings quote the change."""
    held = tuple(secrets)
    text, error, endpoint = (redact_values(each, held) for each in (reply.text, reply.error, reply.endpoint))
    return replace(reply, text=text, error=redact(error), endpoint=endpoint)


def _logins(address: str) -> Iterator[str]:
    """The login in an address, as it stands there and as it is sent (`name:password`); and the password alone."""
    login = (address.partition("://")[2] or address).partition("/")[0].rpartition("@")[0]
    for form in (login, unquote(login)):
        yield from (form, form.partition(":")[2])

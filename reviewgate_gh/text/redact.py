"""Keep secrets out of everything that we write; what is one, `text.secrets` says."""

import base64
import json
from collections.abc import Iterable
from functools import lru_cache

from .patterns import lazy_pattern
from .secrets.find import find_secrets
from .secrets.kind import SecretSpan

__all__ = ["CREDENTIAL_WORDS", "SecretSpan", "find_secrets", "redact", "redact_values", "with_name"]

# In the names of variables and settings that hold one
CREDENTIAL_WORDS = ("passw", "passphrase", "secret", "token", "credential")
_LINE = 200  # characters
_SEALED = (".enc", ".gpg", ".age", ".sops", ".sig")  # what is in such a file is encrypted
_LONGEST_WORD, _NAME = 300, lazy_pattern(r"[\w\-.]{1,30}")


def redact(text: str) -> str:
    """The text with each secret replaced by `[REDACTED:<kind>]`."""
    return _line_redacted(text) if len(text) <= _LINE else _redacted(text)


def _redacted(text: str) -> str:
    done, at = [], 0
    for secret in find_secrets(text):
        done += [text[at : secret.start], f"[REDACTED:{secret.kind}]"]
        at = secret.end
    return "".join([*done, text[at:]]) if done else text


# A line of code is looked at for each of the places where it is shown
_line_redacted = lru_cache(10_000)(_redacted)


def with_name(path: str, text: str) -> str:
    """A file's text as secrets are looked for in it: where it is one word alone, as in
    `master.key`, the name of the file says what that is, and stands before it."""
    name = path.rpartition("/")[2].removesuffix(".txt")
    alone = len(text) < _LONGEST_WORD and len(text.split()) == 1
    is_sealed = name.endswith(_SEALED)
    return f"{name}={text}" if alone and not is_sealed and _NAME.fullmatch(name) else text


def redact_values(text: str, values: Iterable[str]) -> str:
    """The text without these exact values, plain, reversed, in base64, hex, URLs and JSON strings;
    short ones are no secrets."""
    for form in sorted(
        (form for value in values if len(value) >= 8 for form in _forms(value)),
        key=len,
        reverse=True,
    ):
        text = text.replace(form, "[REDACTED:value]")
    return text


def _forms(value: str) -> set[str]:
    raw = value.encode("utf-8", "surrogateescape")
    quoted = "".join(
        chr(byte) if chr(byte).isalnum() or byte in b"-._~" else f"%{byte:02X}" for byte in raw
    )
    escaped = json.dumps(value)[1:-1]
    return {
        value,
        value[::-1],
        base64.b64encode(raw).decode().rstrip("="),
        raw.hex(),
        quoted,
        escaped,
        escaped.replace("/", "\\/"),
    }

"""Secrets in base64: web tokens, user and password of a header, a registry or a cluster's
secrets."""

import base64
import binascii
import json
from collections.abc import Iterator

from .kind import compiled
from .runs import places

_BASIC = r"asic[ \t]{1,4}(?P<value>[A-Za-z0-9+/]{12,400}={0,2})"
_AUTH = (
    r"auth(?:\"[ \t]{0,4}:[ \t]{0,4}\"|[ \t]{0,4}=[ \t]{0,4}\"?)"
    r"(?P<value>[A-Za-z0-9+/]{8,400}={0,2})"
)
_USER = r"[\w.@$+\-]{0,80}:(?P<password>[\x21-\x7e]{6,300})"
_BLOCK = (
    r"(?m)^[ \t]{0,20}data[ \t]{0,4}:[ \t]{0,4}\r?\n"
    r"(?P<rows>(?:[ \t]{1,40}[^\n]{1,4000}\r?\n?){1,200})"
)
_ROW = (
    r"[ \t]{1,40}(?P<name>[\w.\-]{1,80})[ \t]{0,4}:[ \t]{0,4}\"?"
    r"(?P<value>[A-Za-z0-9+/]{8,4000}={0,2})"
)
_CODED_HEADER = "LS0tLS1CRUdJTi"  # -----BEGIN
_CODED, _CODED_SIZE = r"[A-Za-z0-9+/]{100,20000}={0,2}", 56  # of its first line at least
_SAMPLE_CLAIMS = ("1234567890", "John Doe", "example.com", "test@", "foo", "bar")
# What a token that lets somebody in says: https://www.rfc-editor.org/rfc/rfc7519, and what is usual
_CLAIMS = frozenset(
    ("iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "role", "roles", "scope", "scp", "uid",
     "user", "user_id", "userId", "id", "email", "username", "name", "azp", "client_id", "tid")
)  # fmt: skip
_PUBLIC_ROLES = ("anon",)


def decoded(value: str) -> str | None:
    """Printable text that the base64 stands for."""
    try:
        data = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
        text = data.decode("utf-8").rstrip("\n")
    except (binascii.Error, ValueError):
        return None
    return text if text.isprintable() or text.replace("\n", " ").isprintable() else None


def find_user_passwords(text: str) -> Iterator[tuple[str, int, int]]:
    """The password of each `user:password` in base64, and where the base64 is."""
    for pattern, word in ((_BASIC, "asic "), (_AUTH, 'auth"'), (_AUTH, "_auth")):
        at = text.find(word)
        while at >= 0:
            found = compiled(pattern).match(text, at + (word[0] == "_"))
            plain = decoded(found["value"]) if found else None
            user = compiled(_USER).fullmatch(plain) if plain else None
            if found and user:
                yield user["password"], found.start("value"), found.end("value")
            at = text.find(word, at + len(word))


def find_coded_keys(text: str) -> Iterator[tuple[int, int]]:
    """Where the base64 of a private key with its header stands, as in a kubeconfig."""
    for at in places(_CODED_HEADER, text):
        if "PRIVATE KEY" not in (decoded(text[at : at + _CODED_SIZE]) or ""):
            continue
        if found := compiled(_CODED).match(text, at):
            yield at, found.end()


def find_cluster_secrets(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Name, plain value and place of the data of Kubernetes secrets."""
    if "kind: Secret" not in text:
        return
    for block in compiled(_BLOCK).finditer(text):
        for row in compiled(_ROW).finditer(block["rows"]):
            plain = decoded(row["value"])
            if plain:
                at = block.start("rows")
                yield row["name"], plain, at + row.start("value"), at + row.end("value")


def is_sample_token(token: str) -> bool:
    """A web token that anybody may read, or that a manual shows: its claims say so."""
    parts = token.split(".")
    payload = decoded_json(parts[1]) if len(parts) > 1 and token.startswith("eyJ") else None
    if not isinstance(payload, dict):
        return False
    if payload.get("role") in _PUBLIC_ROLES:
        return True
    if any(payload.get(key) in _SAMPLE_CLAIMS for key in ("sub", "name", "iss")):
        return True
    return len(payload) < 3 and not payload.keys() & _CLAIMS


def decoded_json(part: str) -> object:
    """The JSON of one part of a web token; None where it is none."""
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        return json.loads(data)
    except (binascii.Error, ValueError, RecursionError):
        return None

"""Messages of the Model Context Protocol as JSON-RPC: what a client may send, and how it is
answered.

https://modelcontextprotocol.io/specification (transports, stdio): a message is one line of UTF-8.
Up to 2025-11-25 a session begins with `initialize`; since 2026-07-28 each request names its version
in `_meta`, and `server/discover` stands in place of the handshake.
"""

import json
from typing import Any, TypeGuard

from msgspec import Struct

from .. import __version__
from .safe import safe_values
from .strict import load_json, whole_characters

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
MAX_MESSAGE = 1_000_000  # bytes
# https://www.jsonrpc.org/specification#error_object
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS = -32602
_UNSUPPORTED_VERSION = -32022
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_SERVER = {"name": "reviewgate-gh", "title": "Review gate", "version": __version__}


class Notification(Struct, frozen=True):
    """A message that gets no answer."""

    method: str
    params: dict[str, Any]


class Request(Struct, frozen=True):
    """A message that wants an answer under its id."""

    method: str
    params: dict[str, Any]
    id: str | int

    @property
    def is_modern(self) -> bool:
        """It names its version itself, as requests do since 2026-07-28."""
        return _VERSION_KEY in self.meta

    @property
    def meta(self) -> dict[str, Any]:
        """What the protocol itself adds to the parameters."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def progress_token(self) -> str | int | None:
        """Under which name the client wants to hear of progress, if it does."""
        token = self.meta.get("progressToken")
        return token if _is_id(token) else None


class ProtocolError(Exception):
    """A message that is answered by a JSON-RPC error."""

    def __init__(
        self, code: int, message: str, id: str | int | None = None, data: Any = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.id, self.data = code, message, id, data


def parse_message(line: bytes) -> Request | Notification | None:
    """What a line asks or tells; None for an answer, since nothing is asked here.

    Raises:
        ProtocolError: it is neither.
    """
    if len(line) > MAX_MESSAGE:
        raise ProtocolError(INVALID_REQUEST, f"the message is longer than {MAX_MESSAGE:,} bytes")
    try:
        plain = load_json(line, "JSON")
    except ValueError as error:
        raise ProtocolError(PARSE_ERROR, str(error)) from None
    if not isinstance(plain, dict) or plain.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "expected one JSON-RPC 2.0 object a line, no batch")
    asked = plain.get("id")
    if "method" not in plain and ("result" in plain or "error" in plain):
        return None
    if "id" in plain and not _is_id(asked):
        raise ProtocolError(INVALID_REQUEST, "`id` must be a string or an integer")
    method, params = plain.get("method"), plain.get("params", {})
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "`method` must be a string", asked)
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "`params` must be an object", asked)
    return Request(method, params, asked) if _is_id(asked) else Notification(method, params)


def check_version(request: Request) -> None:
    """A version that a request names must be one that is spoken here.

    Raises:
        ProtocolError: it is not; the error says which are.
    """
    named = request.meta.get(_VERSION_KEY)
    if request.is_modern and named not in MODERN_VERSIONS:
        data = {"supported": [*MODERN_VERSIONS, *HANDSHAKE_VERSIONS], "requested": str(named)}
        message = f"protocol version {str(named)[:40]!r} is not supported"
        raise ProtocolError(_UNSUPPORTED_VERSION, message, request.id, data)


def initialize_result(request: Request, instructions: str) -> dict[str, Any]:
    """The answer to the handshake: the client's version, or the newest that is spoken here."""
    asked = request.params.get("protocolVersion")
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": _SERVER,
        "instructions": instructions,
    }


def discover_result(instructions: str) -> dict[str, Any]:
    """What the server can do, for a client without a handshake."""
    return {
        "supportedVersions": [*MODERN_VERSIONS],
        "capabilities": {"tools": {}},
        "instructions": instructions,
        **_NOT_CACHED,
    }


_NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}


def answer(request: Request, result: dict[str, Any]) -> dict[str, Any]:
    """A result as the client's version of the protocol has it."""
    if request.is_modern:
        meta = {"io.modelcontextprotocol/serverInfo": _SERVER}
        cached = _NOT_CACHED if request.method == "tools/list" else {}
        result = {"resultType": "complete", **cached, **result, "_meta": meta}
    return {"jsonrpc": "2.0", "id": request.id, "result": _shown(result)}


def error_answer(error: ProtocolError) -> dict[str, Any]:
    """An error as JSON-RPC has it."""
    data = {} if error.data is None else {"data": error.data}
    told = {"code": error.code, "message": error.message, **data}
    return {"jsonrpc": "2.0", "id": error.id, "error": _shown(told)}


def progress_message(token: str | int, seconds: float, message: str) -> dict[str, Any]:
    """How long a call has been at work; how long it will take is not known."""
    shown = _shown(message)
    params = {"progressToken": token, "progress": round(seconds, 1), "message": shown}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def encode(message: dict[str, Any]) -> bytes:
    """A message as a line."""
    return json.dumps(message).encode() + b"\n"


def _shown(plain: Any) -> Any:
    """What the client gets to see: secrets redacted, and no halves of characters, which strict
    parsers do not take. Ids are the client's own, and stay as they are."""
    return _whole(safe_values(plain))


def _whole(plain: Any) -> Any:
    if isinstance(plain, str):
        return whole_characters(plain)
    if isinstance(plain, dict):
        return {whole_characters(key): _whole(value) for key, value in plain.items()}
    return [_whole(value) for value in plain] if isinstance(plain, list) else plain


def _is_id(value: Any) -> TypeGuard[str | int]:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))

"""A model on loopback that says what a test's function says, in the shapes of three vendors, and
keeps every request whole."""

import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .model_shapes import SHAPES, Json, prompt_of, streamed

PREFIX = {"openai": "/v1", "responses": "/v1", "anthropic": "", "gemini": ""}
_ENDS = {"/chat/completions": "openai", "/responses": "responses", "/v1/messages": "anthropic"}
_ENDS |= {":generateContent": "gemini", ":streamGenerateContent": "gemini"}
_BLOCK = b" " * 65536
_LONGEST = 120.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: `body` as it came, `at` in seconds of time.monotonic; dialect "" for a path that
    no vendor has."""

    dialect: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    def json(self) -> Json:
        """The body."""
        return json.loads(self.body)

    @property
    def prompt(self) -> str:
        """Everything that the model was told, in one text."""
        return prompt_of(self.dialect, self.json())


@dataclass(frozen=True, slots=True)
class Say:
    """A raw answer: the body as bytes, a text, or JSON. `mode` is "", cut (half of it), reset,
    stall, drip (0.05 s a byte), huge (64MB)."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""

    @property
    def data(self) -> bytes:
        """The body's bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass(frozen=True, slots=True)
class Spoken:
    """An answer text and what a vendor says beside it: tokens, the model's name, and why it stopped
    (stop, length, refusal, filter). `tool` is one that it calls instead, by name, with its
    arguments."""

    text: str
    stop: str = "stop"
    input: int | None = None  # by default a quarter of the prompt's characters
    cached: int = 0
    written: int = 0
    output: int = 100
    model: str = ""
    tool: tuple[str, Json] | None = None


Answer = str | Spoken | Say
Rule = Callable[[Asked], Answer]


class ModelServer:
    """Up from the start; `answer` is a text, or makes one (or a `Spoken`, or a `Say`) of a request,
    in a thread of the request's own.

    `latency` seconds pass before each answer. Requests are in `requests` in the order in which they
    came.
    """

    def __init__(self, answer: str | Rule = "{}", latency: float = 0.0) -> None:
        self.answer = answer
        self.latency = latency
        self.requests: list[Asked] = []
        self.most_at_once = 0
        self._at_once, self._lock, self._over = 0, threading.Lock(), threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._serve))
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # clients that hang up are the point
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def root(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def url(self, dialect: str) -> str:
        """The base address for `openai` and `responses` (with /v1, as OPENAI_BASE_URL has it),
        `anthropic` or `gemini`."""
        return f"{self.root}{PREFIX[dialect]}"

    def plan(self, *answers: Answer) -> None:
        """These one after another, the last for ever."""
        left = list(answers)
        self.answer = lambda asked: left.pop(0) if len(left) > 1 else left[0]

    @property
    def prompts(self) -> list[str]:
        """What the model was told, a text a request."""
        return [asked.prompt for asked in self.requests]

    def stop(self) -> None:
        """End it, and every answer that is still on its way."""
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(10)

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length") or 0))
        asked = Asked(
            dialect_of(handler.path), handler.command, handler.path, headers, body, time.monotonic()
        )
        with self._lock:
            self.requests.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            said = self._said(asked)
            self._over.wait(self.latency)
        finally:
            with self._lock:
                self._at_once -= 1
        _send(handler, said, self._over)

    def _said(self, asked: Asked) -> Say:
        if not asked.dialect:
            return Say(404, {"error": {"message": f"no such path: {asked.path}"}})
        answer = self.answer if isinstance(self.answer, str) else self.answer(asked)
        if isinstance(answer, Say):
            return answer
        spoken = answer if isinstance(answer, Spoken) else Spoken(answer)
        return whole(asked, spoken)


def whole(asked: Asked, spoken: Spoken) -> Say:
    """The vendor's whole answer, as events where the request asks for a stream."""
    request = asked.json()
    tokens = len(asked.prompt) // 4 if spoken.input is None else spoken.input
    made = SHAPES[asked.dialect](spoken, tokens, request)
    if request.get("stream") or ":streamGenerateContent" in asked.path:
        return Say(200, streamed(asked.dialect, made), {"content-type": "text/event-stream"})
    return Say(200, made)


def dialect_of(path: str) -> str:
    """Whose path it is, whatever stands before it; "" for nobody's."""
    return next((name for end, name in _ENDS.items() if path.partition("?")[0].endswith(end)), "")


@contextmanager
def serving(answer: str | Rule = "{}", latency: float = 0.0) -> Iterator[ModelServer]:
    """A model server, ended behind the block."""
    server = ModelServer(answer, latency)
    try:
        yield server
    finally:
        server.stop()


def _handler(serve: Callable[[BaseHTTPRequestHandler], None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer with a body takes 40 ms

        def take(self) -> None:
            serve(self)

        def log_message(self, *_: Any) -> None:
            pass

        do_GET = do_POST = take

    return Handler


def _send(handler: BaseHTTPRequestHandler, say: Say, over: threading.Event) -> None:
    if say.mode == "reset":
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True
        return
    if say.mode == "stall":
        _stall(handler, over)
        return
    data, size = say.data, 1000 * len(_BLOCK) if say.mode == "huge" else len(say.data)
    handler.send_response_only(say.status)
    for name, value in {
        "content-type": "application/json",
        "content-length": str(size),
        **say.headers,
    }.items():
        handler.send_header(name, value)
    handler.end_headers()
    if say.mode == "huge":
        for _ in range(1000):
            handler.wfile.write(_BLOCK)
        return
    _write(handler, data, say.mode, over)


def _write(handler: BaseHTTPRequestHandler, data: bytes, mode: str, over: threading.Event) -> None:
    if mode == "drip":
        for index in range(len(data)):
            handler.wfile.write(data[index : index + 1])
            handler.wfile.flush()
            if over.wait(0.05):
                break
    else:
        handler.wfile.write(data[: len(data) // 2] if mode == "cut" else data)
    handler.close_connection |= mode in ("cut", "drip")


def _stall(handler: BaseHTTPRequestHandler, over: threading.Event) -> None:
    """Say nothing until the client hangs up."""
    end = time.monotonic() + _LONGEST
    while not over.wait(0.02) and time.monotonic() < end:
        if select.select([handler.connection], [], [], 0)[0] and not handler.connection.recv(
            1, socket.MSG_PEEK
        ):
            break
    handler.close_connection = True

"""A server on loopback that gives the planned answers in their order, and a clock that only waiting
moves."""

import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from reviewgate_gh.github import Client, open_github
from reviewgate_gh.github.sender import Timing
from reviewgate_gh.system.environment import Environment

TOKEN = "ghs_scripted"
PAGE = b"<!DOCTYPE html><html><title>Unicorn!</title></html>"
BLOCK = b" " * 65536


@dataclass(frozen=True)
class Say:
    """One answer: `mode` is "", cut, reset, stall, drip or huge."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    mode: str = ""

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Seen:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """Answers: those of `plan` first, then what `rule` makes of a request, then 404."""

    def __init__(self) -> None:
        self.plan: list[Say] = []
        self.rule: Callable[[Seen], Say | None] = lambda seen: None
        self.seen: list[Seen] = []
        self.over = threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # clients that hang up are the point
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def say(self, *answers: Say) -> None:
        self.plan += answers

    def answer(self, seen: Seen) -> Say:
        self.seen.append(seen)
        return (
            self.plan.pop(0) if self.plan else self.rule(seen) or Say(404, {"message": "Not Found"})
        )

    def close(self) -> None:
        self.over.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(10)


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    try:
        yield server
    finally:
        server.close()


class Clock:
    """Time stands still but for waiting."""

    def __init__(self, epoch: float = 1_000_000.0, exchange: float = 20.0) -> None:
        self.now, self.start, self.naps = 0.0, epoch, list[float]()
        self.timing = Timing(lambda: self.now, lambda: self.start + self.now, self.sleep, exchange)

    def sleep(self, seconds: float) -> None:
        if seconds:
            self.naps.append(seconds)
        self.now += seconds


def opened(
    server: Server, clock: Clock, token: str = TOKEN, deadline: float = 600, **env: str
) -> Client:
    where = {"GITHUB_API_URL": server.url, **({"GITHUB_TOKEN": token} if token else {}), **env}
    return open_github(
        Environment(where, Path.cwd()), "octo/repo", deadline=deadline, timing=clock.timing
    )


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer with a body takes 40 ms

        def take(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            _send(self, server.answer(Seen(self.command, self.path, headers, body)), server.over)

        def log_message(self, *_: Any) -> None:
            pass

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = take

    return Handler


def _send(handler: BaseHTTPRequestHandler, say: Say, over: threading.Event) -> None:
    if say.mode == "reset":
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True
        return
    if say.mode == "stall":
        while not over.wait(0.02) and not (
            select.select([handler.connection], [], [], 0)[0]
            and not handler.connection.recv(1, socket.MSG_PEEK)
        ):
            pass
        handler.close_connection = True
        return
    data = b"" if say.status == 204 else say.data
    handler.send_response_only(say.status)
    for name, value in {
        "content-type": "application/json",
        "content-length": str(len(data)),
        **say.headers,
    }.items():
        handler.send_header(name, value)
    handler.end_headers()
    _write(handler, say, data, over)


def _write(handler: BaseHTTPRequestHandler, say: Say, data: bytes, over: threading.Event) -> None:
    if say.mode == "cut":
        handler.wfile.write(data[: len(data) // 2])
        handler.close_connection = True
    elif say.mode == "drip":
        for index in range(len(data)):
            handler.wfile.write(data[index : index + 1])
            handler.wfile.flush()
            if over.wait(0.05):
                break
        handler.close_connection = True
    elif say.mode == "huge":
        for _ in range(1000):
            handler.wfile.write(BLOCK)
    else:
        handler.wfile.write(data)

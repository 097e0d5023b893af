"""How an answer's bytes leave: whole, cut, drop by drop, too many, or not at all."""

import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from .faults import Fault
from .routes import Answer

_BLOCK = b" " * 65536
_LONGEST = 120.0


def handling(serve: Callable[[BaseHTTPRequestHandler], None]) -> type[BaseHTTPRequestHandler]:
    """A handler that gives every request to a function, and keeps connections open."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer with a body takes 40 ms

        def take(self) -> None:
            serve(self)

        def log_message(self, *_: Any) -> None:
            pass

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = take

    return Handler


def send(
    handler: BaseHTTPRequestHandler, answer: Answer, fault: Fault, over: threading.Event
) -> None:
    """Write an answer as the fault has it; `over` ends every wait."""
    if fault.mode == "reset":
        return _reset(handler)
    if fault.mode == "stall":
        return _stall(handler, over)
    body = answer.content()
    size = len(body) + (fault.size if fault.mode == "huge" else 0)
    _head(handler, answer, size)
    if fault.mode == "huge":
        for _ in range(fault.size // len(_BLOCK)):
            handler.wfile.write(_BLOCK)
        handler.wfile.write(b" " * (fault.size % len(_BLOCK)))
    if fault.mode == "drip":
        return _drip(handler, body, fault.pause, over)
    handler.wfile.write(body[: len(body) // 2] if fault.mode == "cut" else body)
    handler.close_connection |= fault.mode == "cut"
    return None


def _head(handler: BaseHTTPRequestHandler, answer: Answer, size: int) -> None:
    handler.send_response_only(answer.status)
    handler.send_header("date", handler.date_time_string())
    if answer.status not in (204, 304):
        headers = {
            "content-type": "application/json; charset=utf-8",
            **{name.lower(): value for name, value in answer.headers.items()},
        }
        headers["content-length"] = str(size)
    else:
        headers = {
            name.lower(): value
            for name, value in answer.headers.items()
            if name.lower() != "content-length"
        }
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def _stall(handler: BaseHTTPRequestHandler, over: threading.Event) -> None:
    """Say nothing until the client hangs up."""
    end = time.monotonic() + _LONGEST
    while not over.wait(0.05) and time.monotonic() < end:
        if select.select([handler.connection], [], [], 0)[0] and not handler.connection.recv(
            1, socket.MSG_PEEK
        ):
            break
    handler.close_connection = True


def _drip(
    handler: BaseHTTPRequestHandler, body: bytes, pause: float, over: threading.Event
) -> None:
    for index in range(len(body)):
        handler.wfile.write(body[index : index + 1])
        handler.wfile.flush()
        if over.wait(pause):
            break
    handler.close_connection = True

"""The referee: `prism proxy --errors` with GitHub's own description, between the front and the
fake."""

import contextlib
import http.client
import json
import socket
import subprocess
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

from .faults import Fault
from .journal import Entry
from .routes import Answer, Request
from .wire import handling, send
from .world import World

_DROPPED = (
    "connection",
    "keep-alive",
    "transfer-encoding",
    "content-length",
    "server",
    "date",
    "sl-violations",
)
_HOP = ("host", "connection", "content-length", "accept-encoding", "transfer-encoding")
_READY_WITHIN = 90.0
_WITH_PARENT = Path(__file__).with_name("with_parent.cjs")


class Prism:
    """Prism and the fake behind it; worlds come and go, each request names its own."""

    def __init__(self, node: Path, modules: Path) -> None:
        self.worlds: dict[str, World] = {}
        self._backend = ThreadingHTTPServer(("127.0.0.1", 0), handling(self.serve))
        self._backend.daemon_threads = True
        Thread(target=self._backend.serve_forever, args=(0.02,), daemon=True).start()
        self.port = _free_port()
        script = modules / "@stoplight/prism-cli/dist/index.js"
        fake = f"http://127.0.0.1:{self._backend.server_address[1]}"
        argv = [
            str(node),
            "-r",
            str(_WITH_PARENT),
            str(script),
            "proxy",
            "--errors",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-v",
            "fatal",
        ]
        quiet: Any = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        self._process = subprocess.Popen([*argv, str(modules / ".github-api.json"), fake], **quiet)

    def ready(self) -> None:
        """Wait until it answers."""
        end = time.monotonic() + _READY_WITHIN
        while time.monotonic() < end and self._process.poll() is None:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.port), 1),
            ):
                return
            time.sleep(0.05)
        raise RuntimeError(f"Prism did not come up on port {self.port}: {self._process.poll()}")

    def stop(self) -> None:
        """End both."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._backend.shutdown()
        self._backend.server_close()

    def relay(self, world: World, key: str, request: Request, stale: bool) -> Answer:
        """Send a request through Prism; what it finds wrong goes into the journal."""
        headers = {name: value for name, value in request.headers.items() if name not in _HOP}
        headers |= {
            "x-fake-world": key,
            "x-fake-entry": str(request.entry),
            "x-fake-stale": str(int(stale)),
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(request.method, request.target, request.body or None, headers)
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        kept = {
            name.lower(): value
            for name, value in response.getheaders()
            if name.lower() not in _DROPPED
        }
        answer = Answer(
            response.status,
            body,
            {name: value for name, value in kept.items() if not name.startswith("access-control-")},
        )
        _judge(answer, world.journal.at(request.entry))
        return answer

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """What Prism lets through."""
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length") or 0))
        world = self.worlds.get(headers.get("x-fake-world", ""))
        request = Request(
            handler.command, handler.path, headers, body, int(headers.get("x-fake-entry", -1))
        )
        answer = (
            world.answer(request, headers.get("x-fake-stale") == "1")
            if world
            else Answer(410, {"message": "this test is over"})
        )
        send(handler, answer, Fault(""), Event())


def _judge(answer: Answer, entry: Entry) -> None:
    """Prism's own answers are problems by a type of its own."""
    if b"stoplight.io/prism/errors" not in answer.content():
        return
    problem = json.loads(answer.content())
    said = json.dumps(problem.get("validation") or problem)
    if problem["type"].endswith("#VIOLATIONS"):
        entry.broken = said
    else:
        entry.refused = said


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]

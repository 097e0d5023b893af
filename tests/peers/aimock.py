"""The real aimock on loopback: the APIs of OpenAI, Anthropic and Gemini, answering as fixtures have
it. In journals bodies end at 64 KB."""

import contextlib
import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .github.servers import MODULES, node

Row = Mapping[str, Any]
_PROGRAM = MODULES / "@copilotkit/aimock/dist/cli.js"
_WITH_NONCE = Path(__file__).parent / "aimock_nonce.mjs"
_WITH_PARENT = Path(__file__).parent / "github/with_parent.cjs"
_READY_WITHIN = 60.0
_PREFIX = {"openai": "/v1", "responses": "/v1", "anthropic": "", "gemini": ""}


def installed() -> bool:
    """Node and aimock are there."""
    return node() is not None and _PROGRAM.exists()


def row(response: Row | str, user: str = "", **more: Any) -> Row:
    """A fixture: what is answered when the last user message contains `user`; a text is what the
    model says.

    `match=` adds conditions, `chaos=` and `latency=` stand beside the response, as in aimock's own
    fixture files.
    """
    match = {**({"userMessage": user} if user else {}), **more.pop("match", {})}
    return {
        "match": match,
        "response": {"content": response} if isinstance(response, str) else response,
        **more,
    }


def error(status: int, message: str = "no", retry_after: int | None = None, **more: Any) -> Row:
    """A response that is an error of the vendor's; `retry_after` in seconds."""
    wait = {} if retry_after is None else {"retryAfter": retry_after}
    return {"error": {"message": message, **more}, "status": status, **wait}


class Aimock:
    """One process. The first fixture that matches answers; without one strict aimock says 503.

    With `nonce`, `{nonce}` in an answer of the rows becomes the one of the question; rows that are
    added later are taken as they are.
    """

    def __init__(
        self, *rows: Row, keys: str = "", strict: bool = True, nonce: bool = False
    ) -> None:
        self.port = _free_port()
        self.root = f"http://127.0.0.1:{self.port}"
        self._key = keys.partition(",")[0]
        self._files = tempfile.TemporaryDirectory(prefix="aimock-")
        fixtures = Path(self._files.name) / "fixtures.json"
        # Without any it does not start; this one matches nothing.
        fixtures.write_text(
            json.dumps({"fixtures": rows or [row("nothing", match={"model": "none"})]})
        )
        options = [
            "-p",
            str(self.port),
            "-h",
            "127.0.0.1",
            "-f",
            str(fixtures),
            "--log-level",
            "silent",
            *(["--strict"] if strict else []),
        ]
        env = {"PATH": os.environ.get("PATH", ""), **({"AIMOCK_API_KEYS": keys} if keys else {})}
        quiet: Any = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        self._process = subprocess.Popen(
            [
                str(node()),
                "-r",
                str(_WITH_PARENT),
                str(_WITH_NONCE if nonce else _PROGRAM),
                *options,
            ],
            env=env,
            **quiet,
        )

    def url(self, dialect: str) -> str:
        """The base address for `openai` and `responses` (with /v1, as OPENAI_BASE_URL has it),
        `anthropic` or `gemini`."""
        return f"{self.root}{_PREFIX[dialect]}"

    def ready(self) -> "Aimock":
        """Wait until it answers."""
        end = time.monotonic() + _READY_WITHIN
        while time.monotonic() < end and self._process.poll() is None:
            with contextlib.suppress(OSError):
                self._ask("GET", "health")
                return self
            time.sleep(0.02)
        raise RuntimeError(f"aimock did not come up on port {self.port}: {self._process.poll()}")

    def add(self, *rows: Row) -> None:
        """More fixtures, behind those that are there."""
        self._ask("POST", "fixtures", {"fixtures": rows})

    def chaos(self, **fields: float) -> None:
        """What every request meets: dropRate, malformedRate, disconnectRate, rateLimitRate (0 to
        1), latencyMs; nothing: no more of it."""
        self._ask("POST", "chaos", fields)

    def journal(self) -> list[dict[str, Any]]:
        """The requests so far: method, path, headers, body, response."""
        return self._ask("GET", "journal")

    def reset(self) -> None:
        """No fixtures, no chaos, an empty journal."""
        self._ask("DELETE", "chaos")
        self._ask("POST", "reset")

    def stop(self) -> None:
        """End it."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._files.cleanup()

    def _ask(self, method: str, path: str, data: Any = None) -> Any:
        body = None if data is None else json.dumps(data).encode()
        headers = {
            "content-type": "application/json",
            **({"authorization": f"Bearer {self._key}"} if self._key else {}),
        }
        request = urllib.request.Request(
            f"{self.root}/__aimock/{path}", body, headers, method=method
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            request, timeout=30
        ) as answer:
            return json.loads(answer.read())


@contextmanager
def serving(
    *rows: Row, keys: str = "", strict: bool = True, nonce: bool = False
) -> Iterator[Aimock]:
    """An aimock with these fixtures, up; `keys` (with commas) are the only API keys that it
    takes."""
    server = Aimock(*rows, keys=keys, strict=strict, nonce=nonce)
    try:
        yield server.ready()
    finally:
        server.stop()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]

"""The address that the product talks to: the journal, the faults, ETags, and then the referee or
the fake itself."""

import threading
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from .faults import CHANGED, INSTEAD, Fault, Faults
from .journal import Entry
from .routes import Answer, Request, find
from .wire import handling, send
from .world import World

Relay = Callable[[Request, bool], Answer]
_GHES = "/api/v3"


class Front:
    """A server of its own for one world; `relay` is the way to the fake, through Prism or not."""

    def __init__(self, world: World, relay: Relay, port: int = 0) -> None:
        self.world, self.relay, self.faults, self.over = (
            world,
            relay,
            Faults(world),
            threading.Event(),
        )
        self.server = _Server(("127.0.0.1", port), handling(self.serve))
        world.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it; whoever is kept waiting is let go."""
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join(10)

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """One request, from the socket to the socket."""
        request = self._enter(handler)
        entry = self.world.journal.at(request.entry)
        hits = self.faults.hits(request.method, request.path)
        fault = next((each for each in hits if each.mode), Fault(""))
        entry.fault = ("stored-" if fault.stored else "") + fault.mode
        try:
            _run(each.before for each in hits)
            answer = self._conditional(self._faulty(request, fault), request)
            _run(each.after for each in hits)
        except Exception:  # the end of the test says what went wrong in here
            entry.broken = traceback.format_exc()
            raise
        entry.status = 0 if fault.mode in ("reset", "stall") else answer.status
        entry.ended = time.monotonic()
        send(handler, answer, fault, self.over)

    def _enter(self, handler: BaseHTTPRequestHandler) -> Request:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length") or 0))
        target = self._target(handler.path)
        with self.world.lock:
            entries = self.world.journal.entries
            entries.append(
                Entry(len(entries), handler.command, target, headers, body, time.monotonic())
            )
            return Request(handler.command, target, headers, body, len(entries) - 1)

    def _target(self, raw: str) -> str:
        """GitHub Enterprise's prefixes, and addresses by a repository's number, are other names of
        the same."""
        target = (
            raw.removeprefix(_GHES)
            if raw.startswith(f"{_GHES}/")
            else raw.replace("/api/graphql", "/graphql", 1)
        )
        for repo in self.world.repos.values():
            target = target.replace(f"/repositories/{repo.id}/", f"/repos/{repo.name}/", 1)
        return target

    def _faulty(self, request: Request, fault: Fault) -> Answer:
        if fault.mode in INSTEAD or fault.mode in ("reset", "stall"):
            if fault.stored:
                self._forward(request)
            return INSTEAD[fault.mode](self.world, fault) if fault.mode in INSTEAD else Answer(0)
        if fault.mode == "redirect":
            return self._redirect(request)
        # What is written is written where it is; only a read may see an older state.
        answer = self._forward(
            request, stale=fault.mode == "stale" and b"mutation " not in request.body
        )
        if fault.mode == "duplicate-page":
            return replace(answer, body=self._forward(_page_before(request)).body)
        return (
            CHANGED[fault.mode](answer, f"{self.world.url}{request.target}")
            if fault.mode in CHANGED
            else answer
        )

    def _forward(self, request: Request, stale: bool = False) -> Answer:
        # GraphQL has no OpenAPI description: its referee is GitHub's whole schema. Of a log GitHub
        # gives the address alone, where Prism would go instead of judging that.
        if request.path == "/graphql" or request.path.endswith("/logs"):
            return self.world.answer(request, stale)
        if request.path == "/__fake/journal":
            return Answer(200, self.world.journal.as_json())
        found = find(request.method, request.path)
        query = urlsplit(request.target).query
        canonical = found[0].canonical(found[1]) if found else request.path
        return self.relay(
            replace(request, target=f"{canonical}?{query}" if query else canonical), stale
        )

    def _redirect(self, request: Request) -> Answer:
        """As for a repository that got another name: by its number."""
        target = request.target
        for repo in self.world.repos.values():
            target = target.replace(f"/repos/{repo.name}", f"/repositories/{repo.id}", 1)
        return Answer(
            301 if request.method == "GET" else 307,
            {"message": "Moved"},
            {"location": f"{self.world.url}{target}"},
        )

    def _conditional(self, answer: Answer, request: Request) -> Answer:
        if request.method != "GET" or answer.status != 200:
            return answer
        tag = f'W/"{sha256(answer.content()).hexdigest()}"'
        answer.headers["etag"] = tag
        if request.headers.get("if-none-match") != tag:
            return answer
        self.world.limits.give_back(
            self.world.tokens.get(request.headers.get("authorization", "").split(" ")[-1])
        )
        return Answer(304, None, answer.headers)


def _run(hooks: Iterable[Callable[[], Any] | None]) -> None:
    for hook in filter(None, hooks):
        hook()


def _page_before(request: Request) -> Request:
    parts = urlsplit(request.target)
    query = dict(parse_qsl(parts.query))
    query["page"] = str(max(1, int(query.get("page", "1")) - 1))
    return replace(request, target=f"{parts.path}?{urlencode(query)}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Clients that hang up are what the faults are for.
    handle_error = lambda *_: None  # noqa: E731

"""What goes wrong between the product and GitHub: each mode by name, addressed by method, path and
nth request."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from .routes import Answer, Refusal

if TYPE_CHECKING:
    from .world import World

_HTML = (
    b"<html><head><title>Unicorn!</title></head><body><p>We couldn't respond to your request "
    b"in time.</p></body></html>"
)
_LIMIT = "API rate limit exceeded for installation ID 1."
_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass(slots=True)
class Fault:
    """Requests nth to nth + times - 1 that match get `mode`; "" lets them pass. `stored`: GitHub
    does it before it fails.

    `before` and `after` run in the test, around what GitHub does: to move the head, to wait for
    another process, to kill one.
    """

    mode: str
    method: str = "*"
    path: str = "*"
    nth: int = 1
    times: int = 1
    stored: bool = False
    before: Callable[[], Any] | None = None
    after: Callable[[], Any] | None = None
    text: str = ""
    seconds: int = 1
    pause: float = 0.2
    size: int = 64_000_000
    to: str = "http://127.0.0.1:9/"
    seen: int = 0

    def hit(self, method: str, path: str) -> bool:
        """Count a request, and say whether this one is meant."""
        if not (fnmatchcase(method, self.method) and fnmatchcase(path, self.path)):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times


@dataclass(slots=True)
class Faults:
    """The faults of one test."""

    world: "World"
    planned: list[Fault] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def add(
        self,
        mode: str,
        method: str = "*",
        path: str = "*",
        nth: int = 1,
        times: int = 1,
        **options: Any,
    ) -> Fault:
        """Plan a fault; `mode` is a name of MODES or a status with a text of the test's own."""
        if mode and mode not in MODES:
            raise ValueError(f"no fault {mode!r}: {', '.join(MODES)}")
        self.world.keep_before |= mode == "stale"
        self.planned.append(Fault(mode, method, path, nth, times, **options))
        return self.planned[-1]

    def on(
        self, method: str, path: str, nth: int = 1, times: int = 1, **around: Callable[[], Any]
    ) -> Fault:
        """Run `before=` or `after=` of the test's around requests that pass."""
        return self.add("", method, path, nth, times, **around)

    def hits(self, method: str, path: str) -> list[Fault]:
        """Those that mean this request; all count it."""
        with self.lock:
            return [fault for fault in self.planned if fault.hit(method, path)]


def _refused(status: int, message: str, **headers: str) -> Callable[["World", Fault], Answer]:
    def make(world: "World", fault: Fault) -> Answer:
        now = int(world.clock())
        filled = {
            name.replace("_", "-"): value.format(seconds=fault.seconds, reset=now + fault.seconds)
            for name, value in headers.items()
        }
        return Refusal(status, fault.text or message, headers=filled).answer()

    return make


def _text(status: int, body: bytes, kind: str) -> Callable[["World", Fault], Answer]:
    return lambda world, fault: Answer(status, body, {"content-type": kind})


def _unprocessable(world: "World", fault: Fault) -> Answer:
    return Refusal(
        422, "Unprocessable Entity", [fault.text or "Something is wrong with it"]
    ).answer()


_JSON = "application/json; charset=utf-8"
# Answers in GitHub's place.
INSTEAD: dict[str, Callable[["World", Fault], Answer]] = {
    "401": _refused(401, "Bad credentials"),
    "403": _refused(
        403,
        "Resource not accessible by integration",
        x_accepted_github_permissions="pull_requests=write",
    ),
    "403-primary": _refused(403, _LIMIT, x_ratelimit_remaining="0", x_ratelimit_reset="{reset}"),
    "403-retry-after": _refused(403, _SECONDARY, retry_after="{seconds}"),
    "403-secondary": _refused(403, _SECONDARY),
    "404": _refused(404, "Not Found"),
    "406": _refused(406, "Sorry, the diff exceeded the maximum number of files (300)."),
    "409": _refused(409, "Conflict"),
    "410": _refused(410, "This was deleted"),
    "422": _unprocessable,
    "429": _refused(429, _SECONDARY, retry_after="{seconds}"),
    "429-reset": _refused(429, _LIMIT, x_ratelimit_remaining="0", x_ratelimit_reset="{reset}"),
    "429-bare": _refused(429, _SECONDARY),
    "500": _refused(500, "Server Error"),
    "502": _text(502, _HTML, "text/html"),
    "503": _refused(503, "Service unavailable"),
    "html": _text(200, _HTML, "text/html; charset=utf-8"),
    "empty": _text(200, b"", _JSON),
    "bad-json": _text(200, b'{"id": 1, "body": "cut h', _JSON),
    "other-json": _text(200, b'{"unexpected": true}', _JSON),
    "redirect-away": lambda world, fault: Answer(302, None, {"location": fault.to}),
}


def _no_link(answer: Answer, target: str) -> Answer:
    answer.headers = {
        name: value for name, value in answer.headers.items() if name.lower() != "link"
    }
    return answer


def _loop(answer: Answer, target: str) -> Answer:
    answer = _no_link(answer, target)
    answer.headers["link"] = f'<{target}>; rel="next"'
    return answer


def _shape_less(answer: Answer, target: str) -> Answer:
    found = json.loads(answer.content() or b"null")
    answer.body = found[:-1] if isinstance(found, list) else found
    return answer


# What is changed in GitHub's own answer; `target` is the address that was asked.
CHANGED: dict[str, Callable[[Answer, str], Answer]] = {
    "no-link": _no_link,
    "loop-link": _loop,
    "short-page": _shape_less,
}
# How the bytes go out, or do not.
WIRE = ("cut", "reset", "stall", "drip", "huge")
# What the front does with the request on its way.
ROUTED = ("redirect", "duplicate-page", "stale")
MODES = (*INSTEAD, *CHANGED, *WIRE, *ROUTED)

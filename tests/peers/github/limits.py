"""Rate limits, as documented: the hourly one, and the secondary ones per minute and hour."""

from collections import defaultdict
from dataclasses import dataclass, field

from .model import Token
from .routes import Refusal, Request

_HOUR, _MINUTE = 3600, 60
_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass(slots=True)
class Limits:
    """How much a token may do; `per_*` may be lowered by a test, `headers_sent` False leaves the
    numbers out."""

    content_per_minute: int = 80
    content_per_hour: int = 500
    points_per_minute: int = 900
    retry_after: bool = True
    headers_sent: bool = True
    used: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    points: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    contents: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    reset: float = 0

    def spend(self, request: Request, token: Token | None, creates: bool, now: float) -> None:
        """Count a request, and refuse it over a limit."""
        who = _who(token)
        self._hourly(who, token.limit if token else 60, now)
        self.points[who].append((now, 1 if request.method == "GET" else 5))
        recent = sum(points for when, points in self.points[who] if when > now - _MINUTE)
        made = self.contents[who]
        crowded = creates and (
            _since(made, now - _MINUTE) >= self.content_per_minute
            or _since(made, now - _HOUR) >= self.content_per_hour
        )
        if recent > self.points_per_minute or crowded:
            raise Refusal(
                403, _SECONDARY, headers={"retry-after": str(_MINUTE)} if self.retry_after else {}
            )

    def created(self, token: Token | None, now: float) -> None:
        """Content was created."""
        self.contents[_who(token)].append(now)

    def give_back(self, token: Token | None) -> None:
        """A conditional request that ended in 304 costs nothing."""
        self.used[_who(token)] -= 1

    def headers(self, token: Token | None, now: float) -> dict[str, str]:
        """The numbers as headers."""
        limit = token.limit if token else 60
        used = min(limit, self.used[_who(token)])
        shown = {
            "limit": limit,
            "remaining": limit - used,
            "used": used,
            "reset": int(self.reset or now + _HOUR),
            "resource": "core",
        }
        return (
            {f"x-ratelimit-{name}": str(value) for name, value in shown.items()}
            if self.headers_sent
            else {}
        )

    def _hourly(self, who: str, limit: int, now: float) -> None:
        if now >= self.reset:
            self.used.clear()
            self.reset = now + _HOUR
        if self.used[who] >= limit:
            raise Refusal(403, "API rate limit exceeded for installation.")
        self.used[who] += 1


def _since(times: list[float], start: float) -> int:
    return sum(when > start for when in times)


def _who(token: Token | None) -> str:
    return token.account.login if token else ""

"""One GitHub: repositories, people and tokens; it answers one request after the other."""

import threading
import time
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from .journal import Journal
from .limits import Limits
from .model import Account, App, Repository, Token
from .routes import Answer, Call, Refusal, Request, Route, find, not_found

ACTIONS = App(15368, "github-actions", "GitHub Actions")
ACTIONS_BOT = Account("github-actions[bot]", 41898282, "Bot")
OUR_SCHEMA = Path(__file__).with_name("schema.graphql")
_RANK = {"": 0, "read": 1, "write": 2, "admin": 3}
# Ids of comments, reviews and check runs have left the 32 bits of GraphQL's Int long ago.
_FIRST_ID = 3_000_000_001


@dataclass(slots=True)
class World:
    """The state of one test; `url` is where the product reaches it."""

    url: str = ""
    schema: Path = OUR_SCHEMA  # what GraphQL documents are held against
    repos: dict[str, Repository] = field(default_factory=dict)  # by name in small letters
    accounts: dict[str, Account] = field(default_factory=lambda: {ACTIONS_BOT.login: ACTIONS_BOT})
    apps: dict[str, App] = field(default_factory=lambda: {ACTIONS.slug: ACTIONS})
    tokens: dict[str, Token] = field(default_factory=dict)
    journal: Journal = field(default_factory=Journal)
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.time
    wording: str = "thread"  # "thread" or "resolved": how it says that a line is not in the diff
    keep_before: bool = False  # remember the state before each write, for stale reads
    before: dict[str, Repository] | None = None
    lock: Any = field(default_factory=threading.RLock)
    ids: Any = field(default_factory=lambda: count(_FIRST_ID))
    numbers: Any = field(default_factory=lambda: count(5001))

    def now(self) -> str:
        """The time as GitHub writes it."""
        return datetime.fromtimestamp(self.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def account(self, login: str) -> Account:
        """Somebody by login; met for the first time they get an id."""
        kind = "Bot" if login.endswith("[bot]") else "User"
        return self.accounts.setdefault(login, Account(login, next(self.numbers), kind))

    def app(self, slug: str) -> App:
        """A GitHub App by its slug."""
        return self.apps.setdefault(
            slug, App(next(self.numbers), slug, slug.replace("-", " ").title())
        )

    def answer(self, request: Request, stale: bool = False) -> Answer:
        """What GitHub answers; everything that it stores is stored when this returns."""
        with self.lock:
            try:
                answer = self._serve(request, stale)
            except Refusal as refusal:
                answer = refusal.answer()
            except Exception:  # a mistake of the fake's own fails the test at its end
                self.journal.at(request.entry).broken = traceback.format_exc()
                answer = Answer(500, {"message": "The fake of GitHub broke"})
            self.journal.at(request.entry).answered = answer.status
            return replace(answer, headers={**self._edge(request), **answer.headers})

    def _serve(self, request: Request, stale: bool) -> Answer:
        token = self._token(request)
        found = find(request.method, request.path)
        if found is None:
            raise not_found()
        route, params = found
        self.limits.spend(request, token, route.creates, self.clock())
        repos = self.before if stale and self.before is not None else self.repos
        call = Call(self, request, token, params, repos)
        self._allow(route, call)
        if request.method != "GET" and request.path != "/graphql":
            self.remember()
        result = route.serve(call)
        if route.creates:
            self.journal.at(request.entry).created = True
            self.limits.created(token, self.clock())
        return (
            result if isinstance(result, Answer) else Answer(201 if route.creates else 200, result)
        )

    def remember(self) -> None:
        """Keep the state as it is before a write, when a test wants stale reads."""
        if self.keep_before:
            self.before = deepcopy(self.repos)

    def _token(self, request: Request) -> Token | None:
        sent = request.headers.get("authorization", "").split(" ")[-1]
        if sent and sent not in self.tokens:
            raise Refusal(401, "Bad credentials")
        token = self.tokens.get(sent)
        self.journal.at(request.entry).login = token.account.login if token else ""
        return token

    def _allow(self, route: Route, call: Call) -> None:
        if not route.needs or (
            route.needs.endswith("=read") and not route.always and not call.repo.private
        ):
            return
        if call.token is None:
            raise not_found() if call.repo.private else Refusal(401, "Requires authentication")
        if not any(may(call.token, need) for need in route.needs.split("; ")):
            raise forbidden(call.token, route.needs)

    def _edge(self, request: Request) -> dict[str, str]:
        token = self.tokens.get(request.headers.get("authorization", "").split(" ")[-1])
        number = f"FA4E:{request.entry:X}:{next(self.numbers):X}"
        return {
            "x-github-request-id": number,
            "x-github-media-type": "github.v3; format=json",
            **self.limits.headers(token, self.clock()),
        }


def may(token: Token | None, need: str) -> bool:
    """A token has a permission such as "checks=write"; everybody may read metadata."""
    feature, _, level = need.partition("=")
    return feature == "metadata" or (
        token is not None and _RANK[token.permissions.get(feature, "")] >= _RANK[level]
    )


def forbidden(token: Token, needs: str) -> Refusal:
    """403 for a permission that is missing, with the header that names it."""
    kind = "integration" if token.kind == "installation" else "personal access token"
    return Refusal(
        403, f"Resource not accessible by {kind}", headers={"x-accepted-github-permissions": needs}
    )

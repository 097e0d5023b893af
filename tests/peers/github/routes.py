"""Requests, answers, refusals, and the table of what is served."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from .model import Account, Pull, Repository, Token

if TYPE_CHECKING:
    from .world import World

DOCS = "https://docs.github.com/rest"
PER_PAGE, MOST_PER_PAGE = 30, 100


@dataclass(frozen=True, slots=True)
class Request:
    """What came in; header names in small letters; `entry` is its number in the journal."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""
    entry: int = -1

    @property
    def path(self) -> str:
        """The path, still percent-encoded."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters, the last of a name."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))


@dataclass(slots=True)
class Answer:
    """What goes out: `body` is JSON, bytes, or None for no body."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        """The body's bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


class Refusal(Exception):
    """GitHub says no: a status, its message, and its errors."""

    def __init__(
        self,
        status: int,
        message: str,
        errors: Sequence[Any] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.errors, self.headers = (
            status,
            message,
            list(errors),
            dict(headers or {}),
        )

    def answer(self) -> Answer:
        """The answer that says so."""
        errors = {"errors": self.errors} if self.errors else {}
        body = {
            "message": self.message,
            **errors,
            "documentation_url": DOCS,
            "status": str(self.status),
        }
        return Answer(self.status, body, self.headers)


def not_found() -> Refusal:
    """404 as for whatever the token may not see."""
    return Refusal(404, "Not Found")


def invalid(resource: str, name: str, code: str, message: str = "") -> Refusal:
    """422 in the long form, which names a field."""
    said = {"message": message} if message else {}
    return Refusal(
        422, "Validation Failed", [{"resource": resource, "code": code, "field": name, **said}]
    )


def unprocessable(*errors: str) -> Refusal:
    """422 in the short form: sentences."""
    return Refusal(422, "Unprocessable Entity", errors)


@dataclass(slots=True)
class Call:
    """One request to one route: who asks, of which repository, with which parameters."""

    world: "World"
    request: Request
    token: Token | None
    params: dict[str, str]
    repos: dict[str, Repository]

    @property
    def repo(self) -> Repository:
        """The repository of the path."""
        found = self.repos.get(f"{self.params['owner']}/{self.params['repo']}".lower())
        if found is None or (found.private and self.token is None):
            raise not_found()
        return found

    @property
    def user(self) -> Account:
        """Who asks; only where a token is required."""
        if self.token is None:
            raise Refusal(401, "Requires authentication")
        return self.token.account

    @property
    def pull(self) -> Pull:
        """The pull request of the path."""
        found = self.repo.pulls.get(int(self.params["number"]))
        if found is None:
            raise not_found()
        return found

    def json(self) -> dict[str, Any]:
        """The request's body."""
        try:
            found = json.loads(self.request.body or b"{}")
        except ValueError:
            raise Refusal(400, "Problems parsing JSON") from None
        if not isinstance(found, dict):
            raise Refusal(400, "Body should be a JSON object")
        return found

    def paged(self, items: Sequence[Any], shape: Callable[[Any], Any], wrap: str = "") -> Answer:
        """A page of items, with GitHub's Link header; `wrap` names the list inside an object with
        `total_count`."""
        size, page = page_of(self.request.query)
        shown = [shape(item) for item in items[(page - 1) * size : page * size]]
        body = {"total_count": len(items), wrap: shown} if wrap else shown
        return Answer(200, body, self.links(page, max(1, -(-len(items) // size))))

    def links(self, page: int, last: int) -> dict[str, str]:
        """The Link header of a page."""
        wanted = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        relations = [
            name for name in wanted if (page > 1 if name in ("prev", "first") else page < last)
        ]
        base = f"{self.world.url}{self.request.path}"
        query = self.request.query
        shown = [
            f'<{base}?{urlencode({**query, "page": wanted[name]})}>; rel="{name}"'
            for name in relations
        ]
        return {"Link": ", ".join(shown)} if shown else {}


def page_of(query: Mapping[str, str]) -> tuple[int, int]:
    """How many a page, and which; GitHub clamps what is out of range."""
    size, page = query.get("per_page", ""), query.get("page", "")
    return min(MOST_PER_PAGE, max(1, int(size) if size.isdigit() else PER_PAGE)), max(
        1, int(page) if page.isdigit() else 1
    )


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path template; `{name+}` takes slashes. `needs` is "pull_requests=write",
    alternatives after `; `."""

    method: str
    template: str
    serve: Callable[[Call], Any]
    needs: str
    always: bool  # needed on a public repository too
    creates: bool  # counts as content that is created
    pattern: re.Pattern[str]

    def canonical(self, params: Mapping[str, str]) -> str:
        """The path with every parameter in one segment, as the OpenAPI description has it."""
        return re.sub(
            r"\{(\w+)\+?\}", lambda found: quote(params[found[1]], safe=""), self.template
        )


_ROUTES: list[Route] = []


def route(
    method: str, template: str, needs: str = "", always: bool = False, creates: bool = False
) -> Callable[..., Any]:
    """Serve a method and path with the function below."""

    def register(serve: Callable[[Call], Any]) -> Callable[[Call], Any]:
        pattern = re.sub(
            r"\{(\w+)\}", r"(?P<\1>[^/]+)", re.sub(r"\{(\w+)\+\}", r"(?P<\1>.+)", template)
        )
        _ROUTES.append(Route(method, template, serve, needs, always, creates, re.compile(pattern)))
        # The longest fixed text first: `/commits/{ref+}` would swallow `/commits/{ref+}/status`.
        _ROUTES.sort(key=lambda each: -len(re.sub(r"\{.*?\}", "", each.template)))
        return serve

    return register


def find(method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """The route of a request, and its parameters decoded."""
    for each in _ROUTES:
        if each.method == method and (found := each.pattern.fullmatch(path)):
            return each, {name: unquote(value) for name, value in found.groupdict().items()}
    return None

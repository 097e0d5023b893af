"""The GitHub client: REST with pagination, GraphQL, and a count of what they cost."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..model.errors import UsageError
from ..system.environment import Environment
from ..text.patterns import lazy_pattern
from . import graphql
from .addresses import ApiAddresses, check_repository, find_addresses, path_segments, url_origin
from .answer import (
    PER_PAGE,
    RETRY_BY_METHOD,
    GitHubCall,
    GitHubResponse,
    RequestCounts,
    RetryPolicy,
)
from .reading import JsonPart, MalformedAnswer
from .sender import ADDRESS_NAME, Sender, Timing
from .token import TOKEN_VARIABLES, token_kind

if TYPE_CHECKING:
    from .connection import GitHubApi

_MOST = 1000
_HINT = "try again: the list may have changed while it was read"


class Pages:
    """What was read so far of the list `name`, in so many `pages`; `next` is the address of the
    next page, "" at the end, which is `unsure` behind a full page of a list without a count.

    `total` is GitHub's own count, -1 where it gives none.
    """

    def __init__(self, name: str, key: str, identity: str, size: int) -> None:
        self.items: list[JsonPart] = []
        self.total = -1
        self.next = ""
        self.pages = 0
        self.unsure = False
        self._name, self._key, self._identity, self._size = name, key, identity, size
        self._asked: set[str] = set()
        self._seen: set[str | int] = set()

    @property
    def whole(self) -> bool:
        """All that GitHub counts is here."""
        return self.total in (-1, len(self.items))

    def take(self, answer: GitHubResponse, root: str) -> None:
        """Add a page, and find the next one, which must be below `root`.

        Raises:
            MalformedAnswer: it is no page of a list, or its links lead nowhere.
        """
        part = JsonPart(answer.data, self._name)
        if self._key:
            self.total = part.number("total_count")
        page = list(part[self._key] if self._key else part)
        if self.unsure and self._seen.issuperset(map(self._name_of, page)):
            self.unsure = False  # nothing more, or a list that has no pages by number
            return
        self._add(page)
        if answer.next and len(page) < self._size:
            raise MalformedAnswer(
                f"GitHub left out part of {self._name}: {len(page)} on a page of {self._size}",
                _HINT,
            )
        self.next = self._following(answer.next, root) if answer.next else ""
        self.pages += 1
        # A link that was lost on the way must not make half a list look whole
        self.unsure = not self.next and self.total < 0 and len(page) >= self._size

    def _add(self, page: list[JsonPart]) -> None:
        fresh = [each for each in page if self._name_of(each) not in self._seen]
        if page and not fresh:
            raise MalformedAnswer(
                f"GitHub sent one page of {self._name} twice, and another not at all", _HINT
            )
        # An item that came twice was moved on by a new one before it.
        self._seen.update(self._name_of(each) for each in fresh)
        self.items += fresh

    def _name_of(self, item: JsonPart) -> str | int:
        value = item[self._identity].value if self._identity else repr(item.value)
        if not isinstance(value, str | int):
            raise MalformedAnswer(
                "GitHub's answer does not match its documentation: "
                f"{item.where}.{self._identity} is empty",
                _HINT,
            )
        return value

    def _following(self, url: str, root: str) -> str:
        if url in self._asked or len(self._asked) >= _MOST:
            raise MalformedAnswer(
                f"the pages of {self._name} form a loop: {url[:200]} repeats", _HINT
            )
        if url_origin(url) != url_origin(root) or not url.startswith(f"{root}/"):
            raise MalformedAnswer(
                f"the link to the next page of {self._name} leads to another host: {url[:200]}",
                f"the token is not sent there: check {ADDRESS_NAME}",
            )
        self._asked.add(url)
        return url.removeprefix(root)


DEADLINE = 600.0
_TOKEN = lazy_pattern(r"[\x21-\x7e]{1,4096}")


class Client:
    """A repository at GitHub, as far as the token goes."""

    def __init__(
        self,
        repository: str,
        token: str,
        addresses: ApiAddresses,
        deadline: float = DEADLINE,
        timing: Timing | None = None,
    ) -> None:
        self.repository = repository
        self.token_kind = token_kind(token)
        self._token = token
        self._addresses = addresses
        self._timing = timing or Timing()
        host = url_origin(addresses.rest)[1]
        self._sender = Sender(host, self.token_kind, deadline, self._timing)

    @property
    def has_token(self) -> bool:
        """It asks as somebody."""
        return bool(self.token_kind)

    @property
    def requests(self) -> RequestCounts:
        """What was sent so far."""
        return self._sender.requests

    @cached_property
    def _api(self) -> "GitHubApi":
        """PyGithub takes half a second to import: only a run that asks GitHub does."""
        from .connection import GitHubApi
        from .network import Network

        network = Network(self.requests, self._sender.exchange_seconds)
        return GitHubApi(self._addresses, self._token, network)

    def path(self, *parts: str | int) -> str:
        """A path below the repository, each part one segment."""
        return f"/repos/{self.repository}{path_segments(*parts)}"

    def get(self, path: str, **query: str | int) -> JsonPart:
        """One object."""
        return JsonPart(self._read(path, path, query).data, f"GET {path}")

    def log(self, job: int) -> str:
        """The log of a job of GitHub Actions, as far as its storage gives it."""
        path = self.path("actions", "jobs", job, "logs")
        call = GitHubCall(f"GET {path}", RetryPolicy.READ_ONLY, lambda: self._api.log(path))
        return str(self._sender.send(call).data)

    def pages(self, path: str, key: str = "", identity: str = "id", **query: str | int) -> Pages:
        """A whole list, however many pages it has; `key` is where an object holds it, `identity`
        what tells its items apart, "" for all."""
        size = int(query.get("per_page", PER_PAGE))
        found = Pages(f"GET {path}", key, identity, size)
        found.take(self._read(path, path, {**query, "per_page": size}), self._addresses.rest)
        while found.next or found.unsure:
            following = {} if found.next else {**query, "per_page": size, "page": found.pages + 1}
            found.take(self._read(path, found.next or path, following), self._addresses.rest)
        return found

    def write(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        repeat: RetryPolicy | None = None,
    ) -> JsonPart:
        """A change; `repeat` says when it may be sent more often or less often than its method
        says.

        Raises:
            UncertainWrite: it may have been stored.
        """
        name, retry = f"{method} {path}", repeat or RETRY_BY_METHOD[method]
        answer = self._sender.send(
            GitHubCall(name, retry, lambda: self._api.rest(method, path, {}, body))
        )
        return JsonPart({} if answer.data is None else answer.data, name)

    def graphql(
        self,
        document: str,
        variables: Mapping[str, Any],
        repeat: RetryPolicy = RetryPolicy.READ_ONLY,
    ) -> JsonPart:
        """The data of a query; `repeat` says how often it is tried.

        Raises:
            Refused: there are errors, whatever data came with them.
        """
        name = f"GraphQL {re.split('[({]', document, maxsplit=1)[0].strip()}"
        call = GitHubCall(name, repeat, lambda: self._api.query(document, variables))
        return graphql.checked(JsonPart(self._sender.send(call).data, name))["data"]

    def mutation(self, name: str, values: Mapping[str, Any], fields: str) -> JsonPart:
        """What a GraphQL mutation gives back: these fields. It is one that may be done twice.

        Raises:
            Refused: there are errors, whatever data came with them.
        """
        call = GitHubCall(
            f"GraphQL {name}",
            RetryPolicy.IDEMPOTENT,
            lambda: self._api.mutation(name, values, fields),
        )
        return graphql.checked(JsonPart(self._sender.send(call).data, call.name))

    def sleep(self, seconds: float) -> None:
        """Let GitHub's lists catch up with what was written a moment ago."""
        self._timing.sleep(seconds)

    def _read(self, name: str, path: str, query: Mapping[str, str | int]) -> GitHubResponse:
        call = GitHubCall(
            f"GET {name}", RetryPolicy.READ_ONLY, lambda: self._api.rest("GET", path, query, None)
        )
        return self._sender.send(call)


def open_github(
    environment: Environment,
    repository: str,
    api_url: str | None = None,
    *,
    deadline: float = DEADLINE,
    timing: Timing | None = None,
) -> Client:
    """A client with the token of the environment, if it has one.

    Raises:
        UsageError: the repository, an address or the token cannot be used.
    """
    return Client(
        check_repository(repository),
        _token(environment.variables),
        find_addresses(environment.variables, api_url),
        deadline,
        timing,
    )


def _token(env: Mapping[str, str]) -> str:
    name = next((each for each in TOKEN_VARIABLES if env.get(each, "").strip()), "")
    token = env.get(name, "").strip()
    if token and not _TOKEN.fullmatch(token):
        raise UsageError(
            f"{name} contains characters that a token cannot have", "set it again, as a single line"
        )
    return token

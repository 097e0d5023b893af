"""The GitHub client: REST with pagination, GraphQL, and a count of what they cost."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec.structs import replace

from ..model.errors import UsageError
from ..system.environment import Environment
from . import graphql
from .addresses import ApiAddresses, check_repository, find_addresses, path_segments, url_origin
from .answer import (
    JSON,
    RAW,
    RETRY_BY_METHOD,
    GitHubCall,
    GitHubResponse,
    RequestCounts,
    RetryPolicy,
)
from .reading import JsonPart, MalformedAnswer
from .sender import Sender, Timing

_MOST = 1000
_HINT = "try again: the list may have changed while it was read"


class Pages:
    """What was read so far; `call` asks for the next page, None at the end.

    `total` is GitHub's own count, -1 where it gives none.
    """

    def __init__(self, call: GitHubCall, key: str, identity: str, size: int) -> None:
        self.items: list[JsonPart] = []
        self.total = -1
        self.call: GitHubCall | None = call
        self._key, self._identity, self._size = key, identity, size
        self._asked = {call.url}
        self._seen: set[str | int] = set()

    @property
    def whole(self) -> bool:
        """All that GitHub counts is here."""
        return self.total in (-1, len(self.items))

    def take(self, answer: GitHubResponse) -> None:
        """Add a page, and find the next one.

        Raises:
            MalformedAnswer: it is no page of a list, or its links lead nowhere.
        """
        call = self.call
        if call is None:
            return
        part = JsonPart(answer.data, call.name)
        if self._key:
            self.total = part.number("total_count")
        page = list(part[self._key] if self._key else part)
        self._add(page, call.name)
        if answer.next and len(page) < self._size:
            raise MalformedAnswer(
                f"GitHub left out part of {call.name}: {len(page)} on a page of {self._size}", _HINT
            )
        self.call = self._following(call, answer.next) if answer.next else None

    def _add(self, page: list[JsonPart], name: str) -> None:
        fresh = [each for each in page if self._name_of(each) not in self._seen]
        if page and not fresh:
            raise MalformedAnswer(
                f"GitHub sent one page of {name} twice, and another not at all", _HINT
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

    def _following(self, call: GitHubCall, url: str) -> GitHubCall:
        if url in self._asked or len(self._asked) >= _MOST:
            raise MalformedAnswer(
                f"the pages of {call.name} form a loop: {url[:200]} repeats", _HINT
            )
        if url_origin(url) != url_origin(call.url):
            raise MalformedAnswer(
                f"the link to the next page of {call.name} leads to another host: {url[:200]}",
                _HINT,
            )
        self._asked.add(url)
        return replace(call, url=url)


# https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
PER_PAGE = 100
DEADLINE = 600.0
TOKEN_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")  # the first that is set counts
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")


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
        self.has_token = bool(token)
        self._addresses = addresses
        self._timing = timing or Timing()
        self._sender = Sender(addresses, token, deadline, self._timing)

    @property
    def requests(self) -> RequestCounts:
        """What was sent so far."""
        return self._sender.requests

    def path(self, *parts: str | int) -> str:
        """A path below the repository, each part one segment."""
        return f"/repos/{self.repository}{path_segments(*parts)}"

    def get(self, path: str, **query: str | int) -> JsonPart:
        """One object."""
        call = self._rest("GET", path, query)
        return JsonPart(self._sender.send(call).data, call.name)

    def raw(self, path: str, **query: str | int) -> bytes:
        """The bytes of a file or blob."""
        return self._sender.send(self._rest("GET", path, query, accept=RAW)).body

    def pages(self, path: str, key: str = "", identity: str = "id", **query: str | int) -> Pages:
        """A whole list, however many pages it has; `key` is where an object holds it, `identity`
        what tells its items apart, "" for all."""
        found = Pages(
            self._rest("GET", path, {"per_page": PER_PAGE, **query}),
            key,
            identity,
            int(query.get("per_page", PER_PAGE)),
        )
        while found.call is not None:
            found.take(self._sender.send(found.call))
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
        call = self._rest(method, path, {}, body=body, repeat=repeat)
        answer = self._sender.send(call)
        return JsonPart({} if answer.data is None else answer.data, call.name)

    def graphql(
        self, document: str, variables: Mapping[str, Any], *, changes: bool = False
    ) -> JsonPart:
        """The data of a document. A mutation `changes`, and is one that may be done twice.

        Raises:
            Refused: there are errors, whatever data came with them.
        """
        sent = json.dumps({"query": document, "variables": dict(variables)}).encode()
        name = f"GraphQL {document.split('(')[0].strip()}"
        call = GitHubCall(
            "POST",
            self._addresses.graphql,
            name,
            RetryPolicy.IDEMPOTENT if changes else RetryPolicy.READ_ONLY,
            sent,
            graphql=True,
        )
        return graphql.checked_data(JsonPart(self._sender.send(call).data, name))

    def sleep(self, seconds: float) -> None:
        """Let GitHub's lists catch up with what was written a moment ago."""
        self._timing.sleep(seconds)

    def _rest(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int],
        *,
        body: Mapping[str, Any] | None = None,
        repeat: RetryPolicy | None = None,
        accept: str = JSON,
    ) -> GitHubCall:
        url = f"{self._addresses.rest}{path}{'?' if query else ''}{urlencode(query)}"
        data = None if body is None else json.dumps(body).encode()
        return GitHubCall(
            method, url, f"{method} {path}", repeat or RETRY_BY_METHOD[method], data, accept
        )


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

"""The one door to GitHub: REST with pages, GraphQL, and what they cost."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ...model.errors import UsageError
from ..world import World
from . import graphql
from .addresses import Addresses, check_repository, find_addresses, segments
from .calls import BY_METHOD, JSON, RAW, Call, Repeat, Requests
from .pages import Pages
from .read import Part
from .sender import Sender
from .timing import Timing

PER_PAGE = 100
DEADLINE = 600.0
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")


class Client:
    """A repository at GitHub, as far as the token goes."""

    def __init__(self, repository: str, token: str, addresses: Addresses, deadline: float = DEADLINE, timing: Timing | None = None) -> None:
        self.repository = repository
        self.has_token = bool(token)
        self._addresses = addresses
        self._timing = timing or Timing()
        self._sender = Sender(addresses, token, deadline, self._timing)

    @property
    def requests(self) -> Requests:
        """What was sent so far."""
        return self._sender.requests

    def path(self, *parts: str | int) -> str:
        """A path below the repository, each part one segment."""
        return f"/repos/{self.repository}{segments(*parts)}"

    def get(self, path: str, **query: str | int) -> Part:
        """One object."""
        call = self._rest("GET", path, query)
        return Part(self._sender.send(call).data, call.name)

    def raw(self, path: str, **query: str | int) -> bytes:
        """The bytes of a file or blob."""
        return self._sender.send(self._rest("GET", path, query, accept=RAW)).body

    def pages(self, path: str, key: str = "", identity: str = "id", **query: str | int) -> Pages:
        """A whole list, however many pages it has; `key` is where an object holds it, `identity` what tells its items apart, "" for all."""
        found = Pages(self._rest("GET", path, {"per_page": PER_PAGE, **query}), key, identity, int(query.get("per_page", PER_PAGE)))
        while found.call is not None:
            found.take(self._sender.send(found.call))
        return found

    def write(self, method: str, path: str, body: Mapping[str, Any] | None = None, repeat: Repeat | None = None) -> Part:
        """A change; `repeat` says when it may be sent more often or less often than its method says.

        Raises:
            Uncertain: it may have been stored.
        """
        call = self._rest(method, path, {}, body=body, repeat=repeat)
        answer = self._sender.send(call)
        return Part({} if answer.data is None else answer.data, call.name)

    def graphql(self, document: str, variables: Mapping[str, Any], *, changes: bool = False) -> Part:
        """The data of a document. A mutation `changes`, and is one that may be done twice.

        Raises:
            Refused: there are errors, whatever data came with them.
        """
        sent = json.dumps({"query": document, "variables": dict(variables)}).encode()
        name = f"GraphQL {document.split('(')[0].strip()}"
        call = Call("POST", self._addresses.graphql, name, Repeat.SAFE if changes else Repeat.FREE, sent, graphql=True)
        return graphql.check(Part(self._sender.send(call).data, name))

    def pause(self, seconds: float) -> None:
        """Let GitHub's lists catch up with what was written a moment ago."""
        self._timing.sleep(seconds)

    def _rest(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int],
        *,
        body: Mapping[str, Any] | None = None,
        repeat: Repeat | None = None,
        accept: str = JSON,
    ) -> Call:
        url = f"{self._addresses.rest}{path}{'?' if query else ''}{urlencode(query)}"
        data = None if body is None else json.dumps(body).encode()
        return Call(method, url, f"{method} {path}", repeat or BY_METHOD[method], data, accept)


def open_github(
    world: World, repository: str, api_url: str | None = None, *, deadline: float = DEADLINE, timing: Timing | None = None
) -> Client:
    """A client with the token of the environment, if it has one.

    Raises:
        UsageError: the repository, an address or the token cannot be used.
    """
    return Client(check_repository(repository), _token(world.env), find_addresses(world.env, api_url), deadline, timing)


def _token(env: Mapping[str, str]) -> str:
    name = next((each for each in _TOKENS if env.get(each, "").strip()), "")
    token = env.get(name, "").strip()
    if token and not _TOKEN.fullmatch(token):
        raise UsageError(f"{name} contains characters that a token cannot have", "set it again, as a single line")
    return token

"""GitHub by way of PyGithub: one try of a call, and what came of it.

PyGithub 2.10 asks a GET that is answered 202 for ever, drops the query of a request that is
redirected with 301 and sends writes on as well, reads whatever comes, and retries by urllib3, which
knows nothing of this run's deadline, of GraphQL's errors or of a cut body. So its connections are
replaced (`network.py`) and its retries are off: what is tried again is in `sender.py`.
Source: https://github.com/PyGithub/PyGithub/blob/v2.10.0/github/Requester.py (__requestRaw)
"""

import json
from collections.abc import Callable, ItemsView, Mapping
from typing import Any, cast
from urllib.parse import urljoin

from github import Auth, GithubException
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
)
from msgspec.structs import replace
from requests.utils import parse_header_links

from .. import __version__
from ..system.http import ExchangeFailed, HttpRequest
from . import graphql
from .addresses import GRAPHQL, ApiAddresses
from .answer import PER_PAGE, GitHubResponse
from .network import SERVER_ERROR_HINT, Network

# https://docs.github.com/en/rest/about-the-rest-api/api-versions
_VERSION = "2022-11-28"
_JSON = "application/vnd.github+json"
_NO_JSON = "status 200 with text that is not JSON"
_Answer = tuple[dict[str, Any], Any]


class _Connection:
    """In place of PyGithub's connection: one request, and of its answer what PyGithub can read."""

    network: Network
    host: str  # with scheme and port

    def __init__(self, *_: Any, **__: Any) -> None:
        """PyGithub has its own ideas of where to go: `host` says it."""

    def request(
        self, verb: str, url: str, input: str | None, headers: Mapping[str, str], *_: Any
    ) -> None:
        """What is to be sent; `url` is a path with its query."""
        body = None if input is None else input.encode()
        # Joined by hand: to urljoin a path that begins with two slashes is another host
        self._asked = HttpRequest(verb, f"{self.host}{url}", {**headers, "Accept": _JSON}, body)

    def getresponse(self) -> "_Connection":
        """Send it."""
        self._answer = self.network.answer(self._asked)
        # 202 it would ask again
        self.status = 200 if self._answer.status == 202 else self._answer.status
        return self

    def getheaders(self) -> ItemsView[str, str]:
        """All but counts of a rate limit that are no numbers, over which it would stumble."""
        return {
            name: value
            for name, value in self._answer.headers.items()
            if not name.startswith("x-ratelimit-") or (value.isascii() and value.isdigit())
        }.items()

    def read(self) -> str:
        """The body: of a refusal an object or nothing.

        Raises:
            ExchangeFailed: it is no object and no list, though GitHub answers in nothing else.
        """
        body = self._answer.body.strip()
        if self.status == 204 or (self.status >= 400 and not _is_refusal(body)):
            return ""
        if body[:1] not in (b"{", b"["):
            found = "a web page" if body[:1] == b"<" else "text that is not JSON"
            raise ExchangeFailed(f"status {self.status} with {found if body else 'an empty body'}")
        return body.decode()

    def close(self) -> None:
        """Nothing: the sessions are the network's."""


def _is_refusal(body: bytes) -> bool:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("message", ""), str)


class GitHubApi:
    """REST and GraphQL, one try a call: GitHub's answer, whether it is good or a refusal.

    Each raises ExchangeFailed where there is no usable answer.
    """

    def __init__(self, addresses: ApiAddresses, token: str, network: Network) -> None:
        self._network = network
        self._rest = _requester(addresses.rest, token, network)
        self._graphql = _requester(addresses.graphql.removesuffix(GRAPHQL), token, network)

    def rest(
        self, method: str, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None
    ) -> GitHubResponse:
        """A path below the root of REST."""
        return _answered(
            lambda: self._rest.requestJsonAndCheck(method, path, dict(query), input=body)
        )

    def log(self, path: str) -> GitHubResponse:
        """The log of a job, as text. GitHub answers with the address of its storage.

        Source: https://docs.github.com/en/rest/actions/workflow-jobs
        """
        found = self.rest("GET", path, {}, None)
        if found.status != 200:
            return found
        address = found.data.get("location") if isinstance(found.data, dict) else None
        if not isinstance(address, str):
            raise ExchangeFailed("no address of a log", final=True)
        log = self._network.fetch(address)
        return GitHubResponse(200, {}, log.body.decode("utf-8", "replace"))

    def query(self, document: str, variables: Mapping[str, Any]) -> GitHubResponse:
        """A document of GraphQL; errors are in the data."""
        return _graphql(lambda: self._graphql.graphql_query(document, dict(variables)))

    def mutation(self, name: str, values: Mapping[str, Any], fields: str) -> GitHubResponse:
        """A mutation of GraphQL with one `input`; the data is the mutation's own, or has errors."""
        return _graphql(lambda: self._graphql.graphql_named_mutation(name, dict(values), fields))


def _requester(root: str, token: str, network: Network) -> Requester:
    """PyGithub's way to one of the APIs.

    It keeps connection classes for the whole process, so each run has a class of its own.
    """

    class Connection(_Connection):
        pass

    class RunRequester(Requester):
        pass

    Connection.network, Connection.host = network, urljoin(root, "/").rstrip("/")
    RunRequester.injectConnectionClasses(
        cast(type[HTTPRequestsConnectionClass], Connection),
        cast(type[HTTPSRequestsConnectionClass], Connection),
    )
    return RunRequester(
        auth=Auth.Token(token) if token else None,
        base_url=root,
        timeout=0,
        user_agent=f"reviewgate-gh/{__version__}",
        per_page=PER_PAGE,
        verify=True,
        retry=None,
        pool_size=None,
        api_version=_VERSION,
    )


def _answered(ask: Callable[[], _Answer]) -> GitHubResponse:
    try:
        headers, data = ask()
    except GithubException as refusal:
        return GitHubResponse(refusal.status, refusal.headers or {}, refusal.data)
    except (ValueError, RecursionError):
        raise ExchangeFailed(_NO_JSON) from None
    links = parse_header_links(headers.get("link", ""))
    following = next((each["url"] for each in links if _is_next(each.get("rel", ""))), "")
    return GitHubResponse(200, headers, data, following)


def _is_next(relation: str) -> bool:
    """One link may have several relations, in letters of any size: RFC 8288, 3.3."""
    return "next" in relation.lower().split()


def _graphql(ask: Callable[[], _Answer]) -> GitHubResponse:
    try:
        found = _answered(ask)
    except (AttributeError, TypeError):  # of PyGithub's, at what is no answer of GraphQL
        return GitHubResponse(200, {})
    if graphql.is_server_error(found.data):
        raise ExchangeFailed("an internal error of GitHub's", SERVER_ERROR_HINT)
    # A refusal by HTTP has a message; errors without one came with 200, which PyGithub hides
    errors = isinstance(found.data, dict) and "errors" in found.data and "message" not in found.data
    return replace(found, status=200) if errors else found

"""What stands on a pull request, and who we are, in one document: the first question of a run, and
the last after it has posted."""

from collections.abc import Callable, Iterable
from typing import Any

from ..model.pull_request import Account, PostedReview, Thread
from ..model.values import dataclass
from . import graphql, identity
from .client import Client
from .errors import BadCredentials, MalformedAnswer, Refused
from .identity import account_of_viewer, read_viewer
from .reading import JsonPart
from .reviews import read_reviews
from .threads import next_page, read_threads, thread_of


@dataclass(frozen=True, slots=True)
class PullRequestSnapshot:
    """Who we are (None: GitHub does not say), every thread and review, and the head at that moment
    ("" where it is not known).

    `note` says what is not known of the threads.
    """

    viewer: Account | None
    threads: tuple[Thread, ...]
    reviews: tuple[PostedReview, ...]
    head: str = ""
    note: str = ""


def read_snapshot(client: Client, number: int) -> PullRequestSnapshot:
    """All of it in as many requests as the longer of the two lists has pages; where GraphQL does
    not answer, piece by piece."""
    return _asked(client, number, _all)


def read_recent_snapshot(client: Client, number: int) -> PullRequestSnapshot:
    """The last hundred of each, in one request: what two runs at once have said, and who else was
    there."""
    return _asked(client, number, _latest)


def _asked(
    client: Client, number: int, ask: Callable[[Client, dict[str, Any]], PullRequestSnapshot]
) -> PullRequestSnapshot:
    if client.has_token:
        owner, _, name = client.repository.partition("/")
        try:
            return ask(client, {"owner": owner, "name": name, "number": number})
        except BadCredentials:
            raise
        except (Refused, MalformedAnswer):
            pass  # one piece of it may be what this token or this server has not got
    threads = read_threads(client, number)
    return PullRequestSnapshot(
        read_viewer(client), threads.threads, read_reviews(client, number), note=threads.note
    )


class _List:
    """One of the two lists, as far as it was read."""

    def __init__(self) -> None:
        self.parts: list[JsonPart] = []
        self.after: str | None = None
        self.whole = False
        self._asked: set[str] = set()

    def take(self, connection: JsonPart) -> None:
        """The next page; behind the last one there is nothing."""
        if self.whole:
            return
        self.parts += connection.items("nodes")
        following = next_page(connection, self._asked)
        self.whole = following is None
        self.after = following or connection["pageInfo"].optional("endCursor") or self.after


def _all(client: Client, where: dict[str, Any]) -> PullRequestSnapshot:
    threads, reviews = _List(), _List()
    while not (threads.whole and reviews.whole):
        data = client.graphql(
            graphql.SNAPSHOT, {**where, "threads": threads.after, "reviews": reviews.after}
        )
        pull = data["repository"]["pullRequest"]
        threads.take(pull["reviewThreads"])
        reviews.take(pull["reviews"])
    return _standing(client, data, threads.parts, reviews.parts)


def _latest(client: Client, where: dict[str, Any]) -> PullRequestSnapshot:
    data = client.graphql(graphql.RECENT_SNAPSHOT, where)
    pull = data["repository"]["pullRequest"]
    return _standing(
        client, data, pull["reviewThreads"].items("nodes"), pull["reviews"].items("nodes")
    )


def _standing(
    client: Client, data: JsonPart, threads: Iterable[JsonPart], reviews: Iterable[JsonPart]
) -> PullRequestSnapshot:
    head = data["repository"]["pullRequest"].oid("headRefOid")
    found = (
        tuple(thread_of(client, each) for each in threads),
        tuple(_review(each) for each in reviews),
    )
    return PullRequestSnapshot(account_of_viewer(data["viewer"]), *found, head=head)


def _review(part: JsonPart) -> PostedReview:
    commit = part.maybe("commit")
    return PostedReview(
        id=part.number("fullDatabaseId"),
        author=identity.account_from_graphql(part.maybe("author")),
        state=part.text("state"),
        body=part.text("body"),
        commit=commit.oid("oid") if commit else "",
        submitted=part.optional("submittedAt"),
        node=part.text("id"),
        minimized=part.flag("isMinimized"),
    )

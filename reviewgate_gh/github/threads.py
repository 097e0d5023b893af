"""What stands on a pull request: its threads, its reviews, and who we are.

One document is the first question of a run, and the last after it has posted. Where GitHub fails to
answer it, smaller ones are asked, and then REST, which knows fewer facts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..model.pull_request import Account, PostedReview, Thread, ThreadReply
from . import graphql, identity
from .answer import PER_PAGE, RetryPolicy
from .client import Client
from .identity import account_of_viewer, read_user, read_viewer
from .reading import BadCredentials, GitHubUnreachable, JsonPart, MalformedAnswer, Refused
from .reviews import read_reviews

_FEWER = "GraphQL did not answer ({reason}), so resolved threads and minimised comments are unknown"
# GitHub ends a query that takes it over ten seconds, as one of many threads and comments may.
# https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
_SMALL = 20


class ThreadList(Struct, frozen=True):
    """All threads in GitHub's order; `note` says what is not known of them, "" for nothing."""

    threads: tuple[Thread, ...]
    note: str = ""


def read_threads(client: Client, number: int, size: int = PER_PAGE) -> ThreadList:
    """Every review thread of a pull request; `size` of them are asked for at once, with as many
    comments each."""
    if not client.has_token:
        return _threads_of_rest(client, number, "it needs a token")
    try:
        return ThreadList(tuple(_by_graphql(client, number, size)))
    except BadCredentials:
        raise
    except (Refused, MalformedAnswer) as error:
        return _threads_of_rest(client, number, error.message)
    except GitHubUnreachable as error:
        if not error.reached:
            raise
        return _threads_of_rest(client, number, error.message)


def _threads_of_rest(client: Client, number: int, reason: str) -> ThreadList:
    return ThreadList(tuple(_by_rest(client, number)), _FEWER.format(reason=reason))


def _by_graphql(client: Client, number: int, size: int) -> Iterator[Thread]:
    owner, _, name = client.repository.partition("/")
    where = {"owner": owner, "name": name, "number": number, "size": size}
    after, asked = None, set[str]()
    while True:
        data = client.graphql(graphql.THREADS, {**where, "after": after})
        found = data["repository"]["pullRequest"]["reviewThreads"]
        for each in found.items("nodes"):
            yield thread_of(client, each)
        after = next_page(found, asked)
        if after is None:
            return


def thread_of(client: Client, part: JsonPart) -> Thread:
    """A thread of GraphQL's, with every comment."""
    return _thread(part, _comments(client, part))


def _comments(client: Client, thread: JsonPart) -> list[JsonPart]:
    """The thread's comments; those beyond the first hundred are asked for one page after the
    other."""
    found, asked = thread["comments"], set[str]()
    comments = found.items("nodes")
    while after := next_page(found, asked):
        found = client.graphql(
            graphql.THREAD_COMMENTS, {"thread": thread.text("id"), "after": after}
        )["node"]["comments"]
        comments += found.items("nodes")
    if not comments:
        raise MalformedAnswer(
            f"GitHub's answer does not match its documentation: {thread.where} has no comments"
        )
    return comments


def next_page(connection: JsonPart, asked: set[str]) -> str | None:
    """The cursor of the next page; None behind the last one."""
    page = connection["pageInfo"]
    if not page.flag("hasNextPage"):
        return None
    cursor = page.text("endCursor")
    if cursor in asked:
        raise MalformedAnswer(f"the pages of {connection.where} form a loop")
    asked.add(cursor)
    return cursor


def _thread(part: JsonPart, comments: list[JsonPart]) -> Thread:
    first = comments[0]
    commit, resolver = first.maybe("commit"), part.maybe("resolvedBy")
    return Thread(
        id=first.number("fullDatabaseId"),
        path=part.text("path"),
        line=part.count("line"),
        body=first.text("body"),
        author=identity.account_from_graphql(first.maybe("author")),
        node=part.text("id"),
        comment_node=first.text("id"),
        side=part.text("diffSide"),
        start_line=part.count("startLine"),
        commit=commit.oid("oid") if commit else "",
        replies=tuple(_reply(each) for each in comments[1:]),
        resolved=part.flag("isResolved"),
        minimized=first.flag("isMinimized"),
        can_resolve=part.flag("viewerCanResolve"),
        hidden_as=first.optional("minimizedReason").lower(),
        resolved_by=resolver.count("databaseId") if resolver else 0,
    )


def _reply(part: JsonPart) -> ThreadReply:
    return ThreadReply(
        part.number("fullDatabaseId"),
        identity.account_from_graphql(part.maybe("author")),
        part.text("body"),
        part.text("createdAt"),
        part.maybe("lastEditedAt") is not None,
    )


def comment_from_rest(part: JsonPart) -> ThreadReply:
    """A comment of a thread or of the conversation. REST says only that something about it has
    changed."""
    created = part.optional("created_at")
    return ThreadReply(
        part.number("id"),
        identity.account_from_rest(part.maybe("user")),
        part.optional("body"),
        created,
        not created or part.optional("updated_at") != created,
    )


def _by_rest(client: Client, number: int) -> Iterator[Thread]:
    said: dict[int, list[JsonPart]] = defaultdict(list)
    for each in client.pages(client.path("pulls", number, "comments")).items:
        said[each.count("in_reply_to_id") or each.number("id")].append(each)
    # Where the first comment was deleted, the oldest answer to it stands for the thread.
    return (_thread_of_rest(first, replies) for first, *replies in said.values())


def _thread_of_rest(part: JsonPart, replies: list[JsonPart]) -> Thread:
    return Thread(
        id=part.number("id"),
        path=part.text("path"),
        line=part.count("line"),
        body=part.text("body"),
        author=identity.account_from_rest(part.maybe("user")),
        comment_node=part.text("node_id"),
        side=part.optional("side") or "RIGHT",
        start_line=part.count("start_line"),
        commit=part.oid("commit_id"),
        replies=tuple(map(comment_from_rest, replies)),
    )


class PullRequestSnapshot(Struct, frozen=True):
    """Who we are (None: GitHub does not say), every thread, review and comment in the conversation,
    and the head at that moment ("" where it is not known).

    `note` says what is not known of the threads. `failed`: GraphQL did not even say who we are,
    which it refuses nobody.
    """

    viewer: Account | None
    threads: tuple[Thread, ...]
    reviews: tuple[PostedReview, ...]
    head: str = ""
    note: str = ""
    failed: bool = False
    conversation: tuple[ThreadReply, ...] = ()


def read_snapshot(client: Client, number: int) -> PullRequestSnapshot:
    """All of it in as many requests as the longest of the lists has pages; where GraphQL does
    not answer, piece by piece."""
    return _asked(client, number, _all)


def read_recent_snapshot(client: Client, number: int) -> PullRequestSnapshot:
    """The last hundred of each, in one request: what two runs at once have said, and who else was
    there."""
    found = _asked(client, number, _latest)
    return (
        found
        if found.head
        else replace(found, head=client.get(client.path("pulls", number))["head"].oid("sha"))
    )


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
        except GitHubUnreachable as error:
            if not error.reached:
                raise
    return _in_pieces(client, number)


def _in_pieces(client: Client, number: int) -> PullRequestSnapshot:
    try:
        viewer, reason = read_viewer(client), ""
    except GitHubUnreachable as error:
        if not error.reached:
            raise
        viewer, reason = read_user(client), error.message
    found = (
        _threads_of_rest(client, number, reason) if reason else read_threads(client, number, _SMALL)
    )
    reviews = read_reviews(client, number)
    conversation, unread = _conversation(client, number)
    return PullRequestSnapshot(
        viewer,
        found.threads,
        reviews,
        note="; ".join(filter(None, (found.note, unread))),
        failed=bool(reason),
        conversation=conversation,
    )


def _conversation(client: Client, number: int) -> tuple[tuple[ThreadReply, ...], str]:
    """The comments, or why there are none: what is dismissed in them stays open then."""
    try:
        found = client.pages(client.path("issues", number, "comments")).items
    except BadCredentials:
        raise
    except Refused as error:
        return (), f"the conversation could not be read ({error.message})"
    return tuple(map(comment_from_rest, found)), ""


class _List:
    """One of the lists, as far as it was read."""

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
    lists = threads, reviews, comments = _List(), _List(), _List()
    while not all(each.whole for each in lists):
        after = {
            "threads": threads.after,
            "reviews": reviews.after,
            "comments": comments.after,
        }
        data = client.graphql(graphql.SNAPSHOT, {**where, **after}, RetryPolicy.REPLACEABLE)
        pull = data["repository"]["pullRequest"]
        threads.take(pull["reviewThreads"])
        reviews.take(pull["reviews"])
        comments.take(pull["comments"])
    return replace(
        _standing(client, data, threads.parts, reviews.parts),
        conversation=tuple(_reply(each) for each in comments.parts),
    )


def _latest(client: Client, where: dict[str, Any]) -> PullRequestSnapshot:
    data = client.graphql(graphql.RECENT_SNAPSHOT, where, RetryPolicy.REPLACEABLE)
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

"""The review threads of a pull request, with every comment; by REST with fewer facts where GraphQL
does not answer."""

from collections import defaultdict
from collections.abc import Iterator

from ..model.pull_request import Thread, ThreadReply
from ..model.values import dataclass
from . import graphql, identity
from .client import Client
from .errors import BadCredentials, MalformedAnswer, Refused
from .reading import JsonPart

_FEWER = "GraphQL did not answer ({reason}), so resolved threads and minimised comments are unknown"


@dataclass(frozen=True, slots=True)
class ThreadList:
    """All threads in GitHub's order; `note` says what is not known of them, "" for nothing."""

    threads: tuple[Thread, ...]
    note: str = ""


def read_threads(client: Client, number: int) -> ThreadList:
    """Every review thread of a pull request."""
    if not client.has_token:
        return ThreadList(tuple(_by_rest(client, number)), _FEWER.format(reason="it needs a token"))
    try:
        return ThreadList(tuple(_by_graphql(client, number)))
    except BadCredentials:
        raise
    except (Refused, MalformedAnswer) as error:
        return ThreadList(tuple(_by_rest(client, number)), _FEWER.format(reason=error.message))


def _by_graphql(client: Client, number: int) -> Iterator[Thread]:
    owner, _, name = client.repository.partition("/")
    after, asked = None, set[str]()
    while True:
        data = client.graphql(
            graphql.THREADS, {"owner": owner, "name": name, "number": number, "after": after}
        )
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
        created=first.text("createdAt"),
        replies=tuple(_reply(each) for each in comments[1:]),
        resolved=part.flag("isResolved"),
        outdated=part.flag("isOutdated"),
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
    )


def _by_rest(client: Client, number: int) -> Iterator[Thread]:
    said: dict[int, list[JsonPart]] = defaultdict(list)
    for each in client.pages(client.path("pulls", number, "comments")).items:
        said[each.count("in_reply_to_id") or each.number("id")].append(each)
    # Where the first comment was deleted, the oldest answer to it stands for the thread.
    return (_thread_of_rest(first, replies) for first, *replies in said.values())


def _thread_of_rest(part: JsonPart, replies: list[JsonPart]) -> Thread:
    whole_file = part.optional("subject_type") == "file"
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
        created=part.text("created_at"),
        replies=tuple(
            ThreadReply(
                each.number("id"),
                identity.account_from_rest(each.maybe("user")),
                each.text("body"),
                each.text("created_at"),
            )
            for each in replies
        ),
        outdated=not whole_file and part.maybe("line") is None,
    )

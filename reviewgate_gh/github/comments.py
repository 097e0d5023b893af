"""Comments in a pull request's conversation, and reactions to them."""

from collections.abc import Mapping
from typing import Literal

from ..model.pull_request import Account, ThreadReply
from .answer import RetryPolicy
from .client import Client
from .identity import account_from_rest
from .reading import NotFound
from .threads import comment_from_rest

Reaction = Literal["+1", "confused", "eyes"]


def read_comment(client: Client, comment: int) -> ThreadReply | None:
    """A comment of a conversation as it is now; None where it is gone."""
    try:
        return comment_from_rest(client.get(client.path("issues", "comments", comment)))
    except NotFound:
        return None


def read_conversation(client: Client, number: int) -> tuple[ThreadReply, ...]:
    """All comments of a conversation, oldest first."""
    found = client.pages(client.path("issues", number, "comments"))
    return tuple(map(comment_from_rest, found.items))


def post_comment(client: Client, number: int, body: str) -> None:
    """A new comment in the conversation.

    Raises:
        UncertainWrite: it may have been stored: look before it is posted again.
    """
    client.write("POST", client.path("issues", number, "comments"), {"body": body})


def edit_comment(client: Client, comment: int, body: str) -> None:
    """Other text for a comment of ours."""
    client.write("PATCH", client.path("issues", "comments", comment), {"body": body})


def delete_comment(client: Client, comment: int) -> None:
    """Take a comment of ours away; one that is gone stays so."""
    try:
        client.write("DELETE", client.path("issues", "comments", comment))
    except NotFound:
        return


def read_reactions(client: Client, comment: int, who: Account) -> Mapping[str, int]:
    """The reactions that somebody gave, and their numbers."""
    found = client.pages(client.path("issues", "comments", comment, "reactions"))
    return {
        each.text("content"): each.number("id")
        for each in found.items
        if account_from_rest(each.maybe("user")).same_as(who)
    }


def react(client: Client, comment: int, content: Reaction) -> int:
    """React to a comment, and the number of the reaction; GitHub keeps one of each kind from
    everybody."""
    path = client.path("issues", "comments", comment, "reactions")
    return client.write("POST", path, {"content": content}, RetryPolicy.IDEMPOTENT).number("id")


def remove_reaction(client: Client, comment: int, reaction: int) -> None:
    """Take a reaction of ours back; one that is gone stays so."""
    try:
        client.write("DELETE", client.path("issues", "comments", comment, "reactions", reaction))
    except NotFound:
        return

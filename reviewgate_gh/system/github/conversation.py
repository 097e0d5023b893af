"""The comments of a pull request's conversation: the summary is one of them, written anew in place."""

from ...model.pull import Remark
from . import people
from .client import Client
from .errors import stored
from .read import Part


def read_remarks(client: Client, number: int) -> tuple[Remark, ...]:
    """Every comment of the conversation, oldest first."""
    return tuple(_remark(each) for each in client.pages(client.path("issues", number, "comments")).items)


def post_remark(client: Client, number: int, body: str) -> Remark:
    """A new comment.

    Raises:
        Uncertain: it may have been stored: list the comments before it is posted again.
    """
    answer = client.write("POST", client.path("issues", number, "comments"), {"body": body})
    with stored():
        return _remark(answer)


def edit_remark(client: Client, comment: int, body: str) -> None:
    """Other text for a comment of ours."""
    answer = client.write("PATCH", client.path("issues", "comments", comment), {"body": body})
    with stored():
        _remark(answer)


def _remark(part: Part) -> Remark:
    return Remark(
        id=part.number("id"),
        author=people.from_rest(part.maybe("user")),
        body=part.optional("body"),
        node=part.text("node_id"),
        created=part.text("created_at"),
        updated=part.text("updated_at"),
    )

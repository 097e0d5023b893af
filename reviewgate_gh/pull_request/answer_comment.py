"""Our one comment that answers commands, kept up to date: also after a lost answer, and when two
runs write at once."""

from collections.abc import Mapping

from ..github.client import Client
from ..github.comments import delete_comment, edit_comment, post_comment, read_conversation
from ..github.reading import UncertainWrite
from ..model.errors import UpstreamError
from ..model.pull_request import Account, ThreadReply
from .answers import answers_text, read_answers, with_answers

_MOST_TRIES = 5
_LAG = 2.0  # seconds


def post_answers(client: Client, number: int, viewer: Account, new: Mapping[str, str]) -> None:
    """Have these answers in the oldest comment of ours that holds answers, and no other such
    comment.

    Raises:
        UpstreamError: GitHub refuses, cannot be reached, or others write all the time.
    """
    posted = False
    for _ in range(_MOST_TRIES):
        ours = _ours(client, number, viewer)
        if not ours and not posted:
            try:
                post_comment(client, number, answers_text(with_answers({}, new)))
                posted = True
            except UncertainWrite:
                client.sleep(_LAG)  # it may be there already
        elif not ours:
            return  # the list lags behind
        elif not _brought_up_to_date(client, ours, new):
            return
    raise UpstreamError("the comment with answers could not be brought up to date", "run again")


def _ours(client: Client, number: int, viewer: Account) -> list[tuple[ThreadReply, dict[str, str]]]:
    said = (
        (each, read_answers(each.body))
        for each in read_conversation(client, number)
        if each.author.same_as(viewer)
    )
    found = [(each, answers) for each, answers in said if answers is not None]
    return sorted(found, key=lambda pair: pair[0].id)


def _brought_up_to_date(
    client: Client, ours: list[tuple[ThreadReply, dict[str, str]]], new: Mapping[str, str]
) -> bool:
    """Whether anything had to be changed."""
    (first, answers), *others = ours
    for _, more in others:
        answers = with_answers(more, answers)
    text = answers_text(with_answers(answers, new))
    if text != first.body:
        edit_comment(client, first.id, text)
    for each, _ in others:
        delete_comment(client, each.id)
    return text != first.body or bool(others)

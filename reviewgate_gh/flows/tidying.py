"""What is already posted on a pull request, brought up to date: findings that are back, posted twice, or gone."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ..model.action import Action, Hide, Settle, Show, Trim
from ..reporters import _posted
from ..reporters._words import counted
from ..steps.markers import ReviewMark, carried, signed, unsigned
from ..system.github.client import Client
from ..system.github.errors import Refused
from ..system.github.reviews import edit_review
from ..system.github.tidy import Tally, minimize_comments, resolve_threads, show_comments, unresolve_threads


def shown_again(back: Collection[Show], client: Client) -> tuple[list[str], int]:
    """Show again what was closed: what was done, in words, and how many comments are still hidden.

    A thread is opened first, so that a second run finds what is left to do.
    """
    told, left = [], 0
    if threads := [each.thread.node for each in back if each.resolved]:
        told.append(f"threads whose finding is back: {_counted(unresolve_threads(client, threads), len(threads))} reopened")
    if comments := [each.thread.comment_node for each in back if each.hidden]:
        tally = show_comments(client, comments)
        told.append(f"comments whose finding is back: {_counted(tally, len(comments))} shown again")
        left = len(comments) - tally.done - tally.gone
    return told, left


def tidied(actions: Iterable[Action], client: Client, number: int) -> Iterator[str]:
    """Carry out those of the actions that say nothing; what was done, in words."""
    actions = list(actions)
    yield from _hide([each for each in actions if isinstance(each, Hide)], client)
    for trim in actions:
        if isinstance(trim, Trim):
            yield _trim(trim, client, number)
    yield from _settle([each for each in actions if isinstance(each, Settle)], client)


def _hide(later: Collection[Hide], client: Client) -> Iterator[str]:
    if later:
        hidden = minimize_comments(client, [each.node for each in later], "DUPLICATE")
        yield f"comments that another run had already posted: {_counted(hidden, len(later))} hidden"


def _trim(each: Trim, client: Client, number: int) -> str:
    told = f"review {each.review.id} lists {counted(len(each.fingerprints), 'finding')} already posted elsewhere"
    try:
        edit_review(client, number, each.review.id, _trimmed(each))
    except Refused as error:
        return f"{told}, but it could not be edited: {error.message}"
    return f"{told}: removed from it"


def _trimmed(each: Trim) -> str:
    body, mark = each.review.body, carried(each.review.body)
    text = _posted.trimmed(unsigned(body), each.fingerprints)
    if not isinstance(mark, ReviewMark):
        return text
    return signed(text, replace(mark, listed=tuple(name for name in mark.listed if name not in each.fingerprints)))


def _settle(settled: Collection[Settle], client: Client) -> Iterator[str]:
    """Hide what is settled, then resolve it, so that a second run finds what is left to do; what the token may not do is counted."""
    hidden, shown = Tally(), [each.thread.comment_node for each in settled if not each.thread.minimized]
    if shown:
        hidden = minimize_comments(client, shown, "RESOLVED")
        yield f"comments whose finding is gone: {_counted(hidden, len(shown))} minimised"
    wanted = [each.thread for each in settled if each.resolve and not hidden.refused]
    if wanted:
        closed = resolve_threads(client, [each.node for each in wanted if each.can_resolve])
        forbidden = closed.forbidden + sum(not each.can_resolve for each in wanted)
        yield f"threads whose finding is gone: {_counted(replace(closed, forbidden=forbidden), len(wanted))} resolved"


def _counted(tally: Tally, wanted: int) -> str:
    """`2 of 3 (1 not permitted by the token)`."""
    forbidden = [f"{tally.forbidden} not permitted by the token"] if tally.forbidden else []
    aside = "; ".join([*forbidden, *tally.refused])
    return f"{tally.done + tally.gone} of {wanted}{f' ({aside})' if aside else ''}"

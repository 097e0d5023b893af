"""Carrying out a publishing plan: each request is sent at most once, earlier comments are updated
or resolved."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from ..findings.markers import ReviewMarker, last_marker, with_marker, without_marker
from ..github.client import Client
from ..github.reading import BadCredentials, Refused, TooQuick
from ..github.reviews import (
    CleanupTally,
    delete_empty_pending,
    dismiss_review,
    edit_review,
    minimize_comments,
    resolve_threads,
    unminimize_comments,
    unresolve_threads,
)
from ..github.threads import PullRequestSnapshot, read_recent_snapshot
from ..model.errors import UpstreamError
from ..model.report import Report
from ..reporters._words import count_noun
from .actions import (
    MinimizeDuplicate,
    PostReview,
    PublishAction,
    PublishPlan,
    RemoveListed,
    ReopenThread,
    ResolveThread,
    UpdateSummary,
    WithdrawReview,
)
from .comments import find_duplicates, standing_summary
from .planned_posts import post_digest
from .post import ApplyResult, PublishTarget, send_post
from .review_text import summary_digest, updated_text
from .rows import without_findings


def reopen_threads(back: Collection[ReopenThread], client: Client) -> tuple[list[str], int]:
    """Show again what was closed: what was done, in words, and how many comments are still hidden.

    A thread is opened first, so that a second run finds what is left to do.
    """
    told, left = [], 0
    if threads := [each.thread.node for each in back if each.resolved]:
        told.append(
            "threads whose finding is back: "
            f"{_counted(unresolve_threads(client, threads), len(threads))} reopened"
        )
    if comments := [each.thread.comment_node for each in back if each.hidden]:
        tally = unminimize_comments(client, comments)
        told.append(f"comments whose finding is back: {_counted(tally, len(comments))} shown again")
        left = len(comments) - tally.done - tally.gone
    return told, left


def clean_up_posts(actions: Iterable[PublishAction], client: Client, number: int) -> Iterator[str]:
    """Carry out those of the actions that say nothing; what was done, in words."""
    actions = list(actions)
    yield from _hide([each for each in actions if isinstance(each, MinimizeDuplicate)], client)
    for trim in actions:
        if isinstance(trim, RemoveListed):
            yield _remove_listed(trim, client, number)
    yield from _resolve([each for each in actions if isinstance(each, ResolveThread)], client)


def _hide(later: Collection[MinimizeDuplicate], client: Client) -> Iterator[str]:
    if later:
        hidden = minimize_comments(client, [each.node for each in later], "DUPLICATE")
        yield f"comments that another run had already posted: {_counted(hidden, len(later))} hidden"


def _remove_listed(each: RemoveListed, client: Client, number: int) -> str:
    told = (
        f"review {each.review.id} lists {count_noun(len(each.fingerprints), 'finding')} "
        "already posted elsewhere"
    )
    try:
        edit_review(client, number, each.review.id, _without_listed(each))
    except Refused as error:
        return f"{told}, but it could not be edited: {error.message}"
    return f"{told}: removed from it"


def _without_listed(each: RemoveListed) -> str:
    body, mark = each.review.body, last_marker(each.review.body)
    text = without_findings(without_marker(body), each.fingerprints)
    if not isinstance(mark, ReviewMarker):
        return text
    return with_marker(
        text,
        replace(mark, listed=tuple(name for name in mark.listed if name not in each.fingerprints)),
    )


def _resolve(settled: Collection[ResolveThread], client: Client) -> Iterator[str]:
    """Hide what is settled, then resolve it, so that a second run finds what is left to do; what
    the token may not do is counted."""
    hidden, shown = (
        CleanupTally(),
        [each.thread.comment_node for each in settled if not each.thread.minimized],
    )
    if shown:
        hidden = minimize_comments(client, shown, "RESOLVED")
        yield f"comments whose finding is gone: {_counted(hidden, len(shown))} minimised"
    wanted = [each.thread for each in settled if each.resolve and not hidden.refused]
    if wanted:
        closed = resolve_threads(client, [each.node for each in wanted if each.can_resolve])
        forbidden = closed.forbidden + sum(not each.can_resolve for each in wanted)
        yield (
            "threads whose finding is gone: "
            f"{_counted(replace(closed, forbidden=forbidden), len(wanted))} resolved"
        )


def _counted(tally: CleanupTally, wanted: int) -> str:
    """`2 of 3 (1 not permitted by the token)`."""
    forbidden = [f"{tally.forbidden} not permitted by the token"] if tally.forbidden else []
    aside = "; ".join([*forbidden, *tally.refused])
    return f"{tally.done + tally.gone} of {wanted}{f' ({aside})' if aside else ''}"


def apply_plan(
    planned: PublishPlan,
    report: Report,
    target: PublishTarget,
    again: Callable[[PullRequestSnapshot], Iterable[WithdrawReview]],
) -> ApplyResult:
    """Carry out the actions. `again` says which of the posted reviews no longer hold afterwards.

    Raises:
        UpstreamError: GitHub refuses a review, lets an approval stand that we take back, keeps a
            comment hidden, or cannot be reached; what was done before stays, and a second run goes
            on from there.
    """
    done = ApplyResult()
    for action in planned.actions:
        if isinstance(action, WithdrawReview):
            done += _withdraw(action, target)
        elif isinstance(action, PostReview):
            done += send_post(action, report, target)
    now = read_recent_snapshot(target.client, target.number) if done.reviews else None
    if now:
        done += _look(now, target, again)
    for action in planned.actions:
        if isinstance(action, UpdateSummary):
            done += _update(action, report, done.refused, (target, now))
    done += _show(
        [action for action in planned.actions if isinstance(action, ReopenThread)], target
    )
    done += ApplyResult(
        messages=tuple(clean_up_posts(planned.actions, target.client, target.number))
    )
    if done.errors:
        raise UpstreamError(
            "; ".join(done.errors), "run this again, or make the change by hand on GitHub"
        )
    return done


def _update(
    action: UpdateSummary,
    report: Report,
    refused: Sequence[str],
    where: tuple[PublishTarget, PullRequestSnapshot | None],
) -> ApplyResult:
    """Edit the summary, unless it says this already or a newer commit was reviewed meanwhile. One
    that cannot be edited is hidden, and posted again.

    Raises:
        UpstreamError: GitHub cannot be reached, or asks to slow down.
    """
    target, now = where
    post = replace(action.post, reasons=(*action.post.reasons, *refused))
    if summary_digest(post, report) == action.mark.text or _is_newer(now, report, target):
        return ApplyResult()
    try:
        text = updated_text(replace(action, post=post), report)
        edit_review(target.client, target.number, action.review.id, text)
    except (TooQuick, BadCredentials):
        raise
    except Refused as error:
        told = ApplyResult(messages=(f"the summary could not be edited: {error.message}",))
        anew = _instead(replace(action, post=post), report, target)
        return told + send_post(anew, report, target) if anew else told
    return ApplyResult(messages=("updated the summary",))


def _instead(action: UpdateSummary, report: Report, target: PublishTarget) -> PostReview | None:
    """What is posted where the summary cannot be edited: a new one, once the other is hidden; if it
    stays to be seen, only the findings that it does not list, or nothing.

    Raises:
        UpstreamError: GitHub cannot be reached, or asks to slow down.
    """
    post, old = action.post, action.review
    hidden = minimize_comments(target.client, [old.node], "OUTDATED")
    if hidden.done or hidden.gone:
        # Named by its text: the one that is hidden may list the same findings
        return replace(post, digest=summary_digest(post, report))
    listed = tuple(
        each for each in post.listed if each.finding.fingerprint not in action.mark.listed
    )
    there = f"{post.page}#pullrequestreview-{old.id}"
    rest = replace(post, listed=listed, summary=None, elsewhere=there)
    return replace(rest, digest=post_digest(rest)) if listed else None


def _is_newer(now: PullRequestSnapshot | None, report: Report, target: PublishTarget) -> bool:
    """A run about the head of now has written the summary after this one was planned."""
    if now is None or now.head in ("", report.change.head):
        return False
    standing = standing_summary(now.reviews, target.viewer)
    return standing is not None and standing.mark.latest == now.head


def _look(
    now: PullRequestSnapshot,
    target: PublishTarget,
    again: Callable[[PullRequestSnapshot], Iterable[WithdrawReview]],
) -> ApplyResult:
    """After posting: of two concurrent runs the first one's review stays, and what no longer holds
    is withdrawn."""
    done = ApplyResult(
        messages=tuple(
            clean_up_posts(
                find_duplicates(now.threads, now.reviews, target.viewer),
                target.client,
                target.number,
            )
        )
    )
    for action in again(now):
        done += _withdraw(action, target)
    return done


def _show(back: Sequence[ReopenThread], target: PublishTarget) -> ApplyResult:
    """A comment that stays hidden although its finding is back is an error: nothing else would
    report the finding."""
    told, left = reopen_threads(back, target.client)
    hidden = (
        (
            (
                f"{count_noun(left, 'old comment')} could not be shown again although the "
                f"finding is back ({'; '.join(told)})"
            ),
        )
        if left
        else ()
    )
    return ApplyResult(messages=tuple(told), errors=hidden)


def _withdraw(action: WithdrawReview, target: PublishTarget) -> ApplyResult:
    review = action.review
    if review.state == "PENDING":
        left = delete_empty_pending(target.client, target.number, [review], target.viewer)
        kept = "our pending review contains text, so it was left alone"
        return ApplyResult(messages=("deleted an empty pending review" if left is None else kept,))
    try:
        dismiss_review(target.client, target.number, review.id, action.reason)
    except Refused as error:
        told = f"could not dismiss our review {review.id}, dismiss it by hand: {error.message}"
        return (
            ApplyResult(errors=(told,))
            if review.state == "APPROVED"
            else ApplyResult(messages=(told,))
        )
    return ApplyResult(messages=(f"dismissed our review {review.id}: {action.reason}",))

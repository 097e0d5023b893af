"""Reviews posted, listed and dismissed; threads resolved, comments minimized.

What is being made at GitHub is on disk before it is sent: after a crash a person sees what may or
may not have arrived.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from ..model.pull_request import Account, DraftComment, PostedReview
from ..system.environment import Environment
from ..system.files import STATE_FOLDER, write_atomic
from ..text.patterns import lazy_pattern
from . import identity
from .client import Client
from .reading import (
    Forbidden,
    JsonPart,
    MalformedAnswer,
    NotFound,
    Refused,
    UncertainWrite,
    Unprocessable,
    write_was_accepted,
)

ReviewEventName = Literal["COMMENT", "APPROVE", "REQUEST_CHANGES"]
_PENDING, _DISMISSED = "PENDING", "DISMISSED"


def post_review(
    client: Client,
    number: int,
    commit: str,
    event: ReviewEventName,
    body: str,
    comments: Sequence[DraftComment] = (),
) -> PostedReview:
    """Post one review of the commit that was read; one wrong comment refuses all of it.

    Raises:
        Unprocessable: GitHub does not take it; nothing is stored.
        UncertainWrite: it may have been stored: list the reviews before it is posted again.
    """
    drafts = [_draft(each) for each in comments]
    # Without an event it would stay pending, without a commit it would be about whatever was pushed
    # meanwhile. https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request
    sent = {"commit_id": commit, "event": event, "body": body, "comments": drafts}
    answer = client.write("POST", client.path("pulls", number, "reviews"), sent)
    with write_was_accepted():
        posted = _review(answer)
        if posted.state == _PENDING:
            raise MalformedAnswer(f"GitHub left the review {posted.id} pending")
    return posted


def read_reviews(client: Client, number: int) -> tuple[PostedReview, ...]:
    """Every review of a pull request, oldest first; pending ones are only the asker's own."""
    return tuple(
        _review(each) for each in client.pages(client.path("pulls", number, "reviews")).items
    )


def read_review_bodies(client: Client, number: int, review: int) -> tuple[str, ...]:
    """The texts of a review's comments."""
    path = client.path("pulls", number, "reviews", review, "comments")
    return tuple(each.text("body") for each in client.pages(path).items)


def reviews_by(reviews: Sequence[PostedReview], me: Account | None) -> tuple[PostedReview, ...]:
    """Those that we wrote; none while it is not known who we are."""
    return tuple(each for each in reviews if each.author.same_as(me))


def delete_empty_pending(
    client: Client, number: int, reviews: Sequence[PostedReview], me: Account | None
) -> PostedReview | None:
    """Delete our pending review if it is empty, as an interrupted run leaves it.

    One with text or comments stays and is returned.
    """
    pending = next((each for each in reviews_by(reviews, me) if each.state == _PENDING), None)
    if pending is None:
        return None
    try:
        path = client.path("pulls", number, "reviews", pending.id)
        if pending.body.strip() or client.pages(f"{path}/comments").items:
            return pending
        client.write("DELETE", path)
    except NotFound:
        pass  # it is gone, by an earlier try or somebody else
    return None


def account_by_pending(
    client: Client, number: int, reviews: Sequence[PostedReview], commit: str
) -> Account:
    """Who we are, where nothing else says it: the author of a pending review, which only its author
    sees. Where there is none, an empty one is made and deleted again.

    Raises:
        UpstreamError: it cannot be made or deleted; the next run deletes what is left.
    """
    mine = _pending(reviews)
    if mine is None:
        path = client.path("pulls", number, "reviews")
        try:
            answer = client.write("POST", path, {"commit_id": commit})
            with write_was_accepted():
                mine = _review(answer)
        except (UncertainWrite, Unprocessable):
            # It was made all the same, or another run of ours has made one: there is only one
            mine = _pending(read_reviews(client, number))
            if mine is None:
                raise
        delete_empty_pending(client, number, [mine], mine.author)
    return mine.author


def _pending(reviews: Iterable[PostedReview]) -> PostedReview | None:
    return next((each for each in reviews if each.state == _PENDING), None)


def edit_review(client: Client, number: int, review: int, body: str) -> None:
    """Other text for a review of ours."""
    answer = client.write("PUT", client.path("pulls", number, "reviews", review), {"body": body})
    with write_was_accepted():
        _review(answer)


def dismiss_review(client: Client, number: int, review: int, message: str) -> None:
    """Take a verdict of ours back; one that is dismissed already stays so."""
    path = client.path("pulls", number, "reviews", review)
    try:
        answer = client.write("PUT", f"{path}/dismissals", {"message": message, "event": "DISMISS"})
    except Refused:
        if _review(client.get(path)).state != _DISMISSED:
            raise
        return
    with write_was_accepted():
        if _review(answer).state != _DISMISSED:
            raise MalformedAnswer(f"GitHub did not dismiss the review {review}")


def _draft(comment: DraftComment) -> dict[str, Any]:
    """As the API wants it: a range is named only where there is one."""
    place: dict[str, Any] = {
        "path": comment.path,
        "body": comment.body,
        "line": comment.line,
        "side": comment.side,
    }
    if 0 < comment.start_line < comment.line:
        place |= {"start_line": comment.start_line, "start_side": comment.side}
    return place


def _review(part: JsonPart) -> PostedReview:
    return PostedReview(
        id=part.number("id"),
        author=identity.account_from_rest(part.maybe("user")),
        state=part.text("state"),
        body=part.text("body"),
        commit=part.oid("commit_id") if part.maybe("commit_id") else "",
        submitted=part.optional("submitted_at"),
        node=part.text("node_id"),
    )


_THREAD = "thread { isResolved }"
MinimizeReason = Literal["OUTDATED", "RESOLVED", "DUPLICATE"]


class CleanupTally(Struct, frozen=True):
    """How many were done, were gone already, were forbidden, and what GitHub said of the others."""

    done: int = 0
    gone: int = 0
    forbidden: int = 0
    refused: tuple[str, ...] = ()


def resolve_threads(client: Client, threads: Iterable[str]) -> CleanupTally:
    """Resolve threads by their node ids; it asks for `contents: write`, which a gate rarely has."""

    def resolve(node: str) -> bool:
        answer = client.mutation("resolveReviewThread", {"threadId": node}, _THREAD)
        return answer["thread"].flag("isResolved")

    return _each(threads, resolve)


def minimize_comments(
    client: Client, comments: Iterable[str], reason: MinimizeReason
) -> CleanupTally:
    """Hide comments by their node ids, with GitHub's word for why."""

    def minimize(node: str) -> bool:
        values = {"subjectId": node, "classifier": reason}
        answer = client.mutation("minimizeComment", values, "minimizedComment { isMinimized }")
        return answer["minimizedComment"].flag("isMinimized")

    return _each(comments, minimize)


def unresolve_threads(client: Client, threads: Iterable[str]) -> CleanupTally:
    """Open threads again by their node ids."""

    def unresolve(node: str) -> bool:
        answer = client.mutation("unresolveReviewThread", {"threadId": node}, _THREAD)
        return not answer["thread"].flag("isResolved")

    return _each(threads, unresolve)


def unminimize_comments(client: Client, comments: Iterable[str]) -> CleanupTally:
    """Show hidden comments again by their node ids."""

    def show(node: str) -> bool:
        fields = "unminimizedComment { isMinimized }"
        answer = client.mutation("unminimizeComment", {"subjectId": node}, fields)
        return not answer["unminimizedComment"].flag("isMinimized")

    return _each(comments, show)


def _each(nodes: Iterable[str], change: Callable[[str], bool]) -> CleanupTally:
    done = gone = forbidden = 0
    refused: list[str] = []
    for node in nodes:
        if forbidden:
            forbidden += 1  # what one is forbidden, the next one is too: no request for it
            continue
        try:
            if not change(node):
                raise MalformedAnswer(f"GitHub did not change {node} and gave no reason")
            done += 1
        except Forbidden:
            forbidden += 1
        except (Refused, MalformedAnswer) as error:
            # The node is gone; any other status is about GraphQL as a whole
            if isinstance(error, NotFound) and error.status == 200:
                gone += 1
            else:
                refused.append(error.message)
    return CleanupTally(done, gone, forbidden, tuple(refused))


_NAME = lazy_pattern(r"[^\w.-]")


class PendingPosts(Struct, frozen=True):
    """The folder of intents for one pull request, or for issues; None where there is no place for
    it, and then nothing is recorded."""

    folder: Path | None
    environment: Environment

    @contextmanager
    def record(self, digest: str, commit: str = "") -> Iterator[None]:
        """A record that stays until its request comes back, with whatever answer. A disk that
        refuses is no reason not to post."""
        path = self.folder / f"{_NAME.sub('-', digest)}.json" if self.folder else None
        if path:
            record = {
                "digest": digest,
                "commit": commit,
                "started": self.environment.now(),
                "process": os.getpid(),
            }
            with suppress(OSError):
                write_atomic(path, json.dumps(record).encode())
        try:
            yield
        except Refused:
            _forget(path)
            raise
        _forget(path)

    def unconfirmed(self) -> tuple[str, ...]:
        """What an earlier run began to send and did not see arrive, in words: this one looks for
        all that is ours anyway."""
        number = (
            sum(1 for _ in self.folder.glob("*.json"))
            if self.folder and self.folder.is_dir()
            else 0
        )
        return (f"{number} request(s) of an interrupted run were looked for",) if number else ()

    def clear(self) -> None:
        """What was left has been looked for: forget it, and what was only half written."""
        for path in self.folder.iterdir() if self.folder and self.folder.is_dir() else ():
            _forget(path)


def _forget(path: Path | None) -> None:
    if path:
        with suppress(OSError):
            path.unlink()


def open_pending_posts(
    common: Path | None, repository: str, what: int | str, environment: Environment
) -> PendingPosts:
    """The intents of one pull request by its number, or of `issues`, below the git directory."""
    name = f"{_NAME.sub('-', repository)}-{what}"
    return PendingPosts(common / STATE_FOLDER / "outbox" / name if common else None, environment)


def remove_pending_posts(common: Path, target: str) -> list[Path]:
    """Remove the intents of a pull request's target (`pr-5`), whichever repository it is in; what
    was there."""
    number = target.removeprefix("pr-")
    if number == target or not number.isdecimal():
        return []
    found = sorted(
        path
        for path in (common / STATE_FOLDER / "outbox").glob(f"*-{number}")
        if path.is_dir() and not path.is_symlink()
    )
    for path in found:
        shutil.rmtree(path)
    return found

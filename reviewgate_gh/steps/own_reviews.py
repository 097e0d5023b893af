"""Our own reviews on a pull request: which stand there, what they say, and which of them say the same."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from ..model.action import Hide, Trim
from ..model.pull import Account, PostedReview, Thread
from .markers import FindingMark, ReviewMark, read

T = TypeVar("T")


def said(reviews: Iterable[PostedReview], viewer: Account | None) -> frozenset[str]:
    """The digests of the reviews that we submitted and that still stand."""
    return frozenset(mark.digest for review, mark in own(reviews, viewer) if review.state != "DISMISSED")


def own(reviews: Iterable[PostedReview], viewer: Account | None) -> Iterator[tuple[PostedReview, ReviewMark]]:
    """The reviews that we submitted, with their marks."""
    for review in reviews:
        mark = read(review.body, review.author, viewer)
        if isinstance(mark, ReviewMark) and review.state != "PENDING":
            yield review, mark


def dismissed(sha: str, reviews: Iterable[PostedReview], viewer: Account | None) -> frozenset[str]:
    """The events of our reviews about this commit that were dismissed, by people or by us."""
    return frozenset(mark.event for review, mark in own(reviews, viewer) if review.state == "DISMISSED" and mark.sha == sha)


def talked(thread: Thread, viewer: Account | None) -> bool:
    """Somebody else has replied."""
    return any(not reply.author.same_as(viewer) for reply in thread.replies)


def repetitions(threads: Sequence[Thread], reviews: Sequence[PostedReview], viewer: Account | None) -> tuple[Hide | Trim, ...]:
    """What to do about findings that stand there twice, by runs at once or by one that was shown an older state."""
    return (*copies(threads, reviews, viewer), *relisted(threads, reviews, viewer))


def relisted(threads: Iterable[Thread], reviews: Iterable[PostedReview], viewer: Account | None) -> Iterator[Trim]:
    """Of our texts that people see, those that list what a comment or an older text of ours says."""
    marks = (read(each.body, each.author, viewer) for each in threads if not each.minimized and each.resolved is not None)
    seen = {mark.fingerprint for mark in marks if isinstance(mark, FindingMark)}
    shown, digests = [(each, mark) for each, mark in own(reviews, viewer) if each.minimized is False], set[str]()
    for review, mark in sorted(shown, key=lambda pair: pair[0].id):
        if mark.digest in digests:
            continue  # a copy, which is hidden whole
        digests.add(mark.digest)
        if again := seen.intersection(mark.listed):
            yield Trim(review, frozenset(again))
        seen.update(mark.listed)


def copies(threads: Iterable[Thread], reviews: Iterable[PostedReview], viewer: Account | None) -> tuple[Hide, ...]:
    """Of our own reviews and comments that say the same, all but the oldest that is shown; a thread that people talk in stays.

    Where GitHub does not say which are hidden already, none is.
    """
    standing = [(each, mark.digest) for each, mark in own(reviews, viewer) if each.minimized is False and each.state != "DISMISSED"]
    later = [Hide(each.node) for each in _repeated(sorted(standing, key=lambda pair: pair[0].id))]
    marks = ((each, read(each.body, each.author, viewer)) for each in threads if not each.minimized and each.resolved is not None)
    shown = [(each, mark.fingerprint) for each, mark in marks if isinstance(mark, FindingMark)]
    shown.sort(key=lambda pair: (not talked(pair[0], viewer), pair[0].id))
    return (*later, *(Hide(each.comment_node) for each in _repeated(shown) if not talked(each, viewer)))


def _repeated(named: Iterable[tuple[T, str]]) -> Iterator[T]:
    """Those whose name came before."""
    seen: set[str] = set()
    for each, name in named:
        if name in seen:
            yield each
        seen.add(name)

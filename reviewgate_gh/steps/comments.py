"""Our own earlier comments against a new review: which bucket each belongs to."""

from collections.abc import Collection, Iterable, Mapping

from ..model.finding import Priority
from ..model.presubmit import Bucket, Current, Existing, NewFinding
from ..model.pull import Account, Thread
from ..model.values import dataclass
from .markers import FindingMark, read

_Place = tuple[str, str, int]
_CRITICAL = "P1"
_FEWER_FACTS = "GitHub did not say whether the thread is resolved"


@dataclass(frozen=True, slots=True)
class _View:
    """What a thread is compared with."""

    viewer: Account | None
    reviewed: str
    standing: Mapping[str, Priority]
    places: Collection[_Place]


def classify(threads: Iterable[Thread], viewer: Account | None, reviewed: str, current: Current) -> tuple[Existing, ...]:
    """The threads that we started, in their order, each in the first bucket that takes it.

    Ours are those that carry our marker and were written by `viewer`; while it is not known who we are, none is.
    """
    own = [(thread, mark) for thread in threads if isinstance(mark := read(thread.body, thread.author, viewer), FindingMark)]
    posted = {mark.fingerprint for _, mark in own}
    known = {finding.fingerprint for finding in current.findings}
    view = _View(viewer, reviewed, current.standing, {_place(f) for f in current.findings if _may_overlap(f, posted)})
    return tuple(_existing(thread, mark, view, mark.fingerprint in known) for thread, mark in own)


def overlapping(current: Current, existing: Collection[Existing]) -> tuple[NewFinding, ...]:
    """The new findings whose line holds a comment of ours about something else."""
    posted = {each.fingerprint for each in existing}
    taken = {_thread_place(each.thread) for each in existing if each.bucket is Bucket.OVERLAP}
    return tuple(f for f in current.findings if _may_overlap(f, posted) and _place(f) in taken)


def _may_overlap(finding: NewFinding, posted: Collection[str]) -> bool:
    """It would be posted at a line, and has not been."""
    return finding.inline and finding.line > 0 and finding.fingerprint not in posted


def _place(finding: NewFinding) -> _Place:
    return finding.path, finding.side, finding.line


def _thread_place(thread: Thread) -> _Place:
    return thread.path, thread.side, thread.line


def _existing(thread: Thread, mark: FindingMark, view: _View, known: bool) -> Existing:
    bucket, note = _already_posted(thread, mark, view) if known else _sorted(thread, mark, view)
    return Existing(thread, mark.fingerprint, mark.sha, bucket, note, mark.sources)


def _already_posted(thread: Thread, mark: FindingMark, view: _View) -> tuple[Bucket, str]:
    """The finding is there again, or still; what people did with the thread is said."""
    discussed = _discussed(thread, mark, view)
    said = ("the thread is resolved", thread.resolved), ("the comment is minimised", thread.minimized), (discussed, discussed)
    return Bucket.ALREADY_POSTED, "; ".join(text for text, holds in said if holds)


def _sorted(thread: Thread, mark: FindingMark, view: _View) -> tuple[Bucket, str]:
    """The four buckets, first match wins. GitHub moves a comment's own commit id, so the marker says what was reviewed."""
    if mark.sha != view.reviewed:
        return Bucket.STALE, f"written about {mark.sha[:12]}"
    if thread.resolved:
        return Bucket.RESOLVED, "the thread is resolved"
    discussed = _discussed(thread, mark, view)
    if (who := _answered_by(thread, view.viewer)) and not discussed:
        return Bucket.RESOLVED, f"{who} replied"
    notes = [text for text in (discussed, _FEWER_FACTS if thread.resolved is None else "") if text]
    if _thread_place(thread) in view.places:
        return Bucket.OVERLAP, "; ".join(["a new finding is about the same line", *notes])
    return Bucket.NO_CONFLICT, "; ".join(notes)


def _discussed(thread: Thread, mark: FindingMark, view: _View) -> str:
    """Why a reply does not settle the thread; "" where there is none, or where it does."""
    priority, who = view.standing.get(mark.fingerprint), _answered_by(thread, view.viewer)
    if not who or priority is None or not priority.reaches(_CRITICAL):
        return ""
    return f"discussed: {who} replied, but a {priority.value} stays open while its code is unchanged"


def _answered_by(thread: Thread, viewer: Account | None) -> str:
    """Who replied last, we ourselves not counted."""
    others = [reply.author.login or "somebody" for reply in thread.replies if not reply.author.same_as(viewer)]
    return others[-1] if others else ""

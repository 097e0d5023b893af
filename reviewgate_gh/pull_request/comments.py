"""Our earlier comments and reviews on a pull request, compared with a new review's findings."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field

from ..findings.identity import FormerNames, Identity, identity_of, recognise
from ..findings.markers import FindingMarker, ReviewMarker, read_marker, without_marker
from ..model.finding import Finding, Priority
from ..model.pull_request import (
    Account,
    Bucket,
    ExistingComment,
    PostedReview,
    Thread,
)
from .actions import MinimizeDuplicate, RemoveListed
from .posted_text import read_comment
from .rows import read_rows
from .summary import StandingSummary

_Place = tuple[str, str, int]
_CRITICAL = "P1"
_SAME_LINE = "a new finding is about the same line"
_FEWER_FACTS = "GitHub did not say whether the thread is resolved"


class NewFinding(Struct, frozen=True):
    """What a comment would be about: its place (`line` is the last one, 0 the whole file) and its
    fingerprint, "" where unknown.

    `inline` says that it would be posted at that line, unless it is there already.
    """

    path: str
    line: int
    fingerprint: str = ""
    side: str = "RIGHT"
    inline: bool = True


class CurrentFindings(Struct, frozen=True):
    """What a review found: the findings, and the priority of each fingerprint that still stands in
    the code.

    `not_reviewed` counts the files that nobody read. A report also says everything of the findings
    (`standing`, in the same order) and which paths the change has.
    """

    findings: tuple[NewFinding, ...] = ()
    open_priorities: Mapping[str, Priority] = field(default_factory=dict)
    not_reviewed: int = 0
    standing: tuple[Finding, ...] = ()
    paths: frozenset[str] = frozenset()


class _View(Struct, frozen=True):
    """What a thread is compared with."""

    viewer: Account | None
    reviewed: str
    open_priorities: Mapping[str, Priority]
    places: Collection[_Place]


def classify_comments(
    threads: Iterable[Thread], viewer: Account | None, reviewed: str, current: CurrentFindings
) -> tuple[ExistingComment, ...]:
    """The threads that we started, in their order, each in the first bucket that takes it.

    Ours are those that carry our marker and were written by `viewer`; while it is not known who we
    are, none is.
    """
    own = [
        (thread, mark)
        for thread in threads
        if isinstance(mark := read_marker(thread.body, thread.author, viewer), FindingMarker)
    ]
    findings = recognise_comments(own, current)
    posted = {each.fingerprint for each in findings if each.is_there}
    view = _View(
        viewer,
        reviewed,
        current.open_priorities,
        {_place(f) for f in current.findings if _may_overlap(f, posted)},
    )
    return tuple(
        _existing(thread, mark, view, finding)
        for (thread, mark), finding in zip(own, findings, strict=True)
    )


class _Recognised(Struct, frozen=True):
    """The finding of one of our threads: its fingerprint now, if it is there still; `changed_to`
    is that of its successor where people have settled the thread."""

    fingerprint: str
    is_there: bool = False
    changed_to: str = ""


_MOST_GONE = 20  # paths


def recognise_comments(
    own: Sequence[tuple[Thread, FindingMarker]], current: CurrentFindings
) -> list[_Recognised]:
    """Which of the current findings each thread is about. A thread that is settled speaks for the
    code that it was about alone: what that has become is said anew."""
    shown = {thread.path for thread, _mark in own if not thread.minimized}
    gone = shown - current.paths if current.paths else set()
    former = {f.path: sorted(gone)[:_MOST_GONE] for f in current.standing} if gone else {}
    now = _identities(current, former)
    known = [_identity(thread, mark) for thread, mark in own]
    found = recognise(known, now)
    copies = {(known[at].names, known[at].title): match for at, match in found.items()}
    recognised = []
    for number, (thread, mark) in enumerate(own):
        match = found.get(number) or copies.get((known[number].names, known[number].title))
        name = now[match.number].names[0] if match else ""
        is_settled = thread.resolved or thread.minimized or bool(thread.replies)
        if not match:
            recognised.append(_Recognised(mark.fingerprint))
        elif match.same_code or not is_settled:
            recognised.append(_Recognised(name, True))
        else:
            recognised.append(_Recognised(mark.fingerprint, changed_to=name))
    return recognised


def _identities(current: CurrentFindings, former: FormerNames) -> list[Identity]:
    """Of a report's findings; of a plain list the fingerprints are all there is."""
    return [identity_of(finding, former) for finding in current.standing] or [
        Identity((each.fingerprint,), says_rule=True) for each in current.findings
    ]


def _identity(thread: Thread, mark: FindingMarker) -> Identity:
    stated = read_comment(without_marker(thread.body))
    return Identity(
        (mark.fingerprint,),
        stated.title,
        stated.body,
        unit=mark.unit,
        path=thread.path,
        line=thread.line,
    )


def recognise_listed(
    reviews: Iterable[PostedReview], viewer: Account | None, current: CurrentFindings
) -> frozenset[str]:
    """The present fingerprints of findings that the visible texts of our reviews list."""
    known = {
        name: Identity((name,), titles.get(name, ""))
        for review, mark in own_reviews_with_markers(reviews, viewer)
        if not review.minimized
        for titles in ({row.name: row.title for row in read_rows(review.body)},)
        for name in mark.listed
    }
    now = _identities(current, {})
    found = recognise([*known.values()], now)
    return frozenset(now[match.number].names[0] for match in found.values())


def find_overlapping(
    current: CurrentFindings, existing: Collection[ExistingComment]
) -> tuple[NewFinding, ...]:
    """The new findings whose line holds a comment of ours about something else."""
    posted = {each.fingerprint for each in existing if each.bucket is Bucket.ALREADY_POSTED}
    taken = {
        _thread_place(each.thread)
        for each in existing
        if each.bucket is Bucket.OVERLAP or each.overlaps
    }
    return tuple(f for f in current.findings if _may_overlap(f, posted) and _place(f) in taken)


def _may_overlap(finding: NewFinding, posted: Collection[str]) -> bool:
    """It would be posted at a line, and has not been."""
    return finding.inline and finding.line > 0 and finding.fingerprint not in posted


def _place(finding: NewFinding) -> _Place:
    return finding.path, finding.side, finding.line


def _thread_place(thread: Thread) -> _Place:
    return thread.path, thread.side, thread.line


def _existing(
    thread: Thread, mark: FindingMarker, view: _View, finding: _Recognised
) -> ExistingComment:
    name = finding.fingerprint
    bucket, note = (
        _already_posted(thread, name, view) if finding.is_there else _sorted(thread, mark, view)
    )
    shown = not thread.minimized and not thread.resolved
    overlaps = finding.is_there and shown and _thread_place(thread) in view.places
    if overlaps:
        note = "; ".join(filter(None, (_SAME_LINE, note)))
    return ExistingComment(
        thread, name, mark.sha, bucket, note, mark.sources, finding.changed_to, overlaps
    )


def _already_posted(thread: Thread, name: str, view: _View) -> tuple[Bucket, str]:
    """The finding is there again, or still; what people did with the thread is said."""
    discussed = _discussed(thread, name, view)
    said = (
        ("the thread is resolved", thread.resolved),
        ("the comment is minimised", thread.minimized),
        (discussed, discussed),
    )
    return Bucket.ALREADY_POSTED, "; ".join(text for text, holds in said if holds)


def _sorted(thread: Thread, mark: FindingMarker, view: _View) -> tuple[Bucket, str]:
    """The four buckets, first match wins. GitHub moves a comment's own commit id, so the marker
    says what was reviewed."""
    if mark.sha != view.reviewed:
        return Bucket.STALE, f"written about {mark.sha[:12]}"
    if thread.resolved:
        return Bucket.RESOLVED, "the thread is resolved"
    discussed = _discussed(thread, mark.fingerprint, view)
    if (who := _answered_by(thread, view.viewer)) and not discussed:
        return Bucket.RESOLVED, f"{who} replied"
    notes = [text for text in (discussed, _FEWER_FACTS if thread.resolved is None else "") if text]
    if _thread_place(thread) in view.places:
        return Bucket.OVERLAP, "; ".join([_SAME_LINE, *notes])
    return Bucket.NO_CONFLICT, "; ".join(notes)


def _discussed(thread: Thread, name: str, view: _View) -> str:
    """Why a reply does not settle the thread; "" where there is none, or where it does."""
    priority, who = view.open_priorities.get(name), _answered_by(thread, view.viewer)
    if not who or priority is None or not priority.reaches(_CRITICAL):
        return ""
    return (
        f"discussed: {who} replied, but a {priority.value} stays open while its code is unchanged"
    )


def _answered_by(thread: Thread, viewer: Account | None) -> str:
    """Who replied last, we ourselves not counted."""
    others = [
        reply.author.login or "somebody"
        for reply in thread.replies
        if not reply.author.same_as(viewer)
    ]
    return others[-1] if others else ""


T = TypeVar("T")


def posted_digests(reviews: Iterable[PostedReview], viewer: Account | None) -> frozenset[str]:
    """The digests of the reviews that we submitted and that still stand."""
    return frozenset(
        mark.digest
        for review, mark in own_reviews_with_markers(reviews, viewer)
        if review.state != "DISMISSED"
    )


def own_reviews_with_markers(
    reviews: Iterable[PostedReview], viewer: Account | None
) -> Iterator[tuple[PostedReview, ReviewMarker]]:
    """The reviews that we submitted, with their marks."""
    for review in reviews:
        mark = read_marker(review.body, review.author, viewer)
        if isinstance(mark, ReviewMarker) and review.state != "PENDING":
            yield review, mark


def standing_summary(
    reviews: Iterable[PostedReview], viewer: Account | None
) -> StandingSummary | None:
    """The newest review of ours that holds a living summary which people can see."""
    found = [
        (review, mark)
        for review, mark in own_reviews_with_markers(reviews, viewer)
        if mark.text and not review.minimized
    ]
    if not found:
        return None
    *others, (review, mark) = sorted(found, key=lambda pair: pair[0].id)
    return StandingSummary(review, mark, tuple(each for each, _ in others))


def dismissed_events(
    sha: str, reviews: Iterable[PostedReview], viewer: Account | None
) -> frozenset[str]:
    """The events of our reviews about this commit that were dismissed, by people or by us."""
    return frozenset(
        mark.event
        for review, mark in own_reviews_with_markers(reviews, viewer)
        if review.state == "DISMISSED" and mark.sha == sha
    )


def has_other_replies(thread: Thread, viewer: Account | None) -> bool:
    """Somebody else has replied."""
    return any(not reply.author.same_as(viewer) for reply in thread.replies)


def find_duplicates(
    threads: Sequence[Thread], reviews: Sequence[PostedReview], viewer: Account | None
) -> tuple[MinimizeDuplicate | RemoveListed, ...]:
    """What to do about findings that stand there twice, by runs at once or by one that was shown an
    older state."""
    return (*find_copies(threads, reviews, viewer), *find_listed_again(threads, reviews, viewer))


def find_listed_again(
    threads: Iterable[Thread], reviews: Iterable[PostedReview], viewer: Account | None
) -> Iterator[RemoveListed]:
    """Of our texts that people see, those that list what a comment or an older text of ours
    says."""
    marks = (
        read_marker(each.body, each.author, viewer)
        for each in threads
        if not each.minimized and each.resolved is not None
    )
    seen = {mark.fingerprint for mark in marks if isinstance(mark, FindingMarker)}
    shown, digests = (
        [
            (each, mark)
            for each, mark in own_reviews_with_markers(reviews, viewer)
            if each.minimized is False
        ],
        set[str](),
    )
    for review, mark in sorted(shown, key=lambda pair: pair[0].id):
        if mark.digest in digests:
            continue  # a copy, which is hidden whole
        digests.add(mark.digest)
        if again := seen.intersection(mark.listed):
            yield RemoveListed(review, frozenset(again))
        seen.update(mark.listed)


def find_copies(
    threads: Iterable[Thread], reviews: Iterable[PostedReview], viewer: Account | None
) -> tuple[MinimizeDuplicate, ...]:
    """Of our own reviews and comments that say the same, all but the oldest that is shown; a thread
    that people talk in stays.

    Where GitHub does not say which are hidden already, none is.
    """
    standing = [
        (each, mark.digest)
        for each, mark in own_reviews_with_markers(reviews, viewer)
        if each.minimized is False and each.state != "DISMISSED"
    ]
    later = [
        MinimizeDuplicate(each.node)
        for each in _repeated(sorted(standing, key=lambda pair: pair[0].id))
    ]
    marks = (
        (each, read_marker(each.body, each.author, viewer))
        for each in threads
        if not each.minimized and each.resolved is not None
    )
    shown = [(each, mark.fingerprint) for each, mark in marks if isinstance(mark, FindingMarker)]
    shown.sort(key=lambda pair: (not has_other_replies(pair[0], viewer), pair[0].id))
    return (
        *later,
        *(
            MinimizeDuplicate(each.comment_node)
            for each in _repeated(shown)
            if not has_other_replies(each, viewer)
        ),
    )


def _repeated(named: Iterable[tuple[T, str]]) -> Iterator[T]:
    """Those whose name came before."""
    seen: set[str] = set()
    for each, name in named:
        if name in seen:
            yield each
        seen.add(name)

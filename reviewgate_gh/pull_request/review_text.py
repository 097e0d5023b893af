"""The text of a review: the living summary of the pull request, or where that is. The caller adds
the hidden marker."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ..findings import markers
from ..findings.markers import ReviewMarker, with_marker
from ..model.finding import FindingState, sha256_hex
from ..model.report import Report
from ..reporters import _words
from ..reporters._words import count_noun
from ..text.safe import without_commands
from .actions import PostReview, Summary, UpdateSummary
from .event import GitHubReviewEvent
from .posted_text import short_words
from .rows import elsewhere_row, listed_rows, read_rows, settled_row

# With the open findings of models and the marker it stays below GitHub's limit
_MOST = 53_000  # characters
_MOST_POINTERS = 30  # rows of findings that are said elsewhere
_MOST_SETTLED = 20
_DIGEST = 16
_HOW = (
    "To dismiss a finding without a comment of its own, comment on this pull request: "
    "`/reviewgate-gh dismiss FINGERPRINT REASON`"
)
_HOW_BACK = "To take a dismissal back, comment: `/reviewgate-gh undismiss FINGERPRINT`"
_FIXED, _HISTORY = "fixed", "Earlier reviews"
_DONE = {
    GitHubReviewEvent.APPROVE.value: "Approved",
    GitHubReviewEvent.REQUEST_CHANGES.value: "Changes requested for",
}


def posted_text(post: PostReview, report: Report) -> str:
    """All of a review's text, with the hidden lines."""
    return _with_mark(post, report, review_mark(post, report))


def review_mark(post: PostReview, report: Report) -> ReviewMarker:
    """The mark of a review that is to be posted."""
    return ReviewMarker(
        post.commit,
        post.digest,
        (*(each.finding.fingerprint for each in post.listed), *_unchecked(post)),
        post.event,
        post.partial,
        tuple(each.finding.fingerprint for each in post.comments),
        post.commit if post.summary else "",
        summary_digest(post, report) if post.summary else "",
    )


def updated_text(update: UpdateSummary, report: Report) -> str:
    """The text of the review that holds the summary, after an update: its mark still says what it
    was posted for."""
    made = review_mark(update.post, report)
    mark = replace(update.mark, listed=made.listed, now=made.now, text=made.text)
    before = markers.posted_state_line(update.review.body) if update.keeps_open else ""
    return _with_mark(update.post, report, mark, before)


def _with_mark(post: PostReview, report: Report, mark: ReviewMarker, before: str = "") -> str:
    ledger = "" if post.elsewhere else markers.posted_state_after(before, report)
    return with_marker("\n\n".join(filter(None, (review_body(post, report), ledger))), mark)


def _unchecked(post: PostReview) -> Iterator[str]:
    rows = post.summary.unchecked if post.summary else ()
    return (row.name for row in read_rows("\n".join(rows)))


def summary_digest(post: PostReview, report: Report) -> str:
    """Names what the summary says; what earlier reviews said is no news."""
    return sha256_hex("\n\n".join(_within_limit(post, report)), _DIGEST)


def review_body(post: PostReview, report: Report) -> str:
    """A review's own text: the verdict, what stands against a better event, and what is open,
    fixed and dismissed; or where that is said."""
    if post.part > 1 or post.elsewhere:
        return without_commands("\n\n".join(_pointer(post, report)))
    history = post.summary.history if post.summary else ()
    closed = [_folded(_HISTORY, history)] if history else []
    return without_commands("\n\n".join([*_within_limit(post, report), *closed]))


def _pointer(post: PostReview, report: Report) -> Iterator[str]:
    commit = short_words(report.change.head[:12], 60)
    there = f" The summary is [here]({post.elsewhere})." if post.elsewhere else ""
    if post.part > 1 and not there:
        yield f"Continued: review of {commit}."
    else:
        yield f"{_DONE.get(post.event, 'Comments on')} {commit}.{there}"
    if post.reasons:
        yield _comment_only(post)
    if post.listed:
        yield "\n".join(listed_rows(post.listed, post.page, report.change.head))


def _within_limit(post: PostReview, report: Report) -> list[str]:
    """The paragraphs; where they are too long, without the rows that a reader can find
    elsewhere."""
    summary = post.summary
    texts = list(_paragraphs(post, report, summary))
    if summary and sum(map(len, texts)) > _MOST:
        short = Summary(unchecked=summary.unchecked)
        texts = list(_paragraphs(post, report, short))
    return texts


def _paragraphs(post: PostReview, report: Report, summary: Summary | None) -> Iterator[str]:
    verdict, *rest = _words.summary_parts(report)
    facts = short_words(" · ".join(rest), 1_000)
    yield f"**{_words.PROGRAM_NAME}: {short_words(verdict, 200)}** · {facts}"
    if summary and (state := _state(post, report, summary)):
        yield state
    if post.reasons:
        yield _comment_only(post)
    yield from (short_words(hint, 600) for hint in post.hints)
    if gaps := _words.inconclusive_reasons(report):
        yield "\n".join(["Why there is no verdict:", *_list(gaps, 10)])
    yield from _open(post, report, summary)
    yield from _closed(report, summary)
    if report.verdict.not_reviewed:
        unread = _words.join_first(_words.unreviewed_lines(report), 50, "; ")
        yield f"Not reviewed: {short_words(unread, 2_000)}"
    if aside := _words.set_aside_text(report):
        yield f"Set aside: {short_words(aside, 500)}."
    range_ = short_words(f"{report.change.base[:12]}..{report.change.head[:12]}", 120)
    notices = f" · {short_words(' · '.join(report.notices), 2_000)}" if report.notices else ""
    config = short_words(report.config_source, 300)
    yield f"<sub>Reviewed {range_}, config: {config}{notices}</sub>"


def _comment_only(post: PostReview) -> str:
    return f"<sub>Posted as a comment only: {short_words(' '.join(post.reasons), 2_000)}</sub>"


def _state(post: PostReview, report: Report, summary: Summary) -> str:
    """`3 open (2 with a comment, 1 listed below), 1 fixed`."""
    inline = {each.finding.fingerprint for each in post.comments}
    said = inline | {finding.fingerprint for finding in summary.commented}
    listed = {each.finding.fingerprint for each in post.listed}
    kinds = (
        (len(said - listed), "with a comment"),
        (len(listed), "listed below"),
        (len(summary.unchecked), "not checked again"),
    )
    shown = [f"{number:,} {words}" for number, words in kinds if number]
    total = sum(number for number, _ in kinds)
    dismissed = sum(f.state is FindingState.DISMISSED for f in report.findings)
    parts = [
        f"{total:,} open ({', '.join(shown)})" if total else "",
        f"{len(summary.fixed):,} fixed" if summary.fixed else "",
        f"{dismissed:,} dismissed" if dismissed else "",
    ]
    return ", ".join(filter(None, parts))


def _open(post: PostReview, report: Report, summary: Summary | None) -> Iterator[str]:
    if post.listed:
        yield "\n".join(listed_rows(post.listed, post.page, report.change.head))
        yield _HOW
    if post.more:
        yield f"{count_noun(post.more, 'finding')} more in the report only."
    if summary is None:
        return
    listed = {each.finding.fingerprint for each in post.listed}
    said = {each.finding.fingerprint: each.finding for each in post.comments}
    said |= {finding.fingerprint: finding for finding in summary.commented}
    rows = [elsewhere_row(each, post.page) for name, each in said.items() if name not in listed]
    if rows:
        yield "\n".join(["With a comment at the line:", *_first(rows, _MOST_POINTERS)])
    if summary.unchecked:
        yield "\n".join(["Found before, and not checked again by this review:", *summary.unchecked])


def _closed(report: Report, summary: Summary | None) -> Iterator[str]:
    dismissed = [
        settled_row(finding, finding.note)
        for finding in report.findings
        if finding.state is FindingState.DISMISSED
    ]
    if dismissed:
        yield "\n".join(["Dismissed:", *_first(dismissed, _MOST_SETTLED)])
        yield _HOW_BACK
    if summary and summary.fixed:
        heading = f"{count_noun(len(summary.fixed), 'finding')} {_FIXED}"
        yield _folded(heading, _first(summary.fixed, _MOST_SETTLED))


def _folded(heading: str, rows: Iterable[str]) -> str:
    listed = "\n".join(rows)
    return f"<details><summary>{heading}</summary>\n\n{listed}\n\n</details>"


def _list(texts: Sequence[str], most: int) -> list[str]:
    return _first([f"- {short_words(text, 300)}" for text in texts], most)


def _first(rows: Sequence[str], most: int) -> list[str]:
    more = [f"- … and {len(rows) - most:,} more"] if len(rows) > most else []
    return [*rows[:most], *more]

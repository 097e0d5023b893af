"""What the living summary of a pull request says: what is open, what this review could not check
again, what was fixed, and what the last reviews said."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from ..findings.identity import Identity, identity_of, recognise
from ..findings.markers import ReviewMarker, source_id
from ..model.finding import Finding, FindingState, Priority
from ..model.pull_request import ExistingComment, PostedReview
from ..model.report import Report
from ..reporters import _words
from ..text.patterns import lazy_pattern
from ..text.safe import markdown_words
from .actions import PlacedFinding, Placement, Summary
from .posted_text import read_comment
from .rows import StatedRow, kept_rows, read_rows, row_sources, settled, settled_comment

_MOST_REVIEWS = 10
_MOST_FIXED = 50
_VERDICT = lazy_pattern(
    rf"\*\*{re.escape(_words.PROGRAM_NAME)}: (?P<verdict>[^*\n]{{1,200}})\*\* · (?P<counts>[^·\n]*)"
)
_EARLIER = lazy_pattern(r"- `[0-9a-f]{12}` [^\n]{1,400}")
HIDDEN = "resolved"  # GitHub's word for what we hide because its finding is gone


class StandingSummary(Struct, frozen=True):
    """The review that holds the living summary, as it stands, and its mark; `others` hold older
    ones, which runs at once may leave and which this one replaces."""

    review: PostedReview
    mark: ReviewMarker
    others: tuple[PostedReview, ...] = ()

    def rows(self) -> Iterator[StatedRow]:
        """What all of them state."""
        for review in (self.review, *self.others):
            yield from read_rows(review.body)


class SummaryParts(Struct, frozen=True):
    """The facts beside the report, and the findings that the summary itself lists."""

    summary: Summary
    listed: tuple[PlacedFinding, ...]


class Absence(Struct, frozen=True):
    """What a finding that is not in the report means: nothing, unless the report `proves` that
    what its reviewers (`answered`, by `source_id`) do not say is gone."""

    proves: bool
    answered: Set[str]

    def of_listed(self, row: StatedRow) -> bool:
        """The finding of a listed row is gone."""
        from_known = all(source_id(name) in self.answered for name in row_sources(row))
        return self.proves and from_known


def summary_parts(
    report: Report,
    placed: Sequence[PlacedFinding],
    standing: StandingSummary | None,
    settled_threads: Sequence[ExistingComment],
    gone: Absence,
) -> SummaryParts:
    """What it says after this report; `settled_threads` are those whose finding is gone."""
    rows = list({row.name: row for row in standing.rows()}.values()) if standing else []
    listed = [row for row in rows if row.kind == "listed"]
    now = list(_recognised(listed, report.findings))
    notes = {finding.fingerprint: row.note for row, finding in now}
    known = {row.name for row, _ in now}
    here = tuple(_as_listed(each, notes) for each in placed if _is_listed(each, notes))
    left = [row for row in listed if row.name not in known]
    shown = {each.finding.fingerprint for each in here}
    commented = tuple(
        each.finding
        for each in placed
        if each.placement in (Placement.INLINE, Placement.ALREADY_POSTED)
        and each.finding.fingerprint not in shown
    )
    fixed = {
        **{row.name: row.text for row in rows if row.kind == "settled" and not row.note},
        **{row.name: settled(row) for row in left if gone.of_listed(row)},
        **dict(_fixed_comments(settled_threads)),
    }
    open_now = {each.fingerprint for each in report.findings if each.state is FindingState.OPEN}
    facts = Summary(
        commented=commented,
        unchecked=kept_rows([row for row in left if not gone.of_listed(row)]),
        fixed=tuple(text for name, text in fixed.items() if name not in open_now)[:_MOST_FIXED],
        history=tuple(_history(report, standing)),
    )
    return SummaryParts(facts, here)


def _is_listed(placed: PlacedFinding, notes: Mapping[str, str]) -> bool:
    """The summary is the place where it is said: now, or as it was before."""
    before = placed.placement is Placement.ALREADY_POSTED and placed.finding.fingerprint in notes
    return placed.placement is Placement.BODY or before


def _as_listed(placed: PlacedFinding, notes: Mapping[str, str]) -> PlacedFinding:
    """With the reason that its row gave before."""
    reason = notes.get(placed.finding.fingerprint, placed.reason)
    return replace(placed, placement=Placement.BODY, reason=reason)


def _recognised(
    rows: Sequence[StatedRow], findings: Sequence[Finding]
) -> Iterator[tuple[StatedRow, Finding]]:
    known = [Identity((row.name,), row.title) for row in rows]
    found = recognise(known, [identity_of(finding, {}) for finding in findings])
    return ((rows[at], findings[match.number]) for at, match in found.items())


def _fixed_comments(threads: Iterable[ExistingComment]) -> Iterator[tuple[str, str]]:
    for each in threads:
        stated = read_comment(each.thread.body)
        priority = stated.priority or Priority.P2
        yield (
            each.fingerprint,
            settled_comment(each.fingerprint, each.thread.path, stated.title, priority),
        )


def _history(report: Report, standing: StandingSummary | None) -> Iterator[str]:
    """The last reviews, the newest first; one that says the same of the same commit is none."""
    if standing is None:
        return
    rows = [row for row in standing.review.body.split("\n") if _EARLIER.fullmatch(row)]
    said = _VERDICT.match(standing.review.body)
    verdict, counts, *_ = (*_words.summary_parts(report), "")
    now = (report.change.head, markdown_words(verdict), markdown_words(counts).strip())
    if said:
        before = (standing.mark.latest, said["verdict"], said["counts"].strip())
        if before != now:
            rows.insert(0, f"- `{before[0][:12]}` {before[1]} · {before[2]}")
    yield from rows[:_MOST_REVIEWS]

"""What several reviewers come to: each one's verdict from its own findings that still stand, and
how many of them spoke.

Reviewers never vote a finding away. One that is missing never counts as passing, and one that fails
the change without a finding has said nothing that can be judged.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from ..model.finding import Confidence, Finding, FindingState
from ..model.report import ReviewRow
from ..model.review import Review, ReviewStatus
from ..text.patterns import lazy_pattern

GATE_REVIEWER = "review-gate"  # speaks for findings that nobody is known to have made
CONSENSUS_RULES = ("all", "majority", "any")
VOTES_BY_SEVERITY = ("PASS", "ERROR", "NEEDS_WORK", "FAIL")
_Row = Review | ReviewRow
_RowT = TypeVar("_RowT", Review, ReviewRow, Review | ReviewRow)
_AUDIT = lazy_pattern(r"audit-\d+")
_RULING = lazy_pattern(r"(?:verify|verify-again|reconsider)(?:-\d+)?")
_ACROSS = lazy_pattern(r"across(?:-\d+)?")
ACROSS = "across"


class ReviewerVote(Struct, frozen=True):
    """One reviewer: all its reviews, and the findings that count against the change."""

    name: str
    rows: tuple[_Row, ...]
    findings: tuple[Finding, ...]

    def vote(self, threshold: str) -> str | None:
        """PASS, ERROR, NEEDS_WORK or FAIL by its own findings; None where it had nothing to say
        (skipped, or not needed and not there)."""
        if any(f.is_located and f.priority.reaches(threshold) for f in self.findings):
            return "FAIL"
        if self.findings:
            return "NEEDS_WORK"
        rows = without_lone_lenses(self.rows)
        if any(gave_no_answer(row) or failed_without_findings(row) for row in rows):
            return "ERROR"
        return "PASS" if any(row.status is ReviewStatus.OK for row in self.rows) else None


def collect_votes(
    rows: Iterable[_Row], findings: Iterable[Finding]
) -> tuple[list[ReviewerVote], bool]:
    """Everyone who speaks, with the findings that decide; and whether one of these could be laid to
    none of the reviewers."""
    rows = tuple(rows)
    asked = dict.fromkeys(row.reviewer for row in rows)
    said: dict[str, list[Finding]] = {name: [] for name in asked}
    for finding in decisive_findings(findings):
        for name in reviewers_of_finding(finding, rows):
            said.setdefault(name, []).append(finding)
    heard = [
        ReviewerVote(name, tuple(row for row in rows if row.reviewer == name), tuple(found))
        for name, found in said.items()
    ]
    return heard, len(said) > len(asked)


def consensus_verdict(votes: Sequence[str], rule: str) -> str | None:
    """The verdict of all votes: the worst one under "all"; PASS where more than half ("majority")
    or any one pass. None without votes."""
    if not votes:
        return None
    passed = votes.count("PASS")
    if (rule == "majority" and passed * 2 > len(votes)) or (rule == "any" and passed):
        return "PASS"
    return max(votes, key=VOTES_BY_SEVERITY.index)


def decisive_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The open findings of high confidence, the most severe first."""
    found = (
        f for f in findings if f.state is FindingState.OPEN and f.confidence is Confidence.HIGH
    )
    return sorted(found, key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal))


def doubted_findings(findings: Iterable[Finding], threshold: str) -> list[Finding]:
    """Those that would block, had no model called them uncertain or refuted them: one that the
    change won over may say both."""
    apart = (
        f
        for f in findings
        if f.state is FindingState.REFUTED
        or (f.state is FindingState.OPEN and f.confidence is Confidence.LOW)
    )
    return [f for f in apart if f.priority.reaches(threshold)]


def is_from_audit(source: str) -> bool:
    """The source is a round of the reverse audit, whose findings are not verified again."""
    return _AUDIT.fullmatch(source.rpartition("/")[2]) is not None


def is_from_across(source: str) -> bool:
    """The source is the question about all batches of a large change."""
    return source.rpartition("/")[2] == ACROSS


def is_ruling(part: str) -> bool:
    """The part is a question about findings of others."""
    return _RULING.fullmatch(part) is not None


def is_reserved_part(part: str) -> bool:
    """Verification and the rounds of the audit are called so: no lens may be, or its findings would
    count as theirs."""
    return any(kind.fullmatch(part) for kind in (_AUDIT, _ACROSS, _RULING))


def models_that_read(rows: Iterable[_Row]) -> list[str]:
    """The language models that gave an answer."""
    return list(
        dict.fromkeys(row.reviewer for row in rows if row.asked and row.status is ReviewStatus.OK)
    )


def lenses_without_answer(rows: Iterable[_RowT]) -> list[_RowT]:
    """The lenses whose answers could not be read, of models that answered at least as many others
    about all files that models read: these lenses alone are missing, not their models."""
    rows = tuple(rows)
    heard = [row for row in rows if row.asked and row.status is ReviewStatus.OK]
    lost = [row for row in rows if row.status is ReviewStatus.UNPARSABLE]
    most = max(map(_files_read, heard), default=0)
    answered = _lenses_by_model(row for row in heard if _files_read(row) == most)
    unheard = _lenses_by_model(lost)
    return [row for row in lost if 0 < answered[row.reviewer] >= unheard[row.reviewer]]


def _files_read(row: _Row) -> int:
    return row.covered if isinstance(row, ReviewRow) else len(row.covered)


def _lenses_by_model(rows: Iterable[_Row]) -> Counter[str]:
    return Counter(row.reviewer for row in rows if not is_reserved_part(row.part))


def without_lone_lenses(rows: Iterable[_RowT]) -> list[_RowT]:
    """The other reviews."""
    rows = tuple(rows)
    lone = lenses_without_answer(rows)
    return [row for row in rows if row not in lone]


def reviewers_of_finding(finding: Finding, rows: Sequence[_Row]) -> list[str]:
    """The reviewers, one or more, that a finding's sources belong to; a source that none of them is
    known by stands for itself."""
    known = {row.part: row.reviewer for row in rows if row.part}
    known |= {name: row.reviewer for row in rows for name in (row.name, row.reviewer)}
    return list(dict.fromkeys(known.get(source, source) for source in finding.sources)) or [
        GATE_REVIEWER
    ]


def gave_no_answer(row: _Row) -> bool:
    """It was asked and gave no answer, or it was needed and is not there."""
    return row.status.broken or (row.required and row.status is ReviewStatus.UNAVAILABLE)


def failed_without_findings(row: _Row) -> bool:
    """It fails the change and names nothing that is wrong."""
    return row.status is ReviewStatus.OK and row.said == "FAIL" and not row.found


def unfounded_reasons(rows: Iterable[_Row]) -> list[str]:
    """Why a verdict without findings decides nothing, a sentence for each."""
    return [
        f"{row.name} answered FAIL without a finding"
        for row in rows
        if failed_without_findings(row)
    ]


def quorum(rows: Iterable[_Row]) -> str:
    """`3 of 3 reviewed`, or who is missing and why; of a model that answered in part, how many
    questions were answered.

    Who was not needed and left out on purpose is not counted.
    """
    rows = tuple(rows)
    by_name: dict[str, list[_Row]] = {}
    for row in without_lone_lenses(rows):
        by_name.setdefault(row.reviewer, []).append(row)
    counted = {name: mine for name, mine in by_name.items() if any(map(_wanted, mine))}
    gone = [why for mine in counted.values() if (why := _missing(mine))]
    missing = [
        *gone,
        *(f"the lens {row.name} ({_ended(row)})" for row in lenses_without_answer(rows)),
    ]
    whole = f"{len(counted) - len(gone)} of {len(counted)} reviewed{_answered(rows)}"
    if len(counted) == 1 and models_that_read(rows) and not missing:
        whole += ", not cross-checked by a second one"
    return f"{whole}; missing: {'; '.join(missing)}" if missing else whole


def _answered(rows: Iterable[_Row]) -> str:
    """How many questions were answered, where a model answered some of its own and not others."""
    by_name: dict[str, list[bool]] = {}
    for row in filter(_wanted, rows):
        by_name.setdefault(row.reviewer, []).append(row.status is ReviewStatus.OK)
    if not any(any(heard) and not all(heard) for heard in by_name.values()):
        return ""
    every = [heard for mine in by_name.values() for heard in mine]
    return f", {sum(every)} of {len(every)} questions answered"


def _wanted(row: _Row) -> bool:
    return row.required or row.status is not ReviewStatus.SKIPPED or _held_back(row)


def _held_back(row: _Row) -> bool:
    """There was a question, and the budget kept it, its next turn or its next batch from being put.
    One about findings may have been put, and says so when its answer does not count."""
    if row.status is not ReviewStatus.SKIPPED or row.asked is None or not row.asked.prompt:
        return False
    return not row.asked.usage.calls or not _RULING.fullmatch(row.part)


def _missing(rows: Sequence[_Row]) -> str:
    """Why a reviewer has not reviewed; "" where it has: something was heard, and nothing that was
    needed is missing."""
    heard = any(row.status is ReviewStatus.OK for row in rows)
    gaps = [
        row
        for row in rows
        if row.status is not ReviewStatus.OK and (row.required or not heard or _held_back(row))
    ]
    if not gaps:
        said = next((row for row in rows if failed_without_findings(row)), None)
        return f"{said.name} (FAIL without a finding)" if said else ""
    first, *more = gaps
    why = _ended(first)
    others = f", and {len(more)} more of its questions" if more else ""
    return f"{first.name if heard else first.reviewer} ({why}){others if heard else ''}"


def _ended(row: _Row) -> str:
    return f"{row.status.value}: {' '.join(row.error.split()) or 'no reason given'}"

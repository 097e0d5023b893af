"""What several reporters say in the same words.

Texts come back as the report has them: every reporter passes them through its own door before it shows them.
"""

from collections import Counter
from collections.abc import Iterable

from ..model.finding import Confidence, Finding, Priority, State
from ..model.report import Outcome, Report, ReviewRow
from ..model.review import Status
from ..model.usage import NOTHING, Usage

NAME = "reviewgate-gh"

_ASIDE = {
    State.OUTSIDE_DIFF: "on unchanged lines",
    State.WAIVED: "waived",
    State.DISMISSED: "dismissed",
    State.DUPLICATE: "duplicate",
    State.REFUTED: "refuted",
}


def certain(report: Report) -> list[Finding]:
    """The open findings that decide, most severe first."""
    return _sorted(f for f in report.findings if f.state is State.OPEN and f.confidence is Confidence.HIGH)


def doubtful(report: Report) -> list[Finding]:
    """The open findings of low confidence, most severe first."""
    return _sorted(f for f in report.findings if f.state is State.OPEN and f.confidence is Confidence.LOW)


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal))


def unanswered(report: Report) -> list[ReviewRow]:
    """The reviews that gave no answer."""
    return [row for row in report.reviews if row.status is not Status.OK]


def gaps(report: Report) -> list[str]:
    """Why an inconclusive verdict is none, a line each: the reviews without an answer that are required, then any other reason."""
    if report.verdict.outcome is not Outcome.INCONCLUSIVE or report.skipped:
        return []
    rows = [row for row in unanswered(report) if row.required]
    other = [reason for reason in report.verdict.reasons if not any(row.name in reason for row in rows)]
    return [*(ended(row) for row in rows), *other]


def ended(row: ReviewRow) -> str:
    """`linters/ruff timeout: ...`."""
    return f"{row.name} {row.status.value}: {row.error or 'no reason given'}"


def name_of(finding: Finding) -> str:
    """The rule, or the category where a reviewer names no rule."""
    return finding.rule or finding.category


def elsewhere(finding: Finding) -> list[str]:
    """The places of a pattern but the finding's own."""
    return [place for place in finding.places if place != finding.location]


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(texts: Iterable[str], limit: int, between: str = ", ") -> str:
    """The first few, joined, and how many more there are."""
    texts = list(texts)
    more = [f"{len(texts) - limit:,} more"] if len(texts) > limit else []
    return between.join([*texts[:limit], *more])


def verdict_in_words(report: Report) -> str:
    """One of the four words, and what stands in its way."""
    outcome = report.verdict.outcome
    word = "would block (mode: warn)" if outcome is Outcome.BLOCK and report.mode == "warn" else outcome.value
    return f"{word}, overridden" if report.skipped else word


def counts(findings: Iterable[Finding]) -> dict[Priority, int]:
    """How many there are of each priority that occurs, most severe first."""
    seen = Counter(finding.priority for finding in findings)
    return {priority: seen[priority] for priority in Priority if seen[priority]}


def counts_in_words(report: Report) -> str:
    """`1 P0, 2 P1 in 7 files`, of the open findings that decide."""
    found = ", ".join(f"{number:,} {priority.value}" for priority, number in counts(certain(report)).items())
    return f"{found or 'nothing found'} in {counted(len(report.change.files), 'file')}"


def set_aside(report: Report) -> str:
    """`3 waived, 120 on unchanged lines`: the findings that are not open; "" for none."""
    seen = Counter(finding.state for finding in report.findings)
    seen[State.OUTSIDE_DIFF] += sum(row.outside for row in report.reviews)
    return ", ".join(f"{seen[state]:,} {words}" for state, words in _ASIDE.items() if seen[state])


def reviewers_in_words(report: Report) -> str:
    """`reviewed by ruff 0.17.6, builtin`: those who answered."""
    names = (_answerer(row) for row in report.reviews if row.status is Status.OK)
    said = ", ".join(dict.fromkeys(names))
    return f"reviewed by {said}" if said else "no reviewer answered"


def _answerer(row: ReviewRow) -> str:
    """A tool with its version, a language model with its name."""
    if row.asked is not None:
        return f"{row.reviewer} ({row.asked.model})" if row.asked.model else row.reviewer
    return f"{row.part or row.reviewer} {row.version}".rstrip()


def usage(report: Report) -> list[str]:
    """What each language model cost: `claude: 9 calls, 31,000 tokens in (24,000 cached), 1,200 out, $0.1200`."""
    spent: dict[str, Usage] = {}
    for row in report.reviews:
        if row.asked is not None:
            spent[row.reviewer] = spent.get(row.reviewer, NOTHING).plus(row.asked.usage)
    kept = {row.reviewer for row in report.reviews if row.asked is not None and row.asked.kept}
    return [f"{name}: {_spent(cost, name in kept)}" for name, cost in spent.items()]


def _spent(cost: Usage, kept: bool) -> str:
    if not cost.calls:
        return "no calls, answers from an earlier run" if kept else "no calls"
    tokens = f"{cost.input:,} tokens in ({cost.cached:,} cached), {cost.output:,} out" if cost.input else "tokens not reported"
    return ", ".join([counted(cost.calls, "call"), tokens, *([f"${cost.cost:.4f}"] if cost.cost is not None else [])])


def headline(report: Report) -> list[str]:
    """The parts of the one summary line, verdict first."""
    if report.skipped and not report.reviews:
        return [verdict_in_words(report), f"nothing was reviewed in {counted(len(report.change.files), 'file')}"]
    if not report.change.files and not report.findings and not report.reviews and report.verdict.outcome is Outcome.PASS:
        return [verdict_in_words(report), "nothing to review"]
    parts = [verdict_in_words(report), counts_in_words(report)]
    if uncertain := len(doubtful(report)):
        parts.append(f"{uncertain:,} for human review")
    parts.append(reviewers_in_words(report))
    if report.unread:
        parts.append(f"{len(report.unread):,} not reviewed ({listed(report.unread, 3, '; ')})")
    if report.coverage.missing:
        parts.append(report.coverage.summary)
    if report.coverage.excluded:
        parts.append(f"{report.coverage.excluded:,} excluded")
    return parts


def unreviewed(report: Report) -> list[str]:
    """What was not reviewed, a line each: files that nobody read, then code that nobody for its language did, and who could."""
    return [*report.unread, *(f"{row.path} ({row.language}): {row.why}" for row in report.coverage.missing)]

"""What several reporters say in the same words.

Texts come back as the report has them: every reporter passes them through its own door before it
shows them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..model.coverage import ReadDepth
from ..model.finding import Confidence, Finding, FindingState, Priority
from ..model.report import Outcome, Report, ReviewRow, group_by_end
from ..model.review import ReviewStatus

PROGRAM_NAME = "reviewgate-gh"

_ASIDE = {
    FindingState.OUTSIDE_DIFF: "not new",
    FindingState.WAIVED: "waived",
    FindingState.DISMISSED: "dismissed",
    FindingState.DUPLICATE: "duplicate",
    FindingState.REFUTED: "refuted",
}


def confident_findings(report: Report) -> list[Finding]:
    """The open findings that decide, most severe first."""
    return _sorted(
        f
        for f in report.findings
        if f.state is FindingState.OPEN and f.confidence is Confidence.HIGH
    )


def uncertain_findings(report: Report) -> list[Finding]:
    """The open findings of low confidence, most severe first."""
    return _sorted(
        f
        for f in report.findings
        if f.state is FindingState.OPEN and f.confidence is Confidence.LOW
    )


def suggested_findings(report: Report) -> list[Finding]:
    """The open findings that say what to write instead."""
    return [
        f
        for f in report.findings
        if f.state is FindingState.OPEN and f.suggestion is not None and f.is_located
    ]


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(
        findings,
        key=lambda f: (f.priority.value, f.path, f.line_start, f.column_start, f.rule, f.ordinal),
    )


def reviews_without_answer(report: Report) -> list[ReviewRow]:
    """The reviews that gave no answer."""
    return [row for row in report.reviews if row.status is not ReviewStatus.OK]


def inconclusive_reasons(report: Report) -> list[str]:
    """Why an inconclusive verdict is none, a line each: the reviews without an answer that are
    required, then any other reason."""
    if report.verdict.outcome is not Outcome.INCONCLUSIVE or report.skipped:
        return []
    rows = [row for row in reviews_without_answer(report) if row.required]
    told = {*(row.name for row in rows), *(name for name, _row in group_by_end(rows))}
    other = [
        reason for reason in report.verdict.reasons if not any(name in reason for name in told)
    ]
    return [*review_end_texts(rows), *other]


class RunRemark(NamedTuple):
    """What a run has to say beside its findings, as an "error" or a "warning"."""

    level: str
    title: str
    text: str


def run_remarks(report: Report) -> list[RunRemark]:
    """That the gate was overridden, what keeps the verdict from being one, and which code nobody
    for its language read: no format may be clean without them."""
    gaps = inconclusive_reasons(report)
    overridden = [report.skipped] if report.skipped else []
    unread = [report.coverage.reason] if report.coverage.reason not in ("", *gaps) else []
    return [
        *(RunRemark("warning", "The gate was overridden", text) for text in overridden),
        *(RunRemark("error", f"{PROGRAM_NAME} is inconclusive", text) for text in gaps),
        *(
            RunRemark(
                "warning", "Code without a reviewer", ". ".join([text, *report.coverage.advice])
            )
            for text in unread
        ),
    ]


def line_at_head(finding: Finding) -> int:
    """Its first line in the reviewed revision; 0 for the whole file, or where it is in the base."""
    return finding.line_start if finding.side == "RIGHT" else 0


def first_path(report: Report) -> str:
    """The file at which a format shows what is about the whole run, where it demands one."""
    return next((file.path for file in report.change.files), ".reviewgate-gh.yaml")


def finding_message(finding: Finding) -> str:
    """`P1 F821: Undefined name`, for formats that show one text; doubt is said."""
    doubt = " (needs human review)" if finding.confidence is Confidence.LOW else ""
    return f"{finding.priority.value} {rule_or_category(finding)}: {finding.title}{doubt}"


def review_end_texts(rows: Iterable[ReviewRow]) -> list[str]:
    """`linters/ruff timeout: ...`, a line each; one line for all questions of a reviewer that ended
    alike."""
    return [
        f"{name} {row.status.value}: {row.error or 'no reason given'}"
        for name, row in group_by_end(rows)
    ]


def rule_or_category(finding: Finding) -> str:
    """The rule, or the category where a reviewer names no rule."""
    return finding.rule or finding.category


# Seen in their output for a line with an ideogram and an emoji (ruff 0.17.6, ty 0.0.107,
# shellcheck 0.11.0); oxlint 1.89.0 counts bytes.
_COUNT_CHARACTERS = (("ruff",), ("ty",), ("shellcheck",))


def sure_columns(finding: Finding) -> tuple[int, int]:
    """The columns of the part of its first line that a tool names, in characters, the end
    exclusive; (0, 0) where none is sure: tools count bytes, characters or UTF-16, which is the same
    in ASCII only, and a secret in the line is not shown."""
    first = next((line.text for line in finding.excerpt if finding.anchors(line)), "")
    start, end = finding.column_start, finding.column_end
    if not 0 < start <= len(first) + 1 or "[REDACTED:" in first:
        return 0, 0
    if not first.isascii() and finding.sources[:1] not in _COUNT_CHARACTERS:
        return 0, 0
    if finding.line_end > finding.line_start:
        return start, len(first) + 1
    return start, end if start < end <= len(first) + 1 else start + 1


def other_places(finding: Finding) -> list[str]:
    """The places of a pattern but the finding's own."""
    return [place for place in finding.places if place != finding.location]


def count_noun(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def join_first(texts: Iterable[str], limit: int, between: str = ", ") -> str:
    """The first few, joined, and how many more there are."""
    texts = list(texts)
    more = [f"{len(texts) - limit:,} more"] if len(texts) > limit else []
    return between.join([*texts[:limit], *more])


def verdict_text(report: Report) -> str:
    """One of the four words, and what stands in its way."""
    outcome = report.verdict.outcome
    word = (
        "would block (mode: warn)"
        if outcome is Outcome.BLOCK and report.mode == "warn"
        else outcome.value
    )
    return f"{word}, overridden" if report.skipped else word


def count_by_priority(findings: Iterable[Finding]) -> dict[Priority, int]:
    """How many there are of each priority that occurs, most severe first."""
    seen = Counter(finding.priority for finding in findings)
    return {priority: seen[priority] for priority in Priority if seen[priority]}


def counts_text(report: Report) -> str:
    """`1 P0, 2 P1 in 7 files`, of the open findings that decide."""
    found = ", ".join(
        f"{number:,} {priority.value}"
        for priority, number in count_by_priority(confident_findings(report)).items()
    )
    return f"{found or 'nothing found'} in {count_noun(len(report.change.files), 'file')}"


def set_aside_text(report: Report) -> str:
    """`3 waived, 2 duplicates`: the findings that are not open; "" for none."""
    seen = Counter(finding.state for finding in report.findings)
    seen[FindingState.OUTSIDE_DIFF] += sum(row.outside for row in report.reviews)
    nouns = (FindingState.DUPLICATE,)
    return ", ".join(
        count_noun(seen[state], words) if state in nouns else f"{seen[state]:,} {words}"
        for state, words in _ASIDE.items()
        if seen[state]
    )


def set_aside_findings(report: Report) -> list[Finding]:
    """The findings that are not open, in the order of the report."""
    return [finding for finding in report.findings if finding.state in _ASIDE]


def state_text(finding: Finding) -> str:
    """`waived: legacy`: what became of a finding that is not open, and why."""
    return f"{_ASIDE[finding.state]}: {finding.note}" if finding.note else _ASIDE[finding.state]


def reviewers_text(report: Report) -> str:
    """`reviewed by ruff 0.17.6, builtin, parsed by ast_grep 0.51.1`: those who answered."""
    answers = [row for row in report.reviews if row.status is ReviewStatus.OK]
    # Of data, checks parse what they read for other reasons, too
    parsed = [row for row in report.coverage.rows if row.how is ReadDepth.PARSED]
    rows = [row for row in parsed if row.language]
    parsers = {name for row in rows for name in row.by}
    said = [
        (verb, ", ".join(dict.fromkeys(_answerer(row) for row in some)))
        for verb, some in (
            ("reviewed by", [row for row in answers if row.name not in parsers]),
            ("parsed by", [row for row in answers if row.name in parsers]),
        )
    ]
    return ", ".join(f"{verb} {names}" for verb, names in said if names) or "no reviewer answered"


def _answerer(row: ReviewRow) -> str:
    """A tool with its version, a language model with its name."""
    if row.asked is not None:
        return f"{row.reviewer} ({row.asked.model})" if row.asked.model else row.reviewer
    return f"{row.part or row.reviewer} {row.version}".rstrip()


def summary_parts(report: Report) -> list[str]:
    """The parts of the one summary line, verdict first."""
    if report.skipped and not report.reviews:
        return [
            verdict_text(report),
            f"nothing was reviewed in {count_noun(len(report.change.files), 'file')}",
        ]
    if (
        not report.change.files
        and not report.findings
        and not report.reviews
        and report.verdict.outcome is Outcome.PASS
    ):
        return [verdict_text(report), "nothing to review"]
    parts = [verdict_text(report), counts_text(report)]
    if uncertain := len(uncertain_findings(report)):
        parts.append(f"{uncertain:,} for human review")
    parts.append(reviewers_text(report))
    if report.unread:
        parts.append(f"{len(report.unread):,} not reviewed ({join_first(report.unread, 3, '; ')})")
    if report.coverage.missing:
        parts.append(report.coverage.summary)
    if report.coverage.excluded:
        parts.append(f"{report.coverage.excluded:,} excluded")
    return parts


def unreviewed_lines(report: Report) -> list[str]:
    """What was not reviewed, a line each: files that nobody read, then code that nobody for its
    language did, and who could."""
    return [
        *report.unread,
        *(f"{row.path} ({row.language}): {row.why}" for row in report.coverage.missing),
    ]

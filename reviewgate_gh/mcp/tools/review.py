"""Review a change and return the verdict with what to fix. Without arguments it reviews the commits
that are not on the upstream yet; `uncommitted` reviews the work tree with new files, `staged` the
index. Only the verdicts pass and concerns let a push through; inconclusive is no pass.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...model.errors import Exit, UsageError
from ...model.report import Outcome, Report
from ...reporters._words import inconclusive_reasons, summary_parts
from ...text.safe import safe_line
from ..call import Call
from ..child import review_in_child
from ..rows import FindingRow, open_rows, row_lines

TITLE = "Review a change"
WRITES = False
REACHES_OUT = True
_MOST_FINDINGS = 50
_LONGEST_NAME = 10_000  # characters
_NEXT = {
    Outcome.PASS: "Nothing is left to fix.",
    Outcome.CONCERNS: "This lets a push through. Fix what is worth fixing.",
    Outcome.BLOCK: "Not a pass. Fix the findings that block, commit, and call review again.",
    Outcome.INCONCLUSIVE: (
        "Not a pass: the review is incomplete. Where editing files cannot change the reasons, "
        "tell your user about them."
    ),
}
_NOTHING = (
    "This selection holds no change, so nothing was reviewed: work that is not committed is "
    "reviewed with uncommitted, what is on the upstream already with base, range or commit."
)


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What to review: at most one of these."""

    base: Annotated[str, Meta(description="a ref: what HEAD adds since its merge base with it")] = (
        ""
    )
    range: Annotated[str, Meta(description="A..B or A...B: the diff between two commits")] = ""
    commit: Annotated[str, Meta(description="a ref: this one commit")] = ""
    staged: Annotated[bool, Meta(description="the staged changes")] = False
    uncommitted: Annotated[
        bool, Meta(description="the work tree: staged, unstaged and new files")
    ] = False


class Result(Struct, frozen=True):
    """The verdict, and the open findings: those that block come first."""

    verdict: Literal["pass", "concerns", "block", "inconclusive"]
    may_push: Annotated[bool, Meta(description="whether the gate would let this through")]
    summary: str
    reasons: Annotated[tuple[str, ...], Meta(description="why the verdict is not better")]
    next: str
    findings: tuple[FindingRow, ...]
    more: Annotated[int, Meta(description="how many more there are: call findings")]
    not_reviewed: tuple[str, ...]
    notices: tuple[str, ...]
    review_id: str
    base: str
    head: str


def run(arguments: Arguments, call: Call) -> Result:
    """The verdict of a review that was made now."""
    report, code = review_in_child(_options(arguments), call)
    rows = open_rows(report)
    outcome = report.verdict.outcome
    return Result(
        outcome.value,
        code == Exit.OK,
        " · ".join(summary_parts(report)),
        tuple(_reasons(report)),
        _NEXT[outcome] if report.change.files else _NOTHING,
        tuple(rows[:_MOST_FINDINGS]),
        max(0, len(rows) - _MOST_FINDINGS),
        report.verdict.not_reviewed,
        report.notices,
        report.review_id,
        report.change.base,
        report.change.head,
    )


def text(result: Result) -> str:
    """The verdict, its reasons and the findings, a line each."""
    lines = [safe_line(result.summary, 1_000), result.next]
    if result.verdict == "inconclusive":
        lines += [f"- {safe_line(reason, 600)}" for reason in result.reasons]
    rows = result.findings
    lines += row_lines(rows, len(rows) + result.more)
    if rows:
        lines.append("More about one of them: explain, with its fingerprint in brackets above.")
    lines += [f"note: {safe_line(notice, 400)}" for notice in result.notices]
    return "\n".join(lines)


def _reasons(report: Report) -> list[str]:
    missing = inconclusive_reasons(report) or [*report.verdict.reasons]
    return [*missing, *filter(None, [report.coverage.reason]), *report.coverage.advice]


def _options(arguments: Arguments) -> list[str]:
    """The options of the command.

    Raises:
        UsageError: there are several, or a name cannot be one of git's.
    """
    named = {name: getattr(arguments, name) for name in arguments.__struct_fields__}
    for value in named.values():
        if isinstance(value, str) and ("\0" in value or len(value) > _LONGEST_NAME):
            raise UsageError(f"{value[:40]!r} is no name of a commit", "name a ref or a commit")
    given = {name: value for name, value in named.items() if value}
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} cannot be used together", "give one of them")
    return [f"--{name}" if value is True else f"--{name}={value}" for name, value in given.items()]

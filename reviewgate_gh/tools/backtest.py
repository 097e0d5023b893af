"""What the gate would have said about past changes of a branch, counted so that a threshold can be
chosen."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from ..ensemble.options import ReviewOptions
from ..gate.policy import decide_verdict
from ..gate.review import review
from ..git import Git
from ..git.history import last_first_parents
from ..git.ranges import first_parent
from ..model.change import Commit, Range
from ..model.errors import GateError, UsageError
from ..model.finding import FindingState, Priority
from ..model.report import Outcome, Report
from ..model.review import Review
from ..reporters._layout import StyledText, render_rows, render_table
from ..reporters._look import OutputStyle
from ..system.environment import Environment
from ..system.progress import Progress
from ..text.redact import redact
from ..text.safe import safe_line

THRESHOLDS = ("P0", "P1", "P2")


class BacktestChange(Struct, frozen=True):
    """One change of the past: the verdict at each threshold, open findings by priority and by rule;
    or why there is none."""

    commit: str
    subject: str
    files: int = 0
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    worst: Mapping[str, Priority] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""


class RuleRow(Struct, frozen=True):
    """How often a rule spoke: its most severe priority, open findings, and the changes that had
    any."""

    rule: str
    priority: Priority
    findings: int
    changes: int


class Backtest(Struct, frozen=True):
    """All of it; `blocked` counts changes by threshold; `kind` says what was looked at: changes,
    merges or commits."""

    kind: str
    changes: tuple[BacktestChange, ...]
    rules: tuple[RuleRow, ...]
    blocked: Mapping[str, int]


def backtest_change(commit: Commit, report: Report, seconds: float) -> BacktestChange:
    """One report at every threshold; policy itself decides."""
    reviews = [
        Review(row.reviewer, row.part, row.status, error=row.error, required=row.required)
        for row in report.reviews
    ]
    unread = report.verdict.not_reviewed
    standing = [finding for finding in report.findings if finding.state is FindingState.OPEN]
    named = [(finding.rule or finding.category, finding.priority) for finding in standing]
    return BacktestChange(
        commit.oid,
        commit.subject,
        len(report.change.files),
        {
            threshold: decide_verdict(
                report.findings, reviews, unread, threshold, report.coverage
            ).outcome
            for threshold in THRESHOLDS
        },
        dict(report.verdict.counts),
        dict(Counter(rule for rule, _ in named)),
        _worst(named),
        seconds,
    )


def _worst(named: Iterable[tuple[str, Priority]]) -> dict[str, Priority]:
    worst: dict[str, Priority] = {}
    for rule, priority in named:
        worst[rule] = min(worst.get(rule, priority), priority)
    return worst


def summarise_backtest(kind: str, changes: Sequence[BacktestChange]) -> Backtest:
    """The table by rule, most severe and then most frequent first, and the number of changes that
    each threshold would have blocked."""
    total: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    for change in changes:
        total.update(change.rules)
        hit.update(change.rules.keys())
    worst = _worst(pair for change in changes for pair in change.worst.items())
    rows = [RuleRow(rule, worst[rule], number, hit[rule]) for rule, number in total.items()]
    rows.sort(key=lambda row: (row.priority, -row.findings, row.rule))
    blocked = {
        t: sum(change.outcomes.get(t) is Outcome.BLOCK for change in changes) for t in THRESHOLDS
    }
    return Backtest(kind, tuple(changes), tuple(rows), blocked)


# The entry point of reviewers that need no key: a backtest costs nothing.
_DOOR = "fork"
_SUBJECT = 48
_STYLES = {
    Outcome.PASS: "green",
    Outcome.CONCERNS: "yellow",
    Outcome.BLOCK: "bold red",
    Outcome.INCONCLUSIVE: "magenta",
}


class BacktestOptions(Struct, frozen=True):
    """How many of the last changes, of which `kind` (changes, merges, commits), and the floor."""

    last: int
    kind: str
    policy: str = ""


def run_backtest(wanted: BacktestOptions, git: Git, environment: Environment) -> Backtest:
    """Review each of the last changes of HEAD, or of its merges or commits alone, as it came.

    Raises:
        UsageError: there is nothing to look back on.
    """
    commits = _chosen(wanted.last, wanted.kind, git)
    done = []
    with Progress(environment) as progress:
        for number, commit in enumerate(commits, 1):
            progress.at(f"reviewing {number} of {len(commits)}: {commit.oid:.10}")
            options = ReviewOptions(
                _range(commit, git), entry_point=_DOOR, policy=wanted.policy, progress=progress
            )
            done.append(_try(commit, options, git, environment))
    return summarise_backtest(wanted.kind, done)


def _chosen(last: int, kind: str, git: Git) -> tuple[Commit, ...]:
    head = git.resolve("HEAD")
    if head is None:
        raise UsageError("there is no commit yet", "make a commit first")
    if found := last_first_parents(git, head, last, kind):
        return found
    raise UsageError(
        f"this branch has no {kind}",
        "leave out --merges and --commits to review both; git log --first-parent lists them",
    )


def _range(commit: Commit, git: Git) -> Range:
    return Range(first_parent(git, commit.oid), commit.oid, (f"commit {commit.oid[:12]}",))


def _try(
    commit: Commit, options: ReviewOptions, git: Git, environment: Environment
) -> BacktestChange:
    """One change; a config of the past that cannot be used today is said and ends nothing."""
    started = environment.clock()
    commit = replace(commit, subject=redact(commit.subject))
    try:
        report = review(options, git, environment.without_skip())
    except GateError as error:
        return BacktestChange(
            commit.oid,
            commit.subject,
            seconds=round(environment.clock() - started, 2),
            error=redact(error.message),
        )
    return backtest_change(commit, report, round(environment.clock() - started, 2))


def render_backtest(result: Backtest, style: OutputStyle) -> str:
    """For a person: a row for each change, a row for each rule, and what each threshold would have
    blocked."""
    header = ("commit", "subject", "files", *THRESHOLDS, "found", "seconds")
    parts = [render_table(header, (_change(change) for change in result.changes), style)]
    if result.rules:
        cells = (
            [(row.priority, ""), (row.rule, ""), (str(row.findings), ""), (str(row.changes), "")]
            for row in result.rules
        )
        parts.append(render_table(("worst", "rule", "findings", result.kind), cells, style))
    return "\n".join([*parts, render_rows([[(text, "")] for text in _closing(result)], style)])


def _change(change: BacktestChange) -> list[StyledText]:
    short = [(change.commit[:10], ""), (safe_line(change.subject, _SUBJECT), "")]
    if change.error:
        return [
            *short,
            ("-", ""),
            *[("-", "")] * len(THRESHOLDS),
            (f"no verdict: {safe_line(change.error, 80)}", "magenta"),
            (_seconds(change), ""),
        ]
    verdicts = [
        (change.outcomes[threshold], _STYLES[change.outcomes[threshold]])
        for threshold in THRESHOLDS
    ]
    found = " ".join(f"{change.counts[p]} {p}" for p in Priority if change.counts.get(p))
    return [
        *short,
        (str(change.files), ""),
        *verdicts,
        (found or "nothing", ""),
        (_seconds(change), ""),
    ]


def _seconds(change: BacktestChange) -> str:
    return f"{change.seconds:.1f}"


def _closing(result: Backtest) -> Iterator[str]:
    failed = sum(bool(change.error) for change in result.changes)
    judged = len(result.changes) - failed
    kind = result.kind.removesuffix("s") if judged == 1 else result.kind
    for threshold in THRESHOLDS if judged else ():
        unsure = sum(
            change.outcomes.get(threshold) is Outcome.INCONCLUSIVE for change in result.changes
        )
        also = f" and been inconclusive about {unsure}" if unsure else ""
        yield (
            f"threshold {threshold} would have blocked {result.blocked[threshold]} of {judged} "
            f"{kind}{also}"
        )
    if failed:
        yield (
            f"{failed} of {len(result.changes)} could not be reviewed with the settings in "
            "force then"
        )

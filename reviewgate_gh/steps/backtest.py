"""What the gate would have said: reports of the past, counted to choose a threshold by."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from ..model.change import Commit
from ..model.finding import Priority, State
from ..model.report import Outcome, Report
from ..model.review import Review
from ..model.values import dataclass
from .policy import judge

THRESHOLDS = ("P0", "P1", "P2")


@dataclass(frozen=True, slots=True)
class Tried:
    """One change of the past: the verdict at each threshold, open findings by priority and by rule; or why there is none."""

    commit: str
    subject: str
    files: int = 0
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    worst: Mapping[str, Priority] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class RuleRow:
    """How often a rule spoke: its most severe priority, open findings, and the changes that had any."""

    rule: str
    priority: Priority
    findings: int
    changes: int


@dataclass(frozen=True, slots=True)
class Backtest:
    """All of it; `blocked` counts changes by threshold; `kind` says what was looked at: changes, merges or commits."""

    kind: str
    changes: tuple[Tried, ...]
    rules: tuple[RuleRow, ...]
    blocked: Mapping[str, int]


def tried(commit: Commit, report: Report, seconds: float) -> Tried:
    """One report at every threshold; policy itself decides."""
    reviews = [Review(row.reviewer, row.part, row.status, error=row.error, required=row.required) for row in report.reviews]
    unread = report.verdict.not_reviewed
    standing = [finding for finding in report.findings if finding.state is State.OPEN]
    named = [(finding.rule or finding.category, finding.priority) for finding in standing]
    return Tried(
        commit.oid,
        commit.subject,
        len(report.change.files),
        {threshold: judge(report.findings, reviews, unread, threshold, report.coverage).outcome for threshold in THRESHOLDS},
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


def summed(kind: str, changes: Sequence[Tried]) -> Backtest:
    """The table by rule, most severe and then most frequent first, and the number of changes that each threshold would have blocked."""
    total: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    for change in changes:
        total.update(change.rules)
        hit.update(change.rules.keys())
    worst = _worst(pair for change in changes for pair in change.worst.items())
    rows = [RuleRow(rule, worst[rule], number, hit[rule]) for rule, number in total.items()]
    rows.sort(key=lambda row: (row.priority, -row.findings, row.rule))
    blocked = {t: sum(change.outcomes.get(t) is Outcome.BLOCK for change in changes) for t in THRESHOLDS}
    return Backtest(kind, tuple(changes), tuple(rows), blocked)

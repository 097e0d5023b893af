"""What the gate would have said on the last changes of a branch. Nothing is kept."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..model.change import Commit
from ..model.errors import GateError, UsageError
from ..model.finding import Priority
from ..model.report import Outcome
from ..model.selection import Range
from ..reporters._doors import line
from ..reporters._look import Look
from ..reporters._paint import Piece, paint
from ..reporters._table import table
from ..steps.backtest import THRESHOLDS, Backtest, Tried, summed, tried
from ..system.git import Git
from ..system.git.mainline import last_steps
from ..system.git.ranges import parent
from ..system.world import World
from ..text.redact import redact
from .order import Order
from .review import review

Progress = Callable[[int, int, str], None]
# The entry point of reviewers that need no key: a backtest costs nothing.
_DOOR = "fork"
_SUBJECT = 48
_STYLES = {Outcome.PASS: "green", Outcome.CONCERNS: "yellow", Outcome.BLOCK: "bold red", Outcome.INCONCLUSIVE: "magenta"}


def backtest(last: int, kind: str, policy: str, progress: Progress, git: Git, world: World) -> Backtest:
    """Review each of the last changes of HEAD, or of its merges or commits alone, as it came.

    Raises:
        UsageError: there is nothing to look back on.
    """
    commits = _chosen(last, kind, git)
    done = []
    for number, commit in enumerate(commits, 1):
        progress(number, len(commits), commit.oid)
        done.append(_try(commit, policy, git, world))
    return summed(kind, done)


def _chosen(last: int, kind: str, git: Git) -> tuple[Commit, ...]:
    head = git.resolve("HEAD")
    if head is None:
        raise UsageError("there is no commit yet", "make a commit first")
    if found := last_steps(git, head, last, kind):
        return found
    raise UsageError(f"this branch has no {kind}", "leave out --merges and --commits to review both; git log --first-parent lists them")


def _try(commit: Commit, policy: str, git: Git, world: World) -> Tried:
    """One change; a config of the past that cannot be used today is said and ends nothing."""
    started = world.clock()
    commit = replace(commit, subject=redact(commit.subject))
    try:
        wanted = Range(parent(git, commit.oid), commit.oid, (f"commit {commit.oid[:12]}",))
        report = review(Order(wanted, door=_DOOR, policy=policy), git, world.attentive())
    except GateError as error:
        return Tried(commit.oid, commit.subject, seconds=round(world.clock() - started, 2), error=redact(error.message))
    return tried(commit, report, round(world.clock() - started, 2))


def drawn(result: Backtest, look: Look) -> str:
    """For a person: a row for each change, a row for each rule, and what each threshold would have blocked."""
    header = ("commit", "subject", "files", *THRESHOLDS, "found", "seconds")
    parts = [table(header, (_change(change) for change in result.changes), look)]
    if result.rules:
        cells = ([(row.priority, ""), (row.rule, ""), (str(row.findings), ""), (str(row.changes), "")] for row in result.rules)
        parts.append(table(("worst", "rule", "findings", result.kind), cells, look))
    return "\n".join([*parts, paint([[(text, "")] for text in _closing(result)], look)])


def _change(change: Tried) -> list[Piece]:
    short = [(change.commit[:10], ""), (line(change.subject, _SUBJECT), "")]
    if change.error:
        return [
            *short,
            ("-", ""),
            *[("-", "")] * len(THRESHOLDS),
            (f"no verdict: {line(change.error, 80)}", "magenta"),
            (_seconds(change), ""),
        ]
    verdicts = [(change.outcomes[threshold], _STYLES[change.outcomes[threshold]]) for threshold in THRESHOLDS]
    found = " ".join(f"{change.counts[p]} {p}" for p in Priority if change.counts.get(p))
    return [*short, (str(change.files), ""), *verdicts, (found or "nothing", ""), (_seconds(change), "")]


def _seconds(change: Tried) -> str:
    return f"{change.seconds:.1f}"


def _closing(result: Backtest) -> Iterator[str]:
    failed = sum(bool(change.error) for change in result.changes)
    judged = len(result.changes) - failed
    kind = result.kind.removesuffix("s") if judged == 1 else result.kind
    for threshold in THRESHOLDS if judged else ():
        unsure = sum(change.outcomes.get(threshold) is Outcome.INCONCLUSIVE for change in result.changes)
        also = f" and been inconclusive about {unsure}" if unsure else ""
        yield f"threshold {threshold} would have blocked {result.blocked[threshold]} of {judged} {kind}{also}"
    if failed:
        yield f"{failed} of {len(result.changes)} could not be reviewed with the settings in force then"

"""The verdict on an agent's work: what it has committed since the upstream, and what it has not
committed yet."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.options import ReviewOptions
from ..gate.deliver import render_report, report_exit_code, store_report
from ..gate.review import preload_plugins, review
from ..git import Git
from ..git.ranges import resolve_range
from ..git.snapshot import work_tree
from ..git.tree_files import uncommitted_files
from ..model.change import Range, Selection
from ..model.errors import Exit, GateError
from ..model.finding import Confidence, FindingState, sha256_hex
from ..model.report import Outcome, Report
from ..reporters._look import OutputStyle
from ..reporters._words import inconclusive_reasons, join_first, summary_parts
from ..settings.change import start_loading
from ..system.environment import Environment
from ..text.safe import safe_line
from ..trust.attempts import attempt_text, recent_attempts
from ..trust.own_state import approvals_changed
from .program import STOP_SECONDS

_SECONDS = STOP_SECONDS / 2  # of all: an agent whose hook takes too long goes on without it
_OWN_RULES = (
    "builtin/gate-config", "builtin/agent-instructions", "builtin/hooks", "builtin/code-owners",
)  # fmt: skip


class Judgement(Struct, frozen=True):
    """Whether the gate lets the work through, its words for the agent, a digest of what is in the
    way, a line for the user, and what of the gate's own the work or the agent has touched."""

    passes: bool
    words: str = ""
    digest: str = ""
    summary: str = ""
    touched: tuple[str, ...] = ()


def judge_work(git: Git, environment: Environment, uncommitted: bool) -> Judgement:
    """Review what would be pushed, and with `uncommitted` the work tree on top of it.

    An override that the session's environment asks for does not count.
    """
    here = environment.without_skip()
    try:
        wanted = _range(git, uncommitted)
        loading = start_loading(git, wanted, here, False)
        preload_plugins()
        report = review(
            ReviewOptions(wanted, entry_point="hook", deadline=_SECONDS), git, here, loading
        )
    except GateError as error:
        told = safe_line("; ".join(filter(None, (error.message, error.hint))), 1_000)
        words = (
            f"The review gate could not review this: {told}\n"
            "This is not a pass. If editing files cannot change it, tell your user."
        )
        return Judgement(False, words, sha256_hex(told, 32), told)
    store_report(report, git)
    passes = report_exit_code(report) == Exit.OK
    return Judgement(
        passes,
        "" if passes else render_report(report, "agent", OutputStyle()),
        _digest(report),
        safe_line(" · ".join(summary_parts(report)), 1_000),
        tuple(_touched(report, git, environment)),
    )


def _range(git: Git, uncommitted: bool) -> Range:
    if not git.resolve("HEAD"):
        return Range(git.empty_tree, work_tree(git), ("nothing is committed yet",), is_local=True)
    published = resolve_range(git, Selection())
    if not uncommitted or not git.tree or not uncommitted_files(git, untracked=True):
        return published
    notes = tuple(f"{note}, and what is not committed" for note in published.notes)
    return replace(published, head=work_tree(git), notes=notes, is_local=True)


def _digest(report: Report) -> str:
    """The same for the same findings and the same gaps, wherever the lines have moved."""
    blocking = sorted(
        finding.fingerprint
        for finding in report.findings
        if finding.state is FindingState.OPEN
        and finding.confidence is Confidence.HIGH
        and finding.priority.reaches(report.threshold)
    )
    gaps = inconclusive_reasons(report) if report.verdict.outcome is Outcome.INCONCLUSIVE else []
    return sha256_hex("\n".join([*blocking, *gaps]), 32)


def _touched(report: Report, git: Git, environment: Environment) -> Iterator[str]:
    """What a person should know of, whatever the verdict."""
    files = sorted(
        {
            finding.path
            for finding in report.findings
            if finding.state is FindingState.OPEN
            and (finding.rule in _OWN_RULES or Path(finding.path).name.startswith(".reviewgate-gh"))
        }
    )
    if files:
        yield f"this change edits what guards the repository: {join_first(files, 10)}"
    if changed := approvals_changed(git):
        yield changed
    yield from (attempt_text(attempt) for attempt in recent_attempts(git, environment))

"""The verb `orchestrate`: each of its commands does one thing to the run, and says what in words
and as data."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.project_commands import CommandRun
from ..gate.deliver import output_style, render_report
from ..git import Git, open_repository
from ..git.history import commit_list
from ..issues.epics import count_issues
from ..model.epic_verification import EpicResult
from ..model.errors import Exit, UsageError
from ..model.report import Report
from ..model.run import CumulativeReviewResult, LogEvent, RunMetadata
from ..reporters._look import OutputStyle
from ..system.environment import Environment
from ..system.parallel import preload_modules
from ..text.safe import safe_line
from ..trust.approvals import load_approvals
from .events import EventLog, read_events, text_line
from .remediation import FIXER_VARIABLE
from .run_end import IssueCounts, end_run, worst_exit
from .run_store import RunStore, open_run_store, run_data
from .runs import RunRequest, current_run, start_run
from .trigger_context import TriggerContext, TriggerOptions, open_trigger_context
from .triggers import TriggerEvent, TriggerResult, fire_trigger

_LAST_EVENTS, _LONGEST = 20, 2_000


class OrchestrateOutput(Struct, frozen=True):
    """What to print, in words and as data, and the exit code."""

    text: str
    data: Callable[[], Mapping[str, Any]]  # asked for where it is shown
    exit: Exit = Exit.OK


class OrchestrateContext(Struct, frozen=True):
    """Where the verb works, and how events are written."""

    git: Git
    environment: Environment
    store: RunStore
    as_json: bool

    def trigger_context(self, options: TriggerOptions) -> TriggerContext:
        """The trigger context of the run that is here, if there is one."""
        run = self.store.load()
        return open_trigger_context(
            self.git, self.environment, self.store, options, self.log(run.run_id if run else "")
        )

    def log(self, run_id: str) -> EventLog:
        """Where this run's events go."""
        return EventLog(self.store.folder, self.environment, run_id, self.as_json)


def open_orchestrate_context(
    repo: Path, output_dir: Path | None, as_json: bool
) -> OrchestrateContext:
    """The context of a repository, with the run of its work tree or of the folder that is named.

    Raises:
        UsageError: there is no repository.
    """
    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    # Unlike a path's own way, this takes a link that leads to itself as it is: who writes there
    # says what is wrong.
    folder = Path(os.path.realpath(environment.cwd / output_dir)) if output_dir else None
    return OrchestrateContext(git, environment, open_run_store(git, folder), as_json)


def start_command(
    at: OrchestrateContext, options: TriggerOptions, wanted: RunRequest
) -> OrchestrateOutput:
    """Start a run or resume it.

    Raises:
        UsageError: a fixer's session asks for it, there is no commit yet, or the run cannot be
            written down.
    """
    if FIXER_VARIABLE in at.environment.variables:
        raise UsageError("a fixer session cannot start a run", "it should only fix and commit")
    context = at.trigger_context(options)
    reviewed = context.effective_triggers.review_of("session_end") is not None
    run, before = start_run(
        at.store, at.git, at.environment, replace(wanted, review_enabled=reviewed)
    )
    log = at.log(run.run_id)
    if before is not None and before.run_start_commit is None:
        late = f"{run.run_start_commit} is recorded late, so commits before it are not reviewed"
        log(LogEvent("WARN", f"WARNING: the run has no start commit: {late}"))
    text = (
        f"run {run.run_id} {'resumed' if before else 'started'} (start commit "
        f"{str(run.run_start_commit)[:12]})"
    )
    log(LogEvent("INFO", text), told=True)
    return OrchestrateOutput(f"{text}\n", lambda: {**run_data(run), "resumed": before is not None})


def trigger_command(
    at: OrchestrateContext, options: TriggerOptions, event: TriggerEvent
) -> OrchestrateOutput:
    """Fire a trigger.

    Raises:
        UsageError: an epic or a run ends, and none was started.
    """
    if event.trigger != "session_end":
        current_run(at.store)
    preload_modules("gate.review", "issues.sync")
    fired = fire_trigger(at.trigger_context(options), event)
    return OrchestrateOutput(_words([fired], at), lambda: _fired(fired, at.git), fired.exit)


def end_command(
    at: OrchestrateContext, options: TriggerOptions, counts: IssueCounts, epics: tuple[str, ...]
) -> OrchestrateOutput:
    """End the run."""
    every = end_run(at.trigger_context(options), counts, epics)
    return OrchestrateOutput(
        _words(every, at), lambda: _ended(every, counts, at), worst_exit(every)
    )


def _ended(
    every: Sequence[TriggerResult], counts: IssueCounts, at: OrchestrateContext
) -> dict[str, Any]:
    run = current_run(at.store)
    succeeded, failed = count_issues(
        len(run.issues), len(run.failed), counts.succeeded, counts.failed
    )
    return {
        "fired": [_fired(fired, at.git) for fired in every],
        "succeeded": succeeded,
        "failed": failed,
        "fixes": sum(fired.fixes for fired in every),
        "exit": worst_exit(every),
        "why": next((fired.reason for fired in reversed(every) if fired.exit), ""),
    }


def status_command(at: OrchestrateContext) -> OrchestrateOutput:
    """The run that is here, and its last events."""
    run = current_run(at.store)
    agents = load_approvals(at.git).grant_of(run.run_id).agents
    every = read_events(at.store.folder)
    events = [record for record in every if record.get("run_id") == run.run_id][-_LAST_EVENTS:]
    about = {"path": str(at.store.path), "agents": [*agents], "events": events}
    rows = _standing(run, agents, events)
    return OrchestrateOutput(
        "".join(f"{row}\n" for row in rows), lambda: {**run_data(run), **about}
    )


def _standing(
    run: RunMetadata, agents: Sequence[str], events: Iterable[Mapping[str, Any]]
) -> Iterator[str]:
    yield (
        f"run {run.run_id}, since "
        f"{run.started or 'an unknown time'}{f', ended {run.ended}' if run.ended else ''}"
    )
    if run.aborted:
        yield f"  aborted by  {run.aborted}"
    yield f"  started at  {run.run_start_commit or 'no commit'}"
    for name, values in (
        ("agents", agents),
        ("issues", run.issues),
        ("failed", run.failed),
        ("epics", run.epics),
        ("completed", run.completed),
    ):
        if values:
            yield f"  {name:<11} {', '.join(values)}"
    for key, sha in run.last_cumulative_review_commits.items():
        yield f"  reviewed    {key} up to {sha}"
    for record in events:
        yield f"  {record.get('time', '')}  {_event_line(record)}"


def _event_line(record: Mapping[str, Any]) -> str:
    known = ("time", "level", "logger", "run_id", "event", "message")
    fields = {key: value for key, value in record.items() if key not in known}
    return text_line(
        LogEvent(
            record.get("level", "INFO"),
            str(record.get("event") or record.get("message") or ""),
            fields,
        )
    )


def _words(every: Iterable[TriggerResult], at: OrchestrateContext) -> str:
    """The last report of each trigger that found something, and a line for each trigger."""
    parts = []
    for fired in every:
        if fired.review and fired.review.report and fired.review.findings:
            parts.append(
                render_report(fired.review.report, "terminal", output_style(at.environment))
            )
        parts.append(
            safe_line(
                f"{fired.trigger}: {_state(fired)}{f' ({fired.reason})' if fired.reason else ''}",
                _LONGEST,
            )
            + "\n"
        )
    return "".join(parts)


def _state(result: TriggerResult) -> str:
    """Passed is only what was reviewed; what a failure mode lets continue is named."""
    if not result.fired or result.exit:
        return "failed" if result.exit else "not fired"
    review = result.review
    unread = (
        review is not None and review.status != "success" and review.skip_reason != "empty_diff"
    )
    gaps = [f"not reviewed: {review.error or review.skip_reason}"] if review and unread else []
    gaps += [f"the command {ran.ref} failed" for ran in result.commands if ran.error]
    if review and not unread and review.findings:
        gaps.append(
            f"{len(review.findings)} finding{'s' * (len(review.findings) > 1)} below "
            "finding_threshold"
        )
    if result.epic is not None and not result.epic.passed:
        gaps.append(
            "the epic is not verified: "
            f"{result.epic.message or result.epic.skipped or result.epic.reason}"
        )
    return f"continues, {'; '.join(gaps)}" if gaps else "passed"


def _fired(result: TriggerResult, git: Git) -> dict[str, Any]:
    return {
        "trigger": result.trigger,
        "fired": result.fired,
        "why": result.reason,
        "commands": _commands(result.commands),
        "review": _review(result.review, git) if result.review else None,
        "epic": _epic(result.epic) if result.epic else None,
        "fixes": result.fixes,
        "exit": result.exit,
    }


def _epic(result: EpicResult) -> dict[str, Any]:
    unmet = [each.criterion for each in result.verdict.unmet_criteria] if result.verdict else []
    return {
        "epic": result.epic,
        "passed": result.passed,
        "reason": result.reason,
        "skipped": result.skipped,
        "unmet": unmet,
    }


def _commands(commands: Iterable[CommandRun]) -> list[dict[str, Any]]:
    return [
        {"ref": ran.ref, "argv": [*ran.argv], "error": ran.error, "seconds": ran.seconds}
        for ran in commands
    ]


def _review(result: CumulativeReviewResult, git: Git) -> dict[str, Any]:
    return {
        "status": result.status,
        "outcome": result.outcome,
        "skip_reason": result.skip_reason,
        "new_baseline_commit": result.new_baseline_commit,
        "error_type": result.error_type or None,
        "error_message": result.error or None,
        "baseline": result.baseline or None,
        "head": result.head or None,
        "commits": [*commit_list(git, result.baseline, result.head)] if result.head else [],
        "review_id": result.report.review_id if result.report else None,
        "findings": _findings(result.report),
    }


def _findings(report: Report | None) -> list[Any]:
    """The open ones, as the JSON report shows them."""
    if report is None:
        return []
    shown = json.loads(render_report(report, "json", OutputStyle()))
    return [finding for finding in shown["findings"] if finding["state"] == "open"]

"""Verifying an epic: attempts, their events, and what a failure leads to.

    result = verify_epic(engine, "bd-2")
    if result.aborts: ...  # the run ends here

Only this tells of events. Issues are made before the failure mode is looked at.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..model.epic import Epic
from ..model.epic_verification import HARD, EpicFailure, EpicResult, EpicTask, EpicVerdict, EpicVerification
from ..model.errors import ConfigError, GateError, UpstreamError, UsageError
from ..model.event import Event
from ..model.tracked import Tracked
from ..reporters._words import listed
from ..steps.epic_issues import issues_of, named_issues
from ..system.site import Site
from ..text.plain import plain_line
from .epic_task import eligible, task_of
from .epic_verifiers import EpicVerifierProtocol, verifier_for
from .track import track_issues
from .trigger_engine import Engine

Log = Callable[[Event], None]
_SNIPPET = 400
_NAMES = re.compile("[0-9a-f]{12,}")  # of a session or of a question: no two attempts have the same


def verify_epic(engine: Engine, name: str) -> EpicResult:
    """Verify an epic whose issues are all closed, and make issues of what is missing.

    Raises:
        UsageError: the tracker does not know the epic.
        GateError, OSError: the tracker fails.
    """
    own = engine.config.epic_verification
    if not own.enabled:
        return EpicResult(name, own.reviewer_type, skipped="epic_verification.enabled is false")
    epic, why = eligible(name, engine.config, Site(engine.git, engine.world, []))
    if why:
        return EpicResult(name, own.reviewer_type, skipped=why)
    return _verified(name, epic, engine)


def _verified(name: str, epic: Epic, engine: Engine) -> EpicResult:
    own = engine.config.epic_verification
    task = task_of(epic, engine.run.run_start_commit, engine.git)
    verifier = verifier_for(engine.config, engine.git, engine.world, engine.approved)
    result = attempts(task, own, verifier, engine.log)
    if result.message:
        engine.log(Event("ERROR", f"the epic {name} is not verified: {result.message}"))
    hard = result.reason in HARD or bool(result.hard)
    if result.reason == "verdict_fail" or (own.failure_mode == "remediate" and result.reason and not hard):
        _make_issues(issues_of(result, task), engine)
    elif result.unmet:
        _make_issues(named_issues(result, task), engine)
    return replace(result, aborts=bool(result.reason) and (hard or own.failure_mode == "abort"))


def at_completion(engine: Engine, name: str) -> EpicResult:
    """The same for a trigger: an epic that the tracker does not know is not verified, and one whose state it cannot report now has failed.

    Raises:
        GateError: the settings are wrong.
    """
    own = engine.config.epic_verification
    try:
        epic, why = eligible(name, engine.config, Site(engine.git, engine.world, []))
    except UsageError as error:
        epic, why = None, f"{error}"
    except (UpstreamError, OSError) as error:
        failed = EpicResult(
            name, own.reviewer_type, reason="execution_error", message=f"could not read its state from the tracker: {error}"
        )
        engine.log(Event("ERROR", f"the epic {name} is not verified: {failed.message}"))
        return replace(failed, aborts=own.failure_mode == "abort")
    if epic is None or why:
        engine.log(Event("WARN", f"the epic {name} is not verified: {why}"))
        return EpicResult(name, own.reviewer_type, skipped=why)
    return _verified(name, epic, engine)


def attempts(task: EpicTask, own: EpicVerification, verifier: EpicVerifierProtocol, log: Log) -> EpicResult:
    """Retry until there is a verdict or no chance of one; a failure that only a person can fix is reported once, without a start."""
    blank = EpicResult(task.epic, own.reviewer_type)

    def tell(what: str, attempt: int, **more: str) -> None:
        fields = {"epic_id": task.epic, "reviewer_type": own.reviewer_type, "attempt": attempt, **more}
        log(Event("ERROR" if more else "INFO", f"epic_verification_{what}", fields))

    if (missing := _available(verifier)) is not None:
        tell("failed", 1, failure_reason=missing.reason)
        return replace(blank, reason=missing.reason, message=missing.message)
    last: EpicFailure | None = None
    for attempt in range(1, own.max_retries + 2):
        tell("started", attempt)
        said = _guarded(verifier, task, own.seconds)
        if isinstance(said, EpicVerdict):
            return _judged(replace(blank, verdict=said, attempts=attempt), tell)
        tell("failed", attempt, failure_reason=said.reason)
        if said.reason in HARD or said.hard or _repeats(said, last, log):
            return _without_verdict(blank, said, attempt)
        last = said
    tell("failed", own.max_retries + 1, failure_reason="max_retries_exceeded")
    failed = last or EpicFailure("execution_error", "no attempt was made")
    return _without_verdict(blank, failed, own.max_retries + 1)


def _without_verdict(blank: EpicResult, last: EpicFailure, attempts: int) -> EpicResult:
    return replace(blank, reason=last.reason, message=last.message, attempts=attempts, unmet=last.unmet, hard=last.hard)


def _judged(result: EpicResult, tell: Callable[..., None]) -> EpicResult:
    if result.passed:
        tell("passed", result.attempts)
        return result
    tell("failed", result.attempts, failure_reason="verdict_fail")
    unmet = result.verdict.unmet_criteria if result.verdict else ()
    return replace(result, reason="verdict_fail", message=f"not met: {listed([each.criterion for each in unmet], 5, '; ')}")


def _repeats(said: EpicFailure, last: EpicFailure | None, log: Log) -> bool:
    """The same unreadable answer twice in a row: a third attempt would not help."""
    if (
        said.reason != "parse_error"
        or last is None
        or last.reason != said.reason
        or _NAMES.sub("", last.message) != _NAMES.sub("", said.message)
    ):
        return False
    log(
        Event(
            "WARN", f"the same parse error twice, so there is no further attempt; the answer starts with: {plain_line(said.raw, _SNIPPET)}"
        )
    )
    return True


def _available(verifier: EpicVerifierProtocol) -> EpicFailure | None:
    try:
        return verifier.available()
    except ConfigError as error:
        return EpicFailure("config_error", error.message)


def _guarded(verifier: EpicVerifierProtocol, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
    try:
        return verifier.verify(task, seconds)
    except ConfigError as error:
        return EpicFailure("config_error", error.message)
    except (GateError, OSError) as error:
        return EpicFailure("execution_error", f"{error}")


def _make_issues(issues: Sequence[Tracked], engine: Engine) -> None:
    """The tracker gets them, or they wait for it."""
    if not engine.own:
        engine.log(Event("WARN", "no issues were created: the commits are not your own (to create them anyway, use --trusted)"))
        return
    site = Site(engine.git, engine.world, [])
    for text in track_issues(issues, engine.config, site, f"epic-{engine.world.new_id()}"):
        engine.log(Event("INFO", text))

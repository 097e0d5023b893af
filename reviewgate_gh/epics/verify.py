"""Verifying an epic: attempts, events, what a failure leads to, and the issues it leaves in the
tracker."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from ..issues import plan
from ..issues.epics import Epic
from ..issues.plan import LABEL, MAX_TITLE, UNMET
from ..issues.sync import track_issues
from ..issues.tracked import TrackedIssue, Workspace
from ..model.epic_verification import (
    HARD_FAILURES,
    EpicFailure,
    EpicResult,
    EpicTask,
    EpicVerdict,
    EpicVerification,
    UnmetCriterion,
)
from ..model.errors import ConfigError, GateError, UpstreamError, UsageError
from ..model.finding import Priority, sha256_hex
from ..model.run import LogEvent
from ..orchestrate.trigger_context import TriggerContext
from ..reporters._words import join_first
from ..text.escape import plain_line, plain_text
from ..text.patterns import lazy_pattern
from .task import epic_task, find_eligible_epic, find_issue
from .verifiers import EpicVerifierProtocol, verifier_for

_NEEDED = 1
_MOST_ISSUES = 50  # of an epic, that are asked for the documents that they name


def criterion_issues(result: EpicResult, task: EpicTask) -> tuple[TrackedIssue, ...]:
    """Issues to make, the most severe first: remediation for criteria without which the epic cannot
    be closed, advisory for the others."""
    if result.verdict is not None:
        return _each(result.verdict.unmet_criteria, task)
    if result.failure is None:
        return ()
    return (_failure(result.failure, result.attempts, task), *_each(result.failure.unmet, task))


def _each(criteria: Iterable[UnmetCriterion], task: EpicTask) -> tuple[TrackedIssue, ...]:
    return tuple(
        _unmet(task, unmet) for unmet in sorted(criteria, key=lambda unmet: unmet.priority)
    )


def _unmet(task: EpicTask, unmet: UnmetCriterion) -> TrackedIssue:
    kind = "epic-remediation" if unmet.priority <= _NEEDED else "epic-advisory"
    body = (
        f"A criterion of the epic {plain_line(task.epic)} is not met.\n\n"
        f"{plain_text(unmet.criterion)}\n\n{plain_text(unmet.reason)}"
    )
    name, priority = _name(task, unmet.criterion), list(Priority)[unmet.priority]
    return _issue(
        TrackedIssue(name, f"Not met: {unmet.criterion}", body, priority, "", 0, (kind,)), task
    )


def _failure(failure: EpicFailure, attempts: int, task: EpicTask) -> TrackedIssue:
    epic = plain_line(task.epic)
    tries = f"{attempts} attempt{'s' * (attempts != 1)}"
    body = (
        f"The epic {epic} could not be verified in {tries}: {failure.reason}.\n\n"
        f"{plain_text(failure.message)}"
    )
    name, title = _name(task, f"\0{failure.reason}"), f"The epic {epic} could not be verified"
    return _issue(TrackedIssue(name, title, body, Priority.P1, "", 0, ("epic-remediation",)), task)


def _name(task: EpicTask, what: str) -> str:
    return sha256_hex(f"{task.epic}\0{what}", 16)


def _issue(issue: TrackedIssue, task: EpicTask) -> TrackedIssue:
    """With what all issues of an epic have."""
    labels = (LABEL, *issue.labels, f"fp:{issue.fingerprint}")
    facts = plan.write(dict(_facts(task, issue)))
    return replace(
        issue, title=plain_line(issue.title, MAX_TITLE), labels=labels, notes=facts, link=task.epic
    )


def _facts(task: EpicTask, issue: TrackedIssue) -> Iterator[tuple[str, str]]:
    yield from (
        ("Source", UNMET),
        ("Epic", plain_line(task.epic)),
        ("Priority", issue.priority.value),
        ("Fingerprint", issue.fingerprint),
    )


LogFunction = Callable[[LogEvent], None]
_SNIPPET = 400
# Of a session or of a question: no two attempts have the same
_NAMES = lazy_pattern("[0-9a-f]{12,}")


def verify_epic(context: TriggerContext, name: str) -> EpicResult:
    """Verify an epic whose issues are all closed, and make issues of what is missing.

    Raises:
        UsageError: the tracker does not know the epic.
        GateError, OSError: the tracker fails.
    """
    own = context.config.epic_verification
    if not own.enabled:
        return EpicResult(name, own.reviewer_type, skipped="epic_verification.enabled is false")
    epic, why = find_eligible_epic(
        name, context.config, Workspace(context.git, context.environment, [])
    )
    if why:
        return EpicResult(name, own.reviewer_type, skipped=why)
    return _verified(name, epic, context)


def _verified(name: str, epic: Epic, context: TriggerContext) -> EpicResult:
    own = context.config.epic_verification
    try:
        texts = tuple(_issue_texts(epic, context))
    except (GateError, OSError) as error:
        why = f"could not read its issues from the tracker: {error}"
        context.log(LogEvent("ERROR", f"the epic {name} is not verified: {why}"))
        failed = EpicFailure("execution_error", why)
        aborts = own.failure_mode == "abort"
        return EpicResult(name, own.reviewer_type, failure=failed, aborts=aborts)
    task = epic_task(epic, context.run.run_start_commit, context.git, texts)
    verifier = verifier_for(context.config, context.git, context.environment, context.approved)
    result = attempt_verification(task, own, verifier, context.log)
    if result.message:
        context.log(LogEvent("ERROR", f"the epic {name} is not verified: {result.message}"))
    if result.reason == "verdict_fail" or (
        own.failure_mode == "remediate" and result.failure and not result.is_hard
    ):
        _make_issues(criterion_issues(result, task), context)
    elif result.failure and result.failure.unmet:
        _make_issues(_each(result.failure.unmet, task), context)
    return replace(
        result,
        aborts=result.failure is not None and (result.is_hard or own.failure_mode == "abort"),
    )


def _issue_texts(epic: Epic, context: TriggerContext) -> Iterator[str]:
    """What its issues say: they may name documents that it does not."""
    workspace = Workspace(context.git, context.environment, [])
    if len(epic.children) > _MOST_ISSUES:
        why = f"only the first {_MOST_ISSUES} of its {len(epic.children)} issues are read"
        context.log(LogEvent("WARN", f"{why} for the documents that they name"))
    for name in [*epic.children][:_MOST_ISSUES]:
        if (known := find_issue(name, context.config, workspace)) is not None:
            yield known.description


def verify_completed_epic(context: TriggerContext, name: str) -> EpicResult:
    """The same for a trigger: an epic that the tracker does not know is not verified, and one whose
    state it cannot report now has failed.

    Raises:
        GateError: the settings are wrong.
    """
    own = context.config.epic_verification
    try:
        epic, why = find_eligible_epic(
            name, context.config, Workspace(context.git, context.environment, [])
        )
    except UsageError as error:
        epic, why = None, f"{error}"
    except (UpstreamError, OSError) as error:
        failure = EpicFailure(
            "execution_error", f"could not read its state from the tracker: {error}"
        )
        context.log(LogEvent("ERROR", f"the epic {name} is not verified: {failure.message}"))
        return EpicResult(
            name, own.reviewer_type, failure=failure, aborts=own.failure_mode == "abort"
        )
    if epic is None or why:
        context.log(LogEvent("WARN", f"the epic {name} is not verified: {why}"))
        return EpicResult(name, own.reviewer_type, skipped=why)
    return _verified(name, epic, context)


def attempt_verification(
    task: EpicTask, own: EpicVerification, verifier: EpicVerifierProtocol, log: LogFunction
) -> EpicResult:
    """Retry until there is a verdict or no chance of one; a failure that only a person can fix is
    reported once, without a start."""
    blank = EpicResult(task.epic, own.reviewer_type)

    def tell(what: str, attempt: int, **more: str) -> None:
        fields = {
            "epic_id": task.epic,
            "reviewer_type": own.reviewer_type,
            "attempt": attempt,
            **more,
        }
        log(LogEvent("ERROR" if more else "INFO", f"epic_verification_{what}", fields))

    if (missing := _available(verifier)) is not None:
        tell("failed", 1, failure_reason=missing.reason)
        return replace(blank, failure=missing)
    last: EpicFailure | None = None
    for attempt in range(1, own.max_retries + 2):
        tell("started", attempt)
        said = _guarded(verifier, task, own.seconds)
        if isinstance(said, EpicVerdict):
            return _judged(replace(blank, verdict=said, attempts=attempt), tell)
        tell("failed", attempt, failure_reason=said.reason)
        if said.reason in HARD_FAILURES or said.hard_exit or _repeats(said, last, log):
            return replace(blank, failure=said, attempts=attempt)
        last = said
    tell("failed", own.max_retries + 1, failure_reason="max_retries_exceeded")
    failed = last or EpicFailure("execution_error", "no attempt was made")
    return replace(blank, failure=failed, attempts=own.max_retries + 1)


def _judged(result: EpicResult, tell: Callable[..., None]) -> EpicResult:
    if result.passed:
        tell("passed", result.attempts)
        return result
    tell("failed", result.attempts, failure_reason="verdict_fail")
    unmet = result.verdict.unmet_criteria if result.verdict else ()
    named = join_first([each.criterion for each in unmet], 5, "; ")
    return replace(result, failure=EpicFailure("verdict_fail", f"not met: {named}"))


def _repeats(said: EpicFailure, last: EpicFailure | None, log: LogFunction) -> bool:
    """The same unreadable answer twice in a row: a third attempt would not help."""
    if (
        said.reason != "parse_error"
        or last is None
        or last.reason != said.reason
        or _NAMES.sub("", last.message) != _NAMES.sub("", said.message)
    ):
        return False
    log(
        LogEvent(
            "WARN",
            "the same parse error twice, so there is no further attempt; the answer starts "
            f"with: {plain_line(said.raw_answer, _SNIPPET)}",
        )
    )
    return True


def _available(verifier: EpicVerifierProtocol) -> EpicFailure | None:
    try:
        return verifier.available()
    except ConfigError as error:
        return EpicFailure("config_error", error.message)


def _guarded(
    verifier: EpicVerifierProtocol, task: EpicTask, seconds: float
) -> EpicVerdict | EpicFailure:
    try:
        return verifier.verify(task, seconds)
    except ConfigError as error:
        return EpicFailure("config_error", error.message)
    except (GateError, OSError) as error:
        return EpicFailure("execution_error", f"{error}")


def _make_issues(issues: Sequence[TrackedIssue], context: TriggerContext) -> None:
    """The tracker gets them, or they wait for it."""
    if not context.made_here:
        context.log(
            LogEvent(
                "WARN",
                "no issues were created: the commits are not your own (to create them anyway, "
                "use --trusted)",
            )
        )
        return
    workspace = Workspace(context.git, context.environment, [])
    for text in track_issues(
        issues, context.config, workspace, f"epic-{context.environment.new_id()}"
    ):
        context.log(LogEvent("INFO", text))

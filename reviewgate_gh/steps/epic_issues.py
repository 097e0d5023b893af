"""What a failed verification leaves in the tracker: an issue for every criterion that is not met, or one for the failure itself."""

from collections.abc import Iterable, Iterator

from ..model.digest import sha256_hex
from ..model.epic_verification import EpicResult, EpicTask, UnmetCriterion
from ..model.finding import Priority
from ..model.tracked import Tracked
from ..text.plain import plain, plain_line
from . import issue_notes
from .tracking import LABEL, MOST_TITLE, UNMET

_NEEDED = 1


def issues_of(result: EpicResult, task: EpicTask) -> tuple[Tracked, ...]:
    """Issues to make, the most severe first: remediation for criteria without which the epic cannot be closed, advisory for the others."""
    if result.verdict is None:
        return (_failure(result, task), *named_issues(result, task))
    return _each(result.verdict.unmet_criteria, task)


def named_issues(result: EpicResult, task: EpicTask) -> tuple[Tracked, ...]:
    """Those for the criteria that were named without a verdict."""
    return _each(result.unmet, task)


def _each(criteria: Iterable[UnmetCriterion], task: EpicTask) -> tuple[Tracked, ...]:
    return tuple(_unmet(task, unmet) for unmet in sorted(criteria, key=lambda unmet: unmet.priority))


def _unmet(task: EpicTask, unmet: UnmetCriterion) -> Tracked:
    kind = "epic-remediation" if unmet.priority <= _NEEDED else "epic-advisory"
    body = f"A criterion of the epic {plain_line(task.epic)} is not met.\n\n{plain(unmet.criterion)}\n\n{plain(unmet.reason)}"
    return _issue(task, kind, unmet.criterion, f"Not met: {unmet.criterion}", body, list(Priority)[unmet.priority])


def _failure(result: EpicResult, task: EpicTask) -> Tracked:
    name = plain_line(task.epic)
    tries = f"{result.attempts} attempt{'s' * (result.attempts != 1)}"
    body = f"The epic {name} could not be verified in {tries}: {result.reason}.\n\n{plain(result.message)}"
    return _issue(task, "epic-remediation", f"\0{result.reason}", f"The epic {name} could not be verified", body, Priority.P1)


def _issue(task: EpicTask, kind: str, what: str, title: str, body: str, priority: Priority) -> Tracked:
    name = sha256_hex(f"{task.epic}\0{what}", 16)
    notes = issue_notes.write(dict(_facts(task, priority, name)))
    return Tracked(name, plain_line(title, MOST_TITLE), body, priority, "", 0, (LABEL, kind, f"fp:{name}"), notes, link=task.epic)


def _facts(task: EpicTask, priority: Priority, name: str) -> Iterator[tuple[str, str]]:
    yield from (("Source", UNMET), ("Epic", plain_line(task.epic)), ("Priority", priority.value), ("Fingerprint", name))

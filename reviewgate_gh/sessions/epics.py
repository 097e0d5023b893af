"""`review-gate spawn-epic-verify`: an epic verified in the background, and its result in the words
of the contract."""

from collections.abc import Mapping
from typing import Any

from ..ensemble.models import declared_reviewers, model_reviewers
from ..ensemble.options import ReviewOptions
from ..epics.documents import named_documents
from ..epics.verdict import combine_epic_verdicts
from ..epics.verifiers import NO_MODEL, ModelVerifier
from ..git import Git
from ..model.config import Config, ReviewerConfig
from ..model.epic_verification import EpicFailure, EpicTask, EpicVerdict, UnmetCriterion
from ..settings.change import load_change
from ..settings.settings import load_settings
from ..system.environment import Environment
from ..trust.may_run import require_approved
from .contract import answer_object, failed_answer

_NEEDED = 1


def epic_answer(heard: Mapping[str, EpicVerdict | EpicFailure]) -> dict[str, Any]:
    """What the models said, by their names: a criterion without which the epic cannot be closed is
    a FAIL, another one NEEDS_WORK."""
    if not heard:
        return failed_answer("no_reviewers", NO_MODEL)
    said = combine_epic_verdicts(list(heard.values()))
    if isinstance(said, EpicFailure) and said.reason == "timeout":
        return failed_answer("timeout")
    rows = {name: _row(name, each) for name, each in heard.items()}
    issues = (
        []
        if isinstance(said, EpicFailure)
        else [item for row in rows.values() for item in row["issues"]]
    )
    troubles = [
        (name, each.reason, each.message)
        for name, each in heard.items()
        if isinstance(each, EpicFailure)
    ]
    return answer_object("resolved", _word(said), rows, issues, troubles)


def _row(name: str, said: EpicVerdict | EpicFailure) -> dict[str, Any]:
    items = (
        []
        if isinstance(said, EpicFailure)
        else [_item(name, unmet) for unmet in said.unmet_criteria]
    )
    summary, error = (
        ("no answer", said.message) if isinstance(said, EpicFailure) else (said.reasoning, None)
    )
    return {
        "verdict": _word(said),
        "summary": summary,
        "issues": items,
        "findings": items,
        "error": error,
    }


def _word(said: EpicVerdict | EpicFailure) -> str:
    if isinstance(said, EpicFailure):
        return "ERROR"
    if said.passed:
        return "PASS"
    return (
        "FAIL" if any(unmet.priority <= _NEEDED for unmet in said.unmet_criteria) else "NEEDS_WORK"
    )


def _item(name: str, unmet: UnmetCriterion) -> dict[str, Any]:
    """A criterion belongs to no file."""
    return {
        "reviewer": name, "file": "", "file_path": None, "line_start": 0, "line_end": 0,
        "priority": unmet.priority, "title": unmet.criterion, "body": unmet.reason,
    }  # fmt: skip


def epic_models(options: ReviewOptions, git: Git, environment: Environment) -> list[str]:
    """Who will be asked.

    Raises:
        GateError: the config is wrong.
    """
    return [*_settled(options, git, environment)[1]]


def verify_session(
    options: ReviewOptions, epic: str, git: Git, environment: Environment
) -> dict[str, Any]:
    """What all declared models say about the epic that the context describes, in the words of the
    contract."""
    config, wanted, trusted = _settled(options, git, environment)
    verifier = ModelVerifier(wanted, config, git, environment, trusted, options.range)
    text = environment.change_intent()
    documents = named_documents(git, options.range.head, [text])
    task = EpicTask(epic, epic, text, documents=documents)
    return epic_answer(verifier.each(task, config.ensemble.deadline) if wanted else {})


def _settled(
    options: ReviewOptions, git: Git, environment: Environment
) -> tuple[Config, Mapping[str, ReviewerConfig], bool]:
    change = load_change(git, options.range, environment, options.trusted)
    settings = load_settings(git, change, environment, options.policy)
    wanted = model_reviewers(
        declared_reviewers(settings.config, options.entry_point, options.reviewers)
    )
    allowed = {
        name: entry for name, entry in wanted.items() if name not in settings.refused_reviewers
    }
    require_approved(not wanted or bool(allowed), f"{', '.join(wanted)} cannot be asked")
    return settings.config, allowed, change.trusted

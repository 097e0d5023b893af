"""The verification of an epic in the words of the `review-gate` contract."""

from collections.abc import Mapping
from typing import Any

from ..model.epic_verification import EpicFailure, EpicVerdict, UnmetCriterion
from .contract import failed, whole
from .epic_verdict import unanimous

_NEEDED = 1


def epic_answer(heard: Mapping[str, EpicVerdict | EpicFailure]) -> dict[str, Any]:
    """What the models said, by their names: a criterion without which the epic cannot be closed is a FAIL, another one NEEDS_WORK."""
    if not heard:
        return failed("no_reviewers", "no language model is configured: add one under reviewers in the config")
    said = unanimous(list(heard.values()))
    if isinstance(said, EpicFailure) and said.reason == "timeout":
        return failed("timeout")
    rows = {name: _row(name, each) for name, each in heard.items()}
    issues = [] if isinstance(said, EpicFailure) else [item for row in rows.values() for item in row["issues"]]
    troubles = [(name, each.reason, each.message) for name, each in heard.items() if isinstance(each, EpicFailure)]
    return whole("resolved", _word(said), rows, issues, troubles)


def _row(name: str, said: EpicVerdict | EpicFailure) -> dict[str, Any]:
    items = [] if isinstance(said, EpicFailure) else [_item(name, unmet) for unmet in said.unmet_criteria]
    summary, error = ("no answer", said.message) if isinstance(said, EpicFailure) else (said.reasoning, None)
    return {"verdict": _word(said), "summary": summary, "issues": items, "findings": items, "error": error}


def _word(said: EpicVerdict | EpicFailure) -> str:
    if isinstance(said, EpicFailure):
        return "ERROR"
    if said.passed:
        return "PASS"
    return "FAIL" if any(unmet.priority <= _NEEDED for unmet in said.unmet_criteria) else "NEEDS_WORK"


def _item(name: str, unmet: UnmetCriterion) -> dict[str, Any]:
    """A criterion belongs to no file."""
    return {
        "reviewer": name, "file": "", "file_path": None, "line_start": 0, "line_end": 0,
        "priority": unmet.priority, "title": unmet.criterion, "body": unmet.reason,
    }  # fmt: skip

"""What the verification of an epic says, in words and as data."""

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from ..epics.verify import verify_epic
from ..model.epic_verification import Criterion, EpicResult, EpicVerdict, EvidencedVerdict
from ..text.safe import safe_block, safe_line
from .trigger_context import TriggerOptions
from .verbs import OrchestrateContext, OrchestrateOutput


def verify_epic_command(
    at: OrchestrateContext, options: TriggerOptions, epic: str
) -> OrchestrateOutput:
    """Verify an epic.

    Raises:
        UsageError: the tracker does not know it.
    """
    result = verify_epic(at.trigger_context(options), epic)
    return OrchestrateOutput(
        "".join(f"{row}\n" for row in _words(result)), lambda: _data(result), result.exit
    )


def _words(result: EpicResult) -> Iterator[str]:
    name = safe_line(result.epic)
    if result.skipped:
        yield f"epic {name}: not verified: {safe_line(result.skipped)}"
        return
    if result.verdict is None:
        yield (
            f"epic {name}: no verdict from {result.reviewer_type}: {safe_line(result.message, 600)}"
        )
        return
    unmet = len(result.verdict.unmet_criteria)
    word = (
        "every criterion is met"
        if result.passed
        else f"{unmet} {'criterion is' if unmet == 1 else 'criteria are'} not met"
    )
    yield (
        f"epic {name}: {word}, according to {result.reviewer_type} (confidence "
        f"{result.verdict.confidence:.2f})"
    )
    for row in _table(result):
        if row.met:
            yield f"  met {safe_line(row.criterion)}: {safe_line(', '.join(row.evidence))}"
    for each in result.verdict.unmet_criteria:
        yield f"  P{each.priority} {safe_line(each.criterion)}"
        yield from (f"     {row}" for row in safe_block(each.reason).splitlines())


def _table(result: EpicResult) -> tuple[Criterion, ...]:
    """What models answer beside a verdict; an external gate has none."""
    return result.verdict.criteria if isinstance(result.verdict, EvidencedVerdict) else ()


def _data(result: EpicResult) -> dict[str, Any]:
    verdict: dict[str, Any] = to_builtins(result.verdict) if result.verdict else {}
    shape = EpicVerdict.__struct_fields__  # the same, whoever verifies
    return {
        "epic": result.epic,
        "reviewer_type": result.reviewer_type,
        "passed": result.passed,
        "verdict": {name: verdict[name] for name in shape} if verdict else None,
        "criteria": to_builtins(_table(result)),
        "failure_reason": result.reason or None,
        "message": result.message or None,
        "attempts": result.attempts,
        "aborts": result.aborts,
        "skipped": result.skipped or None,
        "exit": result.exit,
    }

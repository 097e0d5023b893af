"""Propose that a person accepts a finding as it is, with a reason. Nothing is accepted by this
call: the answer holds the command that a person has to run. Fix the finding instead where you can.
"""

import shlex
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...findings.waivers_file import WaiverTerms, make_waivers, waiver_file_text
from ...model.errors import UsageError
from ...model.finding import FindingState
from ...trust.attempts import record_attempt
from ..call import Call
from .findings import latest_report

TITLE = "Propose a waiver"
WRITES = False
REACHES_OUT = False


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Which finding, why, and until when."""

    fingerprint: Annotated[str, Meta(min_length=1, max_length=100)]
    reason: Annotated[str, Meta(min_length=1, max_length=1_000)]
    expires: Annotated[str, Meta(description="YYYY-MM-DD; without it, never", max_length=10)] = ""


class Result(Struct, frozen=True):
    """A proposal, which has no effect until a person runs the command."""

    applied: Literal[False]
    command: str
    entry: Annotated[str, Meta(description="what the command would add to the waivers file")]
    finding: str


def run(arguments: Arguments, call: Call) -> Result:
    """The proposal.

    Raises:
        UsageError: the finding is not an open one of the last review, or the terms are wrong.
    """
    git = call.open_repository()
    report = latest_report(git)
    name, reason, expires = arguments.fingerprint, arguments.reason.strip(), arguments.expires
    found = next((f for f in report.findings if f.fingerprint == name), None)
    if found is None or found.state is not FindingState.OPEN:
        state = f"is {found.state.value} already" if found else "is not in the last review"
        raise UsageError(f"the finding {name} {state}", "call findings for those that are open")
    if not reason:
        raise UsageError("the reason is empty", "say why the finding can be accepted")
    if expires and expires < call.environment.today():
        raise UsageError(f"{expires} is in the past", "name a future date, or none")
    terms = WaiverTerms(reason, expires or None)
    agent = call.environment.coding_agent or "a coding agent"
    record_attempt(git, call.environment, agent, f"asked to accept {name}, {found.title}: {reason}")
    words = ["reviewgate-gh", "waive", "add", name, "--reason", reason]
    words += ["--expires", expires] if expires else []
    return Result(
        False,
        shlex.join(words),
        waiver_file_text(make_waivers(report.findings, [name], (), terms)),
        f"{found.location} [{found.priority.value}] {found.title}",
    )


def text(result: Result) -> str:
    """The command."""
    return (
        "This is a proposal; the finding stays open. Tell your user that a person has to decide, "
        f"and can accept it with:\n{result.command}"
    )

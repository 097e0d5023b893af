"""Check whether the gate can run here: which linters and reviewers it would use, what is missing,
and what would be sent over the network.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ...text.safe import safe_line
from ...tools.doctor import HealthCheck, HealthState, check_setup
from ...tools.run_setup import with_triggers
from ..call import Call

TITLE = "Check the set-up"
WRITES = False
REACHES_OUT = False


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """There are none."""


class Result(Struct, frozen=True):
    """Each part of the set-up with its state."""

    can_review: Annotated[bool, Meta(description="whether a review could be made now")]
    checks: tuple[HealthCheck, ...]


def run(arguments: Arguments, call: Call) -> Result:
    """Look at all of it."""
    git = call.open_repository()
    health = with_triggers(check_setup(git, call.environment), git, call.environment)
    return Result(health.exit == 0, health.checks)


def text(result: Result) -> str:
    """What is not well, a line each."""
    told = "A review can be made here." if result.can_review else "No review can be made here."
    wrong = [check for check in result.checks if check.state is not HealthState.OK]
    rows = [safe_line(f"{each.name}: {each.state}: {each.detail}", 500) for each in wrong]
    return "\n".join([told, *rows])

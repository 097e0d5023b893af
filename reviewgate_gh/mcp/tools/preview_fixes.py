"""Show what the suggestions of the last review would change in the work tree, as diffs. Nothing is
written.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ...reporters._words import count_noun
from ...text.safe import safe_line
from ...tools.fix import FixPlan, plan_fixes
from ..call import Call

TITLE = "Preview suggested fixes"
WRITES = False
REACHES_OUT = False


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose suggestions."""

    path: Annotated[str, Meta(description="only this file")] = ""


class FileFix(Struct, frozen=True):
    """One file's suggestions."""

    path: str
    diff: str
    fingerprints: tuple[str, ...]


class Result(Struct, frozen=True):
    """The files that would change, and the suggestions that cannot be applied with the reasons."""

    files: tuple[FileFix, ...]
    not_applied: tuple[str, ...]


def run(arguments: Arguments, call: Call) -> Result:
    """What would change.

    Raises:
        UsageError: there is no report or no work tree.
    """
    return shown(plan_fixes(None, call.open_repository()), arguments.path)


def shown(plan: FixPlan, path: str) -> Result:
    """A plan's files: one, or all of them."""
    files = tuple(
        FileFix(
            offer.path, offer.difference, tuple(each.fingerprint for each in offer.fixed.applied)
        )
        for offer in plan.offers
        if path in ("", offer.path)
    )
    return Result(files, plan.not_applied)


def text(result: Result) -> str:
    """The diffs."""
    count = sum(len(file.fingerprints) for file in result.files)
    left = [f"not applied: {safe_line(why)}" for why in result.not_applied]
    told = f"{count_noun(count, 'suggestion')} can be applied; nothing was written"
    return "\n".join([told, *(file.diff for file in result.files), *left])

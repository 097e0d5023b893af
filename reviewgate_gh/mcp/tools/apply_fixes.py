"""Write the suggestions of the last review into the work tree, which must be clean. Nothing is
committed: look at the diff, and call review with uncommitted.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ...reporters._words import count_noun
from ...text.safe import safe_line
from ...tools.fix import offer_fixes
from ..call import Call

TITLE = "Apply suggested fixes"
WRITES = True
REACHES_OUT = False


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose suggestions."""

    path: Annotated[str, Meta(description="only this file")] = ""


class Result(Struct, frozen=True):
    """How many suggestions were written into how many files, and what was left with the
    reasons."""

    applied: int
    files: int
    not_applied: tuple[str, ...]


def run(arguments: Arguments, call: Call) -> Result:
    """Write them.

    Raises:
        UsageError: there is no report or no work tree, it holds work that is not committed, or a
            file cannot be written.
    """
    done = offer_fixes(
        None, call.open_repository(), lambda offer: arguments.path in ("", offer.path)
    )
    return Result(done.applied, done.files, done.not_applied)


def text(result: Result) -> str:
    """What was done."""
    told = (
        f"wrote {count_noun(result.applied, 'suggestion')} into "
        f"{count_noun(result.files, 'file')}; nothing is committed"
    )
    return "\n".join([told, *(f"not applied: {safe_line(why)}" for why in result.not_applied)])

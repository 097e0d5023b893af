"""An override that was asked for: nothing is asked, the reason is recorded and said loudly, and it
never looks clean."""

import sys

from .. import __version__
from ..git import Git
from ..git.diff import diff_trees, parse_raw
from ..git.history import commits_between
from ..model.change import Range
from ..model.errors import UsageError
from ..model.report import ChangedFile, Outcome, Report, ReviewedChange, Verdict
from ..system.environment import SKIP_VARIABLE, Environment
from ..text.safe import safe_line


def skip_reason(environment: Environment) -> str:
    """Why nothing shall be reviewed; "" when no override is asked for.

    Raises:
        UsageError: an override without a reason.
    """
    if not environment.skip_requested:
        return ""
    reason = environment.variables[SKIP_VARIABLE].strip()
    if not reason:
        raise UsageError(
            f"{SKIP_VARIABLE} needs a reason",
            f'give one: {SKIP_VARIABLE}="reason"; or unset {SKIP_VARIABLE} to run the review',
        )
    return reason


def announce_skip(reason: str) -> None:
    """One conspicuous line on standard error."""
    print(
        f"reviewgate-gh: THE GATE IS OVERRIDDEN, NOTHING WAS REVIEWED: {safe_line(reason)}",
        file=sys.stderr,
        flush=True,
    )


def announce_and_report_skip(wanted: Range, git: Git, environment: Environment) -> Report:
    """The report of an overridden run, which is announced.

    Raises:
        UsageError: an override without a reason.
    """
    reason = skip_reason(environment)
    announce_skip(reason)
    return skip_report(wanted, reason, git, environment)


def skip_report(wanted: Range, reason: str, git: Git, environment: Environment) -> Report:
    """The record of a range that was not reviewed."""
    files, _end = parse_raw(diff_trees(git, wanted.base, wanted.head, patch=False))
    changed = tuple(
        ChangedFile(f.path, f.status, f.old_path if f.old_path != f.path else "") for f in files
    )
    commits = (
        ()
        if wanted.is_local or wanted.whole_tree
        else commits_between(git, wanted.base, wanted.head)
    )
    now = environment.now()
    return Report(
        review_id=environment.new_id(),
        change=ReviewedChange(
            wanted.base,
            wanted.head,
            False,
            wanted.base,
            tuple(c.oid for c in commits),
            changed,
            wanted.notes,
        ),
        reviews=(),
        findings=(),
        verdict=Verdict(
            Outcome.INCONCLUSIVE,
            ("overridden: nothing was reviewed",),
            not_reviewed=tuple(sorted({f.path for f in files})),
        ),
        config_source="not read",
        tools={"reviewgate-gh": __version__},
        actor=environment.variables.get("GITHUB_ACTOR") or git.user[0],
        skipped=reason,
        started=now,
        finished=now,
    )

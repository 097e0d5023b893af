"""Apply suggestions from the last review, one confirmation per file."""

from collections.abc import Iterable
from pathlib import Path

import click

from ..git import open_repository
from ..model.errors import Exit
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..text.safe import safe_block, safe_line
from ..tools.fix import FixOffer, FixPlan, offer_fixes, plan_fixes
from ._options import repo


@click.command("fix")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The JSON report.  [default: the latest one kept here]",
)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if anything could be applied.")
@repo
def command(report: Path | None, dry_run: bool, check: bool, repo: Path) -> int:
    """Apply the suggestions of the last review: each file's diff is shown, and written only after
    you confirm.

    Only files in a clean work tree are edited; nothing is committed, posted or approved. If tracked
    files have uncommitted changes, nothing is written and the exit code is 64. Lines that have
    changed since the review are left alone.
    """
    git = open_repository(repo, Environment.current().variables)
    if dry_run or check:
        return _show(plan_fixes(report, git), dry_run, check)
    done = offer_fixes(report, git, _agree)
    _say_left(done.not_applied)
    done_in = (
        f"applied {count_noun(done.applied, 'suggestion')} in {count_noun(done.files, 'file')}"
    )
    click.echo(done_in if done.applied else "nothing was changed", err=True)
    if done.applied:
        click.echo("review again: reviewgate-gh review --uncommitted", err=True)
    return 0


def _show(plan: FixPlan, differences: bool, check: bool) -> int:
    number = sum(len(offer.fixed.applied) for offer in plan.offers)
    for offer in plan.offers if differences else ():
        click.echo(safe_block(offer.difference))
    _say_left(plan.not_applied)
    where = f" in {count_noun(len(plan.offers), 'file')}" if number else ""
    click.echo(f"{count_noun(number, 'suggestion')} can be applied{where}", err=True)
    return Exit.BLOCK if check and number else Exit.OK


def _say_left(reasons: Iterable[str]) -> None:
    for text in reasons:
        click.echo(f"not applied: {safe_line(text)}", err=True)


def _agree(offer: FixOffer) -> bool:
    number = len(offer.fixed.applied)
    click.echo(safe_block(offer.difference))
    try:
        return click.confirm(
            f"Apply {number} suggestion{'s' * (number != 1)} to {safe_line(offer.path)}?",
            default=False,
            err=True,
        )
    except click.Abort:  # no one can answer: input is closed
        click.echo(err=True)
        return False

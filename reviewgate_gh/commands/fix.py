"""Apply suggestions from the last review, one confirmation per file."""

from pathlib import Path

import click

from ..git import open_repository
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..text.safe import safe_block, safe_line
from ..tools.fix import FixOffer, offer_fixes
from ._options import repo


@click.command("fix")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The JSON report.  [default: the latest one kept here]",
)
@repo
def command(report: Path | None, repo: Path) -> int:
    """Apply the suggestions of the last review: each file's diff is shown, and written only after
    you confirm.

    Only files in a clean work tree are edited; nothing is committed, posted or approved. If tracked
    files have uncommitted changes, nothing is written and the exit code is 64. Lines that have
    changed since the review are left alone.
    """
    done = offer_fixes(report, open_repository(repo, Environment.current().variables), _agree)
    for text in done.not_applied:
        click.echo(f"not applied: {safe_line(text)}", err=True)
    done_in = (
        f"applied {count_noun(done.applied, 'suggestion')} in {count_noun(done.files, 'file')}"
    )
    click.echo(done_in if done.applied else "nothing was changed", err=True)
    if done.applied:
        click.echo("review again: reviewgate-gh review --uncommitted", err=True)
    return 0


def _agree(offer: "FixOffer") -> bool:
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

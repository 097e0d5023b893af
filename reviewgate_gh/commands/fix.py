"""`fix`: apply what the last review suggests, after a yes for each file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._options import repo

if TYPE_CHECKING:
    from ..flows.fix import Offer


@click.command("fix", short_help="Apply suggestions from the last review, one confirmation per file.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="The JSON report.  [default: the latest one kept here]")
@repo
def command(report: Path | None, repo: Path) -> int:
    """Apply the suggestions of the last review: each file's diff is shown, and written only after you confirm.

    Only files in a clean work tree are edited; nothing is committed, posted or approved. If tracked files have uncommitted
    changes, nothing is written and the exit code is 64. Lines that have changed since the review are left alone.
    """
    from ..flows.fix import fix
    from ..reporters._doors import line
    from ..reporters._words import counted
    from ..system.git import open_repository
    from ..system.world import World

    done = fix(report, open_repository(repo, World.here().env), _agree)
    for text in done.left:
        click.echo(f"not applied: {line(text)}", err=True)
    done_in = f"applied {counted(done.applied, 'suggestion')} in {counted(done.files, 'file')}"
    click.echo(done_in if done.applied else "nothing was changed", err=True)
    if done.applied:
        click.echo("review again: reviewgate-gh review --uncommitted", err=True)
    return 0


def _agree(offer: "Offer") -> bool:
    from ..reporters._doors import block, line

    number = len(offer.fixed.applied)
    click.echo(block(offer.difference))
    try:
        return click.confirm(f"Apply {number} suggestion{'s' * (number != 1)} to {line(offer.path)}?", default=False, err=True)
    except click.Abort:  # no one can answer: input is closed
        click.echo(err=True)
        return False

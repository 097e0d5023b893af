"""`fix`: apply what the last review suggests, after a yes for each file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._options import repo

if TYPE_CHECKING:
    from ..flows.fix import Offer


@click.command("fix", short_help="Apply suggestions from the last review, one confirmation per file.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="A JSON report; by default the last one that is kept here.")
@repo
def command(report: Path | None, repo: Path) -> int:
    """Apply what the last review suggests: each file's difference is shown, and written only after a yes.

    It edits a work tree that is clean, and nothing else: nothing is committed, posted or approved. With changes in tracked
    files that are not committed it writes nothing and ends with 64. Lines that have changed since the review are left alone.
    """
    from ..flows.fix import fix
    from ..reporters._doors import line
    from ..system.git import open_repository
    from ..system.world import World

    done = fix(report, open_repository(repo, World.here().env), _agree)
    for text in done.left:
        click.echo(f"left: {line(text)}", err=True)
    files = f"{done.files} file{'s' * (done.files != 1)}"
    click.echo(f"{done.applied} applied in {files}" if done.applied else "nothing was changed", err=True)
    if done.applied:
        click.echo("review again: reviewgate-gh review --uncommitted", err=True)
    return 0


def _agree(offer: "Offer") -> bool:
    from ..reporters._doors import block, line

    number = len(offer.fixed.applied)
    click.echo(block(offer.difference))
    try:
        return click.confirm(f"Apply {number} suggestion{'s' * (number != 1)} to {line(offer.path)}?", default=False, err=True)
    except click.Abort:  # nobody is there to say yes
        click.echo(err=True)
        return False

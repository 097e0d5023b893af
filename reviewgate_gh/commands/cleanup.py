"""`cleanup`: away with what reviews of a target left in the clone."""

from pathlib import Path

import click

from ._options import repo


@click.command("cleanup", short_help="Remove what reviews of a target left in this clone.")
@click.argument("target")
@repo
def command(target: str, repo: Path) -> int:
    """Remove what reviews of TARGET left in this clone, and say what: pr-N (a pull request's number), local, or another target's name.

    Of local reviews that is what is kept for asking models the same again. Folders for temporary files that killed runs left go with any
    target. Fetched commits are kept by a ref until then. Kept reports stay, and so does everything that is not this tool's own.
    """
    from ..flows.cleanup import cleanup
    from ..system.git import open_repository
    from ..system.world import World

    for text in cleanup(open_repository(repo, World.here().env), target):
        click.echo(text)
    return 0

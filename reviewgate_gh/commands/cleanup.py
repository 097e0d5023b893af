"""Remove what reviews of a target left in this clone."""

from pathlib import Path

import click

from ..git import open_repository
from ..pull_request.targets import clean_up_target
from ..system.environment import Environment
from ._options import repo


@click.command("cleanup")
@click.argument("target")
@repo
def command(target: str, repo: Path) -> int:
    """Remove what reviews of TARGET left in this clone, and list it. TARGET is pr-N (pull request
    N), local, or another target's name.

    For pull requests, this includes the refs that keep fetched commits; for local, the saved
    answers of language models. Temporary folders of killed runs are removed with any target. Saved
    reports stay, as does everything that this tool did not create.
    """
    for text in clean_up_target(open_repository(repo, Environment.current().variables), target):
        click.echo(text)
    return 0

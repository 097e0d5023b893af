"""What action.yml calls inside a GitHub workflow."""

from pathlib import Path

import click

from ..action.run import run_action
from ..git import open_repository
from ..system.environment import Environment
from ._options import repo


@click.command("action")
@repo
def command(repo: Path) -> int:
    """Review the commits of the GitHub event that started this workflow."""
    environment = Environment.current()
    return run_action(open_repository(repo, environment.variables), environment)

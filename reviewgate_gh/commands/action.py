"""`action`: what action.yml calls inside a GitHub workflow."""

from pathlib import Path

import click

from ._options import repo


@click.command("action", hidden=True)
@repo
def command(repo: Path) -> int:
    """Review the commits of the GitHub event that started this workflow."""
    from ..flows.action import run_action
    from ..system.git import open_repository
    from ..system.world import World

    world = World.here()
    return run_action(open_repository(repo, world.env), world)

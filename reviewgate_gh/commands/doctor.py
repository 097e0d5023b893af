"""Check what the gate can run here, and what is missing."""

import json
from pathlib import Path

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_stdout
from ..git import open_repository
from ..system.environment import Environment
from ..tools.doctor import check_setup, render_health
from ..tools.run_setup import with_triggers
from ._options import repo, result_form


@click.command("doctor")
@result_form
@repo
def command(form: str, repo: Path) -> int:
    """Show what the gate would run here, what is missing, and what is sent over the network.

    Exits 0 when it can run, 4 when no reviewer is available, 78 when the config is broken.
    """
    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    health = with_triggers(check_setup(git, environment), git, environment)
    write_stdout(
        json.dumps(to_builtins(health), indent=2) + "\n"
        if form == "json"
        else render_health(health, output_style(environment))
    )
    return health.exit

"""Show past reviews."""

import json
from pathlib import Path

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_stdout
from ..git import open_repository
from ..system.environment import Environment
from ..text.safe import json_without_commands
from ..tools.history import read_history, render_history
from ._options import repo, result_form


@click.command("history")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many reviews to show.",
)
@result_form
@repo
def command(last: int, form: str, repo: Path) -> int:
    """Show the latest reviews in this clone (the last 100 reports are kept) and the latest runs in
    this work tree."""
    environment = Environment.current()
    past = read_history(open_repository(repo, environment.variables), last)
    write_stdout(
        json_without_commands(json.dumps(to_builtins(past), indent=2)) + "\n"
        if form == "json"
        else render_history(past, output_style(environment))
    )
    return 0

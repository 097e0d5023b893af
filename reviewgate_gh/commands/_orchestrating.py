"""What the commands of `orchestrate` share: where a run is kept, how events look, how a result is
said."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..orchestrate.verbs import OrchestrateResult


output_dir = click.option(
    "--output-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the run in this folder instead of the work tree's git directory.",
)
log_format = click.option(
    "--log-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Format of the events on standard error.",
)


def print_result(result: "OrchestrateResult", form: str) -> int:
    """Print a result in its form; the exit code that it comes to."""
    import json

    from ..gate.deliver import write_stdout
    from ..text.safe import json_without_commands, without_commands

    write_stdout(
        without_commands(result.text)
        if form == "terminal"
        else json_without_commands(json.dumps(result.data(), indent=2)) + "\n"
    )
    return result.exit

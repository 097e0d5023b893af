"""What the commands of `orchestrate` share: where a run is kept, how events look, how a result is said."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..flows.orchestrate import Said

output_dir = click.option(
    "--output-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the run in this folder instead of the work tree's git directory.",
)
log_format = click.option(
    "--log-format", type=click.Choice(("text", "json")), default="text", show_default=True, help="Format of the events on standard error."
)


def say(said: "Said", form: str) -> int:
    """Print a result in its form; the exit code that it comes to."""
    import json

    from ..flows.deliver import emit
    from ..reporters._doors import inert, inert_json

    emit(inert(said.text) if form == "terminal" else inert_json(json.dumps(said.data(), indent=2)) + "\n")
    return said.exit

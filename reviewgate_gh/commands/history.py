"""`history`: what was reviewed here before."""

from pathlib import Path

import click

from ._options import repo, result_form


@click.command("history", short_help="Show past reviews.")
@click.option("--last", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many reviews to show.")
@result_form
@repo
def command(last: int, form: str, repo: Path) -> int:
    """Show the latest reviews in this clone (the last 100 reports are kept) and the latest runs in this work tree."""
    import json

    from ..flows.deliver import emit, look
    from ..flows.history import drawn, history
    from ..model.codec import to_plain
    from ..reporters._doors import inert_json
    from ..system.git import open_repository
    from ..system.world import World

    world = World.here()
    past = history(open_repository(repo, world.env), last)
    emit(inert_json(json.dumps(to_plain(past), indent=2)) + "\n" if form == "json" else drawn(past, look(world)))
    return 0

"""`doctor`: can the gate run here?"""

from pathlib import Path

import click

from ._options import repo, result_form


@click.command("doctor", short_help="Check whether the gate can run here, and with what.")
@result_form
@repo
def command(form: str, repo: Path) -> int:
    """Show what the gate would run with here, what is missing, and what is sent over the network.

    Exits 0 when it can run, 4 when no reviewer is available, 78 when the config is broken.
    """
    import json

    from ..flows.deliver import emit, look
    from ..flows.doctor import drawn, examine
    from ..model.codec import to_plain
    from ..system.git import open_repository
    from ..system.world import World

    world = World.here()
    health = examine(open_repository(repo, world.env), world)
    emit(json.dumps(to_plain(health), indent=2) + "\n" if form == "json" else drawn(health, look(world)))
    return health.exit

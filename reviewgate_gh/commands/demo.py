"""`demo`: see it refuse a push."""

import click


@click.command("demo", short_help="See it refuse a push, in a throw-away repository.")
@click.option("--keep", is_flag=True, help="Leave the repository where it is and say where.")
def command(keep: bool) -> int:
    """Make a throw-away repository with a bad change, review it, and push it against the installed hook: first refused, then mended."""
    from ..flows.demo import demo
    from ..system.world import World

    return demo(keep, World.here())

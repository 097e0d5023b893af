"""Watch the gate refuse a push in a throw-away repository."""

import click

from ..system.environment import Environment
from ..tools.demo import run_demo


@click.command("demo")
@click.option("--keep", is_flag=True, help="Keep the repository and print its path.")
def command(keep: bool) -> int:
    """Review and push a bad change in a throw-away repository: the hook refuses the push, then
    accepts the fixed commit."""
    return run_demo(keep, Environment.current())

"""Set up a repository: config, workflow, hook."""

import shlex
from pathlib import Path

import click

from ..git import open_repository
from ..system.environment import Environment
from ..tools.init import plan_setup
from ._options import repo


@click.command("init")
@click.option(
    "--yes", is_flag=True, help="Carry out the plan; without this option it is only shown."
)
@click.option("--no-workflow", is_flag=True, help="Do not write the workflow.")
@click.option(
    "--action",
    default="",
    metavar="OWNER/NAME@COMMIT",
    help="The Action that the workflow runs.  [default: that of this release]",
)
@click.option("--no-hook", is_flag=True, help="Do not install the hook.")
@repo
def command(yes: bool, no_workflow: bool, action: str, no_hook: bool, repo: Path) -> int:
    """Show what the set-up would do here; with --yes, do it. Existing files are kept.

    If a hook manager owns the hooks, or they are committed, the line to add is shown; with --yes
    the rest is done and the exit code is 64.
    """
    environment = Environment.current()
    steps = plan_setup(
        open_repository(repo, environment.variables),
        environment,
        None if no_workflow else action,
        not no_hook,
    )
    for step in steps:
        click.echo(step.description)
    deeds = [step.run for step in steps if step.run]
    if not yes and deeds:
        click.echo(
            f"\nNothing has been changed. To do this: {_again(no_workflow, action, no_hook, repo)}"
        )
        return 0
    for deed in deeds:
        for line in deed():
            click.echo(line)
    for step in steps:
        if step.blocked_by:
            raise step.blocked_by
    click.echo("done" if deeds else "nothing to do")
    return 0


def _again(no_workflow: bool, action: str, no_hook: bool, repo: Path) -> str:
    words = ["reviewgate-gh", "init", "--yes"]
    words += ["--no-workflow"] * no_workflow + ["--no-hook"] * no_hook
    words += ["--action", action] if action else []
    words += ["--repo", str(repo)] if repo != Path() else []
    return shlex.join(words)

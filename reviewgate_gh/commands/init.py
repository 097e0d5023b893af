"""Set up a repository: config, workflows, hook, coding agents."""

import shlex
from pathlib import Path

import click

from ..agents.program import agent_names
from ..agents.setup import FOUND
from ..git import open_repository
from ..system.environment import Environment
from ..tools.init import SetupChoice, plan_setup
from ._options import repo


@click.command("init")
@click.option(
    "--yes", is_flag=True, help="Carry out the plan; without this option it is only shown."
)
@click.option("--no-workflow", is_flag=True, help="Do not write the workflow.")
@click.option(
    "--commands",
    is_flag=True,
    help="Also write the workflow that answers commands in comments on pull requests.",
)
@click.option(
    "--action",
    default="",
    metavar="OWNER/NAME@COMMIT",
    help="The Action that the workflows run.  [default: that of this release]",
)
@click.option("--no-hook", is_flag=True, help="Do not install the hook.")
@click.option(
    "--agents",
    default="",
    is_flag=False,
    flag_value=FOUND,
    metavar="[NAME,...]",
    help=f"Also set up coding agents: those found here, or --agents={','.join(agent_names())}.",
)
@repo
def command(
    yes: bool,
    no_workflow: bool,
    commands: bool,
    action: str,
    no_hook: bool,
    agents: str,
    repo: Path,
) -> int:
    """Show what the set-up would do here; with --yes, do it. Existing files are kept.

    If a hook manager owns the hooks, or they are committed, the line to add is shown; with --yes
    the rest is done and the exit code is 64.
    """
    environment = Environment.current()
    choice = SetupChoice(not no_workflow, commands, not no_hook, action, agents)
    steps = plan_setup(open_repository(repo, environment.variables), environment, choice)
    for step in steps:
        click.echo(step.description)
    deeds = [step.run for step in steps if step.run]
    if not yes and deeds:
        click.echo(f"\nNothing has been changed. To do this: {_again(choice, repo)}")
        return 0
    for deed in deeds:
        for line in deed():
            click.echo(line)
    for step in steps:
        if step.blocked_by:
            raise step.blocked_by
    click.echo("done" if deeds else "nothing to do")
    return 0


def _again(choice: SetupChoice, repo: Path) -> str:
    words = ["reviewgate-gh", "init", "--yes"]
    words += ["--no-workflow"] * (not choice.workflow) + ["--commands"] * choice.commands
    words += ["--no-hook"] * (not choice.hook)
    words += ["--action", choice.action] if choice.action else []
    named = f"--agents={choice.agents}".removesuffix(f"={FOUND}")
    words += [named] if choice.agents else []
    words += ["--repo", str(repo)] if repo != Path() else []
    return shlex.join(words)

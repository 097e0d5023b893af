"""Install, remove or test the pre-push hook."""

import os
import sys
from pathlib import Path

import click

# What `run` needs, and no more: it is imported for every push.
from ..git import open_repository
from ..hook.refs import PushedRef, parse_pushes
from ..hook.script import PROBE_VARIABLE
from ..model.errors import Exit, UsageError
from ..system.environment import Environment
from ..system.search_path import python_folders
from ._options import repo


@click.group("hook")
def command() -> None:
    """Install, remove or test the pre-push hook, which reviews every push."""


@command.command("install", short_help="Install the pre-push hook; an existing hook runs first.")
@repo
def install(repo: Path) -> int:
    """Install the pre-push hook; an existing hook is kept and runs first."""
    from ..hook.install import find_hook_location
    from ..tools.init import install_hook

    env = Environment.current().variables
    git = open_repository(repo, env)
    return _say(install_hook(git, find_hook_location(git, env)))


@command.command("uninstall", short_help="Remove the hook and restore the previous one.")
@repo
def uninstall(repo: Path) -> int:
    """Remove the hook and restore the one that was there before."""
    from ..hook.install import find_hook_location, uninstall_hook_file
    from ..trust.attempts import require_person

    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    require_person(git, environment, "remove the hook", "reviewgate-gh hook uninstall")
    return _say(uninstall_hook_file(git, find_hook_location(git, environment.variables)))


@command.command("status", short_help="Prove that the hook fires.")
@repo
def status(repo: Path) -> int:
    """Show what is installed, and prove with a push to a throw-away repository that it fires; exit
    1 if it does not."""
    from ..hook.status import hook_status

    environment = Environment.current()
    return hook_status(open_repository(repo, environment.variables), environment)


@command.command(
    "run",
    short_help="What git runs before a push.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("pushed", nargs=-1, type=click.UNPROCESSED, metavar="[REMOTE URL]")
@click.option(
    "--framework",
    is_flag=True,
    help="For the pre-commit framework, which passes the ref in the environment.",
)
def run(pushed: tuple[str, ...], framework: bool) -> int:
    """Review a push; git runs this, with the list of refs on standard input."""
    # As our hook starts it, so Python ignored PYTHONPATH; at the end they replace no module of ours
    if sys.flags.isolated:
        sys.path += python_folders(os.environ, ".")  # git starts hooks at the top of the work tree

    pushes = () if framework else _pushes()
    listed = framework or any(push.local_oid for push in pushes)
    if probe := os.environ.get(PROBE_VARIABLE):
        from ..hook.status import answer_probe

        if (answer := answer_probe(probe, listed)) is not None:
            return answer
    if not listed:
        return Exit.OK
    # What has nothing to review imports no gate.
    from ..hook.push import run_framework, run_hook

    here = Environment.current()
    return (
        run_framework(here.variables, here.cwd)
        if framework
        else run_hook(pushes, pushed[0] if pushed else "", here.variables, here.cwd)
    )


def _pushes() -> tuple[PushedRef, ...]:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "`hook run` is for git, which starts it before a push with the list of refs on "
            "standard input",
            "to review by hand: reviewgate-gh review",
        )
    return parse_pushes(sys.stdin.buffer.read())


def _say(lines: tuple[str, ...]) -> int:
    for line in lines:
        click.echo(line)
    return Exit.OK

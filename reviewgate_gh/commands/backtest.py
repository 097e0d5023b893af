"""Show what the gate would have said about past changes."""

import json
from pathlib import Path

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_stdout
from ..git import open_repository
from ..system.environment import Environment
from ..tools.backtest import BacktestOptions, render_backtest, run_backtest
from ._options import policy, repo, result_form


@click.command("backtest")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many changes to review.",
)
@click.option("--merges", "kind", flag_value="merges", help="Review only merges.")
@click.option(
    "--commits", "kind", flag_value="commits", help="Review only commits that are not merges."
)
@result_form
@policy
@repo
def command(last: int, kind: str | None, form: str, policy: str, repo: Path) -> int:
    """Review the last N changes of HEAD and show, for each threshold, which of them it would have
    blocked.

    A change is a merge as a whole, or a commit made directly on the branch (git log
    --first-parent).

    Each change is reviewed with the settings that applied to it, by the reviewers that need no
    key. No report is kept.
    """
    environment = Environment.current()
    wanted, git = (
        BacktestOptions(last, kind or "changes", policy),
        open_repository(repo, environment.variables),
    )
    result = run_backtest(wanted, git, environment)
    write_stdout(
        json.dumps(to_builtins(result), indent=2) + "\n"
        if form == "json"
        else render_backtest(result, output_style(environment))
    )
    return 0

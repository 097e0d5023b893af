"""Manage runs over several issues: review when a session, an epic or the run ends."""

import json
import shlex
from pathlib import Path
from typing import Any, get_args

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_stdout
from ..git import open_repository
from ..model.triggers import TriggerType
from ..orchestrate.run_end import IssueCounts
from ..orchestrate.runs import RunRequest
from ..orchestrate.trigger_context import TriggerOptions
from ..orchestrate.trigger_rules import DeprecatedOptions
from ..orchestrate.triggers import TriggerEvent
from ..orchestrate.verbs import (
    OrchestrateOutput,
    end_command,
    open_orchestrate_context,
    start_command,
    status_command,
    trigger_command,
)
from ..orchestrate.verify_epic import verify_epic_command
from ..system.environment import Environment
from ..text.safe import json_without_commands, safe_line, without_commands
from ..tools.doctor import render_health
from ..tools.epics import NewEpic, add_epic, close_issues, list_epics
from ..tools.run_setup import check_runs
from ..trust.attempts import require_person
from ._options import Decorator, combine_options, non_empty, policy, repo, result_form, trusted

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


def print_result(result: "OrchestrateOutput", form: str) -> int:
    """Print a result in its form; the exit code that it comes to."""
    write_stdout(
        without_commands(result.text)
        if form == "terminal"
        else json_without_commands(json.dumps(result.data(), indent=2)) + "\n"
    )
    return result.exit


@click.command("verify-epic", short_help="Check whether an epic meets its acceptance criteria.")
@click.argument("epic")
@combine_options(output_dir, log_format, result_form, trusted, policy, repo)
def verify_epic(
    epic: str,
    output_dir: Path | None,
    log_format: str,
    form: str,
    trusted: bool,
    policy: str,
    repo: Path,
) -> int:
    """Verify an epic whose issues are all closed, as configured under epic_verification. Unmet
    criteria become issues.

    \b
    Exit codes: 0 every criterion is met, 1 at least one is not, 2 no verdict (or an issue is
    still open), 3 timeout, 4 the external gate is missing or has no reviewers, 5 it failed
    with an internal error, 78 the verifier cannot be asked, for example without a login.
    """
    return print_result(
        verify_epic_command(
            open_orchestrate_context(repo, output_dir, log_format == "json"),
            TriggerOptions(policy, trusted),
            epic,
        ),
        form,
    )


_SEVERAL: dict[str, Any] = {
    "multiple": True,
    "callback": lambda _ctx, _option, values: _split(values),
}


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """Names, several of them with commas or one by one, each once."""
    return tuple(
        dict.fromkeys(name.strip() for value in values for name in value.split(",") if name.strip())
    )


_counts = combine_options(
    click.option(
        "--succeeded",
        type=click.IntRange(min=0),
        metavar="N",
        help="How many issues succeeded; the others failed.  [default: as recorded in the run]",
    ),
    click.option(
        "--failed",
        type=click.IntRange(min=0),
        metavar="M",
        help="How many issues failed.  [default: as recorded in the run]",
    ),
)
_place: Decorator = combine_options(output_dir, log_format, result_form, trusted, policy, repo)


@click.group("orchestrate")
def command() -> None:
    """Manage runs over several issues. validation_triggers in the config says what happens when a
    session, an epic or a run ends.

    \b
    Exit codes: 0 the run continues, 1 a command failed, findings are not fixed or the run was
    aborted before, 2 a reviewer gave no result (with failure_mode: abort) or the commits do
    not belong to the run, 3 a reviewer timed out (with failure_mode: abort), 4 no reviewer,
    5 an external gate had an internal error.
    """


@command.command("check", short_help="Show what a run would do here, and what is missing.")
@combine_options(result_form, repo)
def check(form: str, repo: Path) -> int:
    """Show which triggers are on, whether their commands and reviewers are available, whose commits
    count, what leaves the machine and where findings go. Nothing is run.

    Exits 0 if nothing is missing, 4 if a reviewer cannot answer, 78 if the config is broken or
    names an unknown command.
    """
    environment = Environment.current()
    health = check_runs(open_repository(repo, environment.variables), environment)
    write_stdout(
        json.dumps(to_builtins(health), indent=2) + "\n"
        if form == "json"
        else render_health(health, output_style(environment))
    )
    return health.exit


@command.group("epic")
def epic() -> None:
    """Create, close and list epics of the local tracker."""


@epic.command("add", short_help="Create an epic with its issues.")
@click.argument("epic_id", metavar="ID")
@click.option("--title", required=True, callback=non_empty, help="The epic's title.")
@click.option("--description", default="", help="What is to be done.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="TEXT",
    help="An acceptance criterion, checked by verify-epic. May be repeated.",
)
@click.option(
    "--issue",
    "titles",
    multiple=True,
    metavar="TITLE",
    help="An issue of the epic. May be repeated.",
)
@repo
def epic_add(
    epic_id: str,
    title: str,
    description: str,
    criteria: tuple[str, ...],
    titles: tuple[str, ...],
    repo: Path,
) -> int:
    """Create an epic in the local tracker, with the issues ID.1, ID.2 and so on."""
    environment = Environment.current()
    wanted = NewEpic(epic_id, title, description, criteria, titles)
    for name in add_epic(wanted, open_repository(repo, environment.variables), environment):
        click.echo(name)
    return 0


@epic.command("close", short_help="Close issues, or an epic.")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@repo
def epic_close(names: tuple[str, ...], repo: Path) -> int:
    """Close issues or epics of the local tracker."""
    environment = Environment.current()
    for name in close_issues(names, open_repository(repo, environment.variables), environment):
        click.echo(f"closed: {safe_line(name)}")
    return 0


@epic.command("list", short_help="List the epics and their issues.")
@repo
def epic_list(repo: Path) -> int:
    """List the epics of the local tracker, with the state of their issues."""
    environment = Environment.current()
    for found in list_epics(open_repository(repo, environment.variables), environment):
        click.echo(f"{safe_line(found.id)}  {safe_line(found.title)}")
        for name, closed in found.children.items():
            click.echo(f"  {safe_line(name)}  {'closed' if closed else 'open'}")
    return 0


@command.command("start", short_help="Start a run at HEAD, or resume it.")
@click.option(
    "--issues",
    metavar="A,B",
    help="The issues to work on. Naming the same ones again resumes the run.",
    **_SEVERAL,
)
@click.option("--epics", metavar="A,B", help="Epics that the run may complete.", **_SEVERAL)
@click.option(
    "--agents",
    metavar="A,B",
    help="Whose commits belong to the run besides your own: email addresses of agents, or folders "
    "of their clones.",
    **_SEVERAL,
)
@click.option("--fresh", is_flag=True, help="Start a new run even if there is one.")
@_place
def start(
    issues: tuple[str, ...], epics: tuple[str, ...], agents: tuple[str, ...], fresh: bool,
    output_dir: Path | None, log_format: str, form: str, trusted: bool,
    policy: str, repo: Path,
) -> int:  # fmt: skip
    """Start a run and record HEAD as its start commit. Call this before any work begins.

    If there already is a run over the same issues, it is resumed with everything it has recorded,
    even if it was aborted.
    """
    at = open_orchestrate_context(repo, output_dir, log_format == "json")
    if agents:
        who = ",".join(agents)
        again = shlex.join(["reviewgate-gh", "orchestrate", "start", "--agents", who])
        require_person(at.git, at.environment, f"grant a run to {who}", again)
    wanted = RunRequest(issues, epics, fresh, agents=agents)
    return print_result(start_command(at, TriggerOptions(policy, trusted), wanted), form)


@command.command("trigger", short_help="Report that a session, an epic or a run has ended.")
@click.argument("trigger", type=click.Choice(get_args(TriggerType)))
@click.option(
    "--issue",
    callback=non_empty,
    metavar="ID",
    help="With session_end: the issue that the session worked on.",
)
@click.option("--epic", callback=non_empty, metavar="ID", help="With epic_completion: the epic.")
@_counts
@click.option(
    "--disable-validations",
    type=click.Choice(("review",)),
    multiple=True,
    help="Skip the review this time.",
)
@click.option("--reviewer-type", metavar="TYPE", help="Deprecated: use code_review.reviewer_type.")
@click.option(
    "--max-review-retries",
    type=click.IntRange(min=0),
    metavar="N",
    help="Deprecated: use code_review.max_retries.",
)
@click.option(
    "--review-timeout",
    type=click.IntRange(min=1),
    metavar="S",
    help="Deprecated: use code_review.cerberus.timeout (300 by default).",
)
@click.option(
    "--cerberus-spawn-args",
    "spawn_args",
    multiple=True,
    metavar="ARG",
    help="Deprecated: use code_review.cerberus.spawn_args.",
)
@click.option(
    "--cerberus-wait-args",
    "wait_args",
    multiple=True,
    metavar="ARG",
    help="Deprecated: use code_review.cerberus.wait_args.",
)
@click.option(
    "--cerberus-env",
    "env",
    multiple=True,
    metavar="NAME=VALUE",
    help="Deprecated: use code_review.cerberus.env.",
)
@_place
def trigger(
    trigger: TriggerType, issue: str, epic: str, succeeded: int | None, failed: int | None,
    disable_validations: tuple[str, ...],
    reviewer_type: str | None, max_review_retries: int | None, review_timeout: int | None,
    spawn_args: tuple[str, ...],
    wait_args: tuple[str, ...], env: tuple[str, ...], output_dir: Path | None, log_format: str,
    form: str, trusted: bool, policy: str,
    repo: Path,
) -> int:  # fmt: skip
    """Report that a session, an epic or a run has ended: run the trigger's commands and its review.

    \b
    Examples:
      reviewgate-gh orchestrate trigger session_end --issue bd-7
      reviewgate-gh orchestrate trigger epic_completion --epic bd-2
    """
    _needs(trigger, issue, epic)
    flags = DeprecatedOptions(
        reviewer_type, max_review_retries, review_timeout, spawn_args, wait_args, env
    )
    options = TriggerOptions(policy, trusted, flags, review=not disable_validations)
    event = TriggerEvent(trigger, issue, epic, succeeded, failed)
    return print_result(
        trigger_command(
            open_orchestrate_context(repo, output_dir, log_format == "json"), options, event
        ),
        form,
    )


@command.command("end", short_help="End the run: completed epics first, then the run itself.")
@_counts
@click.option(
    "--epics",
    metavar="A,B",
    help="Completed epics that the tracker does not know about.",
    **_SEVERAL,
)
@_place
def end(
    succeeded: int | None, failed: int | None, epics: tuple[str, ...], output_dir: Path | None,
    log_format: str, form: str, trusted: bool,
    policy: str, repo: Path,
) -> int:  # fmt: skip
    """End the run: fire epic_completion for each completed epic that has not fired yet, then
    run_end."""
    at = open_orchestrate_context(repo, output_dir, log_format == "json")
    return print_result(
        end_command(at, TriggerOptions(policy, trusted), IssueCounts(succeeded, failed), epics),
        form,
    )


@command.command("status", short_help="Show the current run.")
@output_dir
@result_form
@repo
def status(output_dir: Path | None, form: str, repo: Path) -> int:
    """Show the run of this work tree: its issues and epics, what was reviewed last, and its latest
    events."""
    return print_result(status_command(open_orchestrate_context(repo, output_dir, False)), form)


def _needs(trigger: str, issue: str, epic: str) -> None:
    for name, value, wanted in (
        ("--issue", issue, "session_end"),
        ("--epic", epic, "epic_completion"),
    ):
        if (trigger == wanted) != bool(value):
            raise click.UsageError(
                f"{wanted} needs {name}"
                if trigger == wanted
                else f"{name} can only be used with {wanted}"
            )


command.add_command(verify_epic)

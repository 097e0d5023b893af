"""What every run of the Action works with, and the results that it leaves: the log, the step
summary, files and outputs."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..gate.deliver import (
    render_report,
    report_exit_code,
    store_report,
    write_report_file,
    write_stdout,
)
from ..git import Git
from ..github.client import Client, open_github
from ..github.runner import (
    StepLog,
    add_summary,
    read_input,
    set_output,
    temporary_path,
    workspace_path,
)
from ..github.token import TOKEN_VARIABLES
from ..model.change import Range
from ..model.errors import UsageError
from ..model.report import Report
from ..reporters._links import repository_page
from ..reporters._look import OutputStyle
from ..system.environment import Environment

_FORMS = ("sarif", "json", "html")


class ActionContext(Struct, frozen=True):
    """What the step works with: the clone, its surroundings, and GitHub where it is asked."""

    git: Git
    environment: Environment
    client: Callable[[], Client]


def open_action_client(environment: Environment) -> Client:
    """GitHub with the input's token, and no other: a token in the job's environment was not passed
    for this."""
    env = {
        **environment.variables,
        **dict.fromkeys(TOKEN_VARIABLES, ""),
        TOKEN_VARIABLES[0]: read_input(environment, "token"),
    }
    return open_github(
        replace(environment, variables=env), environment.variables.get("GITHUB_REPOSITORY", "")
    )


def page_of_repository(environment: Environment) -> str:
    """The web address of the repository, for links; "" where it is not known."""
    known = environment.variables
    return repository_page(known.get("GITHUB_SERVER_URL", ""), known.get("GITHUB_REPOSITORY", ""))


def noted(report: Report, *told: str) -> Report:
    """The report with these notices, too."""
    return replace(report, notices=(*report.notices, *told))


def policy_of_base(wanted: Range, trusted: bool, git: Git, environment: Environment) -> str:
    """The policy file's path. One that the checkout holds must be the base's: the reviewed commits
    set no floor for themselves."""
    name = read_input(environment, "policy") or environment.variables.get(
        "REVIEWGATE_GH_POLICY", ""
    )
    path = workspace_path(environment, name) if name else None
    if path is None or trusted or git.tree is None or not path.is_relative_to(git.tree):
        return name
    base, head = (
        git.resolve(f"{side}:{path.relative_to(git.tree)}", "")
        for side in (wanted.base, wanted.head)
    )
    if base != head:
        raise UsageError(
            f"the reviewed commits change the policy {name}",
            "name a policy file outside the checkout",
        )
    return name


def write_results(
    report: Report, places: dict[str, Path], log: StepLog, context: ActionContext
) -> None:
    """Print first, then write: if the disk is full, the report has been printed already."""
    git, environment = context.git, context.environment
    write_stdout(render_report(report, "terminal", OutputStyle(width=120)))
    write_stdout(log.with_commands(render_report(report, "annotations", OutputStyle())))
    add_summary(
        environment,
        render_report(report, "markdown", OutputStyle(repository=report.change.repository)),
    )
    texts = {form: render_report(report, form, OutputStyle()) for form in places}
    for form, path in places.items():
        write_report_file(path, texts[form])
    store_report(report, git, texts["json"])
    set_output(environment, {
        "verdict": report.verdict.outcome.value,
        "exit-code": str(int(report_exit_code(report))),
        "findings": str(sum(report.verdict.counts.values())),
        **{form: str(path) for form, path in places.items()},
    })  # fmt: skip


def report_places(environment: Environment) -> dict[str, Path]:
    """Where the files go, by their form."""
    return {form: _place(environment, form) for form in _FORMS}


def _place(environment: Environment, form: str) -> Path:
    """Where this form of the report goes."""
    chosen = read_input(environment, f"{form}-file")
    return (
        workspace_path(environment, chosen)
        if chosen
        else temporary_path(environment, f"reviewgate-gh.{form}")
    )

"""Issues for what was found on a pull request or a push: for authors who may write, and never for a
fork."""

from ..github.client import Client
from ..github.identity import may_write
from ..github.pull_requests import read_pull
from ..issues.plan import issues_of_report
from ..issues.sync import hold_issues, read_waiting, track_report
from ..issues.tracked import IssueOrigin, Workspace
from ..model.config import Config
from ..model.errors import GateError
from ..model.report import Report
from ..system import plugins


def track_pull(
    report: Report,
    number: int,
    config: Config,
    client: "Client",
    workspace: Workspace,
    dismissals: bool = True,
) -> tuple[str, ...]:
    """What was done, for people; nothing that goes wrong here is worth more than a line.

    `dismissals`: the report knows what people have dismissed; if not, its findings wait until it
    does.
    """
    if not due(report, config, workspace):
        return ()
    try:
        if refused := _refused(report, number, config, client):
            return (f"no issues were created: {refused}",)
    except GateError as error:
        return (
            (
                "no issues were created: could not check whether the author has write access: "
                f"{error.message}. {error.hint}"
            ),
        )
    return (track_report if dismissals else hold_issues)(
        report, config, workspace, IssueOrigin("pull_request", pull=number)
    )


def due(report: Report, config: Config, workspace: Workspace) -> bool:
    """Somebody asked for a tracker, which outlives this run, and there is something for it."""
    kind = config.tracker.type
    if (
        kind == "none"
        or not config.tracker.configured
        or report.skipped
        or (
            (workspace.environment.in_ci or workspace.temporary)
            and plugins.load("trackers", kind).IN_CLONE
        )
    ):
        return False
    found = issues_of_report(report, IssueOrigin(), config.tracker.issues_from)
    return bool(found or config.tracker.close_fixed or read_waiting(workspace.git.common).files)


def _refused(report: Report, number: int, config: Config, client: "Client") -> str:
    """Why this author's findings are not written; "" where they are. What the user committed here
    needs no asking for their own clone."""
    if (report.change.trusted or report.change.own) and plugins.load(
        "trackers", config.tracker.type
    ).IN_CLONE:
        return ""
    pull = read_pull(client, number)
    if pull.head_repository.lower() != pull.repository.lower():
        return "the pull request comes from a fork"
    if report.change.trusted or may_write(client, pull.author):
        return ""
    return f"{pull.author.login or 'the author'} has no write access to {pull.repository}"

"""The gate as a step of a GitHub workflow: the event's commits in; annotations, step summary, files
and comments out."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..ensemble.incremental import LastReviewQuery, last_review_query
from ..ensemble.options import ReviewOptions
from ..gate.deliver import (
    report_exit_code,
    write_stdout,
)
from ..gate.report import with_repository
from ..gate.review import review
from ..git import Git
from ..github.check_outputs import open_ci
from ..github.intent import read_intent
from ..github.pull_requests import find_pull_number
from ..github.runner import (
    COMMENT,
    PULL_REQUESTS,
    GitHubEvent,
    StepLog,
    event_payload,
    read_event,
    read_finished,
    read_flag,
    read_input,
    workspace_path,
)
from ..issues.sync import track_report
from ..issues.tracked import IssueOrigin, Workspace
from ..model.errors import Exit, UsageError
from ..model.pull_request import CiReader
from ..model.report import Outcome, Report
from ..pull_request import publish_kept
from ..pull_request.issues import due
from ..pull_request.publish import (
    PublishOptions,
    PublishSetup,
    prepare_publish,
    publish,
    render_result,
)
from ..reporters._words import confident_findings
from ..reporters.json import load_report
from ..settings.settings import read_config_at
from ..system.environment import Environment
from .comment import answer_comment
from .range import event_range
from .shards import is_sharded, makes_report, plan_or_ask, report_no_change, sharded_options
from .step import (
    ActionContext,
    noted,
    open_action_client,
    page_of_repository,
    policy_of_base,
    report_places,
    write_results,
)
from .target_guard import refuse_foreign_code

_ELSEWHERE = "all findings are in the annotations, the step summary and the report files"


def publish_action_report(
    report: Report, event: GitHubEvent, policy: str, context: ActionContext
) -> tuple[Report, bool]:
    """The report after people's dismissals, with what was done (issues, too) as notices; and
    whether posting failed that should not have.

    The token of a run for a fork is read-only, so posting is tried there, but failing is not an
    error.
    """
    if event.name not in PULL_REQUESTS or not event.number or report.skipped:
        return report, False
    if not read_input(context.environment, "token"):
        if confident_findings(report):
            print(
                "reviewgate-gh: no comments were posted on the pull request because the input "
                f"token is empty; {_ELSEWHERE}"
            )
        return report, False
    config = read_config_at(context.git, report.change.rules, context.environment, policy)
    options = PublishOptions(
        event.number, keyless=event.read_only, head_confirmed=True, track_issues=not event.fork
    )
    posted = publish_kept.publish_and_track(
        report, options, config, context.client(), Workspace(context.git, context.environment, [])
    )
    print(posted.terminal_text, end="")
    if error := posted.error:
        why = (
            f"the token is read-only in a run for a fork ({error.message})"
            if event.read_only
            else f"{error.message}. {error.hint}".strip()
        )
        return noted(
            posted.report, f"nothing more was posted: {why}; {_ELSEWHERE}", *posted.messages
        ), not event.read_only
    return noted(posted.report, *posted.messages), False


def track_event(report: Report, event: GitHubEvent, policy: str, context: ActionContext) -> Report:
    """The Action's report with what was done as notices, where it posts none.

    What is on the default branch was merged by who may.
    """
    config = read_config_at(context.git, report.change.rules, context.environment, policy)
    merged, workspace = (
        event.name == "push" and event.on_default,
        Workspace(context.git, context.environment, []),
    )
    if (
        not (merged or (event.name in PULL_REQUESTS and event.number))
        or event.fork
        or not due(report, config, workspace)
    ):
        return report
    if not read_input(context.environment, "token"):
        return noted(report, "no issues were created: the input token is empty")
    if not merged:
        return report
    with_client = replace(workspace, client=context.client())
    return noted(report, *track_report(report, config, with_client, IssueOrigin("push")))


_FAIL_ON = ("block", "concerns", "never")


def run_action(git: Git, environment: Environment) -> int:
    """Review what the event is about; returns the step's exit code."""
    log = StepLog()
    write_stdout(log.stop)
    fail_on = read_input(environment, "fail-on") or "block"
    if fail_on not in _FAIL_ON:
        raise UsageError(f"the input fail-on must be one of {', '.join(_FAIL_ON)}, not {fail_on!r}")
    name = environment.variables.get("GITHUB_EVENT_NAME", "")
    if name in ("workflow_run", COMMENT) and is_sharded(environment):
        raise UsageError(
            f"the inputs shards, shard and answers do not work on {name}",
            "use them on push, pull_request and the like",
        )
    if name == "workflow_run":
        return publish_finished_run(
            event_payload(environment), _report_to_post(environment), git, environment
        )
    # One client, which counts all requests of the run
    context = ActionContext(git, environment, cache(partial(open_action_client, environment)))
    if name == COMMENT:
        return answer_comment(event_payload(environment), log, context)
    event = read_event(
        name, event_payload(environment), environment.variables.get("GITHUB_SHA", "")
    )
    if event is None:
        report_no_change(environment)
        print("reviewgate-gh: the branch was deleted, nothing to review")
        return Exit.OK
    refuse_foreign_code(event, git, environment)
    order = sharded_options(_order(event, context), environment)
    if not makes_report(environment):
        return plan_or_ask(order, context)
    places = report_places(environment)
    report = with_repository(review(order, git, environment), page_of_repository(environment))
    report, failed = publish_action_report(report, event, order.policy, context)
    report = track_event(report, event, order.policy, context)
    write_results(report, places, log, context)
    code = step_exit_code(report, fail_on)
    return Exit.UPSTREAM if failed and code == Exit.OK and fail_on != "never" else code


def _order(event: GitHubEvent, context: ActionContext) -> ReviewOptions:
    git, environment = context.git, context.environment
    wanted = event_range(event, git, read_input(environment, "base"))
    trusted = read_flag(environment, "trusted")
    name, policy = "fork" if event.fork else "pr", policy_of_base(wanted, trusted, git, environment)
    return ReviewOptions(
        wanted,
        entry_point=name,
        trusted=trusted,
        policy=policy,
        last_review=_since(event, wanted.head, context),
        ci=_ci(event, context),
        intent=_intent(event, context),
    )


def _ci(event: GitHubEvent, context: ActionContext) -> CiReader | None:
    """What the checks of the pull request's head say, where GitHub may be asked."""
    if event.name not in PULL_REQUESTS or not read_input(context.environment, "token"):
        return None
    run = context.environment.variables.get("GITHUB_RUN_ID", "")
    return open_ci(context.client, event.head, run)


def _intent(event: GitHubEvent, context: ActionContext) -> Callable[[], str] | None:
    """What the pull request is meant to do, where GitHub may be asked."""
    if event.name not in PULL_REQUESTS or not event.number:
        return None
    if not read_input(context.environment, "token"):
        return None
    return lambda: read_intent(context.client(), event.number)


def _since(event: GitHubEvent, head: str, context: ActionContext) -> LastReviewQuery | None:
    """The last review of the pull request, where language models need not read all of it again and
    GitHub may be asked."""
    if (
        event.name not in PULL_REQUESTS
        or not event.number
        or event.whole_pull_request
        or not read_input(context.environment, "token")
    ):
        return None
    return lambda digest: last_review_query(context.client(), event.number, context.git, head)(
        digest
    )


def step_exit_code(report: Report, fail_on: str) -> int:
    """The report's exit code, made stricter (`concerns`: whatever the mode) or mute (`never`) by
    the workflow's own choice."""
    if fail_on == "never":
        return Exit.OK
    if fail_on == "concerns" and report.verdict.outcome in (Outcome.CONCERNS, Outcome.BLOCK):
        return Exit.BLOCK
    return report_exit_code(report)


def _report_to_post(environment: Environment) -> Path:
    """The file that the input `report` names."""
    name = read_input(environment, "report")
    if not name:
        raise UsageError(
            "the input report is required on workflow_run: it names the JSON report to post",
            "see forks in docs/action.md",
        )
    return workspace_path(environment, name)


MAX_REPORT_BYTES = 20_000_000


def publish_finished_run(
    payload: Mapping[str, Any], path: Path, git: Git, environment: Environment
) -> int:
    """Post the report in `path` on the pull request whose run has finished.

    Raises:
        UsageError: the event or the file is not what it must be.
        UpstreamError: GitHub refuses or cannot be reached.
    """
    finished = read_finished(payload)
    report = _read(path)
    if report.change.head != finished.head:
        raise UsageError(
            f"the report is for {report.change.head:.12}, but the finished run was for "
            f"{finished.head:.12}",
            "nothing was posted; pass the report of the finished run",
        )
    client = open_action_client(environment)
    number = find_pull_number(
        client, finished.repository, finished.branch, finished.head, report.change.base
    )
    if not number:
        print(
            f"reviewgate-gh: no open pull request has {finished.head:.12} as its head any more; "
            "nothing was posted"
        )
        return Exit.OK
    config = read_config_at(git, git.resolve("HEAD") or git.empty_tree, environment, "")
    options = PublishOptions(number, additions_only=True, keyless=True, head_confirmed=True)
    setup = PublishSetup(config, client, environment, git.common)
    published = publish(prepare_publish(report, options, config, client), options, setup)
    print(render_result(published, client.requests), end="")
    return Exit.OK


def _read(path: Path) -> Report:
    """The report, strictly: a regular file of a bounded size in our own schema."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_REPORT_BYTES:
            raise UsageError(
                f"{path} is not a regular file of at most {MAX_REPORT_BYTES // 1_000_000} MB",
                "pass only the JSON report",
            )
        return load_report(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}",
            "download the artifact into its own folder first",
        ) from None
    except ValueError as error:
        raise UsageError(
            f"{path}: {error}", "pass the file that the input json-file names"
        ) from None

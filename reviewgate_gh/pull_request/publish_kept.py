"""`publish`: a kept or named report posted to its pull request, after a check of the token's
permissions."""

import sys
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git
from ..git.remote import github_repository
from ..github.addresses import api_host
from ..github.client import Client, open_github
from ..github.identity import Permission, missing_permissions
from ..github.pull_requests import read_pull
from ..github.token import where_to_add
from ..issues.tracked import Workspace
from ..model.config import Config
from ..model.errors import Exit, UpstreamError, UsageError, WrongPullRequest
from ..model.report import Report
from ..reporters.json import load_report
from ..settings.settings import read_config_at
from ..system.environment import Environment
from ..system.files import stored_reviews
from ..text.patterns import lazy_pattern
from ..text.safe import safe_line
from ..trust.audit_chain import ChainHead
from ..trust.audit_facts import publication_facts
from ..trust.audit_log import actor, record_news
from .issues import track_pull
from .publish import (
    PublishOptions,
    PublishSetup,
    prepare_publish,
    publish,
    render_result,
    terminal_lines,
)
from .snapshot import parse_pull_number
from .targets import last_target_report, pull_target


class PostingResult(Struct, frozen=True):
    """The report after people's dismissals, what was done, the same with its cost for a terminal,
    and why posting stopped. `closed`: nothing was posted because the pull request is that.

    Where not even the dismissals could be read, it is the report as it was.
    """

    report: Report
    messages: tuple[str, ...]
    terminal_text: str
    error: UpstreamError | None = None
    closed: str = ""


def publish_and_track(
    report: Report, options: PublishOptions, config: Config, client: Client, workspace: Workspace
) -> PostingResult:
    """Post what is new, and make issues of what was found: also where posting fails, never in a dry
    run nor for a wrong pull request.

    Where it is not known what people have dismissed, the findings wait.

    Raises:
        OverlapError: a person has to look first.
    """
    workspace = replace(workspace, client=client)

    def track(report: Report, dismissals: bool = True) -> tuple[str, ...]:
        if options.dry_run or not options.track_issues:
            return ()
        return track_pull(report, options.number, config, client, workspace, dismissals)

    try:
        met = prepare_publish(report, options, config, client)
    except UpstreamError as error:
        told = track(report, dismissals=False)
        return PostingResult(report, told, terminal_lines(told, client.requests), error)
    state = met.pull_facts.pull.state
    if state != "open" and not (options.closed or options.dry_run):
        told = (
            f"the pull request is {state}, so nothing was posted",
            *track(met.report),
        )
        return PostingResult(met.report, told, terminal_lines(told, client.requests), closed=state)
    try:
        common = None if workspace.temporary else workspace.git.common
        end = None if options.dry_run else _record(met.report, options, client, workspace)
        setup = PublishSetup(config, client, workspace.environment, common, str(end or ""))
        published = publish(met, options, setup)
    except UpstreamError as error:
        told = () if isinstance(error, WrongPullRequest) else track(met.report)
        return PostingResult(met.report, told, terminal_lines(told, client.requests), error)
    told = (*published.messages, *track(published.report))
    return PostingResult(
        published.report, told, render_result(replace(published, messages=told), client.requests)
    )


def _record(
    report: Report, options: PublishOptions, client: Client, workspace: Workspace
) -> ChainHead | None:
    """Say in the audit log what is posted, and what people dismissed; the log's end."""
    if workspace.temporary:
        return None
    facts = partial(publication_facts, f"{client.repository}#{options.number}", report)
    return record_news(workspace.git.common, actor(workspace.git, workspace.environment), facts)


def needed_permissions(config: Config) -> tuple[Permission, ...]:
    """What the config asks for."""
    wanted: list[Permission] = ["contents: read", "pull-requests: write"]
    if config.publish.approve:
        wanted += ["checks: read", "statuses: read", "actions: read"]
    if config.publish.check_run:
        wanted.append("checks: write")
    if config.tracker.type == "github":
        wanted.append("issues: write")
    return tuple(wanted)


def check_permissions(client: Client, number: int, config: Config) -> int:
    """Try each permission without changing anything, and name those that are missing.

    Raises:
        UpstreamError: the pull request cannot be read.
    """
    wanted = needed_permissions(config)
    missing = missing_permissions(client, read_pull(client, number), wanted)
    for each in missing:
        said = (
            f"not known whether the token has `{each.permission}`"
            if each.unknown
            else f"the token lacks `{each.permission}`"
        )
        print(f"reviewgate-gh: {said}: {safe_line(each.message)}", file=sys.stderr)
    if any(not each.unknown for each in missing):
        hint = where_to_add(client.token_kind)
        print(f"reviewgate-gh: to change that, {hint}", file=sys.stderr)
    if config.publish.resolve:
        print(
            "reviewgate-gh: publish.resolve needs `contents: write`, which cannot be checked "
            "without changing something",
            file=sys.stderr,
        )
    if not missing:
        print(
            "reviewgate-gh: the token has the permissions that the configuration needs: "
            f"{', '.join(wanted)}",
            file=sys.stderr,
        )
    return Exit.UPSTREAM if missing else Exit.OK


_SKIPPED = (
    "reviewgate-gh: the report says that nothing was reviewed, so nothing was posted; review "
    "again without REVIEWGATE_GH_SKIP"
)
_OID = lazy_pattern("[0-9a-f]{40}(?:[0-9a-f]{24})?")


class PublishRequest(Struct, frozen=True):
    """What the command line asks for."""

    pull: str
    report: Path | None = None
    repository: str | None = None
    dry_run: bool = False
    preflight: bool = False
    yes: bool = False
    api_url: str | None = None
    policy: str = ""
    closed: bool = False


def publish_stored_report(request: PublishRequest, git: Git, environment: Environment) -> int:
    """Post a kept or named report, and say what was done.

    Raises:
        GateError: the report, the repository or GitHub does not allow it.
    """
    number = parse_pull_number(request.pull)
    kept = None if request.repository else last_target_report(git.common, pull_target(number))
    report = read_stored_report(request.report or kept, git)
    client = open_github(
        environment, request.repository or _repository(git, request, environment), request.api_url
    )
    config = read_config_at(git, report.change.rules, environment, request.policy)
    if request.preflight:
        return check_permissions(client, number, config)
    if report.skipped:
        print(_SKIPPED, file=sys.stderr)
        return Exit.OK
    overlaps = request.yes or request.dry_run or not sys.stdout.isatty()
    posted = publish_and_track(
        report,
        PublishOptions(number, request.dry_run, overlaps, closed=request.closed),
        config,
        client,
        Workspace(git, environment, []),
    )
    print(posted.terminal_text, end="", file=sys.stderr)
    if posted.error:
        raise posted.error
    if posted.closed:
        raise UsageError(
            f"pull request {number} is {posted.closed}", "to post all the same, add --closed"
        )
    return Exit.OK


def _repository(git: Git, request: PublishRequest, environment: Environment) -> str:
    return environment.variables.get("GITHUB_REPOSITORY") or github_repository(
        git, None if request.api_url else api_host(environment.variables, None)
    )


def read_stored_report(path: Path | None, git: Git) -> Report:
    """The named report, or the latest that is kept.

    Raises:
        UsageError: there is no report, or it cannot be read.
    """
    kept = path or next(iter(stored_reviews(git.common)), None)
    if kept is None:
        raise UsageError(
            "no saved report found",
            "run reviewgate-gh review first, or name a report with --report",
        )
    try:
        report = load_report(kept.read_text(encoding="utf-8"))
        if not _OID.fullmatch(report.change.head):
            raise ValueError(f"its head {report.change.head[:60]!r} is not a commit id")
        return report
    except OSError as error:
        raise UsageError(
            f"cannot read {kept}: {error.strerror}", "name an existing file with --report"
        ) from None
    except ValueError as error:
        raise UsageError(
            f"{kept}: {error}",
            "name a JSON report written by this version: reviewgate-gh review --output json",
        ) from None

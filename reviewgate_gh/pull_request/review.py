"""`review --pr`: a pull request through the ordinary pipeline, from this clone's remote or from any
other repository."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.incremental import last_review_query
from ..ensemble.options import AnswerOptions, ReviewOptions
from ..gate.deliver import Delivery, deliver, render_report
from ..gate.report import with_repository
from ..gate.review import review
from ..git import Git, open_repository
from ..git.remote import HOST, PORT, REPOSITORY, RemoteRepository, parse_remote, remote_addresses
from ..github.addresses import api_host
from ..github.check_outputs import open_ci
from ..github.client import Client, open_github
from ..github.intent import read_intent
from ..github.pull_requests import read_pull
from ..github.runner import WHOLE_LABEL
from ..issues.tracked import Workspace
from ..model.change import Range, Selection
from ..model.errors import Exit, UsageError
from ..model.report import Report
from ..reporters._links import repository_page
from ..reporters._look import OutputStyle
from ..reviewers.imports import read_imports
from ..settings.settings import read_config_at
from ..system.environment import Environment
from ..text.patterns import lazy_pattern
from ..text.safe import safe_line
from .fetch import PullOrigin, fetch_pull, is_from_outside
from .fetch_by_api import open_pull_by_api
from .publish import PublishOptions as Posting
from .publish_kept import publish_and_track
from .targets import pull_target, save_target_report

_NUMBER = lazy_pattern(r"#?(?P<number>[1-9][0-9]{0,11})")
_URL = lazy_pattern(
    rf"(?P<scheme>https?)://{HOST}{PORT}/{REPOSITORY}/pull/(?P<number>[1-9][0-9]{{0,11}})(?:/"
    rf"(?:files|changes|commits|checks)?)?(?:[?#].*)?"
)
_LOOPBACK = ("127.0.0.1", "localhost")


class PullAddress(Struct, frozen=True):
    """A pull request's number, and where it is; None stands for wherever this clone comes from."""

    number: int
    repository: RemoteRepository | None = None


def parse_pull_address(text: str) -> PullAddress:
    """A pull request as people name it: 123, #123 or its address.

    Raises:
        ValueError: it is neither.
    """
    if plain := _NUMBER.fullmatch(text):
        return PullAddress(int(plain["number"]))
    found = _URL.fullmatch(text)
    if not found or (found["scheme"] == "http" and found["host"] not in _LOOPBACK):
        raise ValueError(
            "neither a number nor an address like https://github.com/OWNER/REPO/pull/N"
        )
    return PullAddress(
        int(found["number"]), RemoteRepository(found["host"].lower(), found["repository"])
    )


_TO_PUBLISH = (
    "set GITHUB_TOKEN, and GITHUB_REPOSITORY=OWNER/REPO if the remote's URL does not name it"
)


Instead = Callable[[ReviewOptions, Git, Environment], int]


class PullReviewOptions(Struct, frozen=True):
    """What the command line asks for beside the range.

    `on_machines`: the review is one of several machines. Then `adapt` makes its options of the
    ordinary ones, and `instead` is done in place of a review, if it is none.
    """

    pull: str
    publish: bool
    api_url: str | None
    policy: str
    reviewers: tuple[str, ...]
    imports: tuple[Path, ...]
    answers: AnswerOptions
    delivery: Delivery
    on_machines: bool = False
    adapt: Callable[[ReviewOptions], ReviewOptions] = lambda options: options
    instead: Instead | None = None


class _Subject(Struct, frozen=True):
    """A pull request that can be reviewed; `client` is None where GitHub is not asked. Of a
    `temporary` one nothing is kept here.

    `whole`: a label asks for a review of everything. `page`: the repository's web address, `head`
    the commit whose checks GitHub knows.
    """

    git: Git
    range: Range
    number: int
    fork: bool
    client: Client | None
    target: str = ""
    temporary: bool = False
    whole: bool = False
    page: str = ""
    head: str = ""


def review_pull_request(
    options: PullReviewOptions,
    selection: Selection,
    trusted: bool,
    repo: Path,
    environment: Environment,
) -> int:
    """Review a pull request, and post the review where that is asked for.

    Raises:
        UsageError: it is not clear which pull request is meant, or options do not fit together.
        UpstreamError: the remote or GitHub refuses or cannot be reached.
    """
    address = _address(options, selection, trusted)
    git = _clone(repo, environment, needed=address.repository is None)
    origin, place = _remote(git, address) if git else (None, None)
    if git and origin:
        return _from_remote(git, origin, place, selection.base, options, environment)
    if address.repository is None:
        raise UsageError(
            "this repository has no remote to fetch a pull request from",
            "give the full URL of the pull request",
        )
    if options.on_machines:
        raise UsageError(
            "a pull request of another repository cannot be divided among several machines",
            "run this in a clone of that repository",
        )
    if selection.base:
        raise UsageError(
            "--base and a pull request of another repository cannot be used together",
            "leave out --base: it is compared with its own base",
        )
    return _by_api(address.repository, address.number, options, environment)


def _address(options: PullReviewOptions, selection: Selection, trusted: bool) -> PullAddress:
    others = [
        *(name for name in selection.selected_options if name != "--base"),
        *(["--trusted"] if trusted else []),
    ]
    if others or not options.pull:
        what = (
            f"--pr and {others[0]} cannot be used together"
            if others
            else "--publish can only be used with --pr"
        )
        raise UsageError(what, "see: reviewgate-gh review -h")
    try:
        return parse_pull_address(options.pull)
    except ValueError as error:
        raise UsageError(
            f"--pr {options.pull}: {error}", "give a number, or the URL from the browser"
        ) from None


def _clone(repo: Path, environment: Environment, needed: bool) -> Git | None:
    try:
        return open_repository(repo, environment.variables)
    except UsageError:
        if needed:
            raise
        return None


def _remote(git: Git, address: PullAddress) -> tuple[PullOrigin | None, RemoteRepository | None]:
    """The remote that is the place (origin, or else the first one, where none is named), and the
    place that its address names."""
    known = {name: parse_remote(url) for name, url in remote_addresses(git).items()}
    for name, there in known.items():
        if address.repository is None or address.repository.same_as(there):
            target = pull_target(address.number, "" if name == next(iter(known)) else name)
            return PullOrigin(name, address.number, target), there
    return None, None


def _from_remote(
    git: Git,
    origin: PullOrigin,
    repository: RemoteRepository | None,
    base: str,
    options: PullReviewOptions,
    environment: Environment,
) -> int:
    client = _client(repository, options, environment)
    _refuse_silence(client, options)
    pull = read_pull(client, origin.number) if client and client.has_token else None
    fetched = fetch_pull(git, origin, base, pull, environment)
    subject = _Subject(
        git,
        fetched.range,
        origin.number,
        fetched.fork,
        client,
        origin.target,
        whole=pull is not None and WHOLE_LABEL in pull.labels,
        page=_page(repository) if client else "",
        head=pull.head if pull else "",
    )
    order = _order(subject, options)
    if options.instead:
        return options.instead(order, git, environment)
    report = review(order, git, environment)
    try:
        save_target_report(git.common, origin.target, render_report(report, "json", OutputStyle()))
    except OSError as error:
        print(f"reviewgate-gh: this report could not be saved: {error.strerror}", file=sys.stderr)
    return _finish(report, subject, options, environment)


def _by_api(
    repository: RemoteRepository, number: int, options: PullReviewOptions, environment: Environment
) -> int:
    client = _client(repository, options, environment)
    if client is None:
        raise UsageError(
            f"the API at {api_host(environment.variables, options.api_url)} does not belong to "
            f"{repository.host}",
            f"name the right one: --api-url https://{repository.host}/api/v3",
        )
    _refuse_silence(client, options)
    with open_pull_by_api(client, number, environment) as found:
        subject = _Subject(
            found.git,
            found.range,
            number,
            is_from_outside(found.pull),
            client,
            temporary=True,
            page=_page(repository),
            head=found.pull.head,
        )
        report = found.with_real_commits(
            review(_order(subject, options), found.git, environment), options.policy, environment
        )
        return _finish(report, subject, options, environment)


def _page(repository: RemoteRepository | None) -> str:
    return (
        repository_page(f"https://{repository.host}", repository.repository) if repository else ""
    )


def _client(
    repository: RemoteRepository | None, options: PullReviewOptions, environment: Environment
) -> Client | None:
    """GitHub as the place's own API shows it; None where that is not the one which is asked."""
    name = (
        repository.repository if repository else environment.variables.get("GITHUB_REPOSITORY", "")
    )
    ours = bool(name) and (
        repository is None
        or options.api_url is not None
        or repository.uses_api_host(api_host(environment.variables, options.api_url))
    )
    return open_github(environment, name, options.api_url) if ours else None


def _refuse_silence(client: Client | None, options: PullReviewOptions) -> None:
    """Fail before the review where its result could not be posted."""
    if options.publish and not (client and client.has_token):
        raise UsageError(
            "--publish needs a token"
            if client
            else "--publish does not know which GitHub repository this is",
            _TO_PUBLISH,
        )


def _order(subject: _Subject, options: PullReviewOptions) -> ReviewOptions:
    door = "fork" if subject.fork else "pr"
    imported = read_imports(options.imports, subject.git)
    client, since = subject.client, None
    reads_whole = options.answers.fresh or subject.whole or options.on_machines
    if client and client.has_token and not reads_whole:
        since = last_review_query(client, subject.number, subject.git, subject.range.head)
    order = ReviewOptions(
        subject.range,
        door,
        policy=options.policy,
        reviewers=options.reviewers,
        imported_reviews=imported,
        answers=options.answers,
        last_review=since,
        # Of another repository the light review is made, which leaves the project's checks out
        ci=open_ci(lambda: client, subject.head, "")
        if client and client.has_token and subject.head and not subject.temporary
        else None,
        intent=partial(read_intent, client, subject.number)
        if client and client.has_token
        else None,
    )
    return options.adapt(order)


def _finish(
    report: Report, subject: _Subject, options: PullReviewOptions, environment: Environment
) -> int:
    """Post first, since people's dismissals change what is then shown; a post that fails takes no
    verdict away."""
    report = with_repository(report, subject.page)
    told, failed = "", False
    if options.publish and report.skipped:
        told = "reviewgate-gh: nothing was reviewed, so nothing was posted\n"
    elif options.publish:
        report, told, failed = _posted(report, subject, options, environment)
    elif subject.target == pull_target(subject.number):
        told = f"reviewgate-gh: to post it: reviewgate-gh publish {subject.number}\n"
    else:
        told = "reviewgate-gh: to post it, run the same command with --publish\n"
    code = deliver(report, options.delivery, subject.git, environment)
    print(told, end="", file=sys.stderr)
    return Exit.UPSTREAM if failed and code == Exit.OK else code


def _posted(
    report: Report, subject: _Subject, options: PullReviewOptions, environment: Environment
) -> tuple[Report, str, bool]:
    """The report after people's dismissals, what was done in words, and whether it could not be."""
    if subject.client is None:
        return report, "", False
    config = read_config_at(subject.git, subject.range.base, environment, options.policy)
    workspace = Workspace(subject.git, environment, [], temporary=subject.temporary)
    posted = publish_and_track(
        report, Posting(subject.number, keyless=subject.fork), config, subject.client, workspace
    )
    if posted.error:
        why = safe_line(
            f"nothing more was posted: {posted.error.message}. {posted.error.hint}", 600
        )
        return (
            replace(posted.report, notices=(*posted.report.notices, why, *posted.messages)),
            f"reviewgate-gh: {why}\n{posted.terminal_text}",
            True,
        )
    return posted.report, posted.terminal_text, False

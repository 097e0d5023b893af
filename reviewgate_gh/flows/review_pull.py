"""`review --pr`: a pull request through the ordinary pipeline, from this clone's remote or, for any other repository, by the API."""

import sys
from dataclasses import replace
from pathlib import Path

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.place import Place, read_remote
from ..model.report import Report
from ..model.selection import Range, Selection
from ..model.values import dataclass
from ..reporters._doors import line
from ..reporters._look import Look
from ..steps.event import WHOLE_LABEL
from ..steps.pull_address import PullAddress, read_address
from ..system.git import Git, open_repository
from ..system.git.remote import remotes
from ..system.github.addresses import api_host
from ..system.github.client import Client, open_github
from ..system.github.pulls import read_pull
from ..system.site import Site
from ..system.targets import pull_target, save_report
from ..system.world import World
from .deliver import Delivery, deliver, render
from .imports import read_imports
from .order import Order, Recall
from .pull_by_api import borrow
from .pull_here import Origin, fetch_pull, from_outside
from .review import review
from .settings import config_at
from .since import last_review

_TO_PUBLISH = "set GITHUB_TOKEN, and GITHUB_REPOSITORY=OWNER/REPO if the remote's URL does not name it"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for beside the range."""

    pull: str
    publish: bool
    api_url: str | None
    policy: str
    reviewers: tuple[str, ...]
    imports: tuple[Path, ...]
    recall: Recall
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class _Subject:
    """A pull request that can be reviewed; `client` is None where GitHub is not asked. Of a `borrowed` one nothing is kept here.

    `whole`: a label asks for a review of everything.
    """

    git: Git
    range: Range
    number: int
    fork: bool
    client: Client | None
    target: str = ""
    borrowed: bool = False
    whole: bool = False


def review_pull(wanted: Wanted, selection: Selection, trusted: bool, repo: Path, world: World) -> int:
    """Review a pull request, and post the review where that is asked for.

    Raises:
        UsageError: it is not clear which pull request is meant, or options do not fit together.
        UpstreamError: the remote or GitHub refuses or cannot be reached.
    """
    address = _address(wanted, selection, trusted)
    git = _clone(repo, world, needed=address.place is None)
    origin, place = _remote(git, address) if git else (None, None)
    if git and origin:
        return _from_remote(git, origin, place, selection.base, wanted, world)
    if address.place is None:
        raise UsageError("this repository has no remote to fetch a pull request from", "give the full URL of the pull request")
    if selection.base:
        raise UsageError(
            "--base and a pull request of another repository cannot be used together", "leave out --base: it is compared with its own base"
        )
    return _by_api(address.place, address.number, wanted, world)


def _address(wanted: Wanted, selection: Selection, trusted: bool) -> PullAddress:
    others = [*(name for name in selection.named if name != "--base"), *(["--trusted"] if trusted else [])]
    if others or not wanted.pull:
        what = f"--pr and {others[0]} cannot be used together" if others else "--publish can only be used with --pr"
        raise UsageError(what, "see: reviewgate-gh review -h")
    try:
        return read_address(wanted.pull)
    except ValueError as error:
        raise UsageError(f"--pr {wanted.pull}: {error}", "give a number, or the URL from the browser") from None


def _clone(repo: Path, world: World, needed: bool) -> Git | None:
    try:
        return open_repository(repo, world.env)
    except UsageError:
        if needed:
            raise
        return None


def _remote(git: Git, address: PullAddress) -> tuple[Origin | None, Place | None]:
    """The remote that is the place (origin, or else the first one, where none is named), and the place that its address names."""
    known = {name: read_remote(url) for name, url in remotes(git).items()}
    for name, there in known.items():
        if address.place is None or address.place.same_as(there):
            target = pull_target(address.number, "" if name == next(iter(known)) else name)
            return Origin(name, address.number, target), there
    return None, None


def _from_remote(git: Git, origin: Origin, place: Place | None, base: str, wanted: Wanted, world: World) -> int:
    client = _client(place, wanted, world)
    _refuse_silence(client, wanted)
    pull = read_pull(client, origin.number) if client and client.has_token else None
    fetched = fetch_pull(git, origin, base, pull, world)
    subject = _Subject(
        git, fetched.range, origin.number, fetched.fork, client, origin.target, whole=pull is not None and WHOLE_LABEL in pull.labels
    )
    report = review(_order(subject, wanted), git, world)
    try:
        save_report(git.common, origin.target, render(report, "json", Look()))
    except OSError as error:
        print(f"reviewgate-gh: this report could not be saved: {error.strerror}", file=sys.stderr)
    return _finish(report, subject, wanted, world)


def _by_api(place: Place, number: int, wanted: Wanted, world: World) -> int:
    client = _client(place, wanted, world)
    if client is None:
        raise UsageError(
            f"the API at {api_host(world.env, wanted.api_url)} does not belong to {place.host}",
            f"name the right one: --api-url https://{place.host}/api/v3",
        )
    _refuse_silence(client, wanted)
    with borrow(client, number, world) as found:
        subject = _Subject(found.git, found.range, number, from_outside(found.pull), client, borrowed=True)
        report = found.settled(review(_order(subject, wanted), found.git, world), wanted.policy, world)
        return _finish(report, subject, wanted, world)


def _client(place: Place | None, wanted: Wanted, world: World) -> Client | None:
    """GitHub as the place's own API shows it; None where that is not the one which is asked."""
    name = place.repository if place else world.env.get("GITHUB_REPOSITORY", "")
    ours = bool(name) and (place is None or wanted.api_url is not None or place.served_by(api_host(world.env, wanted.api_url)))
    return open_github(world, name, wanted.api_url) if ours else None


def _refuse_silence(client: Client | None, wanted: Wanted) -> None:
    """Fail before the review where its result could not be posted."""
    if wanted.publish and not (client and client.has_token):
        raise UsageError("--publish needs a token" if client else "--publish does not know which GitHub repository this is", _TO_PUBLISH)


def _order(subject: _Subject, wanted: Wanted) -> Order:
    door = "fork" if subject.fork else "pr"
    imported = read_imports(wanted.imports, subject.git)
    client, since = subject.client, None
    if client and client.has_token and not (wanted.recall.fresh or subject.whole):
        since = last_review(client, subject.number, subject.git, subject.range.head)
    return Order(
        subject.range, door, policy=wanted.policy, reviewers=wanted.reviewers, imported=imported, recall=wanted.recall, since=since
    )


def _finish(report: Report, subject: _Subject, wanted: Wanted, world: World) -> int:
    """Post first, since people's dismissals change what is then shown; a post that fails takes no verdict away."""
    told, failed = "", False
    if wanted.publish and report.skipped:
        told = "reviewgate-gh: nothing was reviewed, so nothing was posted\n"
    elif wanted.publish:
        report, told, failed = _posted(report, subject, wanted, world)
    elif subject.target == pull_target(subject.number):
        told = f"reviewgate-gh: to post it: reviewgate-gh publish {subject.number}\n"
    else:
        told = "reviewgate-gh: to post it, run the same command with --publish\n"
    code = deliver(report, wanted.delivery, subject.git, world)
    print(told, end="", file=sys.stderr)
    return Exit.UPSTREAM if failed and code == Exit.OK else code


def _posted(report: Report, subject: _Subject, wanted: Wanted, world: World) -> tuple[Report, str, bool]:
    """The report after people's dismissals, what was done in words, and whether it could not be."""
    from .posting import post
    from .publish import Order as Posting

    if subject.client is None:
        return report, "", False
    config = config_at(subject.git, subject.range.base, world, wanted.policy)
    site = Site(subject.git, world, [], borrowed=subject.borrowed)
    posted = post(report, Posting(subject.number, keyless=subject.fork), config, subject.client, site)
    if posted.error:
        why = line(f"nothing more was posted: {posted.error.message}. {posted.error.hint}", 600)
        return replace(posted.report, notices=(*posted.report.notices, why, *posted.told)), f"reviewgate-gh: {why}\n{posted.text}", True
    return posted.report, posted.text, False

"""Post the Action's review on the pull request if the step has a token, and say why if it could not be posted."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model.report import Report
from ..model.tracked import Occasion
from ..model.values import dataclass
from ..reporters._words import certain
from ..steps.event import PULL_REQUESTS, Event
from ..system.git import Git
from ..system.runner import setting
from ..system.site import Site
from ..system.world import World
from .settings import config_at
from .track import track
from .track_pull import due

if TYPE_CHECKING:
    from ..system.github.client import Client

_ELSEWHERE = "all findings are in the annotations, the step summary and the report files"


@dataclass(frozen=True, slots=True)
class Door:
    """What the step works with: the clone, its surroundings, and GitHub where it is asked."""

    git: Git
    world: World
    client: "Callable[[], Client]"


def client_of(world: World) -> "Client":
    """GitHub with the input's token, and no other: a token in the job's environment was not passed for this."""
    from ..system.github.client import open_github

    env = {**world.env, "GITHUB_TOKEN": setting(world, "token"), "GH_TOKEN": ""}
    return open_github(replace(world, env=env), world.env.get("GITHUB_REPOSITORY", ""))


def post(report: Report, event: Event, policy: str, door: Door) -> tuple[Report, bool]:
    """The report after people's dismissals, with what was done (issues, too) as notices; and whether posting failed that should not have.

    The token of a run for a fork is read-only, so posting is tried there, but failing is not an error.
    """
    if event.name not in PULL_REQUESTS or not event.number or report.skipped:
        return report, False
    if not setting(door.world, "token"):
        if certain(report):
            print(f"reviewgate-gh: no comments were posted on the pull request because the input token is empty; {_ELSEWHERE}")
        return report, False
    from . import posting
    from .publish import Order

    config = config_at(door.git, report.change.rules, door.world, policy)
    order = Order(event.number, keyless=event.read_only, vouched=True, track=not event.fork)
    posted = posting.post(report, order, config, door.client(), Site(door.git, door.world, []))
    print(posted.text, end="")
    if error := posted.error:
        why = (
            f"the token is read-only in a run for a fork ({error.message})" if event.read_only else f"{error.message}. {error.hint}".strip()
        )
        return _noted(posted.report, f"nothing more was posted: {why}; {_ELSEWHERE}", *posted.told), not event.read_only
    return _noted(posted.report, *posted.told), False


def _noted(report: Report, *told: str) -> Report:
    return replace(report, notices=(*report.notices, *told))


def track_event(report: Report, event: Event, policy: str, door: Door) -> Report:
    """The Action's report with what was done as notices, where it posts none. What is on the default branch was merged by who may."""
    config = config_at(door.git, report.change.rules, door.world, policy)
    merged, site = event.name == "push" and event.on_default, Site(door.git, door.world, [])
    if not (merged or (event.name in PULL_REQUESTS and event.number)) or event.fork or not due(report, config, site):
        return report
    if not setting(door.world, "token"):
        return _noted(report, "no issues were created: the input token is empty")
    return _noted(report, *track(report, config, replace(site, client=door.client()), Occasion("push"))) if merged else report

"""The Action's review onto the pull request: posted where the step was given a token, and told where it could not be."""

from dataclasses import replace

from ..model.errors import UpstreamError
from ..model.report import Report
from ..steps.event import PULL_REQUESTS, Event
from ..system.git import Git
from ..system.world import World
from .settings import config_at

_ELSEWHERE = "all findings are in the annotations, the step summary and the files"


def post(report: Report, event: Event, policy: str, git: Git, world: World) -> tuple[Report, bool]:
    """The report after people's dismissals, with what was done as notices; and whether posting failed that should not have.

    The token of a fork's run may only read, so there posting is tried and no failure.
    """
    if event.name not in PULL_REQUESTS or not event.number or report.skipped or not world.env.get("GITHUB_TOKEN"):
        return report, False
    from ..system.github.client import open_github
    from .publish import Order, publish, shown

    client = open_github(world, world.env.get("GITHUB_REPOSITORY", ""))
    config = config_at(git, report.change.rules, world, policy)
    try:
        published = publish(report, Order(event.number, keyless=event.fork), config, client, git.common, world)
    except UpstreamError as error:
        why = f"the token of a fork's run may only read ({error.message})" if event.fork else f"{error.message}. {error.hint}".strip()
        return replace(report, notices=(*report.notices, f"nothing more was posted: {why}; {_ELSEWHERE}")), not event.fork
    print(shown(published), end="")
    return replace(published.report, notices=(*published.report.notices, *published.told)), False

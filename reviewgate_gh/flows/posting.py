"""A report onto its pull request and into the tracker: one way for `publish`, `review --pr` and the Action."""

from dataclasses import replace

from ..model.config import Config
from ..model.errors import UpstreamError
from ..model.report import Report
from ..model.values import dataclass
from ..reporters._doors import line
from ..system.github.client import Client
from ..system.site import Site
from .publish import Order, publish, shown
from .track_pull import track_pull


@dataclass(frozen=True, slots=True)
class Posted:
    """The report after people's dismissals, what was done, the same with its cost for a terminal, and why posting came to its end."""

    report: Report
    told: tuple[str, ...]
    text: str
    error: UpstreamError | None = None


def post(report: Report, order: Order, config: Config, client: Client, site: Site) -> Posted:
    """Post what is new, and make issues of what was found: also where posting fails, and never in a dry run.

    Raises:
        UsageError: an overlap wants a person's word.
    """
    site = replace(site, client=client)
    try:
        published = publish(report, order, config, client, None if site.borrowed else site.git.common, site.world)
    except UpstreamError as error:
        told = _tracked(report, order, config, client, site)
        return Posted(report, told, "".join(f"reviewgate-gh: {line(row, 400)}\n" for row in told), error)
    told = (*published.told, *_tracked(published.report, order, config, client, site))
    return Posted(published.report, told, shown(replace(published, told=told), client.requests))


def _tracked(report: Report, order: Order, config: Config, client: Client, site: Site) -> tuple[str, ...]:
    return track_pull(report, order.number, config, client, site) if order.track and not order.dry_run else ()

"""A report onto its pull request and into the tracker: one way for `publish`, `review --pr` and the Action."""

from dataclasses import replace

from ..model.config import Config
from ..model.errors import Elsewhere, UpstreamError
from ..model.report import Report
from ..model.values import dataclass
from ..system.github.client import Client
from ..system.site import Site
from .publish import Order, meet, printed, publish, shown
from .track_pull import track_pull


@dataclass(frozen=True, slots=True)
class Posted:
    """The report after people's dismissals, what was done, the same with its cost for a terminal, and why posting stopped.

    Where not even the dismissals could be read, it is the report as it was.
    """

    report: Report
    told: tuple[str, ...]
    text: str
    error: UpstreamError | None = None


def post(report: Report, order: Order, config: Config, client: Client, site: Site) -> Posted:
    """Post what is new, and make issues of what was found: also where posting fails, never in a dry run nor for a wrong pull request.

    Where it is not known what people have dismissed, the findings wait.

    Raises:
        Overlap: a person has to look first.
    """
    site = replace(site, client=client)
    try:
        met = meet(report, order, client)
    except UpstreamError as error:
        told = _tracked(report, order, config, client, site, dismissals=False)
        return Posted(report, told, printed(told, client.requests), error)
    try:
        published = publish(met, order, config, client, None if site.borrowed else site.git.common, site.world)
    except UpstreamError as error:
        told = () if isinstance(error, Elsewhere) else _tracked(met.report, order, config, client, site)
        return Posted(met.report, told, printed(told, client.requests), error)
    told = (*published.told, *_tracked(published.report, order, config, client, site))
    return Posted(published.report, told, shown(replace(published, told=told), client.requests))


def _tracked(report: Report, order: Order, config: Config, client: Client, site: Site, dismissals: bool = True) -> tuple[str, ...]:
    return track_pull(report, order.number, config, client, site, dismissals) if order.track and not order.dry_run else ()

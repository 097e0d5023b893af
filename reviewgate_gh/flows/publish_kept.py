"""`publish`: a report that is kept here, or that is named, onto its pull request."""

import re
import sys
from pathlib import Path

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.report import Report
from ..model.values import dataclass
from ..reporters.json import load
from ..system.git import Git
from ..system.git.remote import repository_of
from ..system.github.addresses import api_host
from ..system.github.client import open_github
from ..system.site import Site
from ..system.store import kept_reviews
from ..system.targets import last_report, pull_target
from ..system.world import World
from .posting import post
from .preflight import preflight
from .publish import Order
from .pull import pull_number
from .settings import config_at

_SKIPPED = "reviewgate-gh: the report says that nothing was reviewed, so nothing was posted; review again without REVIEWGATE_GH_SKIP"
_OID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    pull: str
    report: Path | None = None
    repository: str | None = None
    dry_run: bool = False
    preflight: bool = False
    yes: bool = False
    api_url: str | None = None
    policy: str = ""


def run_publish(wanted: Wanted, git: Git, world: World) -> int:
    """Post a kept or named report, and say what was done.

    Raises:
        GateError: the report, the repository or GitHub does not allow it.
    """
    number = pull_number(wanted.pull)
    kept = None if wanted.repository else last_report(git.common, pull_target(number))
    report = read_report(wanted.report or kept, git)
    client = open_github(world, wanted.repository or _repository(git, wanted, world), wanted.api_url)
    config = config_at(git, report.change.rules, world, wanted.policy)
    if wanted.preflight:
        return preflight(client, number, config)
    if report.skipped:
        print(_SKIPPED, file=sys.stderr)
        return Exit.OK
    overlaps = wanted.yes or wanted.dry_run or not sys.stdout.isatty()
    posted = post(report, Order(number, wanted.dry_run, overlaps), config, client, Site(git, world, []))
    print(posted.text, end="", file=sys.stderr)
    if posted.error:
        raise posted.error
    return Exit.OK


def _repository(git: Git, wanted: Wanted, world: World) -> str:
    return world.env.get("GITHUB_REPOSITORY") or repository_of(git, None if wanted.api_url else api_host(world.env, None))


def read_report(path: Path | None, git: Git) -> Report:
    """The named report, or the latest that is kept.

    Raises:
        UsageError: there is no report, or it cannot be read.
    """
    kept = path or next(iter(kept_reviews(git.common)), None)
    if kept is None:
        raise UsageError("no saved report found", "run reviewgate-gh review first, or name a report with --report")
    try:
        report = load(kept.read_text(encoding="utf-8"))
        if not _OID.fullmatch(report.change.head):
            raise ValueError(f"its head {report.change.head[:60]!r} is not a commit id")
        return report
    except OSError as error:
        raise UsageError(f"cannot read {kept}: {error.strerror}", "name an existing file with --report") from None
    except ValueError as error:
        raise UsageError(f"{kept}: {error}", "name a JSON report written by this version: reviewgate-gh review --output json") from None

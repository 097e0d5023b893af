"""What GitHub knows about a pull request, read as far as it is needed."""

from ..model.errors import UsageError
from ..model.presubmit import CiStatus, Comparison
from ..model.pull import Account, PostedReview, PullRequest, Thread
from ..model.values import dataclass
from ..steps.ci import ci_status
from ..system.github.checks import Own, read_ci
from ..system.github.client import Client
from ..system.github.pulls import read_comparison, read_pull
from ..system.github.standing import read_standing
from ..system.world import World


@dataclass(frozen=True, slots=True)
class Pulled:
    """The pull request, who we are, the threads, and (where a review was given) what became of the reviewed commit."""

    pull: PullRequest
    viewer: Account | None
    threads: tuple[Thread, ...]
    comparison: Comparison | None = None
    reviews: tuple[PostedReview, ...] = ()
    note: str = ""


def pulled(client: Client, number: int, reviewed: str) -> Pulled:
    """The facts of one pull request, its head last: what was read before cannot be about a later one.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    standing = read_standing(client, number)
    pull = read_pull(client, number)
    return Pulled(
        pull=pull,
        viewer=standing.viewer,
        threads=standing.threads,
        comparison=read_comparison(client, reviewed, pull.head) if reviewed != pull.head else None,
        reviews=standing.reviews,
        note=standing.note,
    )


def ci_of(client: Client, pulled: Pulled, world: World) -> CiStatus:
    """What CI says of the head, without our own results."""
    facts = read_ci(client, pulled.pull, own_run(world, pulled.viewer))
    return ci_status(facts.head, facts.required, merge=facts.merge, cut=facts.cut, more=facts.more)


def own_run(world: World, viewer: Account | None) -> Own:
    """Which workflow run this is (none outside of one), and as which app it works."""
    check = world.env.get("REVIEWGATE_GH_CHECK_RUN_ID", "")
    return Own(int(check) if check.isdecimal() else 0, world.env.get("GITHUB_RUN_ID", ""), viewer.app if viewer else "")


def pull_number(text: str) -> int:
    """A pull request's number as people write it.

    Raises:
        UsageError: it is not one.
    """
    digits = text.removeprefix("#")
    if not digits.isascii() or not digits.isdecimal() or not 0 < int(digits) < 10**12:
        raise UsageError(f"{text!r} is not a pull request number", "write it as 123 or #123")
    return int(digits)

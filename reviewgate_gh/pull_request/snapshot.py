"""What GitHub knows about a pull request, read as far as it is needed."""

from msgspec import Struct

from ..github.checks import OwnRun, read_ci_facts
from ..github.client import Client
from ..github.pull_requests import read_comparison, read_pull
from ..github.threads import read_snapshot
from ..model.errors import UsageError
from ..model.pull_request import (
    Account,
    CiStatus,
    Comparison,
    PostedReview,
    PullRequest,
    Thread,
    ThreadReply,
)
from ..system.environment import Environment
from .ci import ci_status


class PullRequestFacts(Struct, frozen=True):
    """The pull request, who we are, the threads, and (where a review was given) what became of the
    reviewed commit."""

    pull: PullRequest
    viewer: Account | None
    threads: tuple[Thread, ...]
    comparison: Comparison | None = None
    reviews: tuple[PostedReview, ...] = ()
    note: str = ""
    failed: bool = False  # GraphQL as a whole
    conversation: tuple[ThreadReply, ...] = ()


def read_pull_facts(client: Client, number: int, reviewed: str) -> PullRequestFacts:
    """The facts of one pull request, its head last: what was read before cannot be about a later
    one.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    standing = read_snapshot(client, number)
    pull = read_pull(client, number)
    return PullRequestFacts(
        pull=pull,
        viewer=standing.viewer,
        threads=standing.threads,
        comparison=read_comparison(client, reviewed, pull.head) if reviewed != pull.head else None,
        reviews=standing.reviews,
        note=standing.note,
        failed=standing.failed,
        conversation=standing.conversation,
    )


def read_ci_status(
    client: Client, pulled: PullRequestFacts, environment: Environment
) -> tuple[CiStatus, PullRequest | None]:
    """What CI says of the head, without our own results, and the pull request as it was after that
    was read (None where it is to be asked for)."""
    facts = read_ci_facts(client, pulled.pull, find_own_run(environment, pulled.viewer))
    status = ci_status(
        facts.head, facts.required, merge=facts.merge, cut=facts.incomplete_reason, more=facts.more
    )
    return status, facts.pull


def find_own_run(environment: Environment, viewer: Account | None) -> OwnRun:
    """Which workflow run this is (none outside of one), and as which app it works."""
    check = environment.variables.get("REVIEWGATE_GH_CHECK_RUN_ID", "")
    return OwnRun(
        int(check) if check.isdecimal() else 0,
        environment.variables.get("GITHUB_RUN_ID", ""),
        viewer.app if viewer else "",
    )


def parse_pull_number(text: str) -> int:
    """A pull request's number as people write it.

    Raises:
        UsageError: it is not one.
    """
    digits = text.removeprefix("#")
    if not digits.isascii() or not digits.isdecimal() or not 0 < int(digits) < 10**12:
        raise UsageError(f"{text!r} is not a pull request number", "write it as 123 or #123")
    return int(digits)

"""What a pull request's last review leaves to the next one: language models read what is new since
then, and what stood open stays open."""

from collections.abc import Callable

from msgspec import Struct

from ..findings.markers import PostedState, ReviewMarker, read_posted_state
from ..findings.markers import read_marker as read_mark
from ..git import Git
from ..git.ranges import merge_base
from ..github.client import Client
from ..github.threads import PullRequestSnapshot, read_snapshot
from ..model.errors import GateError
from ..model.finding import Finding
from ..model.pull_request import PostedReview

LastReviewQuery = Callable[[str], "LastReview | None"]


class LastReview(Struct, frozen=True):
    """The commit that was reviewed last, what it was compared with, by which models, and what stood
    open there. Up to `read` they have read the commits since, and nothing has come or gone."""

    head: str
    base: str
    models: frozenset[str]
    findings: tuple[Finding, ...]
    read: str


def last_review_query(client: Client, number: int, git: Git, head: str) -> LastReviewQuery:
    """A lazy look-up of our last review under this config digest whose commit is an ancestor of
    `head`, or None.

    It is None after a rebase, if GitHub does not answer, and if the last review was incomplete.
    """

    def asked(config_digest: str) -> LastReview | None:
        try:
            standing = read_snapshot(client, number)
        except GateError:
            return None
        return _found(standing, git, head, config_digest)

    return asked


def _found(
    snapshot: PullRequestSnapshot, git: Git, head: str, config_digest: str
) -> LastReview | None:
    own = [
        (each, mark)
        for each in snapshot.reviews
        if isinstance(mark := _mark(each, snapshot), ReviewMarker)
    ]
    if not own:
        return None
    # A summary may be about a later report than the one that its ledger is of
    ordered = sorted(own, key=lambda pair: (bool(pair[1].text), pair[0].submitted, pair[0].id))
    states = [(read_posted_state(each.body), mark) for each, mark in ordered]
    heads = [state.head if state and state.head else mark.sha for state, mark in states]
    sha = heads[-1]
    ledgers = [
        state for (state, _), head in zip(states, heads, strict=True) if state and head == sha
    ]
    known = git.resolve(sha)
    if (
        not ledgers
        or not known
        or merge_base(git, known, head) != known
        or not _same(ledgers, config_digest)
    ):
        return None
    base = git.resolve(ledgers[0].base)
    if not base:
        return None
    models = frozenset.intersection(*(ledger.models for ledger in ledgers))
    return LastReview(
        known,
        base,
        models,
        tuple(
            {
                finding.fingerprint: finding for ledger in ledgers for finding in ledger.findings
            }.values()
        ),
        _read_by_all(ledgers) or known,
    )


def _read_by_all(ledgers: list[PostedState]) -> str:
    """The commit that all of them name; "" where there is none."""
    found = {ledger.read for ledger in ledgers}
    return found.pop() if len(found) == 1 else ""


def _mark(review: PostedReview, snapshot: PullRequestSnapshot) -> object:
    return (
        read_mark(review.body, review.author, snapshot.viewer)
        if review.state != "PENDING"
        else None
    )


def _same(ledgers: list[PostedState], config_digest: str) -> bool:
    return all(
        (ledger.config_digest, ledger.base) == (config_digest, ledgers[0].base)
        for ledger in ledgers
    )

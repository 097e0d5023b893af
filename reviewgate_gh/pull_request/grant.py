"""Which dismissals hold: who asked may write, and who deleted a comment may have been somebody else
than the author."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ..findings.markers import FindingMarker, last_marker, read_marker, without_marker
from ..findings.waivers import AcceptedFinding
from ..github.client import Client
from ..github.identity import may_write, read_commit_accounts
from ..github.reviews import read_review_bodies
from ..github.threads import read_snapshot
from ..model.config import Config
from ..model.pull_request import Account, ExistingComment, PostedReview, PullRequest
from ..model.report import Report
from .comments import own_reviews_with_markers
from .dismissal import (
    DELETED,
    apply_dismissals,
    conversation_requests,
    deletion_requests,
    dismissal_requests,
    granted_dismissals,
    known_deletions,
    missing_comments,
    stated_findings,
)
from .posted_text import read_comment
from .snapshot import PullRequestFacts


def with_dismissals(
    report: Report,
    existing: Sequence[ExistingComment],
    facts: PullRequestFacts,
    config: Config,
    client: Client,
) -> tuple[Report, frozenset[str]]:
    """The report with what people dismissed, and the findings whose comments they deleted.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    own = list(own_reviews_with_markers(facts.reviews, facts.viewer))
    texts = [review.body for review, _ in own]
    stated = stated_findings(existing, texts)
    said, nameless = conversation_requests(facts.conversation, stated)
    asked = (*dismissal_requests(existing), *said)
    writers = _writers(client, [wish.who for wish in asked])
    missing = missing_comments(existing, own, report.findings)
    deleted = _deleted(client, facts.pull.number, missing, known_deletions(texts))
    involved: Mapping[Account, str] = {}
    if (any(writers.values()) or deleted) and not config.publish.author_dismisses:
        involved = _involved(facts.pull, client)
    roles = {account.id: role for account, role in involved.items()}
    by_deletion = deletion_requests(deleted, stated)
    doubt = _doubt(client, involved) if by_deletion else ""
    granted = granted_dismissals(asked, writers, roles, () if doubt else by_deletion)
    doubtful = [each.fingerprint for each in by_deletion] if doubt else []
    notices = (
        *granted.notices,
        *nameless,
        *(f"{doubt} {name}" for name in doubtful if name not in granted.kept),
    )
    return apply_dismissals(report, replace(granted, notices=notices)), deleted


def _writers(client: Client, people: Sequence[Account]) -> dict[int, bool]:
    return {
        account.id: may_write(client, account)
        for account in {each.id: each for each in people}.values()
    }


def _deleted(
    client: Client, number: int, missing: Mapping[str, PostedReview], known: frozenset[str]
) -> frozenset[str]:
    """Those that are really gone: a list may lag behind, so the reviews are asked for theirs."""
    unsure = {name: review.id for name, review in missing.items() if name not in known}
    there = {
        mark.fingerprint
        for review in sorted(set(unsure.values()))
        for body in read_review_bodies(client, number, review)
        if isinstance(mark := last_marker(body), FindingMarker)
    }
    return frozenset(missing) - there


def _involved(pull: PullRequest, client: Client) -> dict[Account, str]:
    """Who must not dismiss findings about their own work, and what they did."""
    pushed = dict.fromkeys(read_commit_accounts(client, pull.head), "made its newest commit")
    return {**pushed, pull.author: "opened the pull request"}


def _doubt(client: Client, involved: Mapping[Account, str]) -> str:
    """Who may have deleted comments about their own work; "" for nobody."""
    for account, role in involved.items():
        if may_write(client, account):
            return (
                f"{DELETED}, maybe by {account.login}, who {role}: somebody else with write "
                "permission has to dismiss"
            )
    return ""


def read_stated(client: Client, number: int) -> dict[str, AcceptedFinding]:
    """What our comments and summaries on a pull request say of findings, by fingerprint.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    standing = read_snapshot(client, number)
    own = own_reviews_with_markers(standing.reviews, standing.viewer)
    said = stated_findings((), [review.body for review, _ in own])
    for thread in standing.threads:
        mark = read_marker(thread.body, thread.author, standing.viewer)
        if isinstance(mark, FindingMarker):
            stated = read_comment(without_marker(thread.body))
            said[mark.fingerprint] = AcceptedFinding(stated.title, stated.priority)
    return said

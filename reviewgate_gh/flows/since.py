"""What a pull request's last review leaves to the next one: language models read what is new since then, and what stood open stays open."""

from collections.abc import Callable

from ..model.errors import GateError
from ..model.finding import Finding
from ..model.pull import PostedReview
from ..model.values import dataclass
from ..steps.ledger import Ledger, read
from ..steps.markers import ReviewMark
from ..steps.markers import read as read_mark
from ..system.git import Git
from ..system.git.ranges import merge_base
from ..system.github.client import Client
from ..system.github.standing import Standing, read_standing

Asked = Callable[[str], "Since | None"]


@dataclass(frozen=True, slots=True)
class Since:
    """The commit that was reviewed last, what it was compared with, by which models, and what stood open there."""

    head: str
    base: str
    models: frozenset[str]
    findings: tuple[Finding, ...]


def last_review(client: Client, number: int, git: Git, head: str) -> Asked:
    """A lazy look-up of our last review under this config digest whose commit is an ancestor of `head`, or None.

    It is None after a rebase, if GitHub does not answer, and if the last review was incomplete.
    """

    def asked(config_digest: str) -> Since | None:
        try:
            standing = read_standing(client, number)
        except GateError:
            return None
        return _found(standing, git, head, config_digest)

    return asked


def _found(standing: Standing, git: Git, head: str, config_digest: str) -> Since | None:
    own = [(each, mark) for each in standing.reviews if isinstance(mark := _mark(each, standing), ReviewMark)]
    if not own:
        return None
    sha = max(own, key=lambda pair: (pair[0].submitted, pair[0].id))[1].sha
    ledgers = [ledger for each, mark in own if mark.sha == sha and (ledger := read(each.body))]
    known = git.resolve(sha)
    if not ledgers or not known or merge_base(git, known, head) != known or not _same(ledgers, config_digest):
        return None
    base = git.resolve(ledgers[0].base)
    if not base:
        return None
    models = frozenset.intersection(*(ledger.models for ledger in ledgers))
    return Since(known, base, models, tuple({finding.fingerprint: finding for ledger in ledgers for finding in ledger.findings}.values()))


def _mark(review: PostedReview, standing: Standing) -> object:
    return read_mark(review.body, review.author, standing.viewer) if review.state != "PENDING" else None


def _same(ledgers: list[Ledger], config_digest: str) -> bool:
    return all((ledger.config_digest, ledger.base) == (config_digest, ledgers[0].base) for ledger in ledgers)

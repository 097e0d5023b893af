"""What models found is checked: one question verifies it, and a few more look for what is
missing."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from ..findings.code_search import CodeIndex
from ..model.finding import Finding, FindingState
from ..model.question import Prompt
from ..model.review import Review, ReviewStatus
from ..text.paths import matching_paths
from .anchor import apply_rulings, can_be_ruled_on
from .answer import VERIFICATION, Ruling, read_rulings
from .ensemble import Ensemble
from .models import ModelReviewer
from .prompt import audit_part, verification_part

_FindingKey = tuple[object, ...]


class Verification(Struct, frozen=True):
    """The review of the one question about all that models found, and its rulings.

    Both are empty where nothing was asked.
    """

    reviews: tuple[Review, ...] = ()
    rulings: Mapping[_FindingKey, Ruling] = field(default_factory=dict)
    index: CodeIndex | None = None

    def apply(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings after the rulings on them, also where a later review was merged into
        them."""
        if self.index is None:
            return findings
        return apply_rulings(
            findings, lambda finding: self.rulings.get(_finding_key(finding)), self.index
        )


def verify_findings(
    ensemble: Ensemble,
    models: Sequence[ModelReviewer],
    findings: Sequence[Finding],
) -> Verification:
    """Ask the model that found least of it."""
    asked = {
        f"f{number}": finding
        for number, finding in enumerate(filter(can_be_ruled_on, _sendable(ensemble, findings)), 1)
    }
    if not ensemble.run.config.ensemble.verify or not asked:
        return Verification()
    client, names = (
        ensemble.client,
        [name for finding in asked.values() for name in finding.sources],
    )
    verifier = min(
        models, key=lambda model: sum(name.startswith(f"{model.name}/") for name in names)
    )
    own = verification_part(asked.items(), client.nonce)
    prompt = Prompt(
        ensemble.context().shared_prompt, own, VERIFICATION, ensemble.run.options.effort
    )
    heard = client.ask(
        verifier, "verify", prompt, partial(read_rulings, nonce=client.nonce, ids=asked)
    )
    reply = heard.reply
    ended = (
        (reply.status, "")
        if heard.answer is not None
        else (
            ReviewStatus.SKIPPED,
            f"{reply.status.value}, so the findings are kept unverified: {reply.error}",
        )
    )
    review = Review(
        heard.model.name, "verify", ended[0], error=ended[1], version=reply.version, required=False,
        seconds=heard.seconds,
        asked=heard.call,
    )  # fmt: skip
    rulings = {_finding_key(asked[ruling.id]): ruling for ruling in heard.answer or ()}
    shown = ensemble.context().pack.beside(ensemble.run.change)
    return Verification((review,), rulings, CodeIndex(shown.lines))


def _finding_key(finding: Finding) -> _FindingKey:
    """What a finding keeps when it is merged again with those of more reviews."""
    return (
        finding.path,
        finding.side,
        finding.line_start,
        finding.line_end,
        finding.category,
        finding.title,
    )


class Audit(Struct, frozen=True):
    """The reverse audit: `known` is what was found before the next round.

    `dry` counts the last rounds that found nothing new.
    """

    ensemble: Ensemble
    models: Sequence[ModelReviewer]
    known: tuple[Finding, ...]
    rounds: int = 0
    dry: int = 0
    broken: bool = False

    @property
    def continues(self) -> bool:
        """There is another round."""
        limits = self.ensemble.run.config.ensemble.reverse_audit
        return (
            not self.broken and self.rounds < limits.max_rounds and self.dry < limits.stop_after_dry
        )

    def ask(self) -> Review:
        """The next round; each is another model's turn."""
        own = audit_part(self.known, self.ensemble.client.nonce)
        return self.ensemble.ask(
            self.models[self.rounds % len(self.models)], f"audit-{self.rounds + 1}", own
        )

    def after(self, review: Review, findings: Sequence[Finding]) -> "Audit":
        """The audit after the round with this review, from which these findings came."""
        known = _known(self.ensemble, findings)
        dry = 0 if len(known) > len(self.known) else self.dry + 1
        return replace(
            self,
            known=known,
            rounds=self.rounds + 1,
            dry=dry,
            broken=review.status is not ReviewStatus.OK,
        )


def start_audit(
    ensemble: Ensemble, models: Sequence[ModelReviewer], findings: Sequence[Finding]
) -> Audit:
    """The audit before its first round."""
    return Audit(ensemble, models, _known(ensemble, findings))


def _known(ensemble: Ensemble, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(
        finding
        for finding in _sendable(ensemble, findings)
        if finding.state is not FindingState.DUPLICATE
    )


def _sendable(ensemble: Ensemble, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Without those in places that are denied to models, whoever found them: they quote the code
    that is there."""
    paths = {path for finding in findings for path in (finding.path, finding.origin) if path}
    denied = ensemble.context().denied_paths | matching_paths(
        paths, ensemble.run.config.policy.denied_paths
    )
    return (finding for finding in findings if denied.isdisjoint((finding.path, finding.origin)))

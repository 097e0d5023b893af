"""What models found is checked: one question verifies it, and a few more look for what is
missing."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines
from ..model.finding import Finding, FindingState
from ..model.question import Prompt
from ..model.review import Review, ReviewStatus
from ..model.values import dataclass
from ..text.paths import matching_paths
from .anchor import apply_rulings, can_be_ruled_on
from .answer import VERIFICATION, Ruling, read_rulings
from .models import ModelReviewer
from .prompt import audit_part, verification_part
from .reviews import Ensemble

ApplyStates = Callable[[Sequence[Review]], tuple[Finding, ...]]
ApplyRulings = Callable[[tuple[Finding, ...]], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class VerifiedReviews:
    """All reviews with those of verification and audit, what they come to, and what a person should
    know."""

    reviews: tuple[Review, ...]
    findings: tuple[Finding, ...]
    notices: tuple[str, ...] = ()


def verify_and_audit(
    ensemble: Ensemble,
    reviews: Sequence[Review],
    changed_lines: ChangedLines,
    apply_states: ApplyStates,
) -> VerifiedReviews:
    """Verification, then the reverse audit.

    `settle` gives every finding its state, from scratch.
    """
    heard = dict.fromkeys(
        review.reviewer for review in reviews if review.asked and review.status is ReviewStatus.OK
    )
    answered = [
        ensemble.client.models[name] for name in heard
    ]  # a fallback too: it can verify and audit as well as it reviews
    notices = (*ensemble.notices, *ensemble.context().notices)
    if not answered:
        return VerifiedReviews(
            tuple(reviews), apply_states(reviews), (*notices, *_replaced(reviews))
        )
    with ensemble.client.progress:
        verification, rule = _verify(ensemble, answered, apply_states(reviews), changed_lines)
        every = _audit(
            ensemble, answered, (*reviews, *verification), lambda known: rule(apply_states(known))
        )
    return VerifiedReviews(every, rule(apply_states(every)), (*notices, *_replaced(every)))


def _replaced(reviews: Sequence[Review]) -> tuple[str, ...]:
    """Who answered for whom, a line for each reason."""
    lines: dict[tuple[str, str], list[str]] = {}
    for review in reviews:
        if review.asked and review.asked.instead:
            lines.setdefault((review.reviewer, review.asked.instead), []).append(review.part)
    return tuple(
        f"{who} answered {', '.join(parts)} in place of {whom}"
        for (who, whom), parts in lines.items()
    )


def _verify(
    ensemble: Ensemble,
    answered: Sequence[ModelReviewer],
    findings: Sequence[Finding],
    changed_lines: ChangedLines,
) -> tuple[tuple[Review, ...], ApplyRulings]:
    """The review of the one question about all that models found, and what its rulings do to
    findings."""
    asked = {
        f"f{number}": finding
        for number, finding in enumerate(filter(can_be_ruled_on, _sendable(ensemble, findings)), 1)
    }
    if not ensemble.config.ensemble.verify or not asked:
        return (), tuple
    client, names = (
        ensemble.client,
        [name for finding in asked.values() for name in finding.sources],
    )
    verifier = min(
        answered, key=lambda model: sum(name.startswith(f"{model.name}/") for name in names)
    )
    prompt = Prompt(
        ensemble.context().shared_prompt,
        verification_part(asked.items(), client.nonce),
        VERIFICATION,
        ensemble.effort,
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
    return (review,), partial(
        _with_rulings,
        {_finding_key(asked[ruling.id]): ruling for ruling in heard.answer or ()},
        CodeIndex(changed_lines),
    )


def _with_rulings(
    rulings: dict[tuple[object, ...], Ruling], index: CodeIndex, findings: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    return apply_rulings(findings, lambda finding: rulings.get(_finding_key(finding)), index)


def _finding_key(finding: Finding) -> tuple[object, ...]:
    """What a finding keeps when everything is settled again with more reviews."""
    return (
        finding.path,
        finding.side,
        finding.line_start,
        finding.line_end,
        finding.category,
        finding.title,
    )


def _audit(
    ensemble: Ensemble,
    answered: Sequence[ModelReviewer],
    reviews: Sequence[Review],
    apply_states: ApplyStates,
) -> tuple[Review, ...]:
    """The reviews with those of the audit's rounds; each round knows all that was found before
    it."""
    limits, dry, known = (
        ensemble.config.ensemble.reverse_audit,
        0,
        _known(ensemble, apply_states(reviews)),
    )
    for number in range(limits.max_rounds):
        own = audit_part(known, ensemble.client.nonce)
        review = ensemble.ask(answered[number % len(answered)], f"audit-{number + 1}", own)
        reviews = (*reviews, review)
        if review.status is not ReviewStatus.OK:
            break
        before, known = len(known), _known(ensemble, apply_states(reviews))
        dry = 0 if len(known) > before else dry + 1
        if dry >= limits.stop_after_dry:
            break
    return tuple(reviews)


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
        paths, ensemble.config.policy.denied_paths
    )
    return (finding for finding in findings if denied.isdisjoint((finding.path, finding.origin)))

"""What models found is checked: one question verifies it, a few more are for what is disputed, and
for what is missing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from ..findings.code_search import CodeIndex
from ..model.finding import Finding, FindingState
from ..model.review import Review, ReviewStatus
from ..system.parallel import map_parallel
from ..text.paths import matching_paths
from .answer import Ruling, read_rulings
from .batches import Batch
from .context import PromptContext
from .ensemble import Ensemble
from .looked_up import looked_up_index
from .models import ModelReviewer
from .prompt import audit_part, reconsideration_part, verification_part
from .rulings import (
    ModelRuling,
    RulingTerms,
    apply_rulings,
    can_be_ruled_on,
    finders,
    objection,
)

_MOST_FINDINGS = 15  # of one question
_FindingKey = tuple[object, ...]
_Rulings = Mapping[_FindingKey, Sequence[ModelRuling]]


class Verification(Struct, frozen=True):
    """The reviews of the questions about what models found, and the rulings of each model.

    All are empty where nothing was asked.
    """

    reviews: tuple[Review, ...] = ()
    rulings: Mapping[_FindingKey, Sequence[ModelRuling]] = field(default_factory=dict)
    terms: RulingTerms | None = None

    def apply(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings after the rulings on them, also where a later review was merged into
        them."""
        if self.terms is None:
            return findings
        return apply_rulings(
            findings, lambda finding: self.rulings.get(_finding_key(finding), ()), self.terms
        )


class _Question(Struct, frozen=True):
    """Some findings, by the ids that they have in a question to one model; `objections` are what
    others say against them, where their own finder is asked."""

    model: ModelReviewer
    part: str
    shared_part: str
    findings: Mapping[str, Finding]
    objections: Mapping[str, Ruling] = {}


def verify_findings(
    ensemble: Ensemble,
    models: Sequence[ModelReviewer],
    findings: Sequence[Finding],
) -> Verification:
    """Ask one model about all of them. What would block and is refuted is put to its finders, with
    what is said against it, and to one more model: nobody is outvoted."""
    asked = [*filter(can_be_ruled_on, _sendable(ensemble, findings))]
    if not ensemble.run.config.ensemble.verify or not asked:
        return Verification()
    context = ensemble.context()
    shown = context.pack.beside(ensemble.run.change)
    terms = RulingTerms(
        CodeIndex(shown.lines),
        tuple(model.name for model in models),
        ensemble.run.change.trusted,
        ensemble.run.config.policy.finding_threshold,
    )
    verifier = _verifier(models, finders(asked[0], terms.models))
    reviews, rulings = _ask_all(ensemble, _questions(context, verifier, "verify", asked))
    disputed = {
        _finding_key(finding): (finding, said)
        for finding in asked
        for given in rulings.get(_finding_key(finding), ())
        if (said := objection(finding, given, terms))
    }
    second = _second_round(context, models, disputed.values(), rulings, terms)
    more, again = _ask_all(ensemble, second)
    both = {key: (*given, *again.get(key, ())) for key, given in rulings.items()}
    return Verification((*reviews, *more), both, terms)


def _verifier(models: Sequence[ModelReviewer], found_by: Collection[str]) -> ModelReviewer:
    """The one declared after who found the first finding. Never who found the least: that may be
    whom the change won over."""
    first = next((at for at, model in enumerate(models) if model.name in found_by), -1)
    return models[(first + 1) % len(models)]


def _questions(
    context: PromptContext,
    model: ModelReviewer,
    part: str,
    findings: Sequence[Finding],
    objections: Sequence[Ruling] = (),
) -> Iterator[_Question]:
    """So few that each shows the code of its findings, and has no more than so many."""
    groups = defaultdict[Batch, list[int]](list)
    for at, finding in enumerate(findings):
        groups[context.batch_of(finding)].append(at)
    chunks = [
        (batch, group[start : start + _MOST_FINDINGS])
        for batch, group in groups.items()
        for start in range(0, len(group), _MOST_FINDINGS)
    ]
    for number, (batch, chunk) in enumerate(chunks, 1):
        ids = [f"f{at}" for at, _ in enumerate(chunk, 1)]
        yield _Question(
            model,
            f"{part}-{number}" if number > 1 else part,
            batch.shared_prompt,
            {name: findings[at] for name, at in zip(ids, chunk, strict=True)},
            {name: objections[at] for name, at in zip(ids, chunk, strict=True) if objections},
        )


def _second_round(
    context: PromptContext,
    models: Sequence[ModelReviewer],
    disputed: Iterable[tuple[Finding, Ruling]],
    rulings: _Rulings,
    terms: RulingTerms,
) -> Iterator[_Question]:
    """Who is heard on disputed findings: their finders, and the first other model that has not said
    anything of them."""
    others = defaultdict[str, list[Finding]](list)
    own = defaultdict[str, list[tuple[Finding, Ruling]]](list)
    for finding, said in disputed:
        found_by = finders(finding, terms.models)
        heard = {given.model for given in rulings[_finding_key(finding)]}
        for name in found_by - heard:
            own[name].append((finding, said))
        for name in [name for name in terms.models if name not in found_by | heard][:1]:
            others[name].append(finding)
    for model in models:
        if mine := own[model.name]:
            found, against = zip(*mine, strict=True)
            yield from _questions(context, model, "reconsider", found, against)
        yield from _questions(context, model, "verify-again", others[model.name])


def _ask_all(
    ensemble: Ensemble, questions: Iterable[_Question]
) -> tuple[tuple[Review, ...], _Rulings]:
    """All at once: the reviews that say how each ended, and what was ruled on each finding."""
    most = ensemble.run.config.ensemble.max_parallel
    answers = map_parallel(partial(_ask, ensemble), [*questions], most)
    rulings = defaultdict[_FindingKey, tuple[ModelRuling, ...]](tuple)
    for _review, given in answers:
        for finding, said in given:
            rulings[_finding_key(finding)] += (said,)
    return tuple(review for review, _given in answers), rulings


def _ask(
    ensemble: Ensemble, question: _Question
) -> tuple[Review, Sequence[tuple[Finding, ModelRuling]]]:
    client, asked = ensemble.client, question.findings
    own = (
        reconsideration_part(asked, question.objections, client.nonce)
        if question.objections
        else verification_part(asked.items(), client.nonce)
    )
    prompt = ensemble.context().prompt(question.shared_part, own, ensemble.run.options.effort)
    read = partial(read_rulings, nonce=client.nonce, ids=asked)
    heard = client.ask(question.model, question.part, prompt, read)
    reply = heard.reply
    unverified = f"{reply.status.value}, so the findings are kept unverified: {reply.error}"
    review = Review(
        heard.model.name,
        question.part,
        ReviewStatus.SKIPPED if heard.answer is None else reply.status,
        error=unverified if heard.answer is None else "",
        version=reply.version,
        required=False,
        seconds=heard.seconds,
        began=heard.began,
        asked=heard.call,
    )
    code = looked_up_index(reply.looked_up, ensemble.run.change, ensemble.read_file)
    given = [
        (asked[each.id], ModelRuling(heard.model.name, replace(each, looked_up=is_looked_up)))
        for each in heard.answer or ()
        for is_looked_up in [code.contains(each.file, each.quote)]
    ]
    return review, given


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

"""What becomes of a finding after models have ruled on it. Nobody is outvoted: on a change that is
not approved, what would block stays until its finders withdraw it, or two others refute it with
code."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..findings.carry_over import is_carried_unchanged, is_earlier_review
from ..findings.code_search import CodeIndex
from ..model.finding import Confidence, Finding, FindingState
from ..text.strict import one_line
from .answer import Ruling
from .consensus import is_from_audit

NO_PROOF_REASON = "a refutation without a quote from the code does not count"
_LONGEST = 500
_CRITICAL = "P1"
_ENOUGH = 2  # models that refute what neither of them found
_WORDS = {
    "behaviour": "the code does not do this",
    "excluded": "outside the scope of a review",
    "vague": "it names no code",
}


class ModelRuling(NamedTuple):
    """A ruling, and the name of the model that gave it."""

    model: str
    ruling: Ruling


class RulingTerms(Struct, frozen=True):
    """Under which terms rulings count: `index` is the code that was shown, `models` are the names
    of those that answered, `approved` says that the change is, `threshold` is what blocks."""

    index: CodeIndex
    models: Collection[str]
    approved: bool
    threshold: str


def can_be_ruled_on(finding: Finding) -> bool:
    """A model found it in the review and it stands open.

    What tools find or share, what the reverse audit finds, and what an earlier review found at code
    that is the same is not asked about.
    """
    settled = (
        finding.rule or finding.state is not FindingState.OPEN or is_carried_unchanged(finding)
    )
    return not settled and not any(map(is_from_audit, finding.sources))


def finders(finding: Finding, models: Collection[str]) -> frozenset[str]:
    """The names of the models that found it; of one that has not answered now, as its source
    begins."""
    return frozenset(
        max(
            (name for name in models if source.startswith(f"{name}/")),
            key=len,
            default=source.partition("/")[0],
        )
        for source in finding.sources
        if not is_earlier_review(source)
    )


def objection(finding: Finding, said: ModelRuling, terms: RulingTerms) -> Ruling | None:
    """The ruling, where others have to be heard on it: it refutes with code what would block, on a
    change that is not approved, and somebody else found it, too."""
    if terms.approved or not _may_block(finding, terms):
        return None
    proven = _is_proven(finding, said.ruling, terms.index)
    return said.ruling if proven and finders(finding, terms.models) != {said.model} else None


def apply_rulings(
    findings: tuple[Finding, ...],
    rulings_of: Callable[[Finding], Sequence[ModelRuling]],
    terms: RulingTerms,
) -> tuple[Finding, ...]:
    """Each finding after the rulings on it, if there are some."""
    return tuple(
        _ruled(finding, given, terms)
        if can_be_ruled_on(finding) and (given := rulings_of(finding))
        else finding
        for finding in findings
    )


def _ruled(finding: Finding, given: Sequence[ModelRuling], terms: RulingTerms) -> Finding:
    """The last word of each model counts."""
    said = dict(given)
    proven = {model: ruling for model, ruling in given if _is_proven(finding, ruling, terms.index)}
    if not _may_block(finding, terms):
        return _by_one_word(finding, said, proven)
    found_by = finders(finding, terms.models)
    withdrawn = {model for model in found_by if proven and _says(said, model, "refuted")}
    refuting = [model for model in proven if model not in found_by]
    unsure = {model for model in said if _says(said, model, "uncertain")}
    if withdrawn and withdrawn == found_by:
        return _refuted(finding, proven, "")
    if terms.approved:
        return _for_a_person(finding, said, proven, unsure)
    if len(refuting) >= _ENOUGH:
        return _refuted(finding, proven, f" ({' and '.join(refuting)} agree)")
    if found_by and found_by <= withdrawn | unsure:
        return _unsure(finding, said[min(found_by & unsure)])
    return _kept(finding, said, refuting)


def _by_one_word(
    finding: Finding, said: Mapping[str, Ruling], proven: Mapping[str, Ruling]
) -> Finding:
    if proven:
        return _refuted(finding, proven, "")
    unsure = [ruling for ruling in said.values() if ruling.ruling == "uncertain"]
    return _unsure(finding, unsure[0]) if unsure else _kept(finding, said, [])


def _for_a_person(
    finding: Finding,
    said: Mapping[str, Ruling],
    proven: Mapping[str, Ruling],
    unsure: Collection[str],
) -> Finding:
    """On an approved change doubt is enough for a person to decide."""
    for model, ruling in proven.items():
        note = _note(f"needs human review, {model} refutes it", ruling)
        return replace(finding, confidence=Confidence.LOW, note=note)
    return _unsure(finding, said[min(unsure)]) if unsure else _kept(finding, said, [])


def _kept(finding: Finding, said: Mapping[str, Ruling], refuting: Sequence[str]) -> Finding:
    if refuting:
        model = refuting[0]
        note = _note(f"disputed by {model}, and not withdrawn", said[model])
        return replace(finding, note=note)
    if any(ruling.ruling == "refuted" for ruling in said.values()):
        return replace(finding, note=NO_PROOF_REASON)
    return finding


def _refuted(finding: Finding, proven: Mapping[str, Ruling], agreed: str) -> Finding:
    ruling = next(iter(proven.values()))
    note = _note(f"refuted: {_WORDS[ruling.reason_kind]}", ruling)
    return replace(finding, state=FindingState.REFUTED, note=f"{note}{agreed}")


def _unsure(finding: Finding, ruling: Ruling) -> Finding:
    return replace(finding, confidence=Confidence.LOW, note=_note("uncertain", ruling))


def _may_block(finding: Finding, terms: RulingTerms) -> bool:
    return finding.priority.reaches(_CRITICAL) or finding.priority.reaches(terms.threshold)


def _says(said: Mapping[str, Ruling], model: str, word: str) -> bool:
    return model in said and said[model].ruling == word


def _is_proven(finding: Finding, ruling: Ruling, index: CodeIndex) -> bool:
    """It refutes for one of the reasons that take a finding away, and the code that is quoted for
    it is there; what has a place is not vague."""
    if ruling.ruling != "refuted" or ruling.reason_kind not in _WORDS:
        return False
    if ruling.reason_kind == "vague" and finding.is_located:
        return False
    return ruling.looked_up or index.contains(ruling.file, ruling.quote)


def _note(what: str, ruling: Ruling) -> str:
    reason = one_line(ruling.reason, _LONGEST)
    return f"{what}: {reason}" if reason else what

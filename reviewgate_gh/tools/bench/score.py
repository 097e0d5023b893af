"""Precision, recall, cost and time of each reviewer, of the models together and of the gate, from
the results of cases."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from ...ensemble.consensus import is_from_across, is_from_audit, is_ruling
from ...findings.same_meaning import likeness
from ...model.finding import Finding, FindingState, Priority
from ...model.report import ReviewRow
from ...model.review import NO_USAGE, ReviewStatus
from .case import ExpectedFinding
from .results import CaseResult, CaseStatus

_SURE = 1.0  # how far a finding fits that only has to be at the place
# Chosen on one half of a frozen set of remarks and checked on the other (test_score.py)
_DOUBTFUL, _CLEAR = -0.14, 0.1
# What a reviewer has said, whether or not others refuted it
_SAID = (FindingState.OPEN, FindingState.REFUTED)
_CRITICAL = (Priority.P0, Priority.P1)


class Score(Struct, frozen=True):
    """The counts of one reviewer, or of several together. `cases` are those that it answered, and
    only they count; `unanswered` are the others. `right` are findings that were expected, of
    `found` and of `expected`; `clean` are answered cases in which nothing is to be found, and
    `silent` those of them in which it found nothing. `seconds` is the median of a case; `cost` is
    in US dollars, None where that of a question is not known."""

    cases: int = 0
    unanswered: int = 0
    expected: int = 0
    found: int = 0
    right: int = 0
    critical: int = 0
    critical_right: int = 0
    clean: int = 0
    silent: int = 0
    questions: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None


class CaseScore(Struct, frozen=True):
    """One case: how it ended, what the gate missed of `wanted` findings, and what it said beyond
    what was expected."""

    case: str
    status: CaseStatus
    reason: str
    wanted: int = 0
    missed: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


class BenchSummary(Struct, frozen=True):
    """All of it. `parts` are a model's lenses and a linter reviewer's tools; `models` is None where
    none was asked. `shown` of `placed` expected findings lie in what a language model would be
    given."""

    reviewers: Mapping[str, Score]
    parts: Mapping[str, Score]
    models: Score | None
    gate: Score
    cases: tuple[CaseScore, ...]
    placed: int = 0
    shown: int = 0


def match_findings(
    expected: Sequence[ExpectedFinding], findings: Sequence[Finding]
) -> dict[int, int]:
    """Which finding is which expected one, by their places in the two lists: one to one, as many as
    possible, the most alike first."""
    scores = [_scores(each, findings) for each in expected]
    fitting = [_fitting(at, expected[at], scores) for at in range(len(expected))]
    holder: dict[int, int] = {}
    order = sorted(range(len(expected)), key=lambda at: -max(fitting[at].values(), default=-1.0))
    for at in order:
        _place(at, fitting, holder)
    return holder


def _scores(expected: ExpectedFinding, findings: Sequence[Finding]) -> list[float]:
    """How alike each finding is; below 0 where it is another one by itself."""
    wanted = [each for place in expected.as_findings() for each in _with_title_alone(place)]
    return [_fit(expected, wanted, found) for found in findings]


def _fitting(
    place: int, expected: ExpectedFinding, scores: Sequence[Sequence[float]]
) -> dict[int, float]:
    """The findings that may be this one, the most alike first, and how alike they are. Where the
    words alone must tell, one that is less alike counts as well, if no other comes close to either
    of the two."""
    own, least = scores[place], 0.0 if expected.places else _DOUBTFUL
    likely = [
        at
        for at, score in enumerate(own)
        if score >= 0 or (score >= least and score - _next_best(place, at, scores) >= _CLEAR)
    ]
    return {at: own[at] for at in sorted(likely, key=lambda at: (-own[at], at))}


def _next_best(place: int, at: int, scores: Sequence[Sequence[float]]) -> float:
    """How alike the most similar other pair of either of these two is."""
    beside = (score for other, score in enumerate(scores[place]) if other != at)
    above = (row[at] for other, row in enumerate(scores) if other != place)
    return max((*beside, *above), default=-1.0)


def _fit(expected: ExpectedFinding, wanted: Sequence[Finding], found: Finding) -> float:
    places = _also_at_its_cause(found)
    if expected.text:
        said = [each for place in places for each in _with_title_alone(place)]
        return max(likeness(one, other) for one in wanted for other in said)
    at_place = any(
        place.holds(each.path, each.line_start, max(each.line_start, each.line_end))
        for place in expected.places
        for each in places
    )
    return _SURE if at_place else -1.0


def _also_at_its_cause(found: Finding) -> tuple[Finding, ...]:
    """What a change breaks elsewhere may be expected there, or where the change does it."""
    if found.cause is None or not found.cause.line:
        return (found,)
    path, line = found.cause
    return found, replace(found, path=path, line_start=line, line_end=line, placed=True)


def _with_title_alone(finding: Finding) -> tuple[Finding, Finding]:
    """One explains in three sentences what the other says in five words."""
    return finding, replace(finding, body="")


def _place(start: int, fitting: Sequence[Mapping[int, float]], holder: dict[int, int]) -> None:
    """Give the expected finding a free one, others moving on to one that fits them as well."""
    came: dict[int, int] = {}  # by finding, the expected one that asked for it
    waiting = [start]
    for asking in waiting:
        for finding in fitting[asking]:
            if finding in came:
                continue
            came[finding] = asking
            if finding in holder:
                waiting.append(holder[finding])
                continue
            _hand_over(finding, came, holder)
            return


def _hand_over(finding: int, came: Mapping[int, int], holder: dict[int, int]) -> None:
    held = {expected: finding for finding, expected in holder.items()}
    while True:
        asking = came[finding]
        before = held.get(asking)
        holder[finding] = asking
        if before is None:
            return
        finding = before


def summarise(results: Sequence[CaseResult], least: Priority = Priority.P3) -> BenchSummary:
    """The scores over these cases; findings below the priority `least` are not looked at."""
    names = dict.fromkeys(row.reviewer for each in results for row in each.reviews)
    parts = dict.fromkeys(
        row.name for each in results for row in each.reviews if row.part and not is_ruling(row.part)
    )
    asked = any(row.asked for each in results for row in each.reviews)
    shown = [each for result in results for each in result.shown]
    return BenchSummary(
        {name: _score(results, _Voice(least, _is_by(name), _SAID)) for name in names},
        {name: _score(results, _Voice(least, _is_part(name), _SAID)) for name in parts},
        _score(results, _Voice(least, _is_model, (FindingState.OPEN,))) if asked else None,
        _score(results, _Voice(least, _is_anyone, (FindingState.OPEN,), whole=True)),
        tuple(_case(each, least) for each in results),
        len(shown),
        sum(shown),
    )


def common_results(
    one: Iterable[CaseResult], other: Iterable[CaseResult]
) -> tuple[list[CaseResult], list[CaseResult]]:
    """The results of both for the cases that both have reviewed, in one order; not of cases that
    have changed between them."""
    left, right = (
        {(each.case, each.digest): each for each in results if each.status is CaseStatus.REVIEWED}
        for results in (one, other)
    )
    both = [key for key in left if key in right]
    return [left[key] for key in both], [right[key] for key in both]


class _Voice(Struct, frozen=True):
    """Whose findings are looked at: those in these states, with a source among the reviews that
    `speaks` accepts. `whole`: the verdict has to hold, not only these reviews."""

    least: Priority
    speaks: Callable[[ReviewRow], bool]
    states: tuple[FindingState, ...]
    whole: bool = False

    def rows(self, result: CaseResult) -> list[ReviewRow]:
        """Its reviews of the case."""
        return [row for row in result.reviews if self.speaks(row)]

    def answered(self, result: CaseResult) -> bool:
        """Whether it has reviewed the case: silence of one who was not heard, or not asked, is no
        answer."""
        if self.whole or result.status is CaseStatus.BROKEN:
            return result.status is CaseStatus.REVIEWED
        rows = self.rows(result)
        heard = any(row.status is ReviewStatus.OK for row in rows)
        return heard and not any(map(lacks_answer, rows))

    def findings(self, result: CaseResult) -> list[Finding]:
        """Its findings, each place of one with several as one of its own."""
        names = {name for row in self.rows(result) for name in (row.name, row.part) if name}
        return [
            each
            for found in result.findings
            if found.state in self.states
            and found.priority.reaches(self.least)
            and (self.whole or not names.isdisjoint(found.sources))
            for each in _at_each_place(found)
        ]


def _is_by(name: str) -> Callable[[ReviewRow], bool]:
    return lambda row: row.reviewer == name


def _is_part(name: str) -> Callable[[ReviewRow], bool]:
    return lambda row: row.name == name


def _is_model(row: ReviewRow) -> bool:
    return row.asked is not None


def _is_anyone(row: ReviewRow) -> bool:
    return True


def lacks_answer(row: ReviewRow) -> bool:
    """Somebody who was to review the case has not."""
    absent = row.status in (ReviewStatus.SKIPPED, ReviewStatus.UNAVAILABLE)
    return row.status.broken or (row.required and absent)


def _at_each_place(finding: Finding) -> Iterator[Finding]:
    """One issue in many files is one finding that lists them."""
    yield finding
    for place in finding.places:
        path, _, line = place.rpartition(":")
        if place != finding.location and path and line.isdigit():
            yield replace(finding, path=path, line_start=int(line), line_end=int(line), places=())


class _Compared(Struct, frozen=True):
    """A case beside what a voice says of it: `wanted` are the expected findings that count, `right`
    those of them that it has; `extra` are findings that are none of the expected ones."""

    wanted: tuple[ExpectedFinding, ...]
    right: tuple[ExpectedFinding, ...]
    missed: tuple[ExpectedFinding, ...]
    extra: tuple[Finding, ...]


def _compare(result: CaseResult, voice: _Voice) -> _Compared:
    """What is expected below the least priority is neither missed nor wrong, and neither are more
    findings at the places of an expected one that has several."""
    findings = voice.findings(result)
    matched = match_findings(result.expected, findings)
    several = [each for each in result.expected if len(each.places) > 1]
    alike = [_scores(each, findings) for each in several]
    again = {at for scores in alike for at, score in enumerate(scores) if score >= 0}
    had = {*matched.values()}
    wanted = [
        (at, each)
        for at, each in enumerate(result.expected)
        if each.priority is None or each.priority.reaches(voice.least)
    ]
    return _Compared(
        tuple(each for _, each in wanted),
        tuple(each for at, each in wanted if at in had),
        tuple(each for at, each in wanted if at not in had),
        tuple(found for at, found in enumerate(findings) if at not in again.union(matched)),
    )


def _score(results: Sequence[CaseResult], voice: _Voice) -> Score:
    answered = [each for each in results if voice.answered(each)]
    pairs = [(each, _compare(each, voice)) for each in answered]
    clean = [compared for each, compared in pairs if not each.expected]
    right = [each for _, compared in pairs for each in compared.right]
    wanted = [each for _, compared in pairs for each in compared.wanted]
    score = Score(
        cases=len(answered),
        unanswered=len(results) - len(answered),
        expected=len(wanted),
        found=len(right) + sum(len(compared.extra) for _, compared in pairs),
        right=len(right),
        critical=_critical(wanted),
        critical_right=_critical(right),
        clean=len(clean),
        silent=sum(not compared.extra for compared in clean),
    )
    return _with_ratios(_with_usage(score, results, voice, answered))


def _critical(expected: Iterable[ExpectedFinding]) -> int:
    return sum(each.priority in _CRITICAL for each in expected)


def _with_usage(
    score: Score, results: Iterable[CaseResult], voice: _Voice, answered: Sequence[CaseResult]
) -> Score:
    """What was paid, whether or not an answer came of it; and how long answers took."""
    usage, known = NO_USAGE, True
    for row in (row for each in results for row in voice.rows(each)):
        if row.asked is not None:
            usage = usage.plus(row.asked.usage)
            known = known and not (row.asked.usage.calls and row.asked.usage.cost is None)
    times = [took for each in answered if (took := _seconds(voice.rows(each)))]
    return replace(
        score,
        questions=usage.calls,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cost=usage.cost if known else None,
        seconds=round(median(times), 3) if times else None,
    )


def _seconds(rows: Sequence[ReviewRow]) -> float:
    """The slowest of the first questions, which are asked at once, and the later ones one after
    another: so a replay has the time of its recording."""
    later = [row.seconds for row in rows if _is_later(row)]
    return max((row.seconds for row in rows if not _is_later(row)), default=0.0) + sum(later)


def _is_later(row: ReviewRow) -> bool:
    if row.asked is None:
        return False
    return is_ruling(row.part) or is_from_audit(row.part) or is_from_across(row.part)


def _with_ratios(score: Score) -> Score:
    precision = score.right / score.found if score.found else None
    recall = score.right / score.expected if score.expected else None
    f1 = 2 * score.right / (score.found + score.expected) if score.expected else None
    return replace(score, precision=_round(precision), recall=_round(recall), f1=_round(f1))


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _case(result: CaseResult, least: Priority) -> CaseScore:
    bare = CaseScore(result.case, result.status, result.reason)
    voice = _Voice(least, _is_anyone, (FindingState.OPEN,), whole=True)
    if not voice.answered(result):
        return bare
    compared = _compare(result, voice)
    return replace(
        bare,
        wanted=len(compared.wanted),
        missed=tuple(map(_told, compared.missed)),
        extra=tuple(f"{each.location} {each.priority} {each.title}" for each in compared.extra),
    )


def _told(expected: ExpectedFinding) -> str:
    at = expected.places[0].location if expected.places else ""
    return " ".join(filter(None, (at, expected.priority, expected.text.partition("\n")[0])))

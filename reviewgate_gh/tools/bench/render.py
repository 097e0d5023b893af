"""The scores as tables for people, and as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from ...reporters._layout import StyledText, render_rows, render_table
from ...reporters._look import OutputStyle
from ...reporters._words import count_noun
from ...text.safe import safe_line
from .results import CaseStatus, ResultsHeader
from .score import BenchSummary, CaseScore, Score

SCORE_HEADER = (
    "reviewer", "cases", "no answer", "found", "right", "expected", "precision", "recall", "F1",
    "P0/P1", "clean", "cost", "seconds",
)  # fmt: skip
_COMPARED = ("reviewer", "cases", "precision", "recall", "F1", "cost", "seconds")
_MODELS, _GATE = "ensemble", "gate"
_MOST_REASONS = 10
_LONGEST = 240


class Details(Struct, frozen=True):
    """What is shown besides: a row for each lens and tool; what the gate missed, and what it said
    beyond what was expected."""

    parts: bool = False
    findings: bool = False


def summary_json(
    header: ResultsHeader, summary: BenchSummary, not_begun: int = 0
) -> dict[str, Any]:
    """The scores as plain data."""
    plain: dict[str, Any] = to_builtins(summary)
    ended = Counter(case.status.value for case in summary.cases)
    counts = {status.value: ended[status.value] for status in CaseStatus}
    return {
        "dataset": header.dataset,
        "layout": header.layout,
        "version": header.version,
        "config_digest": header.config,
        "left_out": list(header.left_out),
        "counts": {**counts, "not_begun": not_begun},
        "reviewers": plain["reviewers"],
        "parts": plain["parts"],
        "ensemble": plain["models"],
        "gate": plain["gate"],
        "placed": summary.placed,
        "shown": summary.shown,
        "cases": plain["cases"],
    }


def render_summary(
    summary: BenchSummary, style: OutputStyle, details: Details, not_begun: int = 0
) -> str:
    """The table, how the cases ended, and why some say nothing."""
    rows = [_styled(row) for row in score_rows(summary, details.parts)]
    table = render_table(SCORE_HEADER, rows, style)
    lines = summary_lines(summary, not_begun)
    if details.findings:
        lines += [line for case in summary.cases for line in _details(case)]
    return f"{table}\n{render_rows([[(line, '')] for line in lines], style)}"


def render_comparison(
    names: tuple[str, str], summaries: tuple[BenchSummary, BenchSummary], style: OutputStyle
) -> str:
    """Two runs over the same cases, a row for each reviewer of either; what only one of them has
    is `-` for the other."""
    one, other = (dict(_scores(each)) for each in summaries)
    rows = [
        _compared(name, one.get(name, Score()), other.get(name, Score()))
        for name in dict.fromkeys([*one, *other])
    ]
    ended = [[("A and B: cases that both have reviewed, with the same content", "")]]
    named = [
        [(f"{sign} is {safe_line(name, _LONGEST)}", "")]
        for sign, name in zip("AB", names, strict=True)
    ]
    header = tuple(head if at == 0 else f"{head} A/B" for at, head in enumerate(_COMPARED))
    return f"{render_table(header, rows, style)}\n{render_rows([*named, *ended], style)}"


def score_rows(summary: BenchSummary, parts: bool) -> list[tuple[str, ...]]:
    """The cells of the table, a row for each reviewer and for what they come to together; with
    `parts` also for each lens and tool."""
    more = summary.parts.items() if parts else ()
    return [_row(name, each) for name, each in (*_scores(summary), *more)]


def summary_lines(summary: BenchSummary, not_begun: int) -> list[str]:
    """How the cases ended, and why some say nothing."""
    return [*_counts(summary, not_begun), *_reasons(summary)]


def _styled(row: Sequence[str]) -> list[StyledText]:
    name, *cells = row
    return [(name, "bold" if name in (_MODELS, _GATE) else ""), *((cell, "") for cell in cells)]


def _scores(summary: BenchSummary) -> list[tuple[str, Score]]:
    models = [] if summary.models is None else [(_MODELS, summary.models)]
    return [*summary.reviewers.items(), *models, (_GATE, summary.gate)]


def _row(name: str, score: Score) -> tuple[str, ...]:
    return (
        name,
        str(score.cases),
        str(score.unanswered),
        str(score.found),
        str(score.right),
        str(score.expected),
        *_ratios(score),
        f"{score.critical_right} of {score.critical}" if score.critical else "-",
        f"{score.silent} of {score.clean}" if score.clean else "-",
        _cost(score),
        _number(score.seconds, 1),
    )


def _compared(name: str, one: Score, other: Score) -> list[StyledText]:
    pairs = zip(_short(one), _short(other), strict=True)
    return [(name, ""), *((f"{left} / {right}", "") for left, right in pairs)]


def _short(score: Score) -> tuple[str, ...]:
    if not score.cases:
        return ("-",) * (len(_COMPARED) - 1)
    return str(score.cases), *_ratios(score), _cost(score), _number(score.seconds, 1)


def _ratios(score: Score) -> tuple[str, str, str]:
    return _number(score.precision), _number(score.recall), _number(score.f1)


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _cost(score: Score) -> str:
    if not score.questions:
        return "-"
    return "unknown" if score.cost is None else f"${score.cost:.4f}"


def _counts(summary: BenchSummary, not_begun: int) -> Iterator[str]:
    ended: Mapping[CaseStatus, int] = Counter(case.status for case in summary.cases)
    rest = [
        f"{ended.get(status, 0)} {word}"
        for status, word in (
            (CaseStatus.INCONCLUSIVE, "inconclusive"),
            (CaseStatus.BROKEN, "broken"),
        )
    ]
    total = len(summary.cases) + not_begun
    reviewed = ended.get(CaseStatus.REVIEWED, 0)
    yield f"{reviewed} of {count_noun(total, 'case')} reviewed, {', '.join(rest)}"
    if not_begun:
        left = count_noun(not_begun, "case")
        yield f"{left} not begun or not finished: what is left of the budget is too little"
    if summary.placed:
        share = summary.shown / summary.placed
        yield (
            f"{summary.shown} of {summary.placed} expected places ({share:.0%}) are in what a "
            "language model is given"
        )


def _reasons(summary: BenchSummary) -> Iterator[str]:
    """Why cases say nothing, the most frequent first, with a case for each."""
    silent = [case for case in summary.cases if case.status is not CaseStatus.REVIEWED]
    number = Counter((case.status, case.reason) for case in silent)
    first = {(case.status, case.reason): case.case for case in reversed(silent)}
    common = number.most_common(_MOST_REASONS)
    for (status, reason), times in common:
        others = f" and {times - 1} more" if times > 1 else ""
        said = safe_line(reason, _LONGEST)
        yield f"{status.value}: {safe_line(first[status, reason])}{others}: {said}"
    if len(number) > len(common):
        yield f"and {count_noun(len(number) - len(common), 'other reason')}"


def _details(case: CaseScore) -> Iterator[str]:
    kinds: Sequence[tuple[str, Iterable[str]]] = (("missed", case.missed), ("extra", case.extra))
    for word, told in kinds:
        for each in told:
            yield f"{safe_line(case.case)}: {word}: {safe_line(each, _LONGEST)}"

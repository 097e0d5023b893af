"""For a person at a terminal or in the log of a push."""

from collections.abc import Iterator

from ..model.finding import Finding, Priority
from ..model.report import Outcome, Report
from . import _words
from ._card import card, compact
from ._doors import line
from ._look import Look
from ._paint import Row, paint

MOST = 50  # findings in full, in each of the two lists
_MOST_LISTED = 20

_STYLES = {Outcome.PASS: "bold green", Outcome.CONCERNS: "bold yellow", Outcome.BLOCK: "bold red", Outcome.INCONCLUSIVE: "bold magenta"}


def render(report: Report, look: Look) -> str:
    """The findings most severe first, then what else there is to know, then the verdict in one line."""
    return paint(_rows(report, look.width), look)


def _rows(report: Report, width: int) -> Iterator[Row]:
    certain, doubtful = _words.certain(report), _words.doubtful(report)
    yield from _findings(certain, width)
    if doubtful:
        yield [("Needs Human Review", "bold")]
        yield []
        yield from _findings(doubtful, width)
    asides = list(_asides(report))
    if report.verdict.outcome is Outcome.PASS and not certain and not doubtful:
        asides = [[("; ".join(text for row in asides for text, _ in row), "dim")]] if asides else []
    yield from asides
    if report.skipped:
        yield [(f"THE GATE WAS OVERRIDDEN: {line(report.skipped)}", "bold white on red")]
    yield _summary(report)


def _findings(findings: list[Finding], width: int) -> Iterator[Row]:
    was_card = False
    for finding in findings[:MOST]:
        if finding.priority is Priority.P3:
            yield compact(finding)
        else:
            yield from card(finding, width)
            yield []
        was_card = finding.priority is not Priority.P3
    if len(findings) > MOST:
        yield [(f"and {len(findings) - MOST:,} more (see --output json)", "bold")]
    if findings and (not was_card or len(findings) > MOST):
        yield []


def _asides(report: Report) -> Iterator[Row]:
    """What is no open finding: a row each."""
    if aside := _words.set_aside(report):
        yield [(aside, "dim")]
    gaps = _words.gaps(report)
    for ended in map(_words.ended, _words.unanswered(report)):
        if ended not in gaps:
            yield [(line(ended), "dim")]
    yield from _listed("note", [*report.change.notes, *report.notices], "dim")
    if report.verdict.quorum:
        yield [(f"models: {line(report.verdict.quorum, 600)}", "dim")]
    yield from _listed("usage", _words.usage(report), "dim")
    yield from _listed("incomplete", gaps, "red")
    if report.coverage.reason and report.coverage.reason not in gaps:
        yield [(line(report.coverage.reason, 600), "yellow")]
    yield from _listed("to get it reviewed", list(report.coverage.advice), "dim")
    if report.verdict.outcome is Outcome.BLOCK and not report.skipped:
        yield [(f"A false alarm? {_words.NAME} waive add FINGERPRINT --reason WHY", "dim")]


def _listed(kind: str, texts: list[str], style: str) -> Iterator[Row]:
    for text in texts[:_MOST_LISTED]:
        yield [(f"{kind}: {line(text)}", style)]
    if len(texts) > _MOST_LISTED:
        yield [(f"{kind}: {len(texts) - _MOST_LISTED:,} more", style)]


def _summary(report: Report) -> Row:
    verdict, *rest = (line(part) for part in _words.headline(report))
    return [(f"{_words.NAME}: ", ""), (verdict, _STYLES[report.verdict.outcome]), ("".join(f" · {part}" for part in rest), "")]

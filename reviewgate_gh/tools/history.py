"""What was reviewed here before: the reports that are kept, and the runs that events tell of."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from msgspec import Struct

from ..git import Git
from ..model.finding import FindingState
from ..model.report import Report
from ..orchestrate.events import read_events
from ..orchestrate.run_store import open_run_store
from ..reporters._layout import render_table
from ..reporters._look import OutputStyle
from ..reporters._models import model_usage
from ..reporters._words import count_noun
from ..reporters.json import load_report
from ..system.files import RESULT_FILE, stored_reviews

_REVIEW = ("review", "started", "verdict", "P0", "P1", "P2", "P3", "commits", "by")
_RUN = ("run", "first seen", "last", "reviews", "errors")
_RESULT = ("review", "started", "template", "verdict", "FAIL", "CONCERN", "by")
_STYLES = {
    "pass": "green",
    "concerns": "yellow",
    "block": "red",
    "inconclusive": "magenta",
    "PASS": "green",
    "CONCERNS": "yellow",
    "FAIL": "red",
    "UNKNOWN": "magenta",
}


class PastReview(Struct, frozen=True):
    """A report that is kept; `overridden` holds the reason where nothing was reviewed.

    `waived`, `dismissed` and `refuted` are fingerprints. `cost` is what language models cost in US
    dollars, as far as it is known.
    """

    review_id: str
    started: str
    outcome: str
    counts: Mapping[str, int]
    base: str
    head: str
    actor: str
    overridden: str
    waived: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    cost: float | None = None
    seconds: float = 0


class PastRun(Struct, frozen=True):
    """A run of an orchestrator in this work tree: when it was first and last seen, how many reviews
    were completed, and how many failed."""

    run_id: str
    first: str
    last: str
    reviews: int
    errors: int


class PastResult(Struct, frozen=True):
    """A result of a review by a template: the template's verdict, and how many of its findings were
    FAIL and CONCERN."""

    review_id: str
    started: str
    template: str
    verdict: str
    fails: int
    concerns: int
    by: str


class History(Struct, frozen=True):
    """The latest reviews, runs and results of templates, newest first, and how many of them could
    not be read."""

    reviews: tuple[PastReview, ...]
    runs: tuple[PastRun, ...]
    damaged: int = 0
    results: tuple[PastResult, ...] = ()


def read_history(git: Git, most: int) -> History:
    """At most so many reviews, and as many runs."""
    reviews, damaged = [], 0
    for path in islice(stored_reviews(git.common), most):
        try:
            reviews.append(_review(load_report(path.read_text("utf-8"))))
        except (OSError, ValueError):
            damaged += 1
    results: list[PastResult] = []
    for path in islice(stored_reviews(git.common, RESULT_FILE), most):
        try:
            results.append(_result(path.parent.name, json.loads(path.read_text("utf-8"))))
        except (OSError, ValueError, TypeError, LookupError):
            damaged += 1
    runs = tuple(_runs(read_events(open_run_store(git).folder)))
    return History(tuple(reviews), runs[::-1][:most], damaged, tuple(results))


def _result(review_id: str, plain: Any) -> PastResult:
    severities = [row["severity"] for row in plain["findings"]]
    name, verdict, by, when = (
        str(plain[key]) for key in ("template_name", "verdict", "reviewer", "timestamp")
    )
    return PastResult(
        review_id, when, name, verdict, severities.count("FAIL"), severities.count("CONCERN"), by
    )


def _review(report: Report) -> PastReview:
    change, verdict = report.change, report.verdict
    return PastReview(
        report.review_id,
        report.started,
        verdict.outcome.value,
        verdict.counts,
        change.base,
        change.head,
        report.actor,
        report.skipped,
        waived=_fingerprints(report, FindingState.WAIVED),
        dismissed=_fingerprints(report, FindingState.DISMISSED),
        refuted=_fingerprints(report, FindingState.REFUTED),
        cost=model_usage(report.reviews).cost,
        seconds=_seconds(report.started, report.finished),
    )


def _fingerprints(report: Report, state: FindingState) -> tuple[str, ...]:
    return tuple(each.fingerprint for each in report.findings if each.state is state)


def _seconds(started: str, finished: str) -> float:
    """Between two times of a report; 0 where it has none."""
    try:
        return (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds()
    except (ValueError, TypeError):
        return 0


def _runs(events: Iterable[Mapping[str, Any]]) -> Iterable[PastRun]:
    """By run, in the order in which they were first seen."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for event in events:
        if event.get("run_id"):
            grouped.setdefault(str(event["run_id"]), []).append(event)
    for run_id, rows in grouped.items():
        names = [row.get("event") for row in rows]
        first, last = (str(row.get("time", "")) for row in (rows[0], rows[-1]))
        yield PastRun(
            run_id, first, last, names.count("Review completed"), names.count("Reviewer error")
        )


def render_history(past: History, style: OutputStyle) -> str:
    """A table for each kind; empty ones are left out."""
    parts = []
    if past.reviews:
        parts.append(render_table(_REVIEW, map(_cells, past.reviews), style))
    if past.runs:
        rows = (
            (run.run_id, run.first, run.last, str(run.reviews), str(run.errors))
            for run in past.runs
        )
        parts.append(render_table(_RUN, [[(text, "") for text in row] for row in rows], style))
    if past.results:
        parts.append(render_table(_RESULT, map(_result_cells, past.results), style))
    if past.damaged:
        parts.append(f"{count_noun(past.damaged, 'saved report')} could not be read\n")
    return "\n".join(parts) or "no reviews yet\n"


def _result_cells(result: PastResult) -> list[tuple[str, str]]:
    counts = [(str(number or "-"), "") for number in (result.fails, result.concerns)]
    verdict = (result.verdict, _STYLES.get(result.verdict, ""))
    return [
        (result.review_id, ""),
        (result.started, ""),
        (result.template, ""),
        verdict,
        *counts,
        (result.by, ""),
    ]


def _cells(review: PastReview) -> list[tuple[str, str]]:
    state = (
        (f"overridden: {review.overridden}", "yellow")
        if review.overridden
        else (review.outcome, _STYLES.get(review.outcome, ""))
    )
    counts = [(str(review.counts.get(name, 0) or "-"), "") for name in ("P0", "P1", "P2", "P3")]
    return [
        (review.review_id, ""),
        (review.started, ""),
        state,
        *counts,
        (f"{review.base[:10]}..{review.head[:10]}", ""),
        (review.actor, ""),
    ]

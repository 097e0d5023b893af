"""A review of less than the whole change: what nobody could read makes the verdict what it must be."""

from collections.abc import Collection
from dataclasses import replace

from ..model.report import Report
from .policy import judge


def with_unread(report: Report, paths: Collection[str]) -> Report:
    """The report with these files among those that were not reviewed, and the verdict that follows; an override stays one."""
    if not paths or report.skipped:
        return report
    not_reviewed = tuple(sorted({*report.verdict.not_reviewed, *paths}))
    return replace(report, verdict=judge(report.findings, report.reviews, not_reviewed, report.threshold, report.coverage))

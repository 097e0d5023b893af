"""What language models cost, and what they were shown, in words."""

from collections.abc import Iterable

from ..model.report import Report, ReviewRow
from ..model.review import NO_USAGE, Usage
from ._words import count_noun


def usage_lines(report: Report) -> list[str]:
    """What each language model cost: `claude: 9 calls, 31,000 tokens in (24,000 cached), 1,200 out,
    $0.1200`."""
    spent: dict[str, Usage] = {}
    for row in report.reviews:
        if row.asked is not None:
            spent[row.reviewer] = spent.get(row.reviewer, NO_USAGE).plus(row.asked.usage)
    kept = {row.reviewer for row in report.reviews if row.asked is not None and row.asked.kept}
    return [f"{name}: {_spent(cost, name in kept)}" for name, cost in spent.items()]


def model_usage(rows: Iterable[ReviewRow]) -> Usage:
    """What all language models among them cost."""
    whole = NO_USAGE
    for row in rows:
        whole = whole.plus(row.asked.usage) if row.asked else whole
    return whole


def _spent(cost: Usage, kept: bool) -> str:
    if not cost.calls:
        return "no calls, answers from an earlier run" if kept else "no calls"
    tokens = (
        f"{cost.input:,} tokens in ({cost.cached:,} cached), {cost.output:,} out"
        if cost.input
        else "tokens not reported"
    )
    return ", ".join(
        [
            count_noun(cost.calls, "call"),
            tokens,
            *([f"${cost.cost:.4f}"] if cost.cost is not None else []),
        ]
    )


def context_lines(report: Report) -> list[str]:
    """The unchanged code that models were shown, by file and reason, and what they were told."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in report.context:
        found.setdefault((each.path, each.why), []).append(each.location.rpartition(":")[2])
    shown = [f"{path}:{','.join(lines)} {why}" for (path, why), lines in found.items()]
    return [*shown, *report.known]


def context_summary(report: Report) -> str:
    """How much of it there is; "" where there is none."""
    lines = sum(each.line_end - each.line_start + 1 for each in report.context)
    files = len({each.path for each in report.context})
    shown = f"{count_noun(lines, 'unchanged line')} of {count_noun(files, 'file')}" if lines else ""
    told = count_noun(len(report.known), "result") + " of tools" if report.known else ""
    return " and ".join(filter(None, (shown, told)))

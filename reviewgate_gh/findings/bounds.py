"""How many findings of one line and of one file are told apart: a line of generated code can have
100,000, which nobody reads one by one and every later step would have to carry."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ..model.finding import Finding, Priority
from ..model.review import Review

MOST_ON_LINE = 100
MOST_IN_FILE = 2_000
_ORDER = list(Priority)
_MOST_RULES = 5  # named in the text


def bound_findings(review: Review) -> Review:
    """The review in which the findings beyond so many on a line, or in a file, are one finding that
    counts them: as severe as the worst of them, in the same state. A language model's stay: their
    places are not known yet, and an answer holds few."""
    if len(review.findings) <= MOST_ON_LINE or review.asked is not None:
        return review
    in_lines = [finding for finding in review.findings if finding.line_start]
    of_files = [finding for finding in review.findings if not finding.line_start]
    by_line = (*of_files, *_gathered(in_lines, MOST_ON_LINE, "on this line", _line))
    findings = _gathered(by_line, MOST_IN_FILE, "in this file", _file)
    fewer = len(review.findings) - len(findings)
    return replace(review, findings=findings, found=review.found - fewer) if fewer else review


def _line(finding: Finding) -> tuple[Any, ...]:
    return (*_file(finding), finding.line_start)


def _file(finding: Finding) -> tuple[Any, ...]:
    return finding.path, finding.side, finding.state, finding.confidence


def _gathered(
    findings: Sequence[Finding], most: int, where: str, place: Any
) -> tuple[Finding, ...]:
    """The findings in their order, at most so many at each place; the most severe stay."""
    places: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, finding in enumerate(findings):
        places[place(finding)].append(number)
    done: list[Finding | None] = list(findings)
    for numbers in places.values():
        if len(numbers) > most:
            ranked = sorted(numbers, key=lambda at: (_ORDER.index(findings[at].priority), at))
            rest = ranked[most - 1 :]
            for at in rest:
                done[at] = None
            done[rest[0]] = _one_for([findings[at] for at in rest], where)
    return tuple(finding for finding in done if finding is not None)


def _one_for(rest: Sequence[Finding], where: str) -> Finding:
    first = rest[0]
    tool = first.rule.partition("/")[0] or first.category
    rules = Counter(finding.rule or finding.category for finding in rest)
    named = ", ".join(f"{rule} ({count:,})" for rule, count in rules.most_common(_MOST_RULES))
    more = f" and {len(rules) - _MOST_RULES} more rules" if len(rules) > _MOST_RULES else ""
    title = f"{len(rest):,} more findings {where}"
    return replace(
        first, rule=f"{tool}/more-findings", title=title, body=f"{named}{more}", suggestion=None
    )

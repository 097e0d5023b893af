"""Remarks that mean the same become one, the most alike first."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ..model.finding import Finding
from .remark_groups import BY_SEVERITY, RemarkGroup, line_span, sort_key
from .similarity import is_same_code, meaning_of, similarity

_MEANT_ALIKE = 0.26
# Lines between two findings of models: of one defect one names the call, another one the statement
# that ends eight lines below
_NEAR = 8
# How much more alike findings must be that do not overlap, or of which one has no place
_FARTHER, _NOWHERE = 0.05, 0.08
_PATHLESS = 0.14  # of a pair that is compared across files
_MOST = 300  # remarks at one path, of which each is compared with every other near it
# Of more remarks: a model has gone wild, or the code is one line, and each is compared with those
# that follow it
_MOST_NEXT = 50
_MOST_JOINED = 20  # remarks that mean the same


def join_by_meaning(groups: list[RemarkGroup], linters: frozenset[str]) -> list[RemarkGroup]:
    """The groups of one path after those that mean the same have been joined. Two of these
    `linters` are never joined for their words."""
    own = [group.is_from(linters) for group in groups]
    if all(own):
        return groups
    scores = _scores(groups, own)
    joined = [{at} for at in range(len(groups))]
    for left, right in sorted(
        (pair for pair, score in scores.items() if score >= _MEANT_ALIKE),
        key=lambda pair: (-scores[pair], pair),
    ):
        one, other = joined[left], joined[right]
        if one is other or len(one) + len(other) > _MOST_JOINED:
            continue
        both = (*one, *other)
        if not _may_join([groups[at] for at in both], sum(own[at] for at in both)):
            continue
        if sum(
            scores.get((min(a, b), max(a, b)), 0.0) for a in one for b in other
        ) >= _MEANT_ALIKE * len(one) * len(other):
            one |= other
            for at in other:
                joined[at] = one
    return [
        _together([groups[at] for at in sorted(part)])
        for at, part in enumerate(joined)
        if min(part) == at
    ]


def _scores(groups: Sequence[RemarkGroup], own: Sequence[bool]) -> dict[tuple[int, int], float]:
    """How much two groups mean the same, by their places among the groups, for those that are near
    enough and not both from our linters."""
    meanings = [
        meaning_of(group.first, by_linter=linter) for group, linter in zip(groups, own, strict=True)
    ]
    found = {}
    for left, right, between in _pairs(groups, own):
        if between and is_same_code(meanings[left], meanings[right]):
            continue  # the mistake is made twice
        if (score := similarity(meanings[left], meanings[right]) - between) > 0:
            found[left, right] = score
    return found


def likeness(one: Finding, other: Finding) -> float:
    """How far beyond what merging asks for two findings mean the same, whatever file one of them
    without a path is about; below 0 where they are two remarks."""
    apart = _PATHLESS if not (one.path and other.path) else _between(one, other)
    if apart is None or (one.path and other.path and one.path != other.path):
        return -1.0
    return similarity(meaning_of(one), meaning_of(other)) - apart - _MEANT_ALIKE


def _pairs(groups: Sequence[RemarkGroup], own: Sequence[bool]) -> Iterator[tuple[int, int, float]]:
    """Pairs to compare, one of each no linter's of ours, and what their distance costs: every group
    with so many that follow it. A linter and another tool speak of one statement or of two
    things."""
    most = len(groups) if len(groups) <= _MOST else _MOST_NEXT
    tools: list[int] = []
    models: list[int] = []
    for at in range(len(groups)):
        (tools if own[at] else models).append(at)
    for left, group in enumerate(groups):
        for others in (models,) if own[left] else (models, tools):
            first = bisect_right(others, left)
            for right in others[first : first + most]:
                between = _between(group.first, groups[right].first)
                if between is None:
                    break
                rules = group.by_tool and groups[right].by_tool and own[left] != own[right]
                if not (between and rules):
                    yield left, right, between


def _between(one: Finding, other: Finding) -> float | None:
    """How much more alike two findings must be for not being at one place; None where they, and all
    after the other, are too far away."""
    if not (_has_place(one) and _has_place(other)):
        return _NOWHERE
    lines = _lines_between(one, other)
    return None if lines > _NEAR else _FARTHER if lines else 0.0


def _has_place(finding: Finding) -> bool:
    """A tool knows where it looked, a model says so only for what it was shown."""
    return finding.is_located or (finding.rule != "" and finding.line_start > 0)


def _lines_between(one: Finding, other: Finding) -> int:
    """0 where lines overlap, 1 where they follow one another, and so on."""
    return max(0, one.line_start - line_span(other)[1], other.line_start - line_span(one)[1])


def _may_join(groups: Sequence[RemarkGroup], own: int) -> bool:
    """No reviewer's question speaks twice, no two of our linters, nothing hides behind a tool's
    milder remark: a waiver of that is for no more."""
    tools = [group for group in groups if group.by_tool]
    if (
        sum(len(group.questions) for group in groups)
        != len(set().union(*(group.questions for group in groups)))
        or own > 1
    ):
        return False
    return not tools or min(map(_severity, groups)) == min(map(_severity, tools))


def _severity(group: RemarkGroup) -> int:
    return min(BY_SEVERITY.index(member.priority) for member in group.members)


def _together(groups: Sequence[RemarkGroup]) -> RemarkGroup:
    if len(groups) == 1:
        return groups[0]
    members = sorted((member for group in groups for member in group.members), key=sort_key)
    return RemarkGroup(members, set().union(*(group.questions for group in groups)))

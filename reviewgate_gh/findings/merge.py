"""The same remark from several reviewers becomes one finding; one issue in many files becomes one
with a list of places."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from msgspec.structs import replace

from ..model.finding import Confidence, Finding, FindingState, Priority
from .carry_over import EARLIER_REVIEW, is_earlier_review
from .defects import defect_of, is_traced, way_lines
from .differ import SYNTAX_CATEGORY
from .similarity import is_same_code, meaning_of, similarity

_ALIKE = 0.5
_MEANT_ALIKE = 0.26
# Lines between two findings of models: of one defect one names the call, another one the statement
# that ends eight lines below
_NEAR = 8
# How much more alike findings must be that do not overlap, or of which one has no place
_FARTHER, _NOWHERE = 0.05, 0.08
_PATHLESS = 0.14  # of a pair that is compared across files
# Of others' remarks around a tool's finding; one that none of these is the same as stays a remark
# of its own
_MOST_LOOKS = 100
_MOST = (
    300  # remarks at one path, of which each is compared with every other near it by what they mean
)
# Of more remarks: a model has gone wild, or the code is one line, and each is compared with those
# that follow it
_MOST_NEXT = 50
_MOST_JOINED = 20  # remarks that mean the same
_FEW = 3  # of two remarks, each is as much like the other
_SETTLED = (FindingState.DUPLICATE, FindingState.REFUTED)
_WORD = re.compile(r"[a-z0-9_]+")
_ORDER = list(Priority)


@dataclass(slots=True)
class _Group:
    """Findings that are one remark, the first in order at the front."""

    members: list[Finding]
    questions: set[str]
    words: frozenset[str] = frozenset()
    number: int = 0

    @property
    def first(self) -> Finding:
        return self.members[0]

    @property
    def by_tool(self) -> bool:
        return any(member.has_specific_rule for member in self.members)

    def is_from(self, linters: frozenset[str]) -> bool:
        """A rule of one of these is in it."""
        return any(
            member.has_specific_rule and not linters.isdisjoint(member.sources)
            for member in self.members
        )

    def take(self, finding: Finding) -> None:
        """Add a finding that comes after all others in order."""
        self.members.append(finding)
        self.questions |= _questions(finding)


@dataclass(slots=True)
class _Groups:
    """The remarks at one path, in order. Those of tools lie by who made them: whoever reports twice
    means two, so most need no look."""

    all: list[_Group] = field(default_factory=list)
    _exact: dict[Any, _Group] = field(default_factory=dict)
    _near: dict[frozenset[str], dict[int, _Group]] = field(default_factory=dict)
    _defects: dict[tuple[str, int], _Group] = field(default_factory=dict)
    _syntax: list[_Group] = field(default_factory=list)

    def sort_in(self, finding: Finding) -> None:
        """To the group that is the same, or to one of its own. Findings come by line."""
        by_tool = finding.has_specific_rule
        place = (finding.line_start, finding.line_end, finding.title, by_tool)
        group = self._exact.get(place) or (self._by_rule(finding) if by_tool else None)
        if group is None:
            group = _Group(
                [finding], _questions(finding), title_words(finding.title), len(self.all)
            )
            self._exact[place] = group
            self.all.append(group)
            if by_tool:
                self._lay(group)
                if finding.category == SYNTAX_CATEGORY and finding.line_start:
                    self._syntax.append(group)
            return
        before = frozenset(group.questions)
        group.take(finding)
        if by_tool and before != group.questions:
            self._near.get(before, {}).pop(group.number, None)
            self._lay(group)

    def _by_rule(self, finding: Finding) -> _Group | None:
        """The remark of another tool on the same statement, or on the way that input takes."""
        return self._like(finding) or self._on_the_way(finding) or self._unparsable(finding)

    def _unparsable(self, finding: Finding) -> _Group | None:
        """Another tool's word that the file does not parse: each says it where it gave up."""
        if finding.category != SYNTAX_CATEGORY or not finding.line_start:
            return None
        asked = _questions(finding)
        groups = islice(self._syntax, _MOST_LOOKS)
        return next((group for group in groups if not group.questions & asked), None)

    def _on_the_way(self, finding: Finding) -> _Group | None:
        """A remark on a statement before this one, through which the same input goes: a query is
        built in one line and executed in another."""
        defect, asked = defect_of(finding.rule), _questions(finding)
        lines = way_lines(finding) if is_traced(finding.rule) else ()
        groups = (self._defects.get((defect, line)) for line in lines)
        return next((group for group in groups if group and not group.questions & asked), None)

    def _lay(self, group: _Group) -> None:
        if defect := defect_of(group.first.rule):
            self._defects.setdefault((defect, group.first.line_start), group)
        self._near.setdefault(frozenset(group.questions), {})[group.number] = group

    def _like(self, finding: Finding) -> _Group | None:
        """The first of others' remarks that overlap with a tool's finding and say the same, among
        so many."""
        words, asked, found = title_words(finding.title), _questions(finding), list[_Group]()
        for questions in list(islice(self._near, _MOST_LOOKS)):
            if not questions & asked:
                candidates = islice(
                    _reaching(self._near[questions], finding.line_start), _MOST_LOOKS
                )
                found += islice(
                    (
                        group
                        for group in candidates
                        if word_overlap(group.words, words) >= _ALIKE
                        or _same_defect(group.first, finding)
                    ),
                    1,
                )
                if not self._near[questions]:
                    del self._near[questions]
        return min(found, key=lambda group: group.number, default=None)


def _same_defect(one: Finding, other: Finding) -> bool:
    defect = defect_of(one.rule)
    return defect != "" and defect == defect_of(other.rule)


def _reaching(near: dict[int, _Group], line: int) -> Iterator[_Group]:
    """The groups that reach the line. Findings come by line, so those that end before it are looked
    at for the last time."""
    passed = []
    try:
        for key, group in near.items():
            if _lines(group.first)[1] < line:
                passed.append(key)
            else:
                yield group
    finally:
        for key in passed:
            del near[key]


def merge_findings(
    findings: Iterable[Finding], linters: Collection[str] = ()
) -> tuple[Finding, ...]:
    """One finding for each remark, sorted by path and line; duplicates stay, marked, and name
    nothing twice.

    Two of these `linters` that speak of one line mean two things, unless their rules are known for
    one defect; another tool's rule may be a model's words.
    """
    groups: dict[Any, _Groups] = defaultdict(_Groups)
    done = []
    for finding in sorted(findings, key=_sort_key):
        if finding.state in _SETTLED:
            done.append(finding)
        else:
            groups[finding.path, finding.state, finding.side].sort_in(finding)
    kept, duplicates = [], []
    for near in groups.values():
        for group in _by_meaning(near.all, frozenset(linters)):
            head, *others = _told(group)
            kept.append(head)
            duplicates += others
    return _numbered([*sorted(kept, key=_sort_key), *sorted([*duplicates, *done], key=_sort_key)])


def _sort_key(finding: Finding) -> tuple[Any, ...]:
    f = finding
    place = (
        f.path,
        f.line_start,
        _ORDER.index(f.priority),
        f.line_end,
        f.rule,
        f.title,
        f.side,
        f.state.value,
    )
    said = (f.category, f.body, f.sources, f.confidence.value, f.suggestion or "", f.note)
    return (*place, *said, f.placed, f.anchor, f.excerpt, f.origin, f.places, f.ordinal)


def _questions(finding: Finding) -> set[str]:
    """Who was asked what. An earlier review was another question: asked again, a model says the
    same in other words."""
    return (
        {EARLIER_REVIEW} if any(map(is_earlier_review, finding.sources)) else set(finding.sources)
    )


@lru_cache(4096)
def title_words(title: str) -> frozenset[str]:
    """The words of a title."""
    return frozenset(_WORD.findall(title.lower()))


def word_overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared words over all words of two titles, 0 to 1."""
    return len(left & right) / len(left | right) if left | right else 1.0


def _lines_between(one: Finding, other: Finding) -> int:
    """0 where lines overlap, 1 where they follow one another, and so on."""
    return max(0, one.line_start - _lines(other)[1], other.line_start - _lines(one)[1])


def _by_meaning(groups: list[_Group], linters: frozenset[str]) -> list[_Group]:
    """The groups after those that mean the same have been joined, the most alike first."""
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


def _scores(groups: Sequence[_Group], own: Sequence[bool]) -> dict[tuple[int, int], float]:
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


def _pairs(groups: Sequence[_Group], own: Sequence[bool]) -> Iterator[tuple[int, int, float]]:
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


def _may_join(groups: Sequence[_Group], own: int) -> bool:
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


def _severity(group: _Group) -> int:
    return min(_ORDER.index(member.priority) for member in group.members)


def _together(groups: Sequence[_Group]) -> _Group:
    if len(groups) == 1:
        return groups[0]
    members = sorted((member for group in groups for member in group.members), key=_sort_key)
    return _Group(members, set().union(*(group.questions for group in groups)))


def _told(group: _Group) -> list[Finding]:
    """The finding that stands for the group, with what all of them say of it, and the others as its
    duplicates."""
    head = min(group.members, key=_standing(group.members))
    others = [member for member in group.members if member is not head]
    if not others:
        return [head]
    every = [head, *others]
    priority = min((f.priority for f in every), key=_ORDER.index)
    told = replace(
        head,
        priority=priority,
        seconded=head.has_specific_rule and any(_seconds(f, priority) for f in others),
        confidence=Confidence.HIGH
        if any(f.confidence is Confidence.HIGH for f in every)
        else Confidence.LOW,
        sources=tuple(dict.fromkeys(source for f in every for source in f.sources)),
        suggestion=next(
            (f.suggestion for f in every if f.suggestion and _lines(f) == _lines(head)), None
        ),
    )
    note = f"same as {head.rule if head.has_specific_rule else head.title}"
    return [told, *(replace(f, state=FindingState.DUPLICATE, note=note) for f in others)]


def _seconds(finding: Finding, priority: Priority) -> bool:
    """It is a model's, who would say it without the tool."""
    return (
        not finding.has_specific_rule
        and finding.confidence is Confidence.HIGH
        and finding.priority is priority
    )


def _lines(finding: Finding) -> tuple[int, int]:
    return finding.line_start, max(finding.line_start, finding.line_end)


def _standing(members: Sequence[Finding]) -> Callable[[Finding], tuple[Any, ...]]:
    """The order in which findings may stand for their group. Tools' come first, that which traced
    the input before others; then those of models: with a place, said before (nothing is said
    twice), severe, certain, most like all others."""
    shared = _shared_meaning(members)

    def order(finding: Finding) -> tuple[Any, ...]:
        if finding.has_specific_rule:
            return (0, not is_traced(finding.rule), _sort_key(finding))
        said_before = any(map(is_earlier_review, finding.sources))
        return (
            1,
            not finding.is_located,
            not said_before,
            _ORDER.index(finding.priority),
            finding.confidence is Confidence.LOW,
            -shared(finding),
            _sort_key(finding),
        )

    return order


def _shared_meaning(members: Sequence[Finding]) -> Callable[[Finding], float]:
    """How much of what all of them say a finding says."""
    if len(members) < _FEW:
        return lambda _: 0.0
    meanings = [meaning_of(member) for member in members]
    return lambda finding: sum(similarity(meaning_of(finding), other) for other in meanings)


def _numbered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings that would share a fingerprint get ordinals, in the order of their lines."""
    seen: dict[str, int] = defaultdict(int)
    done = []
    for finding in findings:
        first = finding if finding.ordinal == 1 else replace(finding, ordinal=1)
        count = 1
        if finding.state is not FindingState.DUPLICATE:
            name = first.fingerprint
            count = seen[name] = seen[name] + 1
        done.append(first if count == 1 else replace(first, ordinal=count))
    return tuple(done)


_FILES = 3


def merge_patterns(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Open findings with equal rule and title in three or more files: the first keeps the places,
    the others are duplicates of it."""
    findings = tuple(findings)
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, finding in enumerate(findings):
        if finding.state is FindingState.OPEN:
            groups[finding.rule, finding.title, finding.confidence].append(at)
    done = list(findings)
    for members in groups.values():
        if len({findings[at].path for at in members}) >= _FILES:
            _gather(done, members)
    return tuple(done)


def _gather(findings: list[Finding], members: list[int]) -> None:
    first, *rest = members
    head = findings[first]
    seconded = any(findings[at].seconded for at in members)
    findings[first] = replace(
        head, places=tuple(findings[at].location for at in members), seconded=seconded
    )
    for at in rest:
        findings[at] = replace(
            findings[at], state=FindingState.DUPLICATE, note=f"the same issue as {head.location}"
        )

"""Remarks at one path: what each is in every finding that says it, and what tools with rules say of
one statement."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from ..model.finding import Finding, Priority
from ..text.patterns import lazy_pattern
from .carry_over import EARLIER_REVIEW, is_earlier_review
from .defects import defect_of, is_traced, way_lines
from .differ import SYNTAX_CATEGORY

BY_SEVERITY = list(Priority)
_ALIKE = 0.5
# Of others' remarks around a tool's finding; one that none of these is the same as stays a remark
# of its own
_MOST_LOOKS = 100
_WORD = lazy_pattern(r"[a-z0-9_]+")


@dataclass(slots=True)
class RemarkGroup:
    """Findings that are one remark, the first in order at the front."""

    members: list[Finding]
    questions: set[str]
    words: frozenset[str] = frozenset()
    number: int = 0

    @property
    def first(self) -> Finding:
        """The first in order."""
        return self.members[0]

    @property
    def by_tool(self) -> bool:
        """A rule says what is wrong."""
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
class RemarkGroups:
    """The remarks at one path, in order. Those of tools lie by who made them: whoever reports twice
    means two, so most need no look."""

    all: list[RemarkGroup] = field(default_factory=list)
    _exact: dict[Any, RemarkGroup] = field(default_factory=dict)
    _near: dict[frozenset[str], dict[int, RemarkGroup]] = field(default_factory=dict)
    _defects: dict[tuple[str, int], RemarkGroup] = field(default_factory=dict)
    _syntax: list[RemarkGroup] = field(default_factory=list)

    def sort_in(self, finding: Finding) -> None:
        """To the group that is the same, or to one of its own. Findings come by line."""
        by_tool = finding.has_specific_rule
        place = (finding.line_start, finding.line_end, finding.title, by_tool)
        group = self._exact.get(place) or (self._by_rule(finding) if by_tool else None)
        if group is None:
            group = RemarkGroup(
                [finding], _questions(finding), _title_words(finding.title), len(self.all)
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

    def _by_rule(self, finding: Finding) -> RemarkGroup | None:
        """The remark of another tool on the same statement, or on the way that input takes."""
        return self._like(finding) or self._on_the_way(finding) or self._unparsable(finding)

    def _unparsable(self, finding: Finding) -> RemarkGroup | None:
        """Another tool's word that the file does not parse: each says it where it gave up."""
        if finding.category != SYNTAX_CATEGORY or not finding.line_start:
            return None
        asked = _questions(finding)
        groups = islice(self._syntax, _MOST_LOOKS)
        return next((group for group in groups if not group.questions & asked), None)

    def _on_the_way(self, finding: Finding) -> RemarkGroup | None:
        """A remark on a statement before this one, through which the same input goes: a query is
        built in one line and executed in another."""
        defect, asked = defect_of(finding.rule), _questions(finding)
        lines = way_lines(finding) if is_traced(finding.rule) else ()
        groups = (self._defects.get((defect, line)) for line in lines)
        return next((group for group in groups if group and not group.questions & asked), None)

    def _lay(self, group: RemarkGroup) -> None:
        if defect := defect_of(group.first.rule):
            self._defects.setdefault((defect, group.first.line_start), group)
        self._near.setdefault(frozenset(group.questions), {})[group.number] = group

    def _like(self, finding: Finding) -> RemarkGroup | None:
        """The first of others' remarks that overlap with a tool's finding and say the same, among
        so many."""
        words, asked, found = _title_words(finding.title), _questions(finding), list[RemarkGroup]()
        for questions in list(islice(self._near, _MOST_LOOKS)):
            if not questions & asked:
                candidates = islice(
                    _reaching(self._near[questions], finding.line_start), _MOST_LOOKS
                )
                found += islice(
                    (
                        group
                        for group in candidates
                        if _word_overlap(group.words, words) >= _ALIKE
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


def _reaching(near: dict[int, RemarkGroup], line: int) -> Iterator[RemarkGroup]:
    """The groups that reach the line. Findings come by line, so those that end before it are looked
    at for the last time."""
    passed = []
    try:
        for key, group in near.items():
            if line_span(group.first)[1] < line:
                passed.append(key)
            else:
                yield group
    finally:
        for key in passed:
            del near[key]


def sort_key(finding: Finding) -> tuple[Any, ...]:
    """The order of findings: by place, then by all that they say."""
    f = finding
    place = (
        f.path,
        f.line_start,
        BY_SEVERITY.index(f.priority),
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
def _title_words(title: str) -> frozenset[str]:
    """The words of a title."""
    return frozenset(_WORD.findall(title.lower()))


def _word_overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared words over all words of two titles, 0 to 1."""
    return len(left & right) / len(left | right) if left | right else 1.0


def line_span(finding: Finding) -> tuple[int, int]:
    """First and last line; 0 and 0 without a place."""
    return finding.line_start, max(finding.line_start, finding.line_end)

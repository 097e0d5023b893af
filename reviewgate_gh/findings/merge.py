"""The same remark from several reviewers becomes one finding; one issue in many files becomes one
with a list of places."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from ..model.finding import Confidence, Finding, FindingState, Priority
from .carry_over import is_earlier_review
from .defects import is_traced
from .remark_groups import BY_SEVERITY, RemarkGroup, RemarkGroups, line_span, sort_key
from .same_meaning import join_by_meaning
from .similarity import meaning_of, similarity

_FEW = 3  # of two remarks, each is as much like the other
_SETTLED = (FindingState.DUPLICATE, FindingState.REFUTED)
_FILES = 3
_OF_SECRETS = "builtin/secret-"
# What zizmor says of a workflow, and again of each of its jobs: https://docs.zizmor.sh/audits/
_OF_JOBS = ("zizmor/excessive-permissions", "zizmor/unpinned-tools")


def merge_findings(
    findings: Iterable[Finding], linters: Collection[str] = ()
) -> tuple[Finding, ...]:
    """One finding for each remark, sorted by path and line; duplicates stay, marked, and name
    nothing twice.

    Two of these `linters` that speak of one line mean two things, unless their rules are known for
    one defect; another tool's rule may be a model's words.
    """
    groups: dict[Any, RemarkGroups] = defaultdict(RemarkGroups)
    done = []
    for finding in sorted(findings, key=sort_key):
        if finding.state in _SETTLED:
            done.append(finding)
        else:
            groups[finding.path, finding.state, finding.side].sort_in(finding)
    kept, duplicates = [], []
    for near in groups.values():
        for group in join_by_meaning(near.all, frozenset(linters)):
            head, *others = _told(group)
            kept.append(head)
            duplicates += others
    return _numbered([*sorted(kept, key=sort_key), *sorted([*duplicates, *done], key=sort_key)])


def _told(group: RemarkGroup) -> list[Finding]:
    """The finding that stands for the group, with what all of them say of it, and the others as its
    duplicates."""
    head = min(group.members, key=_standing(group.members))
    others = [member for member in group.members if member is not head]
    if not others:
        return [head]
    every = [head, *others]
    priority = min((f.priority for f in every), key=BY_SEVERITY.index)
    told = replace(
        head,
        priority=priority,
        seconded=head.has_specific_rule and any(_seconds(f, priority) for f in others),
        confidence=Confidence.HIGH
        if any(f.confidence is Confidence.HIGH for f in every)
        else Confidence.LOW,
        sources=tuple(dict.fromkeys(source for f in every for source in f.sources)),
        suggestion=next(
            (f.suggestion for f in every if f.suggestion and line_span(f) == line_span(head)), None
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


def _standing(members: Sequence[Finding]) -> Callable[[Finding], tuple[Any, ...]]:
    """The order in which findings may stand for their group. Tools' come first, that which traced
    the input before others; then those of models: with a place, said before (nothing is said
    twice), severe, certain, most like all others."""
    shared = _shared_meaning(members)

    def order(finding: Finding) -> tuple[Any, ...]:
        if finding.has_specific_rule:
            return (0, not is_traced(finding.rule), sort_key(finding))
        said_before = any(map(is_earlier_review, finding.sources))
        return (
            1,
            not finding.is_located,
            not said_before,
            BY_SEVERITY.index(finding.priority),
            finding.confidence is Confidence.LOW,
            -shared(finding),
            sort_key(finding),
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


def merge_patterns(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Open findings with equal rule, title and weight in three or more files, and those of one file
    that are one matter: the first keeps the places, the others are duplicates of it."""
    findings = tuple(findings)
    groups: dict[tuple[str, str, str, Priority], list[int]] = defaultdict(list)
    for at, finding in enumerate(findings):
        if finding.state is FindingState.OPEN:
            kind = (finding.rule, finding.title, finding.confidence, finding.priority)
            groups[kind].append(at)
    done = list(findings)
    for members in groups.values():
        by_file: dict[str, list[int]] = defaultdict(list)
        for at in members:
            by_file[findings[at].path].append(at)
        if len(by_file) >= _FILES:
            _gather(done, members)
            continue
        for alike in by_file.values():
            if len(alike) > 1 and all(_is_one_matter(findings[at]) for at in alike):
                _gather(done, alike)
    return tuple(done)


def _is_one_matter(finding: Finding) -> bool:
    """A secret that is most likely none, or the rights of one workflow: what one reader decides on
    counts for all of the file."""
    settled = finding.rule.startswith(_OF_SECRETS) or finding.rule in _OF_JOBS
    return settled and finding.priority >= Priority.P2


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

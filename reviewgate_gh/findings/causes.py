"""A change that breaks code elsewhere is reported once: where the code breaks, or where the change
is."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from posixpath import basename

from msgspec.structs import replace

from ..model.change import FileDiff
from ..model.finding import Confidence, Finding, FindingState, Priority
from ..text.patterns import lazy_pattern
from .identity import MEANT_ALIKE
from .similarity import meaning_of, similarity

Spans = tuple[tuple[int, int], ...]  # first and last lines

_NAME = lazy_pattern(r"`([^`]+)`")
_WORD = lazy_pattern(r"\w+")
_PATH = lazy_pattern(r"[\w./-]+")
# It looks at every file that the change leaves alone: what it does not report there still works
_COMPLETE = "callers/"
_NEAR = 3  # lines between a remark and the line that breaks code elsewhere
_MOST_LOOKS = 10_000  # pairs of such a remark and a finding elsewhere


def merge_with_broken_uses(
    findings: Sequence[Finding], changed: Collection[str]
) -> tuple[Finding, ...]:
    """Remarks at a changed definition that name its uses leave each use to the finding that stands
    there and names the changed file as its cause: a tool's, where a tool's finding is about the
    same name; a model's, where a model means the same. One that has no other use to name becomes a
    duplicate. `changed` are the paths of the change."""
    known = _broken_uses(findings)
    marked = [_marked(finding, known, changed) for finding in findings] if known else [*findings]
    _join_remarks(marked)
    return tuple(marked)


@dataclass(slots=True)
class _Told:
    """Where uses of a name are reported to break, how severely at least, and whether all unchanged
    files were checked."""

    paths: set[str] = field(default_factory=set)
    priority: Priority = Priority.P0
    complete: bool = False


def _broken_uses(findings: Iterable[Finding]) -> Mapping[tuple[str, str], _Told]:
    """By changed file and name. What a model says of them may yet be refuted, so that nothing of a
    tool's stands for it."""
    found = defaultdict[tuple[str, str], _Told](_Told)
    for finding in findings:
        if finding.rule and finding.cause and finding.state is FindingState.OPEN:
            for name in _NAME.findall(finding.title)[:1]:
                told = found[finding.cause.path, name.rpartition(".")[2]]
                told.paths.add(finding.path)
                told.priority = max(told.priority, finding.priority)
                told.complete = told.complete or finding.rule.startswith(_COMPLETE)
    return found


def _marked(
    finding: Finding, known: Mapping[tuple[str, str], _Told], changed: Collection[str]
) -> Finding:
    named = [place for place in finding.places if place != finding.location]
    if finding.cause or not named or finding.state is not FindingState.OPEN:
        return finding
    words = dict.fromkeys(_WORD.findall(finding.title))
    of_words = (known[finding.path, word] for word in words if (finding.path, word) in known)
    # The config may weigh the use less than the remark, which then blocks by itself
    told = [each for each in of_words if each.priority <= finding.priority]
    left = [place for place in named if not any(_covers(each, place, changed) for each in told)]
    if left:
        return finding if left == named else replace(finding, places=tuple(left))
    note = "the same is reported where the code breaks"
    return replace(finding, state=FindingState.DUPLICATE, note=note)


def _covers(told: _Told, place: str, changed: Collection[str]) -> bool:
    path = place.rpartition(":")[0]
    return path in told.paths or (told.complete and path not in changed)


def _join_remarks(findings: list[Finding]) -> None:
    """Join what models say at a changed line to what they say of the code that it breaks."""
    remarks = defaultdict[str, list[int]](list)
    broken = [at for at, each in enumerate(findings) if each.cause and _is_models(each)]
    for at, each in enumerate(findings) if broken else ():
        if each.placed and _is_models(each):
            remarks[each.path].append(at)
    pairs = ((at, other) for at in broken for other in remarks[findings[at].commented_path])
    for at, other in islice(pairs, _MOST_LOOKS):
        if _says_the_same(findings[other], findings[at]):
            findings[at], findings[other] = _joined(findings[at], findings[other])


def _is_models(finding: Finding) -> bool:
    return not finding.rule and finding.state is FindingState.OPEN


def _says_the_same(remark: Finding, broken: Finding) -> bool:
    """The remark is where the change is, names the file that breaks, and means the same."""
    gap = abs(remark.line_start - broken.commented_line)
    if not _is_models(remark) or (remark.side == "RIGHT" and gap > _NEAR):
        return False
    if not set(remark.sources).isdisjoint(broken.sources):  # whoever says both means two
        return False
    named = {each.strip(".") for each in _PATH.findall(f"{remark.title} {remark.body}")}
    if named.isdisjoint((broken.path, basename(broken.path))):
        return False
    return similarity(meaning_of(remark), meaning_of(broken)) >= MEANT_ALIKE


def _joined(broken: Finding, remark: Finding) -> tuple[Finding, Finding]:
    """The finding with what both say, in the words of the more severe one, and the remark as its
    duplicate."""
    both = (broken, remark)
    certain = any(each.confidence is Confidence.HIGH for each in both)
    worst = min(both, key=lambda each: each.priority)
    told = replace(
        broken,
        title=worst.title,
        body=worst.body,
        priority=worst.priority,
        confidence=Confidence.HIGH if certain else Confidence.LOW,
        sources=tuple(dict.fromkeys([*broken.sources, *remark.sources])),
    )
    note = f"same as {broken.title} at {broken.location}"
    return told, replace(remark, state=FindingState.DUPLICATE, note=note)


def causing_line(file: FileDiff, old: Spans, new: Spans) -> int:
    """The line at head, shown by the diff, where a definition changes: an added one of its new
    lines, or the one that follows its old ones. 0 where the diff shows none."""
    after_removed = 0
    for hunk in file.hunks:
        previous, waiting = 0, False
        for row in hunk.lines():
            if row.sign == "+" and _within(row.new, new):
                return row.new
            waiting = waiting or (row.sign == "-" and _within(row.old, old))
            if row.new:
                if waiting and not after_removed:
                    after_removed = row.new
                previous = row.new
        if waiting and not after_removed:
            after_removed = previous
    return after_removed


def _within(line: int, spans: Spans) -> bool:
    return any(first <= line <= last for first, last in spans)

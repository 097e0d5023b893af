"""Which findings of a tool are new in this change: those that the same tool does not report on the
base, wherever their lines are."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ..model.finding import Finding, Priority
from .source_text import SourceText

_NUMBERS = re.compile(r"\d+")
SYNTAX_CATEGORY = "syntax"
_Key = tuple[object, ...]


class ComparedFinding(Struct, frozen=True):
    """A finding as the other side may know it: what it says, about which statement, where."""

    path: str
    unit: str
    statement: str
    rule: str
    title: str
    priority: Priority
    is_syntax: bool

    @property
    def words(self) -> _Key:
        """What it says and of which code; numbers in a title are lines, columns or measures. The
        priority counts, since code that moves out of a test weighs more."""
        return self.rule, self.title, self.statement, self.priority


def describe(finding: Finding, path: str, text: SourceText | None) -> ComparedFinding:
    """The finding under the file's path at head; without a text only what it says counts."""
    line = finding.line_start
    return ComparedFinding(
        path,
        text.unit(line) if text else "",
        text.statement(line) if text else "",
        finding.rule,
        _NUMBERS.sub("0", finding.title),
        finding.priority,
        finding.category == SYNTAX_CATEGORY,
    )


def find_new(
    head: Sequence[ComparedFinding],
    base: Sequence[ComparedFinding],
    renamed_units: Callable[[str], Mapping[str, str]],
) -> tuple[bool, ...]:
    """Of each finding at head, whether the base has none like it. One of the base makes one at
    head old, so a second equal one is new.

    `renamed_units` gives, for a path, the base's name of each unit that only the head has. A file
    that could not be parsed before has no new syntax errors unless there are more of them.
    """
    passes: tuple[Callable[[ComparedFinding], _Key], ...] = (
        lambda f: ("syntax", f.path) if f.is_syntax else (f.path, f.unit, *f.words),
        lambda f: (f.path, renamed_units(f.path).get(f.unit, f.unit), *f.words),
        lambda f: (f.unit, *f.words),  # moved to another file
    )
    left, remaining = set(range(len(head))), list(base)
    for key in passes:
        counts = Counter(map(key, remaining))
        taken: Counter[_Key] = Counter()
        for at in sorted(left):
            name = key(head[at])
            if taken[name] < counts[name]:
                taken[name] += 1
                left.discard(at)
        remaining = [*_without(remaining, key, taken)]
    return tuple(at in left for at in range(len(head)))


def _without(
    rows: Iterable[ComparedFinding], key: Callable[[ComparedFinding], _Key], taken: Counter[_Key]
) -> Iterator[ComparedFinding]:
    for row in rows:
        name = key(row)
        if taken[name]:
            taken[name] -= 1
        else:
            yield row


def renamed_units(head: Collection[str], base: Collection[str]) -> dict[str, str]:
    """For a unit that only the head has, the base's name of it: the one that is gone from the same
    place, if one came and one went; what it holds goes with it."""
    added, gone = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for names, others, place in ((head, base, added), (base, head, gone)):
        for name in names:
            if name not in others:
                place[name.rpartition(".")[0]].append(name)
    before: dict[str, str] = {}
    for around in sorted(added, key=len):
        outer = before.get(around, around)
        left = set(gone.get(outer, ()))
        came = []
        for name in added[around]:
            same = f"{outer}.{name.rpartition('.')[2]}"
            if same in left:
                before[name] = same
                left.discard(same)
            else:
                came.append(name)
        if len(came) == len(left) == 1:
            before[came[0]] = left.pop()
    return before

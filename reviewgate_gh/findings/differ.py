"""Which findings of a tool are new in this change: those that the same tool does not report on the
base, wherever their lines are."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from ..model.finding import Finding, Priority
from ..text.patterns import lazy_pattern
from .source_text import SourceText

_NUMBERS = lazy_pattern(r"\d+")
SYNTAX_CATEGORY = "syntax"
OFF_DIFF = "new in this change, on a line that the diff does not show"
_Key = tuple[object, ...]


class ComparedFinding(Struct, frozen=True):
    """A finding as the other side may know it. `text` reads its side's version of the file, which
    takes time, so only findings that say the same are looked up there."""

    path: str
    line: int
    rule: str
    title: str
    priority: Priority
    is_syntax: bool
    text: Callable[[], SourceText]
    column: int = 0

    @property
    def words(self) -> _Key:
        """What it says. The priority counts, since code that moves out of a test weighs more; a
        syntax error is as good as another of its file."""
        return (self.path,) if self.is_syntax else (self.rule, self.title, self.priority)

    @property
    def code(self) -> _Key:
        """What it says, and of which statement; what a callback does in it is no part of that."""
        if self.is_syntax:
            return self.words
        return (*self.words, self.text().own_statement(self.line, self.column))

    @property
    def unit(self) -> str:
        """The definition around it."""
        return "" if self.is_syntax else self.text().unit(self.line)


def spoken_key(finding: Finding) -> tuple[str, str]:
    """What a tool says of code: its rule, and its words but for numbers, which are lines, columns
    or measures. Of a syntax error that alone: one is as good as another."""
    if finding.category == SYNTAX_CATEGORY:
        return "", ""
    return finding.rule, _NUMBERS.sub("0", finding.title)


def describe(finding: Finding, path: str, text: Callable[[], SourceText]) -> ComparedFinding:
    """The finding under the file's path at head."""
    rule, title = spoken_key(finding)
    return ComparedFinding(
        path,
        finding.line_start,
        rule,
        title,
        finding.priority,
        finding.category == SYNTAX_CATEGORY,
        text,
        finding.column_start,
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
    said = {f.words for f in head} & {f.words for f in base}
    now = [(at, f) for at, f in enumerate(head) if f.words in said]
    before = [f for f in base if f.words in said]
    alike = {f.code for _at, f in now} & {f.code for f in before}
    left = {at: f for at, f in now if f.code in alike}
    torn = {at: f for at, f in now if at not in left}
    spare = [f for f in before if f.code not in alike]
    before = [f for f in before if f.code in alike]
    known = {f.path: f.text().definitions for f in before}
    passes: tuple[Callable[[ComparedFinding], _Key], ...] = (
        lambda f: (f.path, f.unit, *f.code),
        lambda f: (f.path, renamed_units(f.path).get(f.unit, f.unit), *f.code),
        # a script's statements that went into a new function, such as `main`
        lambda f: (f.path, f.unit if f.unit in known.get(f.path, ()) else "", *f.code),
        lambda f: (f.unit, *f.code),  # moved to another file
    )
    for key in passes:
        counts = Counter(map(key, before))
        taken: Counter[_Key] = Counter()
        for at, finding in [*left.items()]:
            name = key(finding)
            if taken[name] < counts[name]:
                taken[name] += 1
                del left[at]
        before = [*_without(before, key, taken)]
    new = {*range(len(head))} - {at for at, _f in now} | left.keys()
    new |= _reworked(torn, spare)
    return tuple(at in new for at in range(len(head)))


def _reworked(torn: Mapping[int, ComparedFinding], spare: Iterable[ComparedFinding]) -> set[int]:
    """Those whose statement is another one in more than its layout. A formatter tears statements
    apart and changes quotes: then the line still stands in the base's file with its neighbours."""
    new = set(torn)
    rest = defaultdict[_Key, list[ComparedFinding]](list)
    for row in spare:
        rest[row.path, *row.words].append(row)
    is_laid_out_anew = cache(_is_laid_out_anew)
    for at, finding in torn.items():
        if finding.is_syntax:
            continue
        rows = rest[finding.path, *finding.words]
        here = finding.text(), finding.line
        same = next((row for row in rows if is_laid_out_anew(*here, row.text(), row.line)), None)
        if same:
            rows.remove(same)
            new.discard(at)
    return new


def _is_laid_out_anew(head: SourceText, line: int, base: SourceText, base_line: int) -> bool:
    """The head's line is in the base with its neighbours, and what the one finding is about is a
    part of what the other is about, however it is laid out."""
    first, second = base.bare_statement(base_line), head.bare_statement(line)
    if not (first and second and (first in second or second in first)):
        return False
    lines = head.laid_out_anew(line)
    return bool(lines) and lines in base.any_layout


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
    """For a unit that only the head has, the base's name of it: the one with the same last name
    that is gone from another place, such as a function that became a method; or the one that is
    gone from the same place, if one came and one went; what it holds goes with it."""
    before = _moved_units(set(head) - set(base), set(base) - set(head))
    added, gone = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for names, others, place in ((head, base, added), (base, head, gone)):
        for name in names:
            if name not in others and name not in (before if place is added else before.values()):
                place[name.rpartition(".")[0]].append(name)
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


def _moved_units(came: Iterable[str], went: Iterable[str]) -> dict[str, str]:
    """The units that have another place and the same last name, which none but these two have."""
    by_name = defaultdict[str, tuple[list[str], list[str]]](lambda: ([], []))
    for side, names in enumerate((came, went)):
        for name in names:
            by_name[name.rpartition(".")[2]][side].append(name)
    return {new[0]: old[0] for new, old in by_name.values() if len(new) == len(old) == 1}

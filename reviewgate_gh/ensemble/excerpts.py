"""Lines of files at head that a change does not show, within so many tokens: as a model sees them,
as findings may quote them, and as the report lists them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from ..findings.lines import file_text, multiline_secrets, prompt_text
from ..findings.scope import ChangedLines
from ..model.change import Change, FileDiff, Hunk
from ..model.finding import CausingPlace, Finding
from ..model.report import ShownCode

UNCHANGED = " "  # the status of a file of which unchanged lines are shown
_LONGEST = 300  # characters of a line
_READ = 4000  # bytes of it in which secrets are looked for
_OVERLAP = 10  # lines of a hunk that a quote may take along
_SAME_HEADING = len("@@\n")


class ContextPack(Struct, frozen=True):
    """`files` hold the shown lines as hunks without a change; `causes` say by path and line which
    place of the change each is shown for; `about` is what a reviewer is told first."""

    files: tuple[FileDiff, ...] = ()
    causes: Mapping[tuple[str, int], CausingPlace] = field(default_factory=dict)
    about: tuple[str, ...] = ()
    listed: tuple[ShownCode, ...] = ()

    @property
    def text(self) -> str:
        """All of it as part of a question."""
        about = map(prompt_text, self.about)
        return "\n".join([*about, *(file_text(file).text for file in self.files)])

    def beside(self, change: Change) -> "ShownBeside":
        """What findings about this change may quote."""
        mine = {file.path: file for file in self.files}
        both = [
            _with_hunks(file, mine.pop(file.path)) if file.path in mine else file
            for file in change.files
        ]
        return ShownBeside(
            ChangedLines(replace(change, files=(*both, *mine.values()))), self.causes
        )


def join_packs(packs: Sequence[ContextPack]) -> ContextPack:
    """What several questions show beside their parts of a change, as one."""
    if len(packs) == 1:
        return packs[0]
    files = dict[str, FileDiff]()
    causes = dict[tuple[str, int], CausingPlace]()
    for pack in packs:
        for file in pack.files:
            known = files[file.path].hunks if file.path in files else ()
            files[file.path] = replace(file, hunks=(*known, *file.hunks))
        causes = {**pack.causes, **causes}
    listed = dict.fromkeys(each for pack in packs for each in pack.listed)
    return ContextPack(tuple(files.values()), causes, (), tuple(listed))


class ShownBeside(Struct, frozen=True):
    """`lines` are those of a change and of what was shown beside it, as if all were the change's;
    `causes` are the pack's."""

    lines: ChangedLines
    causes: Mapping[tuple[str, int], CausingPlace]

    def cause(self, finding: Finding) -> CausingPlace | None:
        """The place of the change for which its first line was shown; None of a line that was not
        shown beside it."""
        if finding.side != "RIGHT":
            return None
        return self.causes.get((finding.path, finding.line_start))


def _with_hunks(file: FileDiff, more: FileDiff) -> FileDiff:
    """The changed file with the lines that were shown beside it. Where they touch a hunk, a quote
    may go across: its lines at head are there once more."""
    head = {number: text for hunk in file.hunks for number, text in hunk.head_lines()}
    extra = {line.new: line.text for hunk in more.hunks for line in hunk.lines()}
    near = {
        number: head[number]
        for line in extra
        for number in range(line - _OVERLAP, line + _OVERLAP + 1)
        if number in head
    }
    rows = {**near, **extra}
    hunks = (
        Hunk(first, last - first + 1, first, last - first + 1, b"", _body(rows, first, last))
        for first, last in line_runs(rows)
        if any(number in extra for number in range(first, last + 1))
    )
    return replace(file, hunks=(*file.hunks, *hunks))


def _body(rows: Mapping[int, bytes], first: int, last: int) -> bytes:
    return b"".join(b" %b\n" % rows[number] for number in range(first, last + 1))


class Section(Struct, frozen=True):
    """Lines of one file that are shown for one reason, and what of the change is the reason."""

    path: str
    why: str
    lines: Sequence[int]
    cause: CausingPlace


class ExcerptCollector:
    """Takes sections as long as there is room. `shown` are the lines by path that the change shows
    itself; `read` gives a file's lines at head, none of one that cannot be shown."""

    def __init__(
        self,
        tokens: int,
        shown: Mapping[str, frozenset[int]],
        read: Callable[[str], Sequence[bytes]],
    ) -> None:
        self.room = 4 * tokens  # bytes, as `estimate_tokens` counts
        self._shown, self._read = shown, read
        self._taken: dict[str, dict[str, dict[int, str]]] = {}
        self._causes: dict[tuple[str, int], CausingPlace] = {}
        self._masks: dict[str, Mapping[int, str]] = {}
        self._about: dict[str, None] = {}

    def add(self, section: Section, about: str = "") -> bool:
        """Take its lines, with what is said about them once; False where there is no room for all
        of them. What is shown already costs nothing."""
        lines = self._read(section.path)
        known = self._shown.get(section.path, frozenset())
        new = {
            number: self._line(section.path, number, lines)
            for number in section.lines
            if 0 < number <= len(lines)
            and number not in known
            and (section.path, number) not in self._causes
        }
        about = "" if about in self._about else about
        cost = self._cost(section, new) + (_size(about) if new else 0)
        if not new or cost > self.room:
            return not new
        self.room -= cost
        if about:
            self._about[about] = None
        self._taken.setdefault(section.path, {}).setdefault(section.why, {}).update(new)
        self._causes.update({(section.path, number): section.cause for number in new})
        return True

    def pack(self) -> ContextPack:
        """Everything that was taken."""
        files = tuple(_file(path, reasons) for path, reasons in self._taken.items())
        listed = tuple(
            ShownCode(path, first, last, why)
            for path, reasons in self._taken.items()
            for why, rows in reasons.items()
            for first, last in line_runs(rows)
        )
        return ContextPack(files, self._causes, tuple(self._about), listed)

    def _cost(self, section: Section, new: Mapping[int, str]) -> int:
        """The bytes that it adds to the text."""
        before = self._taken.get(section.path)
        size = sum(_size(f"+123456 | {text}") for text in new.values())
        if before is None:
            size += _size(file_text(_file(section.path, {})).text)
        runs = len(line_runs(new)) * _SAME_HEADING
        return size + runs + (_size(section.why) if section.why not in (before or {}) else 0)

    def _line(self, path: str, number: int, lines: Sequence[bytes]) -> str:
        """A line as it may leave the machine."""
        if path not in self._masks:
            self._masks[path] = multiline_secrets(dict(enumerate(lines, 1)), path)
        kind = self._masks[path].get(number)
        return f"[REDACTED:{kind}]" if kind else prompt_text(lines[number - 1][:_READ])[:_LONGEST]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape")) + 1 if text else 0


def line_runs(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """First and last number of each run of lines."""
    ordered = sorted(lines)
    ends = [one for one, after in pairwise(ordered) if after > one + 1]
    starts = [after for one, after in pairwise(ordered) if after > one + 1]
    return tuple(zip([*ordered[:1], *starts], [*ends, *ordered[-1:]], strict=True))


def _file(path: str, reasons: Mapping[str, Mapping[int, str]]) -> FileDiff:
    hunks = tuple(
        _hunk(first, [rows[number] for number in range(first, last + 1)], why if not at else "")
        for why, rows in reasons.items()
        for at, (first, last) in enumerate(line_runs(rows))
    )
    oid = "0" * 40
    return FileDiff(path, path, UNCHANGED, "100644", "100644", oid, oid, hunks=hunks)


def _hunk(first: int, rows: Sequence[str], why: str) -> Hunk:
    body = "".join(f" {row}\n" for row in rows).encode("utf-8", "surrogateescape")
    return Hunk(first, len(rows), first, len(rows), why.encode(), body)

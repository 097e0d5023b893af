"""The lines of a changed file, as findings quote them and as language models are shown them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from ..model.change import FileDiff, Hunk, HunkLine
from ..model.finding import Finding, QuotedLine
from ..text.patterns import lazy_pattern
from ..text.redact import find_secrets, redact, with_name
from ..text.visible import find_hidden, show_hidden

MAX_QUOTED_CHARACTERS = 400  # characters of a quoted line
MAX_QUOTED_LINES = 100  # lines of one finding: each of thousands may be about the whole file
_NEWLINE = lazy_pattern("\n")
_REMOVED = lazy_pattern(rb"^-", re.MULTILINE)


class DiffLines:
    """One file's added blocks and its lines around them, by number at head ("LEFT": at base); text
    is redacted."""

    def __init__(self, file: FileDiff, side: str = "RIGHT") -> None:
        self._file, self._side = file, side
        self._runs = [run for hunk in file.hunks for run in hunk.added_runs()]
        self._starts = [start for start, _end in self._runs]
        self._takes: bool | None = None
        self._texts: Mapping[int, bytes] | None = None
        self._shown: Sequence[int] | None = None
        self._beside: dict[int, dict[int, QuotedLine | None]] = {-1: {}, 1: {}}
        self._redacted: dict[int, str] = {}
        self._keys: Mapping[int, str] | None = None

    def adds(self, start: int, end: int) -> bool:
        """Any line from start to end is added by the change; 0 stands for the whole file."""
        if start <= 0:
            return True
        at = bisect_right(self._starts, max(start, end)) - 1
        return at >= 0 and self._runs[at][1] >= start

    def first_added(self) -> int:
        """The first line that the change adds, 0 where it adds none."""
        return self._starts[0] if self._starts else 0

    def only_adds(self, start: int, end: int) -> bool:
        """The change takes no line of the file away, and adds all of these."""
        if self._takes is None:
            self._takes = any(_REMOVED.search(hunk.body) for hunk in self._file.hunks)
        at = bisect_right(self._starts, start) - 1
        return not self._takes and at >= 0 and self._runs[at][1] >= max(start, end)

    def text(self, number: int) -> str | None:
        """The line without its secrets; None where the diff does not show it."""
        if number not in self._redacted:
            raw = self._raw().get(number)
            if raw is None:
                return None
            kind = self._spread().get(number)
            self._redacted[number] = (
                f"[REDACTED:{kind}]"
                if kind
                else redact_line(raw[: 4 * MAX_QUOTED_CHARACTERS])[:MAX_QUOTED_CHARACTERS]
            )
        return self._redacted[number]

    def quote(self, start: int, end: int) -> tuple[QuotedLine, ...]:
        """The lines from start to end that are shown, between their nearest non-blank neighbours;
        of very many the first and the last."""
        numbers = self._numbers()
        first, behind = bisect_left(numbers, start), bisect_right(numbers, end)
        if first >= behind:
            return ()
        most = min(behind, first + MAX_QUOTED_LINES - 1)
        within = [
            self._quoted(number)
            for number in (*numbers[first:most], *numbers[max(most, behind - 1) : behind])
        ]
        before, after = self._neighbour(start, -1), self._neighbour(end, 1)
        return (*([before] if before else []), *within, *([after] if after else []))

    def _quoted(self, number: int) -> QuotedLine:
        return QuotedLine(number, self.text(number) or "")

    def _neighbour(self, number: int, step: int) -> QuotedLine | None:
        """The nearest line that is not blank; blank ones that were passed once are not gone through
        again."""
        known, passed, at = self._beside[step], list[int](), number + step
        while at not in known:
            text = self.text(at)
            if text is None or text.strip():
                known[at] = None if text is None else QuotedLine(at, text)
                break
            passed.append(at)
            at += step
        known.update(dict.fromkeys(passed, known[at]))
        return known[at]

    def _spread(self) -> Mapping[int, str]:
        if self._keys is None:
            self._keys = multiline_secrets(self._raw(), self._file.path)
        return self._keys

    def _numbers(self) -> Sequence[int]:
        """The numbers of the shown lines, in order."""
        if self._shown is None:
            self._shown = sorted(self._raw())
        return self._shown

    def _raw(self) -> Mapping[int, bytes]:
        if self._texts is None:
            left = self._side == "LEFT"
            self._texts = dict(
                line
                for hunk in self._file.hunks
                for line in (hunk.base_lines() if left else hunk.head_lines())
            )
        return self._texts


def multiline_secrets(rows: Mapping[int, bytes], path: str = "") -> Mapping[int, str]:
    """The lines, by number, of secrets that one line alone does not show, and their kinds: keys of
    several lines, and values whose name stands on another one, or is the file's."""
    text, numbers = (
        without_nuls(b"\n".join(rows.values())).decode("utf-8", "surrogateescape"),
        [*rows],
    )
    named = with_name(path, text)
    found, masked = find_secrets(named), dict[int, str]()
    ends = [end.start() for end in _NEWLINE.finditer(named)] if found else []
    lines = text.split("\n") if found else []
    alone = cache(lambda at: frozenset(each.kind for each in find_secrets(lines[at])))
    for secret in found:
        first, last = bisect_left(ends, secret.start), bisect_left(ends, secret.end)
        if first < last or secret.kind not in alone(first):
            masked |= dict.fromkeys(numbers[first : last + 1], secret.kind)
    return masked


def without_nuls(data: bytes) -> bytes:
    """What the data says where it is ASCII in UTF-16 or UTF-32; git's lines stay the same."""
    return data.replace(b"\0", b"")


def redact_line(line: bytes) -> str:
    """A line without its secrets, in whichever width its letters are."""
    narrow, text = (form.decode("utf-8", "surrogateescape") for form in (without_nuls(line), line))
    text = redact(narrow if narrow != text and find_secrets(narrow) else text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").rstrip("\r")


_MOST_QUOTED = 5  # lines of a finding that the diff does not show


def quote_unshown(finding: Finding, line: Callable[[int], str]) -> tuple[QuotedLine, ...]:
    """The first lines of a finding, of which the diff shows none; `line` reads one by number."""
    start = finding.line_start
    last = min(max(start, finding.line_end), start + _MOST_QUOTED - 1)
    return tuple(
        QuotedLine(n, redact_line(line(n).encode("utf-8", "surrogateescape")))
        for n in range(start, last + 1)
        if start
    )


LONGEST_SHOWN = 2000  # characters of a line
_STATUS = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "type changed",
    " ": "unchanged lines",
}


class FileText(Struct, frozen=True):
    """One file's part of a question; `cut` says that something of it is not shown."""

    path: str
    text: str
    cut: bool = False


def file_text(file: FileDiff) -> FileText:
    """The file with all its hunks."""
    rows, cut = [], False
    for hunk in file.hunks:
        rows.append(f"@@ {prompt_text(hunk.heading)}".rstrip())
        for row, shortened in _rows(hunk, file.path):
            rows.append(row)
            cut = cut or shortened
    return FileText(file.path, "\n".join([_header(file), *rows, ""]), cut)


def prompt_text(raw: bytes | str) -> str:
    """Text of the change as a model may see it: no secret, nothing hidden, one line."""
    text = redact_line(raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogateescape"))
    bare = _without_hidden(text)
    # A hidden character within a secret hides it from the patterns
    text = redact(bare) if bare != text and find_secrets(bare) else text
    return show_hidden(text).replace("\n", "<U+000A>")


def _without_hidden(text: str) -> str:
    places = {each.column for each in find_hidden(text)}
    return "".join(letter for at, letter in enumerate(text) if at not in places) if places else text


def _header(file: FileDiff) -> str:
    words = [_STATUS.get(file.status, file.status)]
    if file.old_path != file.path and file.status in "RC":
        words.append(f"from {prompt_text(file.old_path)}")
    if file.is_submodule:
        words.append(f"submodule at {file.oid}")
    elif file.is_symlink:
        words.append("symbolic link")
    elif file.binary:
        words.append("binary, not shown")
    if file.old_mode != file.mode and "000000" not in (file.old_mode, file.mode):
        words.append(f"mode {file.old_mode} -> {file.mode}")
    return f"=== {prompt_text(file.path)} ({', '.join(words)})"


def _rows(hunk: Hunk, path: str) -> Iterator[tuple[str, bool]]:
    """Each line behind sign and number; the number of a removed line is its old one."""
    lines = list(hunk.lines())
    masks = _masks(lines, path)
    for at, line in enumerate(lines):
        text = (
            f"[REDACTED:{masks[at]}]"
            if at in masks
            else prompt_text(line.text[: 8 * LONGEST_SHOWN])
        )
        short = text[:LONGEST_SHOWN]
        yield (
            f"{line.sign}{line.new or line.old:>6} | {short}",
            len(short) < len(text) or len(line.text) > 8 * LONGEST_SHOWN,
        )


def _masks(lines: list[HunkLine], path: str) -> dict[int, str]:
    """The lines of secrets that one alone does not show, as either side has them."""
    sides = ({at: line.text for at, line in enumerate(lines) if line.sign != gone} for gone in "-+")
    return {at: kind for side in sides for at, kind in multiline_secrets(side, path).items()}

"""The lines of a changed file that the diff shows, as findings quote them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from ..model.change import FileDiff
from ..model.finding import Quoted
from ..text.redact import find, redact

LONGEST = 400  # characters of a quoted line
MOST_QUOTED = 100  # lines of one finding: each of thousands may be about the whole file
_NEWLINE = re.compile("\n")


class Shown:
    """One file's added blocks and its lines around them, by number at head ("LEFT": at base); text is redacted."""

    def __init__(self, file: FileDiff, side: str = "RIGHT") -> None:
        self._file, self._side = file, side
        self._runs = [run for hunk in file.hunks for run in hunk.added_runs()]
        self._starts = [start for start, _end in self._runs]
        self._texts: Mapping[int, bytes] | None = None
        self._shown: Sequence[int] | None = None
        self._beside: dict[int, dict[int, Quoted | None]] = {-1: {}, 1: {}}
        self._redacted: dict[int, str] = {}
        self._keys: Mapping[int, str] | None = None

    def adds(self, start: int, end: int) -> bool:
        """Any line from start to end is added by the change; 0 stands for the whole file."""
        if start <= 0:
            return True
        at = bisect_right(self._starts, max(start, end)) - 1
        return at >= 0 and self._runs[at][1] >= start

    def text(self, number: int) -> str | None:
        """The line without its secrets; None where the diff does not show it."""
        if number not in self._redacted:
            raw = self._raw().get(number)
            if raw is None:
                return None
            kind = self._spread().get(number)
            self._redacted[number] = f"[REDACTED:{kind}]" if kind else clean(raw[: 4 * LONGEST])[:LONGEST]
        return self._redacted[number]

    def quote(self, start: int, end: int) -> tuple[Quoted, ...]:
        """The lines from start to end that are shown, between their nearest non-blank neighbours; of very many the first and the last."""
        numbers = self._numbers()
        first, behind = bisect_left(numbers, start), bisect_right(numbers, end)
        if first >= behind:
            return ()
        most = min(behind, first + MOST_QUOTED - 1)
        within = [self._quoted(number) for number in (*numbers[first:most], *numbers[max(most, behind - 1) : behind])]
        before, after = self._neighbour(start, -1), self._neighbour(end, 1)
        return (*([before] if before else []), *within, *([after] if after else []))

    def _quoted(self, number: int) -> Quoted:
        return Quoted(number, self.text(number) or "")

    def _neighbour(self, number: int, step: int) -> Quoted | None:
        """The nearest line that is not blank; blank ones that were passed once are not gone through again."""
        known, passed, at = self._beside[step], list[int](), number + step
        while at not in known:
            text = self.text(at)
            if text is None or text.strip():
                known[at] = None if text is None else Quoted(at, text)
                break
            passed.append(at)
            at += step
        known.update(dict.fromkeys(passed, known[at]))
        return known[at]

    def _spread(self) -> Mapping[int, str]:
        if self._keys is None:
            keys = any(b"PRIVATE KEY" in without_nuls(hunk.body) for hunk in self._file.hunks)
            self._keys = spread_secrets(self._raw()) if keys else {}
        return self._keys

    def _numbers(self) -> Sequence[int]:
        """The numbers of the shown lines, in order."""
        if self._shown is None:
            self._shown = sorted(self._raw())
        return self._shown

    def _raw(self) -> Mapping[int, bytes]:
        if self._texts is None:
            left = self._side == "LEFT"
            self._texts = dict(line for hunk in self._file.hunks for line in (hunk.at_base() if left else hunk.at_head()))
        return self._texts


def spread_secrets(rows: Mapping[int, bytes]) -> Mapping[int, str]:
    """The lines, by number, of secrets that span several (keys), and their kinds: one line of them alone is not recognised."""
    text, numbers = without_nuls(b"\n".join(rows.values())).decode("utf-8", "surrogateescape"), [*rows]
    ends = [found.start() for found in _NEWLINE.finditer(text)]
    return {
        numbers[index]: secret.kind
        for secret in find(text)
        if (first := bisect_left(ends, secret.start)) < (last := bisect_left(ends, secret.end))
        for index in range(first, last + 1)
    }


def without_nuls(data: bytes) -> bytes:
    """What the data says where it is ASCII in UTF-16 or UTF-32; git's lines stay the same."""
    return data.replace(b"\0", b"")


def clean(line: bytes) -> str:
    """A line without its secrets, in whichever width its letters are."""
    narrow, text = (form.decode("utf-8", "surrogateescape") for form in (without_nuls(line), line))
    text = redact(narrow if narrow != text and find(narrow) else text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").rstrip("\r")

"""The lines of a changed file that the diff shows, as findings quote them."""

from bisect import bisect_right
from collections.abc import Mapping

from ..model.change import FileDiff
from ..model.finding import Quoted
from ..text.redact import find, redact

LONGEST = 400  # characters of a quoted line


class Shown:
    """One file's added blocks and its lines around them, by number at head ("LEFT": at base); text is redacted."""

    def __init__(self, file: FileDiff, side: str = "RIGHT") -> None:
        self._file, self._side = file, side
        self._runs = [run for hunk in file.hunks for run in hunk.added_runs()]
        self._starts = [start for start, _end in self._runs]
        self._texts: Mapping[int, bytes] | None = None
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
        """The lines from start to end that are shown, between their nearest non-blank neighbours."""
        before, after = self._neighbour(start, -1), self._neighbour(end, 1)
        within = [Quoted(n, text) for n in range(start, end + 1) if (text := self.text(n)) is not None]
        return (*([before] if before else []), *within, *([after] if after else [])) if within else ()

    def _neighbour(self, number: int, step: int) -> Quoted | None:
        number += step
        while (text := self.text(number)) is not None:
            if text.strip():
                return Quoted(number, text)
            number += step
        return None

    def _spread(self) -> Mapping[int, str]:
        if self._keys is None:
            keys = any(b"PRIVATE KEY" in without_nuls(hunk.body) for hunk in self._file.hunks)
            self._keys = spread_secrets(self._raw()) if keys else {}
        return self._keys

    def _raw(self) -> Mapping[int, bytes]:
        if self._texts is None:
            left = self._side == "LEFT"
            self._texts = dict(line for hunk in self._file.hunks for line in (hunk.at_base() if left else hunk.at_head()))
        return self._texts


def spread_secrets(rows: Mapping[int, bytes]) -> Mapping[int, str]:
    """The lines, by number, of secrets that span several (keys), and their kinds: one line of them alone is not recognised."""
    text, numbers = without_nuls(b"\n".join(rows.values())).decode("utf-8", "surrogateescape"), [*rows]
    return {
        numbers[index]: secret.kind
        for secret in find(text)
        for index in range(text.count("\n", 0, secret.start), text.count("\n", 0, secret.end) + 1)
        if "\n" in text[secret.start : secret.end]
    }


def without_nuls(data: bytes) -> bytes:
    """What the data says where it is ASCII in UTF-16 or UTF-32; git's lines stay the same."""
    return data.replace(b"\0", b"")


def clean(line: bytes) -> str:
    """A line without its secrets, in whichever width its letters are."""
    narrow, text = (form.decode("utf-8", "surrogateescape") for form in (without_nuls(line), line))
    text = redact(narrow if narrow != text and find(narrow) else text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").rstrip("\r")

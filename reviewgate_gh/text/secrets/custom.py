"""Kinds of secrets that the project's own settings add. They belong to the one table, since what is
found must also be redacted."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from .kind import SecretSpan, compiled
from .plausible import entropy

_LONGEST_LINE = 2_000  # characters of a line that such a pattern is tried on


class CustomKind(Struct, frozen=True):
    """A kind of the project's own: `words` (in small letters), one of which the text must hold, a
    pattern, the group that is the secret, and the least entropy of that."""

    id: str
    pattern: str
    words: tuple[str, ...] = ()
    group: int = 0
    entropy: float = 0.0


_kinds: list[CustomKind] = []


def use_kinds(kinds: Sequence[CustomKind]) -> None:
    """From now on these are looked for as well, in place of the last ones."""
    _kinds[:] = kinds


def find_custom(text: str) -> Iterator[SecretSpan]:
    """The secrets of these kinds. Line by line, and of a long one the beginning: the patterns are
    not ours, and may take long."""
    if not _kinds:
        return
    lowered = text.lower()
    kinds = [k for k in _kinds if not k.words or any(word in lowered for word in k.words)]
    at = 0
    for line in text.split("\n") if kinds else ():
        for kind in kinds:
            yield from _on_line(kind, line[:_LONGEST_LINE], at)
        at += len(line) + 1


def _on_line(kind: CustomKind, line: str, at: int) -> Iterator[SecretSpan]:
    if kind.words and not any(word in line.lower() for word in kind.words):
        return
    for found in compiled(kind.pattern).finditer(line):
        group = found.re.groupindex.get("value", kind.group)
        start, end = found.span(group) if found[group] else found.span()
        if end > start and entropy(line[start:end]) >= kind.entropy:
            yield SecretSpan(kind.id, at + start, at + end)

"""A change that one question does not hold: which files are read together, and what is told of all
of them to find what no part shows alone."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..findings.lines import FileText
from .prompt import estimate_tokens

MAX_BATCHES = 10
_MOST_ROWS = 40  # of a file in the outline
# What other files can depend on: definitions, imports, names of settings
_TELLS = re.compile(
    r"[+-] *\d+ \| (?:"
    r"\s*(?:export\s+|pub(?:\(\w+\))?\s+|public\s+|async\s+|static\s+|default\s+|abstract\s+)*"
    r"(?:def|class|func|function|fn|fun|type|interface|struct|enum|trait|const|module|package"
    r"|import|from|use|using|require|include|#include)\b"
    r"|[\w.\"'-]+\s*[:=])",
    re.ASCII,
)


class Batch(Struct, frozen=True):
    """Files that are read together: how a question about them begins, their paths, and those of
    them that it shows whole."""

    shared_prompt: str
    paths: frozenset[str]
    shown_paths: tuple[str, ...]

    def limited_to(self, paths: Collection[str]) -> "Batch":
        """The batch for a question that is about these files only: it reads no others."""
        return replace(self, shown_paths=tuple(each for each in self.shown_paths if each in paths))


def split_files(
    texts: Sequence[FileText], room: int, beside: int
) -> tuple[list[list[FileText]], tuple[str, ...]]:
    """The files in batches of at most `room` tokens, in their order, so that folders stay together;
    and those that none shows whole. Where one batch is not enough, each leaves as many tokens free
    as `beside` says."""
    sizes = [estimate_tokens(text.text) for text in texts]
    free = min(beside, room // 4) if sum(sizes) > room else 0
    batches, left, cut = list[list[FileText]](), 0, list[str]()
    for text, size in zip(texts, sizes, strict=True):
        if size <= room and (not batches or size > left) and len(batches) < MAX_BATCHES:
            batches.append([])
            left = max(room - free, size)
        fits = bool(batches) and size <= left
        if fits:
            batches[-1].append(text)
            left -= size
        if text.cut or not fits:
            cut.append(text.path)
    return batches or [[]], tuple(cut)


def outline(texts: Iterable[FileText], tokens: int) -> str:
    """The changed lines on which other files may depend, of all files, within so many tokens; what
    does not fit is counted."""
    parts, left, gone = list[str](), 4 * tokens, 0
    for each in texts:
        text = "\n".join([*_outlined(each.text.split("\n")), ""])
        size = len(text.encode("utf-8", "surrogateescape"))
        if size <= left:
            parts.append(text)
            left -= size
        else:
            gone += 1
    return "\n".join([*parts, *([f"and {gone} more files"] if gone else [])])


def _outlined(rows: Sequence[str]) -> Iterator[str]:
    """The header and the telling rows, as the whole file shows them: what is a secret there is one
    here. What does not follow the last row is a hunk of its own."""
    yield rows[0]
    telling = [at for at, row in enumerate(rows) if _TELLS.match(row)]
    for before, at in pairwise([0, *telling[:_MOST_ROWS]]):
        if at > before + 1 or not before:
            yield "@@"
        yield rows[at]

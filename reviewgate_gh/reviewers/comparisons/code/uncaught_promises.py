"""Promises whose failure was handled at the end of a chain, and that nobody handles any more."""

from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of, surroundings_stay, weigh_loss
from .._remark import hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, squeeze
from .error_handling import HANDLER

EVERY_FILE = False
_SUFFIXES = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
_CATCH = lazy_pattern(r"\s*\.catch\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_IDLE = lazy_pattern(
    r"\.catch\(\s*(?:\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined|void 0)|noop)\s*\)"
)
# Whoever gets the promise handles it
_HANDED_ON = lazy_pattern(r"^\s*(?:await|return|yield)\b|^[^.]*(?:=>|=\s*await\b)|[=(,]\s*$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.path.endswith(_SUFFIXES) and file.mentions(b".catch("):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if any(".catch(" in new.text or "try" in new.text for new in file.added):
        return
    for block in file.blocks:
        for line in block.removed:
            code = code_of(line.text)
            if not _CATCH.search(code) or _IDLE.search(code):
                continue
            kept = _kept(file, block, line, squeeze(_CATCH.sub("", code)))
            if kept is None or squeeze(code) in sources.added_statements:
                continue
            rule = hint(HANDLER) if _HANDED_ON.search(kept) else weigh_loss(HANDLER, file, block)
            yield taken(rule, file, line, "a promise that fails is no longer handled", quoted(kept))


def _kept(file: ComparedFile, block: Block, line: Line, rest: str) -> str | None:
    """The statement without its handler, as far as it is there; None where it is not."""
    if rest:
        same = (new.text for new in block.added if squeeze(code_of(new.text)) == rest)
        return next(same, None)
    begin = _begin_of_chain(file, line)
    there = begin and any(row == begin for row in file.head_rows)
    return begin if there and surroundings_stay(file, line) else None


def _begin_of_chain(file: ComparedFile, line: Line) -> str:
    """The line above that the chain begins in."""
    for row in reversed(file.base_rows[: line.number - 1]):
        if row.strip() and not row.lstrip().startswith((".", ")", "}")):
            return row
    return ""

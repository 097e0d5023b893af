"""Handlers that stay, threw in the end or passed the error on, and do so no more."""

from collections.abc import Iterator
from itertools import chain, islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, weigh_loss
from .._related import brings_tests_for
from .._remark import ComparisonRule, taken
from .._sources import ComparedFile, ComparisonInput, Line, squeeze
from ._handled import is_asked_later, rows_under

EVERY_FILE = False
_SWALLOWED = ComparisonRule(
    "error-swallowed",
    Priority.P2,
    "A failure can now look like success. Handle it, or let it reach the caller.",
)
_NOTHING = lazy_pattern(r"^\s*(?:pass|\.\.\.|continue|nil)\s*(?:;\s*)?$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path):
            yield from islice(chain(_in_file(sources, file), _asked_softly(file)), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for line in block.removed:
            code = code_of(line.text)
            if not _PASSES_ON.match(code) or squeeze(line.text) in sources.added_statements:
                continue
            head = _head_of_handler(file, line.number)
            if head is None or not _CATCHES.search(code_of(head.text)):
                continue
            now = [at for at, row in enumerate(file.head_rows, 1) if row == head.text]
            if len(now) != 1 or any(
                _LEAVES.search(_TEXT.sub("", row)) for row in rows_under(file.head_rows, now[0])
            ):
                continue
            if not any(_acts(row) for row in rows_under(file.head_rows, now[0])):
                continue  # told as one that does nothing
            if is_asked_later(file, now[0]):
                return
            if not brings_tests_for(sources, file):
                rule = weigh_loss(_SWALLOWED, file, block)
                yield taken(rule, file, line, "an error no longer reaches the caller")
            return


# Of a promise, of a middleware: https://expressjs.com/en/guide/error-handling.html
_PASSES_ON = lazy_pattern(
    r"^\s*(?:raise|throw)\b|^\s*(?:next|reject|done|callback)\(\s*\w*[eE]rr\w*\s*\)"
)
_CATCHES = lazy_pattern(r"^\s*(?:\}\s*)?(?:catch\b|except\b|rescue\b)")
_LEAVES = lazy_pattern(r"\b(?:raise|throw|return|next|reject|exit|abort|panic|die|fail\w*|Exit)\b")


_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")


def _acts(row: str) -> bool:
    return bool(code_of(row).strip(" \t{}();")) and not _NOTHING.match(row)


def _head_of_handler(file: ComparedFile, number: int) -> Line | None:
    """The line of the base that a line is indented below."""
    rows = file.base_rows
    depth = _depth(rows[number - 1])
    return next(
        (
            Line(at, rows[at - 1])
            for at in range(number - 1, 0, -1)
            if rows[at - 1].strip(" \t{") and _depth(rows[at - 1]) < depth
        ),
        None,
    )


# https://docs.swift.org/swift-book/documentation/the-swift-programming-language/errorhandling/
_THROWS = lazy_pattern(r"\btry\s+(?P<call>(?:await\s+)?[\w.]+\()")


_HOW = ("try?", "try")


def _asked_softly(file: ComparedFile) -> Iterator[Finding]:
    """Swift: an error that reached the caller is no value now."""
    for block in file.blocks if file.path.endswith(".swift") else ():
        for line in block.removed:
            found = _THROWS.search(code_of(line.text))
            soft, hard = (squeeze(f"{how}{found['call']}") if found else "" for how in _HOW)
            if not (found and any(soft in squeeze(new.text) for new in block.added)):
                continue
            unit = file.base_code.unit(line.number)
            news = (each for each in file.added if file.head_code.unit(each.number) == unit)
            # The second of two ways to do it may throw
            if not any(hard in squeeze(new.text) for new in news):
                rule = weigh_loss(_SWALLOWED, file, block)
                yield taken(rule, file, line, "an error no longer reaches the caller")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

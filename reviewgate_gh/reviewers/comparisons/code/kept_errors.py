"""Handlers that stay, threw in the end or passed the error on, and do so no more."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, weigh_loss
from .._related import brings_tests_for
from .._remark import ComparisonRule, taken
from .._sources import ComparedFile, ComparisonInput, Line, has_word, squeeze
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
            under = rows_under(file.head_rows, now[0])
            if not any(map(_acts, under)) or _hands_on(head.text, under):
                continue  # told as one that does nothing, or somebody else gets the error
            if is_asked_later(file, now[0]) or _throws_anew(file, line):
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
# Whatever throws, or answers that it failed, says so: `rethrow_exception`, `status(500)`, `FAILED`
_LEAVES = lazy_pattern(
    r"(?i:throw|raise|fail|status)|\b(?:return|next|reject|exit|abort|panic|die|Exit|[45]\d\d)\b"
)


_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")


def _acts(row: str) -> bool:
    return bool(code_of(row).strip(" \t{}();")) and not _NOTHING.match(row)


def _throws_anew(file: ComparedFile, line: Line) -> bool:
    """The definition throws or passes on something in a new line."""
    unit = file.base_code.unit(line.number)
    news = (each for each in file.added if file.head_code.unit(each.number) == unit)
    return any(_PASSES_ON.match(code_of(new.text)) for new in news)


def _hands_on(head: str, under: Sequence[str]) -> bool:
    """The handler does more with the error than to write it into a log, or into a variable of its
    own."""
    found = _NAMED.search(code_of(head))
    name = next((each for each in found.groups() if each), "") if found else ""
    return bool(name) and has_word(_SAYS.sub("", "\n".join(map(code_of, under))), name)


_SAYS = lazy_pattern(
    r"(?im)^[ \t]*[\w.$>@:\\-]*(?<![a-z])(?:log\w*|console|warn\w*|print\w*|puts|debug|trace|echo"
    r"|printStackTrace)\b[\w.!]*[ (](?:[^()]|\([^()]*\))*"
    r"|^[ \t]*(?:[\w<>?]+[ \t]+)?\$?\w+[ \t]*=(?!=).*"
)
# `except Error as e:`, `rescue Error => e`, `catch (Error e) {`, `catch (e: Error) {`
_NAMED = lazy_pattern(
    r"\bas\s+(\w+)\s*:|=>\s*(\w+)|\bcatch\s*\(\s*(\w+)\s*:"
    r"|\bcatch\s*\((?:[^()]*[\s&*])?\$?(\w+)\s*(?::[^()]*)?\)"
)


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


_CAUGHT = lazy_pattern(r"\}\s*catch\s*\{\s*\}")  # nobody got it before, either
_HOW = ("try?", "try")


def _asked_softly(file: ComparedFile) -> Iterator[Finding]:
    """Swift: an error that reached the caller is no value now."""
    for block in file.blocks if file.path.endswith(".swift") else ():
        for line in block.removed:
            found = _THROWS.search(code_of(line.text))
            soft, hard = (squeeze(f"{how}{found['call']}") if found else "" for how in _HOW)
            asked = found and any(soft in squeeze(new.text) for new in block.added)
            if not asked or _CAUGHT.search(line.text):
                continue
            unit = file.base_code.unit(line.number)
            news = (each for each in file.added if file.head_code.unit(each.number) == unit)
            # The second of two ways to do it may throw
            again = any(hard in squeeze(new.text) for new in news)
            if not again and not _throws_anew(file, line):
                rule = weigh_loss(_SWALLOWED, file, block)
                yield taken(rule, file, line, "an error no longer reaches the caller")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

"""Lines of the base that guard a definition which the head still has."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from ...text.patterns import lazy_pattern
from ._remark import ComparisonRule, hint
from ._sources import Block, ComparedFile, ComparisonInput, Line, squeeze

_DEFINED = lazy_pattern(
    r"^\s*(?:export\s+)?(?:default\s+)?(?:(?:public|private|protected|internal|static|final"
    r"|async|override|virtual|abstract|suspend|open)\s+)*"
    r"(?:def|class|func|fn|fun|function\*?)\s+(?:\([^)]*\)\s*)?(?P<name>[\w$.!?]+)"
    r"|^\s*(?:(?:public|private|protected|internal|static|final|async|override"
    r"|virtual)\s+)+[\w<>\[\],.? ]+?\s(?P<method>\w+)\s*\("
    r"|^\s*(?:async\s+|(?!return\b|new\b|throw\b|else\b"
    r"|await\b)[A-Za-z][\w<>\[\],.?]*\s+)?(?P<js>[\w$]+)\s*\([^;]*\)\s*(?::[^{]+)?\{\s*$"
)


# What says that anybody may
OPENS = lazy_pattern(
    r"\bpermitAll\b|\bPermitAll\b|\bAllowAny\b|\bAllowAnonymous\b|\bAnonymousAllowed\b"
    r"|\bIsAuthenticatedOrReadOnly\b"
)
# An attribute, a `#!` line, what a preprocessor reads
_NO_COMMENT = lazy_pattern(r"#(?:[\[!]|\s*(?:include|define|import|if|elif|else|endif|pragma)\b)")


def code_of(text: str) -> str:
    """The line without a comment that is all of it, or follows it."""
    bare = text.strip()
    comment = bare.startswith(("#", "//", "*", "/*", "--", ";", "<!--"))
    if comment and not _NO_COMMENT.match(bare):
        return ""
    return re.split(r"\s(?://|#)\s", text)[0]


def comment_of(text: str) -> str:
    """The comment of a line that may say why: not one that only quietens a checker or puts work
    off."""
    bare = text.strip()
    code = code_of(bare).strip()
    comment = bare[len(code) :].strip()
    return comment if len(comment) > _SHORTEST_REASON and not _NO_REASON.search(comment) else ""


@lru_cache(4)  # asked for block by block
def _reasons(file: ComparedFile) -> tuple[Line, ...]:
    """The added lines with a comment that was not there before, and that is no code which stood
    there."""
    written = file.written
    old = {comment_of(line.text) for line in written.removed}
    gone = {squeeze(line.text.lstrip(f"{_SIGNS}\t")) for line in written.removed}
    known = old | {""}
    return tuple(
        line
        for line in written.added
        if (comment := comment_of(line.text)) not in known
        and squeeze(comment.lstrip(_SIGNS)) not in gone
    )


_SIGNS = "#/*-<!; "
_SHORTEST_REASON = 8  # characters with its marks
_NO_REASON = lazy_pattern(
    r"(?i)\b(?:noqa|nosec|nolint|nosonar|type:\s*ignore|eslint-|oxlint-|biome-ignore"
    r"|pylint:|rubocop:|ts-(?:nocheck|ignore|expect)|mypy:|ruff:|flake8:|pyright:"
    r"|phpcs:|todo|fixme|xxx|hack)"
    r"|^\W*(?:ignored?|nothing|no-?op|empty|swallow(?:ed)?|intentionally empty)\W*$"
)
_NEAR = 3  # lines


def is_explained(file: ComparedFile, line: Line) -> bool:
    """The change writes a comment at this line of the head, or right beside it."""
    return any(abs(each.number - line.number) <= _NEAR for each in _reasons(file))


def loss_is_explained(file: ComparedFile, block: Block) -> bool:
    """The change writes a comment where the block was, or elsewhere in the same definition."""
    unit = file.base_code.unit(block.removed[0].number)
    gone = {line.number for line in block.removed}
    here = {
        line
        for written in file.written.blocks
        if any(line.number in gone for line in written.removed)
        for line in written.added
    }
    return any(
        line in here or (unit and file.head_code.unit(line.number) == unit)
        for line in _reasons(file)
    )


# What handles an error, by the line that begins it
CATCH = lazy_pattern(
    r"^\s*(?:\}\s*)?(?:(?:on\s+[\w.<>]+\s+)?catch|rescue|except)\b|^\s*\}\s*on\s+[A-Z]\w*\s*\{"
    r"|\.catch\(|\.rescue\b"
)


def decorated(text: str, line: int) -> str:
    """The name of the definition that a decorator or annotation at the line belongs to; "" where
    it belongs to something else, such as a variable."""
    depth = 0  # of the brackets of a decorator that takes several lines
    for row in text.split("\n")[line - 1 : line + 12]:
        if not depth and (found := _DEFINED.match(row)):
            return found["name"] or found["method"] or found["js"] or ""
        if not (depth or _ABOVE_DEFINITION.match(row)):
            return ""
        depth = max(0, depth + sum(map(row.count, "([{")) - sum(map(row.count, ")]}")))
    return ""


_ABOVE_DEFINITION = lazy_pattern(r"\s*(?:@|#|\[|//|/?\*|$)")


def removed_guards(
    sources: ComparisonInput, file: ComparedFile, pattern: re.Pattern[str]
) -> Iterator[tuple[Line, Block, re.Match[str]]]:
    """Removed lines of code with the pattern that no added line of the change has, and in whose
    place none of the same kind stands."""
    for block in file.blocks:
        for line in block.removed:
            found = pattern.search(code_of(line.text))
            if not found or squeeze(line.text) in sources.added_statements:
                continue
            if not any(pattern.search(code_of(new.text)) for new in block.added):
                yield line, block, found


def weigh_loss(rule: ComparisonRule, file: ComparedFile, block: Block) -> ComparisonRule:
    """The rule; a hint where the change itself gives a reason."""
    return hint(rule) if block.removed and loss_is_explained(file, block) else rule


def weigh_new(rule: ComparisonRule, file: ComparedFile, line: Line) -> ComparisonRule:
    """The same for a line of the head."""
    return hint(rule) if is_explained(file, line) else rule


def surroundings_stay(file: ComparedFile, line: Line) -> bool:
    """The definition around it, or at the top of a file the line before what goes, is there at
    head."""
    if _goes_whole(file, line):
        return False
    if file.base_code.unit(line.number):
        return unit_stays(file, line)
    block = next((block for block in file.blocks if line in block.removed), None)
    first = block.removed[0].number if block else line.number
    return first > 1 and file.base_rows[first - 2] in file.head_rows


def _goes_whole(file: ComparedFile, line: Line) -> bool:
    """The head of the definition goes with it, whatever others of the same name stay."""
    block = next((each for each in file.blocks if _has(each, line)), None)
    if block is None or any(new.text.strip() for new in block.added):
        return False
    depth = _depth(line.text)
    at = bisect_left(block.removed, line.number, key=lambda each: each.number)
    return any(
        _depth(old.text) < depth and (_DEFINED.match(old.text) or _INITIALISES.match(old.text))
        for old in block.removed[max(0, at - _FARTHEST) : at]
        if old.text.strip()
    )


def _has(block: Block, line: Line) -> bool:
    rows = block.removed
    return bool(rows) and rows[0].number <= line.number <= rows[-1].number


_FARTHEST = 100  # lines
# https://docs.swift.org/swift-book/documentation/the-swift-programming-language/initialization/
_INITIALISES = lazy_pattern(r"\s*(?:\w+\s+)*(?:init[?!]?|constructor)\s*[(<]")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def unit_stays(file: ComparedFile, line: Line) -> bool:
    """The definition around a line of the base is there at head, and has still a body."""
    unit = file.base_code.unit(line.number)
    around = unit.rpartition(".")[0]  # a condition with a call looks like the head of a method
    return bool(unit) and not file.head_code.units.isdisjoint({unit, around} - {""})


def same_but_for(old: str, new: str, part: re.Pattern[str]) -> bool:
    """Two statements are equal once the part is taken out of both, however they are spaced."""
    one, other = (re.sub(r"[\s,]+", "", part.sub("", text)) for text in (old, new))
    return bool(one) and one == other


def joined(lines: tuple[Line, ...]) -> str:
    """Lines of a block as one text."""
    return "\n".join(code_of(line.text) for line in lines)

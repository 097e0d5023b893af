"""Assertions in whose place others stand that claim less, and those that are caught when they
fail."""

import re
from collections.abc import Sequence
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import Block, ComparedFile, Line, squeeze
from .._tests import Test
from ._claims import (
    BOUND,
    OFTEN,
    PART,
    THERE,
    WIDER,
    as_assertion,
    claims_less,
    may_be_laxer,
    replaced_in,
    says_text,
)

_MOST_PAIRS = 2_000  # of lines: a block that is larger is written anew


def claiming_less(
    told: ComparisonRule, file: ComparedFile, before: Test, after: Test, blocks: list[Block]
) -> Finding | None:
    """An assertion in whose place one about the same stands that more values satisfy.

    A block may go over several tests, of which another one claims less because it always did.
    """
    for block in blocks:
        own = (each for each in block.removed if before.line <= each.number <= before.last)
        olds = [(each, _with_condition(file.base_rows, each)) for each in own]
        every = [(each, _with_condition(file.head_rows, each)) for each in block.added]
        texts = [text for _line, text in every]
        news = [each for each in every if after.line <= each[0].number <= after.last]
        pairs = (
            (old, was, new, now)
            for old, was in olds
            if may_be_laxer(was)
            for new, now in news
            if may_be_laxer(now)
        )
        for old, was, new, now in islice(pairs, _MOST_PAIRS):
            how = claims_less(was, now)
            if not how or _bare(was) in map(_bare, texts) or _is_said_else(how, was, texts):
                continue
            if how == WIDER or not replaced_in(texts, was):
                light = how in (OFTEN, PART) or is_explained(file, new)
                rule = hint(told) if light else told
                title = f"an assertion claims less than before, {how}: {before.name}"
                return put(rule, file, new, title, quoted(old.text.strip()))
    return None


def _is_said_else(how: str, was: str, texts: Sequence[str]) -> bool:
    """What the new assertion leaves open another new line says."""
    if how == OFTEN:
        return any(map(_LOOKS_AT_CALLS.search, texts))
    if how == BOUND and (wanted := _TEXT.search(was)):
        return any(wanted[0] in text and not claims_less(was, text) for text in texts)
    return how == THERE and says_text(texts, was)


_TEXT = lazy_pattern(r"\"[^\"\n]{4,}\"")


# What a stand-in was called with is compared by itself
_LOOKS_AT_CALLS = lazy_pattern(
    r"\b(?:call_args(?:_list)?|mock_calls|mock\.(?:calls|lastCall)|(?:first|last)Call|getCall"
    r"|[cC]aptor\.\w+)\b"
)


def _bare(text: str) -> str:
    """What the line asserts, whether or not the test goes on where that fails:
    https://pkg.go.dev/github.com/stretchr/testify/require"""
    bare = re.sub(r"^(?:assert|require|expect)\.", "", squeeze(text))
    of_error = _OF_ERROR.match(bare)
    if of_error is None:
        return bare
    fails = "!=" in (of_error["operator"] or "") or bare.startswith("Error")
    return f"{'Error' if fails else 'NoError'}({of_error['given'] or of_error['error']})"


# With a message or without one, and as Go's own condition
_OF_ERROR = lazy_pattern(
    r"(?:No)?Error\(\w+,(?P<given>\w+)(?:,.*)?\)$|assert(?P<error>\w*[eE]rr)(?P<operator>[!=]=)nil$"
)


def _with_condition(rows: Sequence[str], line: Line) -> str:
    """What a line asserts, perhaps by the failure below it."""
    below = rows[line.number] if line.number < len(rows) else ""
    return as_assertion(line.text, below)


def swallowed(
    told: ComparisonRule, file: ComparedFile, name: str, blocks: list[Block]
) -> Finding | None:
    """An assertion that fails is caught, and nothing is done about it."""
    for block in blocks:
        for new in block.added:
            below = file.head_rows[new.number : new.number + 1]
            if _CATCHES.match(new.text) and any(map(_DOES_NOTHING.match, below)):
                return put(told, file, new, f"a failed assertion is caught: {name}")
    return None


_CATCHES = lazy_pattern(
    r"\s*(?:except\s+(?:AssertionError|BaseException)\b.*:"
    r"|\}?\s*catch\s*\((?:final\s+)?(?:\w*Assertion\w*"
    r"|Throwable)\b.*\)\s*\{|rescue\s+(?:Minitest::Assertion|RSpec::\S*)).*$"
)
_DOES_NOTHING = lazy_pattern(r"\s*(?:pass|continue|\}|end|return)\s*(?:;\s*)?$")

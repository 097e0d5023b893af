"""Conditions that refuse, and ask something else now: one operand is gone while another one
comes."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import unit_stays
from .._remark import hint, quoted, taken
from .._sources import ComparedFile, ComparisonInput
from . import lost_operands
from ._conditions import Condition, conditions
from ._unsaid import where_silent
from .lost_operands import asks_elsewhere
from .validation import RULE

EVERY_FILE = False
_WORD = lazy_pattern(r"[A-Za-z_]\w+")
_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_CALLEE = lazy_pattern(r"[A-Za-z_]\w+(?=\()")
_MOST_BLOCKS = 60  # of a file, beyond which it was rewritten


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where nothing else is lost from its conditions."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and language_of(file.path) and file.mentions(*lost_operands.WORDS)
        for finding in islice(_in_file(sources, file), 1)
    ]
    others = (lost_operands.compare,)
    yield from where_silent(sources, found, others)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks if len(file.blocks) <= _MOST_BLOCKS else ():
        if not (block.removed and block.added):
            continue
        news = [*conditions(file, block.added, at_head=True)]
        for old in conditions(file, block.removed, at_head=False):
            if old.joint != "or" or old.permits or old.unless or not old.says_why:
                continue
            same = [new for new in news if {*new.operands} & {*old.operands}]
            lost = _lost(old, same[0]) if len(same) == len(news) == 1 else ""
            if lost and unit_stays(file, old.line) and not asks_elsewhere(sources, file, lost):
                title = f"a refusal no longer asks {quoted(lost)}"
                yield taken(hint(RULE), file, old.line, title, quoted(same[0].text))


def _lost(old: Condition, new: Condition) -> str:
    """The operand that is gone, where none that came may ask the same in other words."""
    if (new.joint, new.unless, new.permits) != (old.joint, old.unless, old.permits):
        return ""
    gone = [each for each in old.operands if each not in new.operands]
    came = [each for each in new.operands if each not in old.operands]
    if len(gone) != 1 or not came or any(_is_alike(gone[0], each) for each in came):
        return ""
    return gone[0]


def _is_alike(gone: str, came: str) -> bool:
    """Both speak of the same text, or of nothing but the same things; or the one that came calls
    something about the same value, which may ask just that."""
    callees = {*_CALLEE.findall(came)}
    if callees and ({*_WORD.findall(gone)} & {*_WORD.findall(came)}) - callees:
        return True
    texts = {each.strip("\"'") for each in _TEXT.findall(gone)}
    if texts:
        return any(text and text in came for text in texts)
    callees = {*_CALLEE.findall(gone)}
    if callees:
        return bool(callees & {*_CALLEE.findall(came)}) or _stem(callees) in came.lower()
    return bool({*_WORD.findall(gone)} & {*_WORD.findall(came)})


def _stem(callees: set[str]) -> str:
    """The longest part of the names that says what they ask: `is_empty` and `isEmpty`."""
    parts = re.findall(r"[A-Z]?[a-z]{3,}", " ".join(sorted(callees)))
    return max(parts, key=len, default="\0").lower()

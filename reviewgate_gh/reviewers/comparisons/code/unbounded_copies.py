"""Calls of C that were told how much fits, and whose place one takes that writes whatever comes."""

import re
from collections.abc import Iterator

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, weigh_loss
from .._parameters import split_arguments
from .._remark import put, quoted
from .._sources import Block, ComparedFile, ComparisonInput
from .validation import RULE

EVERY_FILE = False
# https://wiki.sei.cmu.edu/confluence/display/c/STR31-C
_BOUNDED = lazy_pattern(
    r"\b(?P<name>v?snprintf|strncpy(?:_s)?|strlcpy|strscpy|strncat|strlcat|fgets|stpncpy)\s*\("
)
_UNBOUNDED = lazy_pattern(r"\b(?P<name>v?sprintf|strcpy|strcat|gets|stpcpy)\s*\(")
# What writes as many characters as the text of the program itself says
_FITS = lazy_pattern(r"^\s*\"(?:[^\"%\\]|\\.|%%|%[\d.]*l*[diuxXc])*\"\s*$")
_KEEPS_TO = lazy_pattern(r"\bstrn?len\s*\(|\bsizeof\b")
_NEAR = 3  # lines


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) == "c":
            for block in file.blocks:
                yield from _in_block(file, block)


def _in_block(file: ComparedFile, block: Block) -> Iterator[Finding]:
    bounded = [line for line in block.removed if not _is_as_long(line.text)]
    olds = {_target(line.text, found): line for line in bounded
            if (found := _BOUNDED.search(code_of(line.text)))}  # fmt: skip
    for new in block.added if olds else ():
        found = _UNBOUNDED.search(code_of(new.text))
        old = olds.get(_target(new.text, found)) if found else None
        if old is None or found is None or _is_harmless(file, new.number, new.text, found):
            continue
        rule = weigh_loss(RULE, file, block)
        title = f"{found['name']} writes without a bound"
        yield put(rule, file, new, title, quoted(old.text))
        return


def _is_as_long(text: str) -> bool:
    """The bound is the length of what is copied, which bounds nothing."""
    return "strlen" in text and "sizeof" not in text


def _target(text: str, call: re.Match[str]) -> str:
    parts = split_arguments(text, call.end())
    return parts[0].strip() if parts else ""


def _is_harmless(file: ComparedFile, number: int, text: str, call: re.Match[str]) -> bool:
    """Only a text of the program is written, or a length is looked at right before."""
    parts = split_arguments(text, call.end()) or ()
    above = file.head_rows[max(0, number - 1 - _NEAR) : number - 1]
    fits = len(parts) > 1 and _FITS.match(parts[1]) is not None
    return fits or any(row.lstrip().startswith("if") and _KEEPS_TO.search(row) for row in above)

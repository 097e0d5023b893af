"""What is meant for developers and now reaches everybody: a released program that can be debugged,
and ASP.NET's page with the code around an error."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._paths import without_packages
from .._guards import is_explained
from .._remark import hint, put
from .._sources import ComparedFile, ComparisonInput, Line
from ..code.switched_off import LOCAL
from ._protections import DEBUG

EVERY_FILE = False
# https://developer.android.com/build/build-variants, in Groovy without a sign
_DEBUGGABLE = lazy_pattern(r"^\s*(?P<key>(?:is)?[dD]ebuggable)(?P<sign>\s*[=(]\s*|\s+)true\b")
_RELEASE = lazy_pattern(r"(?i)(?<![a-z])(?:release|prod(?:uction)?)(?![a-z])")
# https://learn.microsoft.com/aspnet/core/fundamentals/error-handling#developer-exception-page
_PAGE = lazy_pattern(r"\.UseDeveloperExceptionPage\(")
_WORD = "UseDeveloperExceptionPage"
_ASKS = lazy_pattern(r"(?i)develop|debug|\blocal|\b(?:if|else|case|switch)\b")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.is_product or file.is_new or file.is_gone:
            continue
        if file.path.endswith((".gradle", ".gradle.kts")) and file.mentions(b"ebuggable"):
            yield from islice(_debuggable(file.code), 1)
        elif (
            file.path.endswith(".cs")
            and _WORD in file.head
            and not LOCAL.search(without_packages(file.path))
        ):
            yield from islice(_pages(file.code), 1)


def _debuggable(file: ComparedFile) -> Iterator[Finding]:
    """A block of the build that is released has the switch, which it had not before."""
    if any(_is_of_release(file.base_rows, at) for at in range(len(file.base_rows))):
        return
    for line in file.added:
        found = _DEBUGGABLE.match(line.text)
        # The same line with another value is told as such
        told = found and any(_is_off(old.text, found) for old in file.removed)
        if found and not told and _is_of_release(file.head_rows, line.number - 1):
            rule = hint(DEBUG) if is_explained(file, line) else DEBUG
            yield put(rule, file, line, "the released program can be debugged")


def _is_off(text: str, found: re.Match[str]) -> bool:
    return "=" in found["sign"] and (
        re.search(rf"(?<!\w){found['key']}\s*=\s*false\b", text) is not None
    )


def _is_of_release(rows: Sequence[str], at: int) -> bool:
    """The row, by its place from 0, switches it on in a block that is named after a release."""
    if not _DEBUGGABLE.match(rows[at]):
        return False
    return any(map(_RELEASE.search, islice(_openers(rows, at), 1)))


def _pages(file: ComparedFile) -> Iterator[Finding]:
    """A call that nothing around it asks about, and that the base did not make so."""
    if any(_is_for_all(file.base_rows, at) for at in range(len(file.base_rows))):
        return
    for at, row in enumerate(file.head_rows):
        if _is_for_all(file.head_rows, at):
            line = Line(at + 1, row)
            rule = hint(DEBUG) if is_explained(file, line) else DEBUG
            yield put(rule, file, line, "everybody is shown the page with the code of an error")


def _is_for_all(rows: Sequence[str], at: int) -> bool:
    if not _PAGE.search(rows[at]) or _ASKS.search(_PAGE.sub("", rows[at])):
        return False
    above = (row.strip() for row in reversed(rows[:at]))
    preprocessed = next((row for row in above if row.startswith(("#if", "#else", "#endif"))), "")
    if preprocessed and not preprocessed.startswith("#endif"):
        return False
    return not any(map(_ASKS.search, _openers(rows, at)))


def _openers(rows: Sequence[str], at: int) -> Iterator[str]:
    """The lines that begin the blocks around a line, the innermost first."""
    depth = _depth(rows[at])
    for row in reversed(rows[:at]):
        if row.strip() not in ("", "{") and _depth(row) < depth:
            depth = _depth(row)
            yield row


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

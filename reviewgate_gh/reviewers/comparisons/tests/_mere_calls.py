"""Assertions of which only the call is left that they were about."""

import re
from collections.abc import Sequence

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, Line, squeeze
from .._statements import whole_statement
from ._assertion_words import ALWAYS, ASSERT, BINDS_NOTHING, MUST_NOT_FAIL, SUPPRESSES, WEAK

_SHORTEST_CALL = 8  # letters


def assertion_around(new: Line, removed: Sequence[Line]) -> Line | None:
    """The removed assertion, of one line or of several, that held this statement."""
    if suppressed := SUPPRESSES.search(new.text):
        return next((old for old in removed if f"raises({suppressed[1]})" in old.text), None)
    call = BINDS_NOTHING.sub("", new.text).strip()
    bare = squeeze(call).rstrip(";")
    goes_on = new.text.rstrip().endswith((",", "(", "[", "{", "+", "&", "|", "\\", ":"))
    goes_on = goes_on or bare.startswith((".", "->", "?.", "!!.", "|>"))  # a link of what is above
    if "(" not in bare or len(bare) < _SHORTEST_CALL or goes_on:
        return None
    begins = re.escape(re.split(r"\W", call, maxsplit=1)[0])
    for at, old in enumerate(removed):
        # Not the end of another name: `warn(` in `assert_warn(`
        if bare not in squeeze(old.text) or not re.search(rf"(?<!\w){begins}", old.text):
            continue
        opener = next((row for row in removed[at::-1] if ASSERT.search(row.text)), None)
        if opener is None or MUST_NOT_FAIL.search(opener.text + old.text):
            continue
        between = removed[removed.index(opener) : at]
        if opener is old or (opener.text.rstrip().endswith("(") and _is_open(between)):
            return opener
    return None


def _is_open(lines: Sequence[Line]) -> bool:
    """A bracket that these lines open is closed by none of them."""
    text = "\n".join(line.text for line in lines)
    return text.count("(") > text.count(")")


def says_there_is_one(text: str) -> bool:
    """The assertion said little: the call may fail by itself where there is nothing, as what looks
    for an element. https://testing-library.com/docs/queries/about/#types-of-queries"""
    return (WEAK.search(text) or ALWAYS.search(text) or _GETS.match(text)) is not None


# That there is something, of a call that fetches or makes it
_GETS = lazy_pattern(
    r"\s*assert\s+(?:await\s+)?(?:\w+\.)*(?:get|load|find|read|fetch|create|make|build|parse|open"
    r"|render)(?:_\w+)?\([^=<>]*\)\s*$"
)


def is_kept(file: ComparedFile, new: Line) -> bool:
    """The line goes on with a statement that began above it: an assertion over several rows, or one
    that gives the value a name, so that what follows may check it."""
    return whole_statement(file.head_code, file.head_rows, new.number).start < new.number

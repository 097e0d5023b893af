"""Assertions of which only the call is left that they were about."""

import re
from collections.abc import Sequence

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, Line, squeeze
from .._statements import whole_statement
from ._assertion_words import ASSERT, BINDS_NOTHING, MUST_NOT_FAIL, SUPPRESSES, WEAK

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
    """The assertion said little: the call may fail by itself where there is nothing."""
    return (WEAK.search(text) or _GETS.match(text)) is not None


# That there is something, of a call that fetches or makes it
_GETS = lazy_pattern(
    r"\s*assert\s+(?:await\s+)?(?:\w+\.)*(?:get|load|find|read|fetch|create|make|build|parse|open"
    r"|render)(?:_\w+)?\([^=<>]*\)\s*$"
)


def is_kept(file: ComparedFile, new: Line) -> bool:
    """The line goes on with an assertion, which other lines indent now, or with a statement that
    gives the value a name: what follows may check it."""
    first = whole_statement(file.head_code, file.head_rows, new.number).start
    row = file.head_rows[first - 1].strip()
    goes_on = first < new.number and (_BINDS.match(row) or ASSERT.search(row)) is not None
    return goes_on or _is_argument(file, new)


_BINDS = lazy_pattern(r"(?!_ )[\w., ]*\w ?:?=(?!=)")


def _is_argument(file: ComparedFile, new: Line) -> bool:
    """A row above opens the assertion that it is a part of: it may be all that a lambda does."""
    depth = _depth(new.text)
    for row in reversed(file.head_rows[max(0, new.number - _MOST_ROWS) : new.number - 1]):
        if not row.strip() or _depth(row) >= depth:
            continue
        if row.rstrip().endswith("(") and ASSERT.search(_LAMBDA.sub("", row)):
            return True
        if row.rstrip().endswith(("{", ":", ";")):
            return False
        depth = _depth(row)
    return False


_MOST_ROWS = 20
_LAMBDA = lazy_pattern(r"^\s*(?:async\s+)?(?:\w+|\([^()]*\))\s*[=-]>")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

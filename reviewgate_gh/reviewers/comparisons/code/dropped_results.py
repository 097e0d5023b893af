"""Results that say whether something failed, and that nobody looks at any more, whatever else
changes in the definition."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import is_definition, language_of
from .._guards import code_of, unit_stays, weigh_loss
from .._remark import put, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from . import (
    error_handling,
    go_errors,
    kept_errors,
    lost_awaits,
    swallowed_errors,
    unwrapped,
    validation,
)
from ._dead_stores import is_never_read
from ._unsaid import where_silent
from .swallowed_errors import SWALLOWED, is_of_memory, is_told_otherwise, never_fails

EVERY_FILE = False
_CALL = r"(?P<call>(?:[\w$@]+(?:\(\))?(?:\.|->|::|\?\.))*[\w$]+[!?]?)"
# A call alone, or whose result is said to be of no interest
_BARE = lazy_pattern(rf"^\s*(?:\(void\)\s*)?{_CALL}\s*\((?!.*[!=]=).*[(){{,]\s*(?:;\s*)?$")
_DROPPED = {
    "go": lazy_pattern(rf"^\s*(?:[\w.]+\s*,\s*)*_\s*:?=\s*{_CALL}\("),
    "rs": lazy_pattern(rf"^\s*let\s+_\w*\s*=\s*{_CALL}\(|^.*?(?P<soft>[\w:.<>]+)\(.*\.ok\(\)\s*;"),
}
# How a line of the base looks at the result of a call, by the language; NAME is the call
_LOOKED = {
    "go": r"\berr\w*\s*:?=\s*NAME\(|^\s*return\s+(?:.*,\s*)?NAME\(|\bif\b.*\bNAME\(.*[!=]=\s*nil",
    "c": r"\b(?:if|while|switch)\s*\((?:[^()]|\([^()]*\))*?\bNAME\("
    r"|\b(?:rc|ret|res|err|error|status|rv|r|n|result)\s*="
    r"\s*NAME\(|\breturn\s+NAME\(|\b(?:assert|CHECK|TRY)\w*\(.*\bNAME\(",
    "rs": r"\bNAME\(.*\?\s*[;,)]?|\bNAME\(.*\.(?:unwrap\(\)|expect\().*;"
    r"|\b(?:match|if let)\b.*\bNAME\(",
}
# Clean-ups, prints, and what nobody can act upon
_IDLE = lazy_pattern(
    r"(?i)(?:^|[.>:_])\w*(?:close|flush|sync|remove\w*|unlink|f?print\w*|puts|copy|writestring"
    r"|setenv|kill|cancel|log\w*|info|warn|debug|error|free|cleanup|rollback|abort|delete\w*|send"
    r"|rm|mkdir|trap|shutdown|stop|join|wait|memset|memcpy|snprintf|read|signal|pkill|umount)$"
)
_WORD = lazy_pattern(r"[A-Za-z_]\w*")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and language_of(file.path)
        for finding in islice(chain(_in_file(sources, file), _no_longer_asked(file)), 1)
    ]
    others = (
        validation.compare,
        swallowed_errors.compare,
        error_handling.compare,
        go_errors.compare,
        kept_errors.compare,
        lost_awaits.compare,
        unwrapped.compare,
    )
    yield from where_silent(sources, found, others)


def _is_handed_up(file: ComparedFile, line: Line) -> bool:
    """Rust: the statement hands its error to the caller, in this row or one of the next."""
    for row in file.head_rows[line.number - 1 : line.number + _LONGEST]:
        bare = _TEXT.sub("", code_of(row)).rstrip()
        if re.search(r"\?\s*(?:[;.)]|$)", bare):
            return True
        if bare.endswith((";", "{")):
            return False
    return False


_LONGEST = 8  # rows of a statement
_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"")


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    kind = language_of(file.path)
    if kind not in _LOOKED:
        return
    for block in file.blocks:
        for new in block.added:
            call = _dropped(kind, code_of(new.text))
            if not call or _IDLE.search(call) or squeeze(new.text) in sources.removed_statements:
                continue
            if kind == "rs" and _is_handed_up(file, new):
                continue
            if kind == "go" and (is_of_memory(file, new, call) or is_told_otherwise(file, new)):
                continue
            old = _looked_at(sources, file, new, kind, call)
            if old and not (_may_not_fail(sources, call) or _is_kept(file, new)):
                rule = weigh_loss(SWALLOWED, file, _of(file, old))
                title = "the result of a call is no longer checked"
                yield put(rule, file, new, title, quoted(old.text))
                return


def _no_longer_asked(file: ComparedFile) -> Iterator[Finding]:
    """What says whether the call above failed, or a callback gets told, has no branch any more."""
    for block in file.blocks:
        first = block.removed[0] if block.removed and not block.added else None
        asks = _ASKS.match(code_of(first.text)) if first else None
        if first is None or asks is None or first.number < 2:
            continue
        before = (row for row in reversed(file.base_rows[: first.number - 1]) if row.strip())
        above = next(before, "")
        given = _GIVES.get(language_of(file.path), _NEVER).search(code_of(above))
        leaves = any(_ENDS.search(code_of(line.text)) for line in block.removed)
        if not (given and leaves and given["name"] == asks["name"] and above in file.head_rows):
            continue
        if unit_stays(file, first) and not _asked_below(file, above, asks["name"]):
            rule = weigh_loss(error_handling.HANDLER, file, block)
            yield taken(rule, file, first, "the result of a call is no longer checked")


def _asked_below(file: ComparedFile, call: str, name: str) -> bool:
    """Another condition, or the answer, has it, wherever the head has the call."""
    word = name.lstrip("$")
    calls = (at for at, row in enumerate(file.head_rows, 1) if row == call)
    return all(any(has_word(row, word) for row in file.head_rows[at : at + _NEAR]) for at in calls)


_NEAR = 4  # lines
_NEVER = lazy_pattern(r"(?!)")
_ASKS = lazy_pattern(
    r"^\s*if\s*\(\s*!?\s*(?P<name>\$?\w+)\s*(?:(?:[!=]==?|<=?)\s*(?:-?\d|NULL|nullptr|null|false"
    r"|undefined|[A-Z][A-Z_]*OK|OK)\s*)?\)\s*(?:\{\s*)?$"
)
_STATE = r"(?:rc|ret|retval|res|err|error|status|rv|r|n|result|fd|ok|success)"
_GIVES = {
    "c": lazy_pattern(rf"(?<![\w.>])(?P<name>{_STATE})\s*=\s*[\w.:>-]+\("),
    "php": lazy_pattern(rf"^\s*(?P<name>\${_STATE})\s*=\s*[\\\w$.:>-]+\("),
    # https://nodejs.org/api/errors.html#error-first-callbacks
    "js": lazy_pattern(r"\(\s*(?P<name>err|error|e)\b[^()]*\)\s*(?:=>\s*)?\{\s*$"),
}
_ENDS = lazy_pattern(
    r"^\s*(?:return|goto|throw|exit|abort|die|reject)\b|\b(?:cb|callback|done|next|reject)\("
)


def _dropped(kind: str, code: str) -> str:
    """The call whose result the line drops."""
    pattern = _DROPPED.get(kind)
    found = pattern.match(code) if pattern else None
    if found:
        return next((each for each in found.groupdict().values() if each), "")
    if kind in ("go", "c") and code[:1].isspace():  # at the margin it is a definition
        found = _BARE.match(code)
        word = found["call"] if found else ""
        return word if word not in _STATEMENTS else ""
    return ""


_STATEMENTS = frozenset(
    ("if", "for", "while", "switch", "return", "func", "go", "defer", "else", "case", "sizeof",
     "def", "defp", "do", "fn", "use", "import", "alias", "raise", "panic", "assert")
)  # fmt: skip


def _looked_at(
    sources: ComparisonInput, file: ComparedFile, new: Line, kind: str, call: str
) -> Line | None:
    """The removed line of the same definition that looked at the result of the same call, where
    fewer lines look at it than before."""
    bare = call.rstrip("!?")
    pattern = re.compile(_LOOKED[kind].replace("NAME", rf"(?:\w+[.:>-]+)*{re.escape(bare)}"))
    unit = file.head_code.unit(new.number)
    found = next(
        (
            old
            for old in file.removed
            if file.base_code.unit(old.number) == unit
            and not (kind == "rs" and _dropped(kind, code_of(old.text)) == call)
            and pattern.search(code_of(old.text))
            and squeeze(old.text) not in sources.added_statements
            and not is_never_read(file, old)
        ),
        None,
    )
    if found is None:
        return None
    counts = [
        sum(
            code.unit(at) == unit and pattern.search(code_of(row)) is not None
            for at, row in enumerate(rows, 1)
            if bare in row
        )
        for code, rows in ((file.base_code, file.base_rows), (file.head_code, file.head_rows))
    ]
    return found if counts[1] < counts[0] else None


def _of(file: ComparedFile, line: Line) -> Block:
    return next(block for block in file.blocks if line in block.removed)


def _may_not_fail(sources: ComparisonInput, call: str) -> bool:
    """The change touches the head of the function that is called: it may fail no longer."""
    if never_fails(sources, call):
        return True
    name = _WORD.findall(call)[-1]
    return any(
        has_word(line.text, name) and is_definition(other.path, line.text, name)
        for other in sources.files
        for line in (*other.removed, *other.added)
    )


def _is_kept(file: ComparedFile, new: Line) -> bool:
    """What the call gives goes into a longer statement, or is the answer of the definition."""
    if _is_value(file, new):
        return True
    if len(file.head_code.rows(new.number)) > 1:
        return file.head_code.rows(new.number).start != new.number
    above = next((row for row in reversed(file.head_rows[: new.number - 1]) if row.strip()), "")
    return above.rstrip().endswith(_GOES_ON)


def _is_value(file: ComparedFile, new: Line) -> bool:
    """C: the last statement of `({ ... })` is what that gives.
    https://gcc.gnu.org/onlinedocs/gcc/Statement-Exprs.html"""
    rows, depth = file.head_rows, _depth(new.text)
    above = (row for row in reversed(rows[: new.number - 1]) if row.strip() and _depth(row) < depth)
    below = (row for row in rows[file.head_code.rows(new.number).stop - 1 :] if row.strip())
    return next(above, "").rstrip().endswith("({") and next(below, "").lstrip().startswith("})")


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


_GOES_ON = (".", "=", "(", ",", "?", ":", "&&", "||", "=>", "return", "<-")

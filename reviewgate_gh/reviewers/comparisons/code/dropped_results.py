"""Results that say whether something failed, and that nobody looks at any more, whatever else
changes in the definition."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import is_definition, language_of
from .._guards import code_of, unit_stays, weigh_loss
from .._remark import hint, put, quoted, taken
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
from ._unsaid import where_silent
from .swallowed_errors import SWALLOWED, never_fails

EVERY_FILE = False
_CALL = r"(?P<call>(?:[\w$@]+(?:\(\))?(?:\.|->|::|\?\.))*[\w$]+[!?]?)"
# A call alone, or whose result is said to be of no interest
_BARE = lazy_pattern(rf"^\s*(?:\(void\)\s*)?{_CALL}\s*\((?!.*[!=]=).*[(){{,]\s*(?:;\s*)?$")
_DROPPED = {
    "go": lazy_pattern(rf"^\s*(?:[\w.]+\s*,\s*)*_\s*:?=\s*{_CALL}\("),
    "rs": lazy_pattern(
        rf"^\s*let\s+_\w*\s*=\s*{_CALL}\(|^\s*if\s+let\s+Err\([\w:()]+\)\s*=\s*(?P<told>[\w:.]+)\("
        r"|^.*?(?P<soft>[\w:.<>]+)\(.*\.(?:ok\(\)\s*;|unwrap_or(?:_default)?\()"
    ),
    "js": lazy_pattern(rf"^\s*{_CALL}\(.*\)\s*(?:;\s*)?$"),
    "java": lazy_pattern(
        rf"^\s*(?:return\s+|val\s+\w+\s*=\s*)?runCatching\s*\{{\s*{_CALL}\([^{{}}]*\}}"
        r"(?:\.get(?:OrNull\(\)|OrDefault\(.*\)|OrElse\s*\{.*\}))?\s*$"
    ),
    "php": lazy_pattern(rf"^.*(?<![\w*])@{_CALL}\("),
    "rb": lazy_pattern(
        rf"^\s*(?:@?\w+\s*=\s*)?{_CALL}\(.*\s+"
        r"rescue\s+(?:nil|false|\[\]|\{\}|''|\"\")\s*$"
    ),
    "sh": lazy_pattern(r"^\s*(?P<call>[\w./-]+)\b.*\|\|\s*(?:true|:)\s*$"),
    "py": lazy_pattern(
        rf"^\s*(?:[\w.]+\s*=\s*|return\s+)?(?:await\s+)?{_CALL}\("
        r".*\breturn_exceptions\s*=\s*True"
    ),
}
# It is told, or another value stands for it
_SOFT = lazy_pattern(r"unwrap_or|\bif\s+let\s+Err\b")
# How a line of the base looks at the result of a call, by the language; NAME is the call
_LOOKED = {
    "go": r"\berr\w*\s*:?=\s*NAME\(|^\s*return\s+(?:.*,\s*)?NAME\(|\bif\b.*\bNAME\(.*[!=]=\s*nil",
    "c": r"\b(?:if|while|switch)\s*\((?:[^()]|\([^()]*\))*?\bNAME\("
    r"|\b(?:rc|ret|res|err|error|status|rv|r|n|result)\s*="
    r"\s*NAME\(|\breturn\s+NAME\(|\b(?:assert|CHECK|TRY)\w*\(.*\bNAME\(",
    "rs": r"\bNAME\(.*\?\s*[;,)]?|\bNAME\(.*\.(?:unwrap\(\)|expect\().*;"
    r"|\b(?:match|if let)\b.*\bNAME\(",
    "js": r"\bawait\s+NAME\(|\breturn\s+NAME\(",
    "ex": r"(?:\{:ok,?[^}]*\}|:ok)\s*(?:=|<-)\s*NAME\(|\bNAME!\(|\bcase\s+NAME\(",
    "java": r"^(?!.*runCatching).*\bNAME\(|runCatching.*\bNAME\(.*getOrThrow",
    "php": r"(?<!@)\bNAME\(",
    "rb": r"^(?!.*\brescue\b).*\bNAME\b",
    "sh": r"^(?!.*\|\|\s*(?:true|:)).*\bNAME\b",
    "py": r"^(?!.*return_exceptions).*\bNAME\(",
    "swift": r"\btry!?\s+NAME\(",
}
_KOTLIN = (".kt", ".kts")
# Clean-ups, prints, and what nobody can act upon
_IDLE = lazy_pattern(
    r"(?i)(?:^|[.>:_])\w*(?:close|flush|sync|remove\w*|unlink|f?print\w*|puts|copy|writestring"
    r"|setenv|kill|cancel|log\w*|info|warn|debug|error|free|cleanup|rollback|abort|delete\w*|send"
    r"|rm|mkdir|trap|shutdown|stop|join|wait|memset|memcpy|snprintf|read|signal|pkill|umount)$"
)
_WORD = lazy_pattern(r"[A-Za-z_]\w*")
# Whoever gets it waits for it or handles its failure
_HANDS_ON = lazy_pattern(r"\.(?:then|catch|finally)\(")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and (language_of(file.path) or file.path.endswith(".sh"))
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


def _kind(path: str) -> str:
    return "sh" if path.endswith((".sh", ".bash")) else language_of(path)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    kind = _kind(file.path)
    if kind not in _LOOKED or (kind == "java" and not file.path.endswith(_KOTLIN)):
        return
    for block in file.blocks:
        if asked := _asked_no_more(sources, file, block):
            title = "a failure is no longer noticed here"
            yield put(hint(SWALLOWED), file, asked[1], title, quoted(asked[0].text))
            return
        for new in block.added:
            call = _dropped(kind, code_of(new.text))
            if not call or _IDLE.search(call) or squeeze(new.text) in sources.removed_statements:
                continue
            if kind == "rs" and _is_handed_up(file, new):
                continue
            old = _looked_at(sources, file, new, kind, call)
            if old and not _is_harmless(sources, file, new, old, call):
                idle = kind not in ("go", "rs", "c") or _SOFT.search(new.text) is not None
                rule = hint(SWALLOWED) if idle else weigh_loss(SWALLOWED, file, _of(file, old))
                title = "the result of a call is no longer checked"
                yield put(rule, file, new, title, quoted(old.text))
                return


def _is_harmless(
    sources: ComparisonInput, file: ComparedFile, new: Line, old: Line, call: str
) -> bool:
    """A failure ended the program before, or cannot come, or somebody else looks at it."""
    if "unwrap_or" in new.text and "?" not in old.text:
        return True
    return _may_not_fail(sources, call) or _is_kept(file, new, _kind(file.path))


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
        if unit_stays(file, first) and not _asked_below(file, block, asks["name"]):
            rule = weigh_loss(error_handling.HANDLER, file, block)
            yield taken(rule, file, first, "the result of a call is no longer checked")


def _asked_below(file: ComparedFile, block: Block, name: str) -> bool:
    """Another condition, or the answer, still has it."""
    below = file.base_rows[block.removed[-1].number :][:_NEAR]
    return any(has_word(row, name.lstrip("$")) for row in below)


_NEAR = 3  # lines
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

# The word by which a call fails aloud, and the call as it fails in silence
_ALOUD = lazy_pattern(
    r"(?:,\s*)?\bcheck\s*=\s*True\b|(?<=subprocess\.)check_(?=call)|\|\|\s*(?:\{\s*)?(?:exit|return"
    r"|die|fail"
    r"|abort)\b.*$"
)
_CALLEE = lazy_pattern(r"[\w./-]+(?=\()|^\s*[\w./-]+\s+\S+")


def _asked_no_more(
    sources: ComparisonInput, file: ComparedFile, block: Block
) -> tuple[Line, Line] | None:
    """The same program is called, and its exit code is of no interest."""
    if not file.path.endswith((".py", ".sh", ".bash")):
        return None
    if any(_ALOUD.search(code_of(new.text)) for new in file.added):
        return None
    for old in block.removed:
        code = code_of(old.text)
        found = _ALOUD.search(code)
        callee = _CALLEE.search(_ALOUD.sub("", code)) if found else None
        called = callee[0].strip() if callee and "returncode" not in file.head else ""
        new = next((new for new in block.added if called and called in new.text), None)
        if new:
            return None if any(map(_ENDS_ANYWAY.match, file.head_rows)) else (old, new)
    return None


# https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html
_ENDS_ANYWAY = lazy_pattern(r"\s*set\s+-\w*e|#!.*\bsh\s+-\w*e")


def _dropped(kind: str, code: str) -> str:
    """The call whose result the line drops."""
    pattern = _DROPPED.get(kind)
    found = pattern.match(code) if pattern else None
    if found:
        return next((each for each in found.groupdict().values() if each), "")
    if kind in ("go", "c", "ex") and code[:1].isspace():  # at the margin it is a definition
        found = _BARE.match(code)
        word = found["call"] if found else ""
        # What raises needs no look: https://hexdocs.pm/elixir/naming-conventions.html#trailing-bang-foo
        if kind == "ex" and word.endswith("!"):
            return ""
        return word if word not in _STATEMENTS else ""
    return ""


_STATEMENTS = frozenset(
    ("if", "for", "while", "switch", "return", "func", "go", "defer", "else", "case", "sizeof",
     "def", "defp", "do", "fn", "use", "import", "alias", "raise", "panic", "assert")
)  # fmt: skip


def _looked_at(
    sources: ComparisonInput, file: ComparedFile, new: Line, kind: str, call: str
) -> Line | None:
    """The removed line of the same definition that looked at the result of the same call."""
    bare = call.rstrip("!?")
    pattern = re.compile(_LOOKED[kind].replace("NAME", rf"(?:\w+[.:>-]+)*{re.escape(bare)}"))
    unit = file.head_code.unit(new.number)
    return next(
        (
            old
            for old in file.removed
            if file.base_code.unit(old.number) == unit
            and not (kind == "rs" and _dropped(kind, code_of(old.text)) == call)
            and pattern.search(code_of(old.text))
            and squeeze(old.text) not in sources.added_statements
        ),
        None,
    )


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


def _is_kept(file: ComparedFile, new: Line, kind: str) -> bool:
    """What the call gives is the answer of the definition, or a row of a longer statement."""
    if len(file.head_code.rows(new.number)) > 1 and kind != "ex":
        first = file.head_code.rows(new.number).start
        return first != new.number
    above = next((row for row in reversed(file.head_rows[: new.number - 1]) if row.strip()), "")
    if above.rstrip().endswith((".", "=", "(", ",", "?", ":", "&&", "||", "=>", "return", "<-")):
        return True
    if kind == "js":
        return _HANDS_ON.search(new.text) is not None
    if kind in ("ex",):  # the last statement is what a function gives
        below = next((row for row in file.head_rows[new.number :] if row.strip()), "")
        return re.match(r"\s*(?:end|else|\|>|[a-z]\w* ->)", below) is not None
    return False

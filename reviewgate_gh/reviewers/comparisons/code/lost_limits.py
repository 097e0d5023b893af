"""Limits of time, size or tries that a definition no longer has, while what they bounded is there,
whatever else changes about it."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._around import are_kept, guarded_rows
from .._guards import code_of, surroundings_stay, unit_stays
from .._remark import hint, quoted, taken
from .._replacing import replacing_lines
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from . import time_limits, unset_limits
from ._deciding import shows
from ._unsaid import where_silent
from .validation import RULE as VALIDATION

EVERY_FILE = False
_WORDS = (
    b"ime", b"TIME", b"eadline", b"etries", b"etry", b"axBytes", b"imit", b"FromSeconds",
    b"UnknownFields", b"min(",
)  # fmt: skip
# What bounds a call, or a client for all its calls
_LIMIT = lazy_pattern(
    r"\b\w*(?:[tT]ime_?[oO]ut|TIMEOUT|[dD]eadline)\w*(?=[\"'\]]*\s*[=:(,])|\w+TIMEO\b"
    r"|\btime_limit\b"
    r"|--max-time\b|--connect-timeout\b|(?<=\s)-m\s+\d+\b(?=.*\bhttp)|\bTimeout::timeout\b"
    r"|^\s*timeout\s+(?:-\S+\s+)*\d"
    r"|\bCancellationTokenSource\((?=\s*[^)\s])|\bCancelAfter\(|\.get\(\s*\d+,\s*TimeUnit\."
    r"|\bAbortSignal\.timeout\(|\bsignal:\s*\w*(?:ctl|[cC]ontroller|abort)\w*\.signal\b"
    r"|\bMaxBytesReader\(|\bLimitReader\(|\bstop_after_(?:attempt|delay)\("
    r"|\bwait_for\(|\.DisallowUnknownFields\(|\bmax_retries\s*="
    r"|=\s*(?:Math\.)?min\([^()]*\b[A-Z][A-Z\d_]{3,}\b[^()]*\)"
)
# A text that only speaks of one
_MESSAGE = lazy_pattern(r"\"[^\"]*[ /:%][^\"]*\"|'[^']*[ /:%][^']*'")
# What is done later, or only says something of time
_NO_LIMIT = lazy_pattern(
    r"\b(?:set|clear)(?:Timeout|Interval)\b|\b(?:raise|throw|except|catch|rescue|import|from|use)\b"
    r"|\w*Timeout\w*(?:Error|Exception)\b|\bErr\w*Timeout|\btimeouts?\s*(?:==|!=)"
    r"|^\s*(?:async\s+)?(?:def|func|fun|fn|function|class|interface|type)\b"
    r"|\b\w*[tT]ime_?[oO]ut\w*\s*[=:(]+\s*(?:None\b|null\b|nil\b|0(?![\w.])|undefined\b|-1\b"
    r"|:infinity\b|[fF]alse\b)"
    # What is called later, a question, and where an option gets its name
    r"|\b\w*[tT]ime_?[oO]ut\w*_?(?:[cC]allback|[hH]andler?|[tT]imer|Id)\b"
    r"|\b(?i:is|has|on|was|get|handle|check)_?[A-Z\w]*[tT]ime_?[oO]ut\w*\("
    r"|^\s*(?:if|elif|unless|while)\b[^(]*:?\s*$|\b\w+Var\(\s*&|\badd_argument\("
)
_NAME = lazy_pattern(r"[A-Za-z_]\w*")
_CALLEE = lazy_pattern(
    r"[A-Za-z_]\w{2,}(?=\s*(?:[({.]|::|->|<[\w, ]+>\())|\b[a-z](?=\.)"
    r"|^\s*(?:timeout\s+\S+\s+)?[\w./-]+(?![\w./-]|\s*:?=)"
)
# Words of lengths of time, and of any statement
_PLAIN = frozenset(
    ("time", "Time", "Duration", "duration", "Second", "Seconds", "ofSeconds", "ofMillis",
     "TimeSpan", "FromSeconds", "FromMilliseconds", "from_secs", "from_millis", "timedelta",
     "config", "settings", "options", "opts", "self", "this", "context", "ctx", "return", "await",
     "async", "asyncio", "with", "for", "while", "switch", "build", "builder", "Builder", "final",
     "private", "public", "new", "let", "const", "var", "val", "use", "using", "log", "logger",
     "if", "not", "Background", "cancel", "defer", "tokio", "test", "signal", "TimeUnit", "get",
     "map", "Promise", "race", "and", "Integer", "String", "parse", "env", "os", "math", "Math")
)  # fmt: skip
_ANY_SET = lazy_pattern(
    r"(?i)time_?out|deadline|time_limit|--max-time|CancelAfter|AbortSignal|TIMEO\b|MaxBytes"
    r"|LimitReader|wait_for\(|time\.After\(|stop_after_(?:attempt|delay)|max_?retries"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and file.mentions(*_WORDS) and not time_limits.is_data(file)
        for finding in islice(_in_file(sources, file), 1)
    ]
    others = (time_limits.compare, unset_limits.compare)
    yield from where_silent(sources, found, others)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        for line in block.removed:
            code = _MESSAGE.sub("", code_of(line.text))
            if not _LIMIT.search(code) or _NO_LIMIT.search(code) or shows(code):
                continue
            if unset_limits.OF_ITSELF.match(code) or _goes_with_condition(block, line):
                continue
            if squeeze(line.text) in sources.added_statements or _is_of_field(file, code):
                continue
            if _is_laid_out_anew(block, line) or _ends_listening(file, line, code):
                continue
            now = _goes_on(file, block, line)
            if now and not (
                _is_set_anew(sources, file, line, code) or unset_limits.stands_twice(file, line)
            ):
                rule = VALIDATION if _OF_SIZE.search(code) else time_limits.RULE
                yield taken(hint(rule), file, line, "a limit is removed", now)


def _goes_with_condition(block: Block, line: Line) -> bool:
    """The question goes as well under which it was set, such as for an option: what holds without
    the option holds still."""
    if _CONDITION.match(line.text) and _IS_SET.search(line.text):
        return True
    depth = len(line.text) - len(line.text.lstrip())
    above = (
        old.text
        for old in reversed(block.removed)
        if old.number < line.number and len(old.text) - len(old.text.lstrip()) < depth
    )
    return "=" in line.text and _CONDITION.match(next(filter(str.strip, above), "")) is not None


_IS_SET = lazy_pattern(r"(?:>|!==?|<>)\s*(?:0|nil|null|None|undefined)\b")
_CONDITION = lazy_pattern(r"\s*(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|unless|when)\b")


def _is_laid_out_anew(block: Block, line: Line) -> bool:
    """The same text stands in the rows put there, over more of them or with others in one row."""
    if len(block.added) > _MOST_ROWS:
        return False
    old = _in_one(line.text).lstrip("{[(").rstrip("}]),;")
    new = _in_one(" ".join(each.text for each in block.added))
    at = new.find(old) if old else -1
    while at >= 0:
        around = (new[at - 1 : at] + old[0], old[-1] + new[at + len(old) :][:1])
        if not any(map(_ONE_WORD.fullmatch, around)):
            return True
        at = new.find(old, at + 1)
    return False


def _in_one(text: str) -> str:
    """Without spaces, and without commas behind the last of several."""
    return re.sub(r",(?=[)\]}])", "", "".join(text.split()))


_MOST_ROWS = 200
_ONE_WORD = lazy_pattern(r"[\w.]{2}")


def _ends_listening(file: ComparedFile, line: Line, code: str) -> bool:
    """A signal takes a listener away, and limits no time.
    https://developer.mozilla.org/en-US/docs/Web/API/EventTarget/addEventListener#signal"""
    above = f"{_opener(file, line)} {_statement(file, line)}"
    return "signal" in code and "AbortSignal.timeout" not in code and "EventListener(" in above


def _is_of_field(file: ComparedFile, code: str) -> bool:
    """Go: the record has no such field any more. https://go.dev/ref/spec#Struct_types"""
    found = re.match(r"\s*(\w+):\s", code) if file.path.endswith(".go") else None
    declared = re.compile(rf"\s+{found[1]}\s+[\w.*]+\s*(?:`.*)?$") if found else None
    return declared is not None and any(declared.match(line.text) for line in file.removed)


def _is_set_anew(sources: ComparisonInput, file: ComparedFile, line: Line, code: str) -> bool:
    """A new line sets some limit, or has the constant that this one was."""
    found = _LIMIT.search(code)
    names = _CONSTANT.findall(found[0]) if found else ()
    new = (
        code_of(each.text)
        for _file, each in replacing_lines(sources, file, line)
        if squeeze(each.text) not in sources.removed_statements
    )
    return any(_ANY_SET.search(row) or any(has_word(row, name) for name in names) for row in new)


_CONSTANT = lazy_pattern(r"\b[A-Z][A-Z\d_]{3,}\b")
# How much may come in, not how long it may take
_OF_SIZE = lazy_pattern(r"MaxBytes|LimitReader|UnknownFields|\bmin\(")


def _goes_on(file: ComparedFile, block: Block, line: Line) -> str:
    """What is there at head of what the limit bounded; "" for nothing."""
    rows = guarded_rows(file, line) if line.text.rstrip().endswith(("{", ":", "do")) else ()
    if rows and unit_stays(file, line) and are_kept(file, line, rows):
        return quoted(rows[0])
    opener = _opener(file, line)
    unit = file.base_code.unit(line.number)
    if opener and opener in file.head_rows and (not unit or unit_stays(file, line)):
        return quoted(opener)
    if again := _called_again(file, unit, " ".join([*rows, _statement(file, line)])):
        return quoted(again)
    if block.added or not unit_stays(file, line) or not surroundings_stay(file, line):
        return ""
    return _still_used(file, line)


def _called_again(file: ComparedFile, unit: str, statement: str) -> str:
    """The new row of the definition that calls what the statement called, as often as before."""
    found = _CALLEE.findall(statement)
    called = [name for each in found if _says(name := each.strip().rpartition(" ")[2])]
    new = [
        code_of(each.text)
        for each in file.added
        if not unit or file.head_code.unit(each.number) in (unit, "")
    ]
    for name in called:
        again = next((text for text in new if has_word(text, name)), "")
        if again and _count(file.head_rows, name) >= _count(file.base_rows, name):
            return again
    return ""


# What begins a list of arguments or fields, and no body
_LISTS = lazy_pattern(
    r"^(?!.*\b(?:func|fn|fun|def|class|if|for|while|switch|else|try|function|do|struct|interface"
    r"|type"
    r"|enum|catch|match|select)\b)(?!.*=>).*[\w)\]]\s*(?:\(\s*[{\[]?|(?<!\))\s*[{\[])\s*$"
)


def _opener(file: ComparedFile, line: Line) -> str:
    """The row above that the line is an argument, a field or a link of."""
    first = _first_row(file, line)
    if first != line.number and line.text.lstrip().startswith((".", "->")):
        return file.base_rows[first - 1]
    depth = len(line.text) - len(line.text.lstrip())
    above = (
        row
        for row in reversed(file.base_rows[: line.number - 1])
        if row.strip() and len(row) - len(row.lstrip()) < depth
    )
    row = next(above, "")
    assigns = ":=" in line.text or "=" in line.text.split(":")[0]
    return row if _LISTS.match(code_of(row)) and not assigns else ""


def _statement(file: ComparedFile, line: Line) -> str:
    """The statement that the line is a part of, with the links of its chain above it."""
    numbers = range(_first_row(file, line), file.base_code.rows(line.number).stop)
    return " ".join(code_of(file.base_rows[number - 1]) for number in numbers)


def _first_row(file: ComparedFile, line: Line) -> int:
    first = file.base_code.rows(line.number).start
    while first > 1 and file.base_rows[first - 1].lstrip().startswith((".", "->")):
        first = file.base_code.rows(first - 1).start
    return first


def _says(name: str) -> bool:
    return name not in _PLAIN and not _LIMIT.search(name) and not _LIMIT.search(f"{name}(")


def _count(rows: tuple[str, ...], name: str) -> int:
    return sum(has_word(row, name) for row in rows)


def _still_used(file: ComparedFile, line: Line) -> str:
    """The line of the definition that uses what a statement set a limit for."""
    found = _SETS.match(code_of(line.text))
    if not found or (found["owner"] and not _LIMIT.search(found[0])):
        return ""  # a call of its own, which is gone with its limit
    unit = file.base_code.unit(line.number)
    name = found["owner"] or found["first"] or found["var"]
    uses = re.compile(rf"(?<![\w.]){re.escape(name)}\b")
    return next(
        (
            quoted(row)
            for at, row in enumerate(file.head_rows, 1)
            if file.head_code.unit(at) == unit and "(" in row and uses.search(row)
        ),
        "",
    )


_SETS = lazy_pattern(
    r"^\s*(?:(?P<var>\w+)\s*=\s*(?:Math\.)?min\(|(?P<owner>[\w$@]+)(?:\.|->)\w[\w.]*\s*(?:=|\()"
    r"|(?:\w+::)*\w+\(\s*&?(?P<first>\w+)\s*,)"
)

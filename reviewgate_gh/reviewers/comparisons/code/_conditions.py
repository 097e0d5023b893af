"""What conditions ask, read from the lines of a change: their operands, and what happens where they
hold."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ....findings.source_text import SourceText
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._sources import ComparedFile, Line, squeeze

_IF = lazy_pattern(
    r"^\s*(?:\}\s*)?(?P<word>(?:else\s+)?if|elif|elsif|unless|guard)\b\s*(?P<rest>.*)$"
)
_MUST = lazy_pattern(
    r"^\s*(?P<word>return|assert|require|check|ensure|precondition)\b\s*(?P<rest>.*)$"
)
_BEHIND = lazy_pattern(r"^\s*(?P<left>raise|throw|return|abort|next|fail)\b(?P<what>.*?)\s+"
                       r"(?P<word>if|unless)\s+(?P<rest>.*)$")  # fmt: skip
# What decides by its name, and answers with a condition
_DECIDES = lazy_pattern(
    r"(?i)^(?:is|can|may|has|allow|valid|check|verify|author|permit|should|accepts?|same|match)"
)
# A branch that goes no further: an error, or an answer that says no
_REFUSES = lazy_pattern(
    r"\b(?:raise|throw|abort|panic|bail|die|exit|fail|head|reject)\b|\b(?:abort|panic|bail)!?\("
    r"|\breturn\b\s*(?:;|\}|$|.*(?:\bNULL\b|\b[Nn]ull(?:ptr)?\b|\bnil\b|\bNone\b|\b[Ff]alse\b"
    r"|-\s?[1E]"
    r"|[Ee]rr|[Ii]nvalid|[Ff]orbid|[Uu]nauth|[Nn]ot_?[Ff]ound|[Bb]ad_?[Rr]equest|[Dd]enied"
    r"|\b4\d\d\b|redirect))"
    r"|\b(?:http\.Error|(?:res|response|w|ctx|c)\.\w*(?:status|error|abort)\w*)\("
    r"|(?i:forbidden|unauthori[sz]ed)"
)
# What a function answers that had nothing to do, as well as one that refuses; in C it is an error
_NOTHING = lazy_pattern(
    r"(?m)\breturn\b\s*(?:(?:null|nil|None|[Ff]alse|undefined|\[\]|\{\})\b\s*)?(?=[;}]|$)"
)
_DENIES = lazy_pattern(
    r"(?i)\b40[134]\b|forbid|unauth|denied|deny|permission|not_?allowed|not_?found|redirect|login"
    r"|\bauth|access|credential"
)
TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_JOINTS = (("||", "or"), ("&&", "and"))
_ENDS = lazy_pattern(
    r"$|[{;:,]|(?!(?:and|or)\b)[A-Za-z]"
)  # what may follow a condition in brackets
MOST_ROWS = 12


class Condition(NamedTuple):
    """What a statement asks: its first line, the operands and what joins them, and whether the
    branch is taken where it holds (`if`) or where it does not (`unless`, `assert`); `permits`: the
    branch refuses nothing, but lets something happen; `says_why`: it answers with an error, not
    with nothing; `denies`: with one that says who may not."""

    line: Line
    text: str
    operands: tuple[str, ...]
    joint: str
    unless: bool
    permits: bool
    says_why: bool
    denies: bool


def conditions(file: ComparedFile, lines: Sequence[Line], at_head: bool) -> Iterator[Condition]:
    """Those whose statement has one of the lines."""
    source, rows = (file.head_code, file.head_rows) if at_head else (file.base_code, file.base_rows)
    seen = set[int]()
    for line in lines:
        span = _span(source, rows, line.number)
        if span.start in seen or len(span) > MOST_ROWS:
            continue
        seen.add(span.start)
        text = " ".join(code_of(row).strip() for row in rows[span.start - 1 : span.stop - 1])
        first = Line(span.start, rows[span.start - 1])
        behind = rows[span.stop - 1 : span.stop + 3]
        if found := _read(first, text, behind, source.unit(line.number)):
            yield found


def _span(source: SourceText, rows: Sequence[str], number: int) -> range:
    """The rows of the statement; without brackets it goes on where a row begins or ends with a
    joint."""
    span = source.rows(number)
    first, last = span.start, span.stop - 1
    while first > 1 and (_BEGINS.match(rows[first - 1]) or _GOES_ON.search(rows[first - 2])):
        first = source.rows(first - 1).start
    while last < len(rows) and (_BEGINS.match(rows[last]) or _GOES_ON.search(rows[last - 1])):
        last = max(last + 1, source.rows(last + 1).stop - 1)
    return range(first, last + 1)


_BEGINS = lazy_pattern(r"\s*(?:\|\||&&|(?:and|or)\b)")
_GOES_ON = lazy_pattern(r"(?:\|\||&&|\s(?:and|or))\s*$")


def _read(line: Line, text: str, behind: Sequence[str], unit: str) -> Condition | None:
    if found := _BEHIND.match(text):
        answer = f"{found['left']} {found['what']}"
        asked, _tail = _condition_in(found["rest"])
        return _condition(line, text, asked, answer, found["word"] == "unless")
    if found := _IF.match(text):
        asked, tail = _condition_in(found["rest"])
        answer = "\n".join([tail, *_under(line, behind)])
        return _condition(line, text, asked, answer, found["word"] in ("unless", "guard"))
    if found := _MUST.match(text):
        asked, _tail = _condition_in(found["rest"])
        decides = found["word"] == "return"
        if not decides or _DECIDES.match(re.split(r"\W", unit)[-1]):
            return _condition(line, text, asked, "raise", True)
    return None


def _condition(line: Line, text: str, asked: str, answer: str, unless: bool) -> Condition | None:
    negated = re.match(r"(?:!\s*|not\s+)\((?P<inner>.*)\)$", asked)
    if negated and _closes_at_end(negated["inner"]):
        asked, unless = negated["inner"], not unless
    permits = _REFUSES.search(answer) is None
    loud = _REFUSES.search(_NOTHING.sub("", answer)) is not None
    denies = _DENIES.search(answer) is not None
    for signs in _JOINTS:
        operands = _split(asked, signs)
        if len(operands) > 1:
            return Condition(line, text, operands, signs[1], unless, permits, loud, denies)
    return Condition(line, text, (squeeze(asked),), "", unless, permits, loud, denies)


def _under(line: Line, following: Sequence[str]) -> Iterator[str]:
    """The first rows of the branch."""
    depth = len(line.text) - len(line.text.lstrip())
    for row in following:
        if row.strip() not in ("", "{") and len(row) - len(row.lstrip()) <= depth:
            return
        yield code_of(row)


def _condition_in(rest: str) -> tuple[str, str]:
    """The condition, without the brackets around it and what follows it in its line."""
    bare = rest.strip()
    if bare.startswith("("):
        end = _closing(bare)
        behind = bare[end + 1 :].lstrip()
        if end > 0 and _ENDS.match(behind):
            return _split_at(bare[1:end], ",")[0].strip(), behind
    # What a statement of its own stands before: `if err := f(); err != nil {`
    bare = re.split(r"(?<=\w|\))\s*;\s+(?=\S)", bare)[-1] if bare.endswith("{") else bare
    cut = re.search(r"\s*(?:\{\s*$|\{\s*return\b|:\s*$|;\s*$|\bthen\b|\belse\s*\{)", bare)
    return (bare[: cut.start()].strip(), bare[cut.start() :]) if cut else (bare, "")


def _closing(text: str) -> int:
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return at
    return -1


def _closes_at_end(inner: str) -> bool:
    return _closing(f"({inner})") == len(inner) + 1


def _split(text: str, signs: Sequence[str]) -> tuple[str, ...]:
    """The operands of the joint at the top of the condition; itself where another is there."""
    other = _JOINTS[0] if signs is _JOINTS[1] else _JOINTS[1]
    parts = _split_at(text, *signs)
    if len(parts) > 1 and signs is _JOINTS[1] and len(_split_at(text, *other)) > 1:
        return (text,)
    return tuple(squeeze(part) for part in parts)


def _split_at(text: str, *signs: str) -> list[str]:
    """The parts between these words, outside of brackets and strings."""
    hidden = TEXT.sub(lambda found: "_" * len(found[0]), text)
    depth, start, at, parts = 0, 0, 0, list[str]()
    while at < len(hidden):
        depth += (hidden[at] in "([{") - (hidden[at] in ")]}")
        sign = next((s for s in signs if not depth and _stands(hidden, at, s)), "")
        if sign:
            parts.append(text[start:at])
            start = at = at + len(sign)
        else:
            at += 1
    return [*parts, text[start:]]


def _stands(text: str, at: int, sign: str) -> bool:
    if not text.startswith(sign, at):
        return False
    alone = not sign.isalpha() or not (
        text[at - 1 : at].isalnum() or text[at + len(sign) : at + len(sign) + 1].isalnum()
    )
    return alone and (not sign.isalpha() or text[at - 1 : at] not in ("_", "."))

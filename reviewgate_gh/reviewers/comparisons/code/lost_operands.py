"""Conditions that refuse, or decide, and ask one thing less: an operand of `or` that is gone from a
refusal, an operand of `and` that is gone from what must hold."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, unit_stays
from .._remark import ComparisonRule, hint, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._meant_refusals import is_decided, names_no_value
from .access_checks import RULE as ACCESS
from .access_checks import is_access_check, weigh_access
from .validation import RULE as VALIDATION

EVERY_FILE = False
WORDS = (b"||", b"&&", b" or ", b" and ", b"or\n", b"and\n")
_MAY_DO = replace(ACCESS, priority=Priority.P2)
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
# Who may do something, in the words of an operand
_WHO = lazy_pattern(
    r"(?i)owner|user|admin|role|permission|permitted|polic|tenant|author(?:i[sz]|ity)|authentic"
    r"|staff|superuser|member|scope|token|signature|secret|csrf|nonce|expir|credential|passw"
)
# These are words of parsers, caches and structures as well
_ANY_USE = lazy_pattern(r"(?i)tenant|user|polic|member|scope|token|secret|expir|role")
_DENIES = lazy_pattern(
    r"(?i)\b40[134]\b|forbid|unauth|denied|deny|permission|not_?allowed|not_?found|redirect|login"
    r"|\bauth|access|credential"
)
_ASKS_PEOPLE = lazy_pattern(
    r"(?i)\b(?:auth\w*|session|login|logged_?in|current_?user|permission\w*)\b"
    r"|req(?:uest)?\.user|\.user_?id\b|\bjwt"
)
_WORD = lazy_pattern(r"[A-Za-z_]\w{2,}")
_TEXT = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_JOINTS = (("||", "or"), ("&&", "and"))
_ENDS = lazy_pattern(
    r"$|[{;:,]|(?!(?:and|or)\b)[A-Za-z]"
)  # what may follow a condition in brackets
_MOST_ROWS = 12


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


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*WORDS):
            yield from [*_in_file(sources, file)][:1]


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    for block in file.blocks:
        if not block.removed:
            continue
        news = _by_operand(conditions(file, block.added, at_head=True))
        for old in conditions(file, block.removed, at_head=False):
            if not block.added:
                news = _by_operand(conditions(file, _same_heads(file, old), at_head=True))
            # What is left of the condition has one of its operands
            left = (new for operand in old.operands for new in news.get(operand, ()))
            for new in left:
                lost = _lost(old, new)
                if not lost or _stands_apart(file, old, new, lost):
                    continue
                if unit_stays(file, old.line) and not asks_elsewhere(sources, file, lost):
                    rule = _weigh(sources, file, block, old, lost)
                    if rule is not None:
                        yield taken(rule, file, old.line, _title(old, lost), quoted(new.text))


def _by_operand(conditions: Iterable["Condition"]) -> dict[str, list["Condition"]]:
    found = defaultdict[str, list[Condition]](list)
    for condition in conditions:
        for operand in condition.operands:
            found[operand].append(condition)
    return found


def _same_heads(file: ComparedFile, old: "Condition") -> list[Line]:
    """The lines of the head that begin the same condition in the same definition: one of its rows
    may be gone from it."""
    unit = file.base_code.unit(old.line.number)
    return [
        Line(number, row)
        for number, row in enumerate(file.head_rows, 1)
        if row == old.line.text and file.head_code.unit(number) == unit
    ]


def _title(old: Condition, lost: str) -> str:
    what = "a refusal" if old.joint == "or" else "a condition"
    return f"{what} no longer asks {quoted(lost)}"


def conditions(file: ComparedFile, lines: Sequence[Line], at_head: bool) -> Iterator[Condition]:
    """Those whose statement has one of the lines."""
    source, rows = (file.head_code, file.head_rows) if at_head else (file.base_code, file.base_rows)
    seen = set[int]()
    for line in lines:
        span = _span(source, rows, line.number)
        if span.start in seen or len(span) > _MOST_ROWS:
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
    hidden = _TEXT.sub(lambda found: "_" * len(found[0]), text)
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


def _lost(old: Condition, new: Condition) -> str:
    """The operand that the new condition does not have, where it has nothing that the old one had
    not, and where to lose it means to refuse less; "" otherwise."""
    if (old.unless, old.permits) != (new.unless, new.permits) or not old.joint:
        return ""
    if new.joint not in ("", old.joint) or not {*new.operands} < {*old.operands}:
        return ""
    # What is refused unless all of it holds, or is done if all of it does
    if old.joint != ("and" if old.unless != old.permits else "or"):
        return ""
    return next(each for each in old.operands if each not in new.operands)


def _stands_apart(file: ComparedFile, old: Condition, new: Condition, lost: str) -> bool:
    """The row of the operand stays, and begins or ends another condition of the definition."""
    unit = file.base_code.unit(old.line.number)
    here = file.head_code.rows(new.line.number)
    return any(
        lost in squeeze(row) and at not in here and file.head_code.unit(at) == unit
        for at, row in enumerate(file.head_rows, 1)
        if _SAYS_MORE.search(lost) and abs(at - new.line.number) <= _MOST_ROWS
    )


_SAYS_MORE = lazy_pattern(r"[=<>(]")


def asks_elsewhere(sources: ComparisonInput, file: ComparedFile, lost: str) -> bool:
    """The change asks it at another place, be it the other way round, or drops what it is about."""
    bare = lost.strip("!()")
    if any(bare in text for text in sources.added_statements):
        return True
    named = set(_WORD.findall(_TEXT.sub("", lost)))
    added = (line.text for each in sources.files if each.is_product for line in each.added)
    held = re.match(r"[\w.$>-]+", bare)
    if held and sum(has_word(text, held[0]) for text in added if held[0]) > 1:
        return True
    gone = [line.text for each in sources.files if each.is_product for line in each.removed]
    return any(
        not has_word(file.head, word) and sum(has_word(text, word) for text in gone) > 1
        for word in named
    )


def _weigh(
    sources: ComparisonInput, file: ComparedFile, block: Block, old: Condition, lost: str
) -> ComparisonRule | None:
    """None where it is told by another comparison, or decides between two ways of going on."""
    no_value = names_no_value(lost)
    if _asks_who(file, old, lost) and not no_value:
        if is_access_check(f"if {lost}:") and not (old.permits or old.unless):
            return None
        return weigh_access(sources, rule=_MAY_DO if old.permits else ACCESS)
    if old.permits:
        return None
    unsure = is_decided(sources, file, block) or no_value or not old.says_why
    unsure = unsure or _is_written_anew(file, old, lost)
    return hint(VALIDATION) if unsure else VALIDATION


def _asks_who(file: ComparedFile, old: Condition, lost: str) -> bool:
    """The operand is about who may do something: by a word that says nothing else, or by what the
    branch answers, or what the file is about."""
    bare = _TEXT.sub("", lost)
    if not _WHO.search(bare) or _FAILS.search(bare):
        return False
    return bool(_WHO.search(_ANY_USE.sub("", bare)) or old.denies or _ASKS_PEOPLE.search(file.base))


# How C, and what is written like it, says that a call has failed
_FAILS = lazy_pattern(r"\)(?:<0|[!=]=(?:-1|NULL|nullptr|0))$")


def _is_written_anew(file: ComparedFile, old: Condition, lost: str) -> bool:
    """The definition names all that the operand is about in new lines, which may ask it in another
    way; or it has no longer what was asked about."""
    unit = file.base_code.unit(old.line.number)
    named = {*_WORD.findall(_CALLED.sub("", _TEXT.sub("", lost)))}
    kept = {*old.operands} - {lost}
    new = [
        line
        for line in file.added
        if file.head_code.unit(line.number) == unit
        and not any(operand in squeeze(line.text) for operand in kept)
    ]
    near = {at for line in new for at in range(line.number - 1, line.number + 2)}
    texts = [file.head_rows[at - 1] for at in sorted(near) if 0 < at <= len(file.head_rows)]
    asked = any(has_word(line.text, name) for line in new for name in named)
    if asked and all(any(has_word(text, name) for text in texts) for name in named):
        return True
    here = [row for at, row in enumerate(file.head_rows, 1) if file.head_code.unit(at) == unit]
    gone = [line.text for line in file.removed if file.base_code.unit(line.number) == unit]
    return any(
        not any(has_word(row, name) for row in here)
        and any(_made(name).search(text) for text in gone)
        for name in named
    )


_CALLED = lazy_pattern(r"[A-Za-z_]\w*(?=\()")


def _made(name: str) -> re.Pattern[str]:
    """Where a variable gets its value, be it with others."""
    several = r"(?:[\w.:<>*&]+\s+)?(?:[\w*&]+\s*,\s*)*"
    return re.compile(rf"^\s*{several}{re.escape(name)}\s*(?:,\s*\w+\s*)*:?=(?!=)")

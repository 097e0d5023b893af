"""Conditions that refuse, or decide, and ask one thing less: an operand of `or` that is gone from a
refusal, an operand of `and` that is gone from what must hold."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import unit_stays
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._access_words import ASKS_PEOPLE
from ._conditions import MOST_ROWS, TEXT, Condition, conditions
from ._meant_refusals import is_decided, is_of_platform, names_no_value
from .access_checks import RULE as ACCESS
from .access_checks import is_access_check, speaks_of_access
from .validation import RULE as VALIDATION

EVERY_FILE = False
_WORDS = (b"||", b"&&", b" or ", b" and ", b"or\n", b"and\n")
_MAY_DO = replace(ACCESS, priority=Priority.P2)
# Who may do something, in the words of an operand
_WHO = lazy_pattern(
    r"(?i)owner|user|admin|role|permission|permitted|polic|tenant|author(?:i[sz]|ity)|authentic"
    r"|staff|superuser|member|scope|token|signature|secret|csrf|nonce|expir|credential|passw"
)
# These are words of parsers, caches and structures as well
_ANY_USE = lazy_pattern(r"(?i)tenant|user|polic|member|scope|token|secret|expir|role")
_WORD = lazy_pattern(r"[A-Za-z_]\w{2,}")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and language_of(file.path) and file.mentions(*_WORDS):
            yield from islice(_in_file(sources, file), 1)


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
                said = _as_written(old.text, lost)
                if _is_of_type(file, old, said):
                    continue
                if unit_stays(file, old.line) and not _asks_elsewhere(sources, file, lost, said):
                    rule = _weigh(sources, file, block, old, said)
                    if rule is not None:
                        yield taken(rule, file, old.line, _title(old, said), quoted(new.text))


def _as_written(text: str, operand: str) -> str:
    """The operand with its spaces."""
    found = re.search(r"\s*".join(map(re.escape, operand)), text)
    return found[0] if found else operand


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
    return f"{what} no longer depends on {quoted(lost)}"


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
    implied = {f"{each}{how}" for each in new.operands for how in _IMPLIED}
    return next((each for each in old.operands if each not in {*new.operands, *implied}), "")


# What holds wherever the value itself does
_IMPLIED = (
    "===true",
    "==true",
    "isTrue",
    "!=null",
    "!==null",
    "!==undefined",
    "isnotNone",
    "!=nil",
)


def _stands_apart(file: ComparedFile, old: Condition, new: Condition, lost: str) -> bool:
    """The row of the operand stays, and begins or ends another condition of the definition."""
    unit = file.base_code.unit(old.line.number)
    here = file.head_code.rows(new.line.number)
    return any(
        lost in squeeze(row) and at not in here and file.head_code.unit(at) == unit
        for at, row in enumerate(file.head_rows, 1)
        if _SAYS_MORE.search(lost) and abs(at - new.line.number) <= MOST_ROWS
    )


_SAYS_MORE = lazy_pattern(r"[=<>(]")


def _asks_elsewhere(sources: ComparisonInput, file: ComparedFile, lost: str, said: str) -> bool:
    """The change asks it at another place, be it the other way round, or drops what it is about."""
    bare = lost.strip("!()")
    if any(bare in text for text in sources.added_statements):
        return True
    keys = [found[0] for found in TEXT.finditer(lost) if len(found[0]) > _SHORTEST_KEY]
    if any(key in line.text for key in keys for line in file.added):
        return True  # such as an entry that is taken first, and asked for then
    if _is_held(sources, bare):
        return True
    named = set(_WORD.findall(TEXT.sub("", said)))
    gone = [line.text for each in sources.files if each.is_product for line in each.removed]
    return any(
        not has_word(file.head, word) and sum(has_word(text, word) for text in gone) > 1
        for word in named
    )


def _is_held(sources: ComparisonInput, bare: str) -> bool:
    """New lines have what was asked about, or call the function that was asked."""
    held = re.match(r"[\w.$>-]+", bare)
    if held is None:
        return False
    is_call = re.match(r"[?!]?\(", bare[held.end() :]) is not None
    most = 0 if is_call and len(held[0]) >= _TELLING else 1
    added = (line.text for each in sources.files if each.is_product for line in each.added)
    return sum(has_word(text, held[0]) for text in added) > most


_SHORTEST_KEY = 6  # characters, with its quotes
_TELLING = 10  # characters of a function's name that says what it asks


def _is_of_type(file: ComparedFile, old: Condition, lost: str) -> bool:
    """A parameter that was asked about has another type from now on."""
    unit = file.base_code.unit(old.line.number)
    before, after = (
        {
            " ".join(part.split())
            for row in _head_of(code, rows, unit)
            for part in _PART.findall(row)
        }
        for code, rows in (
            (file.base_code, file.base_rows),
            (file.head_code, file.head_rows),
        )
    )
    named = {*re.findall(r"[A-Za-z_]\w*", TEXT.sub("", lost))}
    new = after - before - named  # without a type it is a name alone
    return any(name in re.findall(r"\w+", part) for name in named for part in new)


_PART = lazy_pattern(r"[^(),]+(?=[,)])")


def _head_of(code: SourceText, rows: Sequence[str], unit: str) -> Sequence[str]:
    at = code.definitions.get(unit)
    return [rows[number - 1] for number in code.rows(at)][:MOST_ROWS] if at else ()


def _weigh(
    sources: ComparisonInput, file: ComparedFile, block: Block, old: Condition, lost: str
) -> ComparisonRule | None:
    """None where another comparison tells it, or it may decide between two ways of going on."""
    no_value = names_no_value(lost)
    if _asks_who(file, old, lost) and not no_value:
        told = is_access_check(f"if {lost}:") and not (old.permits or old.unless)
        if told or speaks_of_access(sources):
            return None
        return _MAY_DO if old.permits else ACCESS
    if old.permits or is_of_platform(TEXT.sub("", lost)):
        return None
    unsure = is_decided(sources, file, block) or no_value or not old.says_why
    return None if unsure or _is_written_anew(file, old, lost) else VALIDATION


def _asks_who(file: ComparedFile, old: Condition, lost: str) -> bool:
    """The operand is about who may do something: by a word that says nothing else, or by what the
    branch answers, or what the file is about."""
    bare = TEXT.sub("", lost)
    if not _WHO.search(bare) or _FAILS.search(bare):
        return False
    return bool(_WHO.search(_ANY_USE.sub("", bare)) or old.denies or ASKS_PEOPLE.search(file.base))


# How C, and what is written like it, says that a call has failed
_FAILS = lazy_pattern(r"\)\s*(?:<\s*0|[!=]=\s*(?:-1|NULL|nullptr|0))$")


def _is_written_anew(file: ComparedFile, old: Condition, lost: str) -> bool:
    """The definition names all that the operand is about in new lines, which may ask it in another
    way; or it has no longer what was asked about."""
    unit = file.base_code.unit(old.line.number)
    named = {*_WORD.findall(_CALLED.sub("", TEXT.sub("", lost)))}
    kept = {*old.operands} - {squeeze(lost)}
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
    return _is_made_no_more(file, unit, named)


def _is_made_no_more(file: ComparedFile, unit: str, named: set[str]) -> bool:
    """The definition made one of these names, and has it no longer."""
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

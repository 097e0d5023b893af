"""Assertions in whose place others stand that claim less, and those that are caught when they
fail."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import is_explained
from .._remark import ComparisonRule, hint, put, quoted
from .._sources import Block, ComparedFile, Line, squeeze
from .._tests import Test
from ._assertion_words import (
    ALWAYS,
    ASSERT,
    CALLED,
    CLASS,
    FRAMEWORK,
    MUST_NOT_FAIL,
    PRESENT,
    RAISES,
    STRONG,
    TOLERANCE,
    TRUE_ALONE,
    WEAK,
    chains_in,
)
from ._assertions_kept import is_strong, may_assert
from ._claims import (
    BOUND,
    OFTEN,
    PART,
    THERE,
    WIDER,
    as_assertion,
    claims_less,
    may_be_laxer,
    replaced_in,
    says_text,
)

_FEW = 3  # assertions


def weakened(
    told: ComparisonRule, file: ComparedFile, name: str, blocks: list[Block]
) -> Finding | None:
    """An assertion in whose place one about the same value stands that says less."""
    asserting = (line for line in file.added if ASSERT.search(line.text))
    is_reworked = len([*islice(asserting, _FEW + 1)]) > _FEW  # another assertion may say as much
    for block in blocks:
        for old, new in _replaced(block):
            if _is_wider(old.text, new.text):
                title = f"an assertion allows a larger difference: {name}"
                return put(told, file, new, title, quoted(old.text))
            if (
                not is_reworked
                and ASSERT.search(new.text)
                and not is_strong(new.text)
                and _is_weaker(old.text, new.text)
                and _is_about_one_value(old.text, new.text)
                and count_assertions(block.added) <= count_assertions(block.removed)
            ):
                title = f"an assertion says less than before: {name}"
                rule = hint(told) if is_explained(file, new) else told
                return put(rule, file, new, title, quoted(old.text))
    return None


def _replaced(block: Block) -> Iterator[tuple[Line, Line]]:
    """A strong assertion that is gone, and a line in its place; none where a strong one is new."""
    strong = any(ASSERT.search(new.text) and is_strong(new.text) for new in block.added)
    if strong and not any(TOLERANCE.search(new.text) for new in block.added):
        return
    for old in _with_arguments(block.removed):
        if ASSERT.search(old.text) and STRONG.search(old.text):
            for new in _with_arguments(block.added):
                if is_strong(old.text) or _says_there_is_one(old.text, new.text):
                    yield old, new


def _with_arguments(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, each call with its arguments that begin in the next row."""
    for line, below in zip_longest(lines, lines[1:]):
        opens = below is not None and line.text.rstrip().endswith("(")
        yield Line(line.number, line.text.rstrip() + below.text.strip()) if opens else line


def _says_there_is_one(old: str, new: str) -> bool:
    """Only that there is a value, where a truth value was expected before."""
    return PRESENT.search(new) is not None and PRESENT.search(old) is None


def count_assertions(lines: Iterable[Line]) -> int:
    return sum(ASSERT.search(line.text) is not None for line in lines)


def _is_wider(old: str, new: str) -> bool:
    """The same comparison with a larger tolerance, or fewer digits."""
    was, now = TOLERANCE.search(old), TOLERANCE.search(new)
    if not was or not now or was["name"] != now["name"]:
        return False
    if squeeze(old[: was.start()]) != squeeze(new[: now.start()]):
        return False
    before, after = float(was["number"]), float(now["number"])
    return after < before if was["name"] in ("places", "decimal") else after > before


def _is_weaker(old: str, new: str) -> bool:
    """The new one is of a weak kind, or is the old one without what it was compared with."""
    if WEAK.search(new):
        if (CLASS.search(old) and "isinstance(" in new.lower()) or _asks_anew(old, new):
            return False
        links = all(text.lstrip().startswith((".", "#[should_panic")) for text in (old, new))
        return (
            links
            or _is_about_the_same(old, new)
            or re.search(r"\(?\b[Tt]rue\b\)?\W*$", new) is not None
        )
    if new.rstrip().endswith(("=", ",", "(", "[", "{", "+", "\\", "|", "&", ".", "->", "do")):
        return False  # it goes on in the next line
    bare = new.strip().rstrip(";)")
    return bare != "assert" and old.strip().startswith((f"{bare} ", f"{bare}("))


def _asks_anew(old: str, new: str) -> bool:
    """It calls what the old one did not: a question that may be as strict."""
    was, now = ({*CALLED.findall(_ASSERTS.sub("", text))} for text in (old, new))
    return any(not (FRAMEWORK.match(name) or _ASKS_LITTLE.match(name)) for name in now - was)


_ASSERTS = lazy_pattern(r"\b(?:[Aa]ssert|require|expect|Assertions)\.\w+\(")
_ASKS_LITTLE = lazy_pattern(
    r"(?i)(?:isinstance|hasattr|len|bool|contains|includes?|(?:starts|ends)_?with|match|exists)$"
)


def _is_about_the_same(old: str, new: str) -> bool:
    """Both check one value, or that something fails; the new one perhaps only what holds it."""
    if RAISES.search(old) and RAISES.search(new):
        return True
    before, after = _values(old), _values(new)
    return any(was == now or was.startswith(f"{now}.") for was in before for now in after)


def _is_about_one_value(old: str, new: str) -> bool:
    return bool(_values(old) & _values(new)) or not _values(new) or bool(RAISES.search(new))


# https://docs.python.org/3/library/unittest.mock.html#unittest.mock.Mock.assert_called
_OF_MOCK = lazy_pattern(r"\.assert_\w+(?=\()")


def _values(text: str) -> set[str]:
    """The names of values in an assertion, with the objects that hold them."""
    chains = chains_in(_OF_MOCK.sub(".called", text))
    return {chain for chain in chains if not FRAMEWORK.match(chain)}


def claiming_less(
    told: ComparisonRule, file: ComparedFile, before: Test, after: Test, blocks: list[Block]
) -> Finding | None:
    """An assertion in whose place one about the same stands that more values satisfy: the same
    number of them goes and comes, and each takes the place of its own. A block may go over several
    tests, of which another one claims less because it always did."""
    for block in blocks:
        own = (each for each in block.removed if before.line <= each.number <= before.last)
        olds = [(each, _with_condition(file.base_rows, each)) for each in own]
        every = [(each, _with_condition(file.head_rows, each)) for each in block.added]
        texts = [text for _line, text in every]
        news = [each for each in every if after.line <= each[0].number <= after.last]
        olds, news = ([each for each in side if _is_of_its_own(each[1])] for side in (olds, news))
        if len(olds) != len(news):
            continue
        for (old, was), (new, now) in zip(olds, news, strict=True):
            how = claims_less(was, now)
            if not how or _bare(was) in map(_bare, texts) or _is_said_else(how, was, texts):
                continue
            if how == WIDER or not replaced_in(texts, was):
                light = how in (OFTEN, PART) or is_explained(file, new)
                rule = hint(told) if light else told
                title = f"an assertion claims less than before, {how}: {before.name}"
                return put(rule, file, new, title, quoted(old.text.strip()))
    return None


def _is_of_its_own(text: str) -> bool:
    """An assertion, and not what is said where the condition above it does not hold."""
    return may_be_laxer(text) and not _FAILS.match(text)


_FAILS = lazy_pattern(r"\s*[tb]\.(?:Error|Fatal)f?\(")


def _is_said_else(how: str, was: str, texts: Sequence[str]) -> bool:
    """What the new assertion leaves open another new line says."""
    if how == OFTEN:
        return any(map(_LOOKS_AT_CALLS.search, texts))
    if how == BOUND and (wanted := _TEXT.search(was)):
        return any(wanted[0] in text and not claims_less(was, text) for text in texts)
    return how == THERE and says_text(texts, was)


_TEXT = lazy_pattern(r"\"[^\"\n]{4,}\"")


# What a stand-in was called with is compared by itself
_LOOKS_AT_CALLS = lazy_pattern(
    r"\b(?:call_args(?:_list)?|mock_calls|mock\.(?:calls|lastCall)|(?:first|last)Call|getCall"
    r"|[cC]aptor\.\w+)\b"
)


def _bare(text: str) -> str:
    """What the line asserts, whether or not the test goes on where that fails:
    https://pkg.go.dev/github.com/stretchr/testify/require"""
    bare = re.sub(r"^(?:assert|require|expect)\.", "", squeeze(text))
    of_error = _OF_ERROR.match(bare)
    if of_error is None:
        return bare
    fails = "!=" in (of_error["operator"] or "") or bare.startswith("Error")
    return f"{'Error' if fails else 'NoError'}({of_error['given'] or of_error['error']})"


# With a message or without one, and as Go's own condition
_OF_ERROR = lazy_pattern(
    r"(?:No)?Error\(\w+,(?P<given>\w+)(?:,.*)?\)$|assert(?P<error>\w*[eE]rr)(?P<operator>[!=]=)nil$"
)


def _with_condition(rows: Sequence[str], line: Line) -> str:
    """What a line asserts, perhaps by the failure below it."""
    below = rows[line.number] if line.number < len(rows) else ""
    return as_assertion(line.text, below)


def swallowed(
    told: ComparisonRule, file: ComparedFile, name: str, blocks: list[Block]
) -> Finding | None:
    """An assertion that fails is caught, and nothing is done about it."""
    for block in blocks:
        for new in block.added:
            below = file.head_rows[new.number : new.number + 1]
            if _CATCHES.match(new.text) and any(map(_DOES_NOTHING.match, below)):
                return put(told, file, new, f"a failed assertion is caught: {name}")
    return None


_CATCHES = lazy_pattern(
    r"\s*(?:except\s+(?:AssertionError|BaseException)\b.*:"
    r"|\}?\s*catch\s*\((?:final\s+)?(?:\w*Assertion\w*"
    r"|Throwable)\b.*\)\s*\{|rescue\s+(?:Minitest::Assertion|RSpec::\S*)).*$"
)
_DOES_NOTHING = lazy_pattern(r"\s*(?:pass|continue|\}|end|return)\s*(?:;\s*)?$")


def emptied(
    file: ComparedFile, before: Test, after: Test, blocks: Sequence[Block]
) -> tuple[Line, Line] | None:
    """An assertion that is gone, and the first in its place, of a test in which all new ones hold
    whatever the code does; or say only that there is a value, where a failure was expected."""
    new = [
        each for each in _within(after, chain(*(b.added for b in blocks))) if may_assert(each.text)
    ]
    old = [*_within(before, chain(*(b.removed for b in blocks)))]
    gone = "\n".join(line.text for line in old)
    if not new or MUST_NOT_FAIL.search(gone):
        return None
    asserting = (line for line in old if ASSERT.search(line.text) and not ALWAYS.search(line.text))
    first = next(asserting, None)
    holds = all(TRUE_ALONE.search(line.text) for line in new)
    fails = any(RAISES.search(row) for row in file.head_rows[after.line : after.last])
    there = all(PRESENT.search(line.text) and not is_strong(line.text) for line in new)
    is_emptied = holds or (RAISES.search(gone) is not None and there and not fails)
    return (first, new[0]) if first and is_emptied else None


def _within(test: Test, lines: Iterable[Line]) -> Iterator[Line]:
    return (line for line in lines if test.line < line.number <= test.last)

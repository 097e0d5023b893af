"""Whether a new test may be one that is gone, written anew: both call the same code, have much of
their text in common, or nearly the same name."""

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, ComparisonInput
from .._tests import Test

Written = tuple[str, Test]  # the text of its file, and the test
_MOST_NAMES = 60
_ALIKE = 0.6  # of their texts, or of the words of their names
_SAME = 0.8  # of what they call, where the values differ
_FEW_CALLS = 4  # fewer say little of what is tested
_CALLS = lazy_pattern(r"([A-Za-z_]\w*)[!?]?\s*(?:::\s*<[^>]*>\s*)?\(|\.([A-Za-z_]\w*)|\b([A-Z]\w+)")
_OWN = (
    r"\b(?:def|class|func|fn|fun|function|sub|struct|enum|trait|interface|module|const|let|var)\s+"
)
_DEFINES = (
    r"(?:\b(?:def|class|func|fn|fun|function\*?|sub|struct|enum|trait|interface|record|module|const"
    r"|let|var|val|type)\s+(?:\([^)]*\)\s*)?(?:self\.|\w+\.)?{name}\b"
    r"|(?<![.=(])\b{name}\s*\([^;]*\)[^;=.]*\{{\s*$)"
)
_OF_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SAYS_NOTHING = frozenset(("test", "tests", "it", "should", "when", "with", "is", "the", "a", "of"))


def calls_of(sources: ComparisonInput, tests: Collection[Written]) -> frozenset[str]:
    """What these tests call and the project's own code defines."""
    names = {name for each in tests for name in _called(each)}
    if len(names) > _MOST_NAMES:
        return frozenset()
    places = sources.find_words(sorted(names))
    return frozenset(
        name
        for name, found in places.items()
        if any(
            re.search(_DEFINES.format(name=re.escape(name)), place.text)
            for place in found
            if not _IS_TEST.search(place.path)
        )
    )


_IS_TEST = lazy_pattern(r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)|Tests?\.\w+$")


def is_written_anew(lost: Written, new: Written) -> bool:
    """The new test is the one that is gone, by its name, by most of its text, or by its
    calls where both or neither are about what is refused."""
    if _names_fit(lost[1].name, new[1].name) or _fit(_statements(lost), _statements(new), _ALIKE):
        return True
    was, now = _calls_in_order(lost), _calls_in_order(new)
    if len(was) < _FEW_CALLS or not _fit(was, now, _SAME):
        return False
    return is_about_refusal(lost) == is_about_refusal(new)


def call_the_same(lost: Written, new: Written, defined: Collection[str]) -> bool:
    """Both are about the same code of the project."""
    before, after = _called(lost), _called(new)
    own = before & {*defined}
    # Where the project's own code cannot be told, whatever both call
    return bool((own or before) & after)


def is_about_refusal(each: Written) -> bool:
    """It makes sure that something fails or is rejected."""
    return _REFUSES.search(f"{each[1].name}\n{_OF_GO.sub('', _body(each))}") is not None


def accepts_more(files: Collection[ComparedFile]) -> bool:
    """The product rejects less than before, so what tested that may be another test now."""
    product = [each for each in files if each.is_product]
    lost = sum(_says_refusal(line.text) for each in product for line in each.removed)
    return lost > sum(_says_refusal(line.text) for each in product for line in each.added)


def calls_what_stays(sources: ComparisonInput, tests: Collection[Written]) -> bool:
    """The change leaves all that these tests call as it was, and what that names in turn."""
    called = calls_of(sources, tests)
    changed = {name for each in sources.files if each.is_product for name in _changed_in(each)}
    said = {
        word
        for each in sources.files
        if each.is_product
        for number, row in enumerate(each.head_rows, 1)
        if each.head_code.unit(number).rpartition(".")[2] in called
        for word in _WORDS.findall(row)
    }
    return bool(called) and changed.isdisjoint(called | said)


def _changed_in(file: ComparedFile) -> Iterator[str]:
    """The definitions that the change touches, and what it names beside them."""
    for lines, source in ((file.removed, file.base_code), (file.added, file.head_code)):
        for line in lines:
            unit = source.unit(line.number).rpartition(".")[2]
            yield from [unit] if unit else _WORDS.findall(line.text)


_WORDS = lazy_pattern(r"[A-Za-z_]\w*")


def _says_refusal(text: str) -> bool:
    return _REFUSES.search(text) is not None


_REFUSES = lazy_pattern(
    r"(?i)throw|raise|reject|refus|invalid|(?<![a-z])err(?:or)?s?(?![a-z])|expectException|illegal"
    r"|forbid|denied|unauthor|is_?err\b|fails|should_?panic|(?<![\w.])4\d\d(?![\w.])"
)
# What says there that a test fails
_OF_GO = lazy_pattern(r"\bt\.(?:Fatal|Error)\w*\([^\n]*|\berr\b")


@lru_cache(4096)  # each is compared with many
def _called(each: Written) -> frozenset[str]:
    """What a test calls or names, without what its own file defines and the words of frameworks."""
    text, test = each
    found = {next(filter(None, match.groups())) for match in _CALLS.finditer(_body(each))}
    return frozenset(
        name for name in found - _own(text) if name != test.name and not _FRAMEWORK.match(name)
    )


@lru_cache(8)
def _own(text: str) -> frozenset[str]:
    """The names that a file defines."""
    return frozenset(re.findall(rf"{_OWN}([A-Za-z_]\w*)", text))


_FRAMEWORK = lazy_pattern(
    r"(?:[Aa]ssert|ASSERT|[Ee]xpect|EXPECT|XCT|[Tt]est|TEST|should|to[A-Z]|be_|be$|eq$|eql$|require"
    r"|pytest|mock|Mock|patch|raises|approx|[Ff]atal|[Ee]rror[sf]?$|[Ll]og|[Rr]un$|Helper|Parallel"
    r"|(?:it|describe|context|for|forEach|if|while|switch|func|function|def|fn|fun|len|range"
    r"|print\w*"
    r"|str|int|float|list|dict|set|tuple|[Ee]qual\w*|parametri[sz]e|t|match|None|True|False|void"
    r"|async|await|not|to|Some|Ok|Err|String|Self|Vec|vec|new|Error|Exception)$)"
)


def _body(each: Written) -> str:
    text, test = each
    return "\n".join(_rows(text)[test.line : test.last])


@lru_cache(8)
def _rows(text: str) -> list[str]:
    return text.split("\n")


def _names_fit(one: str, other: str) -> bool:
    """Most of the words of the shorter name are in the other."""
    was, now = _words(one), _words(other)
    return bool(was and now) and len(was & now) >= _ALIKE * min(len(was), len(now))


def _words(name: str) -> set[str]:
    return {each.lower() for each in _OF_WORDS.findall(name)} - _SAYS_NOTHING


@lru_cache(4096)  # each is compared with many
def _statements(each: Written) -> tuple[str, ...]:
    rows = (row.strip() for row in _body(each).split("\n"))
    return tuple(row for row in rows if len(row) > 3)


@lru_cache(4096)
def _calls_in_order(each: Written) -> tuple[str, ...]:
    """What it calls from its first line to its last, whatever the values and their names."""
    body = _TEXTS.sub("", _body(each))
    return tuple(next(filter(None, found.groups())) for found in _CALLS.finditer(body))


_TEXTS = lazy_pattern(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")


def _fit(was: Sequence[str], now: Sequence[str], alike: float) -> bool:
    if not (was and now):
        return False
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    # A part of a longer test alone is another one
    return matcher.ratio() >= alike and kept >= alike * len(was)

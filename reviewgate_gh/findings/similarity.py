"""How much two remarks mean the same: the words they share, those of the code between them counting
less, and their categories.

The numbers were chosen on one half of a frozen set of remarks and checked on the other
(tests/unit/findings/test_merge_set.py), and on what eleven AI reviewers said of 50 pull requests
(docs/evidence.md, "The same remark from several reviewers").
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..model.finding import Finding
from ..text.patterns import lazy_pattern

_SAME_CATEGORY, _SAME_KIND, _UNKNOWN_KIND, _OTHER_KIND = 0.1, 0.05, 0.02, -0.08
_OF_CODE = 0.5  # two remarks on one line name what stands there, whatever they say of it
_OF_SHORTER = 0.3  # one says in five words what the other one explains in three sentences
_COPIED = 0.75
_SENTENCE = 10  # telling words
_READ = 4000  # characters
_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
# userName, user_name: two remarks with a name in common share more than its parts
_COMPOUND = lazy_pattern(r"\b\w*(?:[a-z][A-Z]|[A-Za-z]_[a-z])\w*\b", re.ASCII)
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "ly", "es", "s", "e")
_SHORTEST_STEM = 3
_COMMON = frozenset(
    """
    a all also an and any are as at be because been before being but by can could did do does each
    either every for from get gets had has have here if in instead into is it its just made make
    makes may might must no not of on one only or other out per set sets should so than that the
    then there these they this those to two up use used uses using via was were what when which
    while who will with would after
    """.split()  # noqa: SIM905
)
_NEGATIONS = frozenset(
    {
        "no", "not", "without", "never", "cannot", "missing", "missed", "lack", "lacks", "lacking",
        "absent", "absence", "nothing",
    }
)  # fmt: skip
_CONTRACTED = lazy_pattern(r"n['\u2019]t\b")
# Between two others: which comes first says what is claimed
_ORDERING = frozenset(
    {
        "after", "all", "any", "before", "by", "every", "from", "instead", "into", "never", "no",
        "not", "only", "than", "to", "via", "without",
    }
)  # fmt: skip
# A name in code counts whole, a comparison or an assignment by its sign
_CLAIMED = lazy_pattern(
    rf"(?a:{_COMPOUND.pattern})|{_WORD.pattern}|[<>=!]+|(?<=\s)[+*/%&|^~]+(?=\s)"
)
_EMPHASIS = frozenset(
    {
        "potential", "potentially", "possible", "possibly", "likely", "issue", "problem", "bug",
        "defect", "risk", "vulnerability", "warning",
    }
)  # fmt: skip
_MOSTLY = 0.6
_KINDS = (
    ("quality", "maintainability", "documentation"),
    ("correctness", "reliability", "compatibility"),
)


class FindingMeaning(NamedTuple):
    """The words of a finding, those of the code that it is about, and its category; "" where that
    is in another tool's words. `by_rule`: a rule says what is wrong."""

    words: frozenset[str]
    code_words: frozenset[str]
    category: str
    by_rule: bool = False


def meaning_of(finding: Finding, *, by_linter: bool = True) -> FindingMeaning:
    """What a finding says. Where its rule is no linter's, it may be a model's word, and a whole
    sentence says what is wrong itself."""
    words = _words(f"{finding.title}\n{finding.body}")
    return FindingMeaning(
        words,
        _words(finding.anchor),
        "" if finding.rule else finding.category,
        finding.has_specific_rule and (by_linter or len(words) < _SENTENCE),
    )


@lru_cache(4096)
def text_meaning(title: str, body: str) -> FindingMeaning:
    """What a remark says of which nothing but its words is known."""
    return FindingMeaning(_words(f"{title}\n{body}"), frozenset(), "", by_rule=True)


def similarity(one: FindingMeaning, other: FindingMeaning) -> float:
    """How much alike two findings are, around 0 for none and 1 for all words in common.

    A tool says little more than the names in the code, so with it all words count in full, and more
    of them are asked for.
    """
    if one.by_rule or other.by_rule:
        return _shared(one.words, other.words, frozenset()) + _OTHER_KIND
    return _shared(one.words, other.words, one.code_words | other.code_words) + _by_category(
        one.category, other.category
    )


def is_same_code(one: FindingMeaning, other: FindingMeaning) -> bool:
    """The two are about nearly equal code, as where one line was copied to another."""
    common = len(one.code_words & other.code_words)
    return common > 0 and 2 * common >= _COPIED * (len(one.code_words) + len(other.code_words))


@lru_cache(4096)
def is_same_claim(accepted: str, title: str) -> bool:
    """The second title claims nothing that the first one does not, and most of what that one does.

    This is stricter than `alike`: whoever accepted "missing null check" has not accepted "missing
    bounds check", although most words are equal. Synonyms are not known here, so a title in quite
    other words is another claim. So is one that says less, unless it begins alike and keeps the
    order; and one that says the same in another order, where a word such as "before" gives the
    order a meaning.
    """
    if accepted.split() == title.split():
        return True
    old, new = _claim(accepted), _claim(title)
    if not new.words or old.denies is not new.denies or set(new.words) - set(old.words):
        return False
    if 2 * len(set(new.words)) / (len(set(old.words)) + len(set(new.words))) < _MOSTLY:
        return False
    if sorted(old.words) == sorted(new.words) and not (old.is_ordered or new.is_ordered):
        return True
    rest = iter(old.words)
    return new.words[0] == old.words[0] and all(word in rest for word in new.words)


class _Claim(NamedTuple):
    """What a title claims, in its order: the stems of words, names in code, signs.

    `denies`: it says that something is missing or not so. `is_ordered`: in another order it might
    say another thing.
    """

    words: tuple[str, ...]
    denies: bool
    is_ordered: bool


def _claim(title: str) -> _Claim:
    found = _CLAIMED.findall(_CONTRACTED.sub(" not", title)[:_READ])
    words = [word if _COMPOUND.fullmatch(word) else word.lower() for word in found]
    telling = (
        word
        for word in words
        if word not in _NEGATIONS
        and word not in _EMPHASIS
        and (word not in _COMMON or word in _ORDERING)
    )
    return _Claim(
        tuple(map(_stem, telling)),
        any(word in _NEGATIONS for word in words),
        any(word in _ORDERING or not word[0].isalpha() for word in words),
    )


def _shared(left: frozenset[str], right: frozenset[str], code: frozenset[str]) -> float:
    common = left & right
    if not common:
        return 0.0
    one, other, both = (
        len(words) - (1 - _OF_CODE) * len(words & code) for words in (left, right, common)
    )
    return (1 - _OF_SHORTER) * 2 * both / (one + other) + _OF_SHORTER * both / min(one, other)


def _by_category(one: str, other: str) -> float:
    if not (one and other):
        return _UNKNOWN_KIND
    if one == other:
        return _SAME_CATEGORY
    return _SAME_KIND if any(one in kind and other in kind for kind in _KINDS) else _OTHER_KIND


def _words(text: str) -> frozenset[str]:
    """The stems of the words that say something; names in code count whole and by their parts."""
    text = text[:_READ]
    found = (word.lower() for word in _WORD.findall(text))
    stems = {_stem(word) for word in found if len(word) > 1 and word not in _COMMON}
    return frozenset(stems.union(name.lower() for name in _COMPOUND.findall(text)))


def _stem(word: str) -> str:
    ending = next(
        (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= _SHORTEST_STEM),
        "",
    )
    return word.removesuffix(ending)

"""Words that are one slip away from a keyword, at the line where a grammar gives up."""

import re

from .patterns import lazy_pattern

_ALL = "class return import public private static while else switch case for if"
_ABSTRACT = f"{_ALL} abstract void extends implements final"
_KEYWORDS = {
    "C": "static struct typedef return while switch case else for void unsigned const extern",
    "C#": f"{_ALL} interface struct namespace using protected internal override virtual abstract "
    "async foreach readonly const void",
    "C++": "class struct typedef return while switch case else for void unsigned const template "
    "typename namespace using public private protected virtual static",
    "Dart": f"{_ABSTRACT} const async await",
    "Haskell": "module import where data type newtype class instance deriving case else then let",
    "Java": f"{_ABSTRACT} interface enum package protected throws",
    "Kotlin": f"{_ALL} fun val var object interface package protected internal override sealed "
    "when data companion",
    "Rust": "fn pub let mut struct enum impl trait match return while loop for else mod",
    "Swift": f"{_ALL} func let var struct enum protocol extension guard internal override init",
    "Zig": "const var fn pub struct enum return while switch else for try test",
}  # fmt: skip
# What other languages call a function
_FUNCTIONS = frozenset({"def", "fn", "fun", "func", "function"})
_WORD = lazy_pattern(r"(?<![\w.$@#\"'`:])[a-z]{2,12}(?=[ \t]+[A-Za-z_]|[ \t]*$)", re.MULTILINE)


def find_misspelt_keyword(language: str, text: str, line: int) -> str:
    """The word of that line which stands nowhere else, but for one slip, or for the language, is a
    keyword; "" if there is none."""
    keywords = frozenset(_KEYWORDS.get(language, "").split())
    rows = text.split("\n")
    if not keywords or not 0 < line <= len(rows):
        return ""
    for word in _WORD.findall(rows[line - 1].split("//")[0]):
        if word not in keywords and _is_slip(word, keywords) and _is_alone(word, text):
            return str(word)
    return ""


def _is_slip(word: str, keywords: frozenset[str]) -> bool:
    if word in _FUNCTIONS:
        return bool(keywords & _FUNCTIONS)
    return any(len(each) > 3 and is_one_slip(word, each) for each in keywords)


def is_one_slip(word: str, other: str) -> bool:
    """One letter is too many, missing, wrong or behind its neighbour."""
    if abs(len(word) - len(other)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), -1)
    if at < 0:
        return len(word) != len(other)
    swapped = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    return (
        other in (swapped,)
        or word[at + 1 :] in (other[at + 1 :], other[at:])
        or (word[at:] == other[at + 1 :])
    )


def _is_alone(word: str, text: str) -> bool:
    return len(re.findall(rf"\b{word}\b", text)) == 1

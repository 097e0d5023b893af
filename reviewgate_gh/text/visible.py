"""Characters that a reader cannot see and a compiler or a model can: found, and shown."""

import re
import unicodedata
from functools import cache

from msgspec import Struct

from .patterns import lazy_pattern

_KINDS = {
    "bidi": "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "zero-width": "\u200b-\u200d\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0",
    "soft-hyphen": "\u00ad",
    "tag": "\U000e0000-\U000e007f\U000e0100-\U000e01ef",
    "control": "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb",
}
_HIDDEN = lazy_pattern(
    "|".join(f"(?P<{kind.replace('-', '_')}>[{chars}])" for kind, chars in _KINDS.items())
)
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_MAY_STAY = lazy_pattern("[\u200d\U000e0020-\U000e007f]")  # in an emoji, see _in_emoji
_JOINER = "\u200d"
_BLACK_FLAG = "\U0001f3f4"
_FLAG_END = "\U000e007f"
_WORD = lazy_pattern(r"[^\W\d]\w*")
_LOOKALIKE_SCRIPTS = ("CYRILLIC", "GREEK")


class HiddenCharacter(Struct, frozen=True):
    """One hidden character: its column from 0, its code point as U+XXXX, and its kind."""

    column: int
    code: str
    kind: str


class Identifier(Struct, frozen=True):
    """An identifier and its column from 0."""

    column: int
    text: str


def is_valid_unicode(text: str) -> bool:
    """It has no half characters, as the names of files that are no UTF-8 have: what holds one
    cannot be sent."""
    return text.isascii() or not _SURROGATE.search(text)


def find_hidden(text: str) -> list[HiddenCharacter]:
    """Every hidden character of a line or text; joiners and tags inside an emoji, and form feeds,
    are what they seem."""
    if text.isascii() and text.isprintable():
        return []
    return [
        HiddenCharacter(found.start(), _code(found[0]), (found.lastgroup or "").replace("_", "-"))
        for found in _HIDDEN.finditer(text)
        if found[0] != "\x0c" and not _in_emoji(text, found.start())
    ]


def show_hidden(text: str) -> str:
    """The text with each hidden character shown as `<U+202E>` and each undecodable byte as
    `\\xNN`."""
    if text.isascii() and text.isprintable():
        return text
    if not any(_in_emoji(text, found.start()) for found in _MAY_STAY.finditer(text)):
        return text.translate(_shown())
    return "".join(
        char if _in_emoji(text, at) else char.translate(_shown()) for at, char in enumerate(text)
    )


@cache
def _shown() -> dict[int, str]:
    """What stands for each character that is not shown as itself."""
    ranges = re.findall("(.)-(.)|(.)", "".join(_KINDS.values()), re.DOTALL)
    codes = [
        code for low, high, one in ranges for code in range(ord(low or one), ord(high or one) + 1)
    ]
    halves = {code: f"\\x{code & 0xFF:02x}" for code in range(0xD800, 0xE000)}
    return {code: f"<{_code(chr(code))}>" for code in codes} | halves


def find_mixed_script(text: str) -> list[Identifier]:
    """Identifiers that mix Latin letters with Cyrillic or Greek ones, which look alike."""
    if text.isascii():
        return []
    return [
        Identifier(found.start(), found[0])
        for found in _WORD.finditer(text)
        if not found[0].isascii() and _mixes(found[0])
    ]


def _mixes(word: str) -> bool:
    scripts = {
        unicodedata.name(letter, "").partition(" ")[0] for letter in word if letter.isalpha()
    }
    return "LATIN" in scripts and bool(scripts.intersection(_LOOKALIKE_SCRIPTS))


def _in_emoji(text: str, at: int) -> bool:
    """A joiner between two pictures, or a tag of a flag that began with one."""
    if text[at] == _JOINER:
        before = text[at - 1] if at else ""
        return _picture(text[at - 2 : at - 1] if before == "\ufe0f" else before) and _picture(
            text[at + 1 : at + 2]
        )
    return "\U000e0020" <= text[at] <= _FLAG_END and _in_flag(text, at)


def _in_flag(text: str, at: int) -> bool:
    """A tag letter of a flag: the black flag, at most six letters, the end mark."""
    flag = text.rfind(_BLACK_FLAG, max(0, at - 7), at)
    end = text.find(_FLAG_END, at, at + 7)
    letters = text[flag + 1 : end] if 0 <= flag < end else ""
    return 0 < len(letters) <= 6 and all("\U000e0020" <= letter < _FLAG_END for letter in letters)


def _picture(character: str) -> bool:
    return bool(character) and (
        0x1F000 <= ord(character) < 0xE0000 or 0x2190 <= ord(character) <= 0x2BFF
    )


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"

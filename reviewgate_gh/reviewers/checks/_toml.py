"""What TOML 1.1 added, written as TOML 1.0, which is what Python's parser knows."""

import re

from ...text.patterns import lazy_pattern

# Texts and comments are one token each, so that nothing inside of them is taken for a bracket
_TOKEN = lazy_pattern(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[{}\[\],\n]',
    re.DOTALL,
)
_ESCAPE = lazy_pattern(r"((?:^|[^\\])(?:\\\\)*)\\(?:e|x[0-9A-Fa-f]{2})")
_SHORT_TIME = lazy_pattern(
    r"(?<![\d:.+-])(\d\d:\d\d)(?=\s*(?:[,\]}#\n]|Z|[+-]\d|$))|(T\d\d:\d\d)(?![:\d])"
)


def as_toml_1_0(text: str) -> str:
    """The text with its inline tables in one line and without a comma at their end, without the
    escapes `\\e` and `\\xHH`, and with seconds in its times.
    https://toml.io/en/v1.1.0"""
    parts, around, last, at = list[str](), list[str](), -1, 0
    for found in _TOKEN.finditer(text):
        parts.append(_SHORT_TIME.sub(r"\1\2:00", text[at : found.start()]))
        last = len(parts) - 1 if parts[-1].strip() else last
        sign, at = found[0], found.end()
        inside = around[-1:] == ["{"]
        if sign in "{[":
            around.append(sign)
        elif sign in "}]" and around:
            around.pop()
        if sign == "}" and inside and parts[last] == "," and _before(parts, last) != "{":
            parts[last] = ""
        if sign[0] == '"':
            sign = _ESCAPE.sub(r"\1\\u0020", sign)
        blank = inside and (sign == "\n" or sign[0] == "#")
        parts.append(" " if blank else sign)
        last = last if blank or sign == "\n" or sign[0] == "#" else len(parts) - 1
    return "".join([*parts, _SHORT_TIME.sub(r"\1\2:00", text[at:])])


def _before(parts: list[str], place: int) -> str:
    """The last part before this one that is no space."""
    places = range(place - 1, -1, -1)
    return next((parts[each] for each in places if parts[each].strip()), "")

"""C and C++: conditions of the preprocessor without their end, types without their semicolon."""

import re

from .lines import LineNumbers
from .patterns import lazy_pattern

# Comments and texts; raw ones of C++ first. An end is optional, so that each is read once
_ASIDE = lazy_pattern(
    r"//(?:[^\n\\]|\\\r?\n|\\.)*|/\*(?s:.*?)(?:\*/|\Z)"
    r"|R\"(?P<raw>[^()\s\\]{0,16})\((?s:.*?)(?:\)(?P=raw)\"|\Z)"
    r"|\"(?:[^\"\\\n]|\\(?s:.))*\"?|'(?:[^'\\\n]|\\.){1,12}'"
)
_DIRECTIVE = lazy_pattern(r"(?m)^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*")
_SIGN = lazy_pattern(r"[^\n]")
# https://gcc.gnu.org/onlinedocs/cpp/Conditionals.html: each file holds whole ones
_CONDITION = lazy_pattern(r"(?m)^[ \t]*(?:#|%:)[ \t]*(if|ifn?def|endif|else|elif\w*)\b")
_TYPE = lazy_pattern(
    r"(?m)^[ \t]*(?:typedef[ \t]+)?(?:class|struct|union|enum(?:[ \t]+(?:class|struct))?)[ \t]+\w+"
    r"(?:[ \t]*<[^<>;{}()\n]*>)?(?:[ \t]+final)?\s*(?::(?!:)[^;{}()=#]{1,400})?\{"
)
_BRACE = lazy_pattern(r"[{}]")
# What begins behind it: a definition, or the end of what it is in
_BEGINS = lazy_pattern(
    r"\}|(?:class|struct|union|enum|namespace|template|using|typedef|extern|static|inline|constexpr"
    r"|public|private|protected|explicit|virtual|friend)\b"
    r"|(?:const[ \t]+)?[A-Za-z_][\w:]*(?:<[^<>\n]*>)?(?:[ \t]*[*&]+[ \t]*|[ \t]+)"
    r"[A-Za-z_~][\w:~]*[ \t]*\("
)


def find_open_condition(text: str) -> int:
    """The line of a condition that nothing ends, or of an end of none; 0 if all match."""
    opened: list[int] = []
    bare = _without_texts(text)
    lines = LineNumbers(bare)
    for found in _CONDITION.finditer(bare):
        line = lines.at(found.start())
        if found[1].startswith("if"):
            opened.append(line)
        elif not opened:
            return line
        elif found[1] == "endif":
            opened.pop()
    return opened[-1] if opened else 0


def find_unended_type(text: str) -> int:
    """The line of the `}` of a type, behind which something begins that is no name of a variable;
    0 if there is none."""
    bare = _DIRECTIVE.sub(_blank, _without_texts(text))
    ends = _closings(bare)
    for found in _TYPE.finditer(bare):
        end = ends.get(found.end(), 0)
        rest = bare[end : end + 400] if end else ""
        line_end = rest.partition("\n")[0]
        if end and not line_end.strip() and _BEGINS.match(rest.lstrip()):
            return bare.count("\n", 0, end) + 1
    return 0


def _closings(text: str) -> dict[int, int]:
    """Behind each brace that is closed, the place behind the one that closes it."""
    ends, opened = dict[int, int](), list[int]()
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.end())
        elif opened:
            ends[opened.pop()] = brace.end()
    return ends


def _without_texts(text: str) -> str:
    """The text with spaces for comments and strings."""
    return _ASIDE.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return _SIGN.sub(" ", found[0])

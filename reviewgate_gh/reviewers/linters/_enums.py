"""Enumerations of TypeScript that name some values several times on purpose: a table of aliases, no
list of values that must differ. https://www.typescriptlang.org/docs/handbook/enums.html"""

from collections import Counter

from ...text.patterns import lazy_pattern

_HEAD = lazy_pattern(rb"\benum\s+[\w$]+\s*\{")
_MEMBER = lazy_pattern(rb"""(?m)^\s*(?:[\w$]+|"[^"\n]*"|'[^'\n]*')\s*=\s*("[^"\n]*"|'[^'\n]*')""")
_FEW = 2  # values: a slip of the keyboard repeats one


def has_aliases(data: bytes, line: int) -> bool:
    """More than `_FEW` texts stand several times in the enumeration around the line."""
    at = sum(len(row) + 1 for row in data.split(b"\n")[: line - 1])
    heads = [found.end() for found in _HEAD.finditer(data) if found.start() <= at]
    if not heads:
        return False
    end = data.find(b"}", at)
    values = Counter(_MEMBER.findall(data[heads[-1] : end if end >= 0 else len(data)]))
    return sum(times > 1 for times in values.values()) > _FEW

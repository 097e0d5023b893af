"""Definitions that hold under a condition, and those that stand in for the platform's own."""

import re
from collections.abc import Sequence

from ...text.patterns import lazy_pattern
from ._definitions import CodeDefinition, language_of, package_of

_IF = lazy_pattern(r"\s*#\s*if(?P<what>n?def\b|\b)\s*(?P<condition>[^\n]*)")
_END = lazy_pattern(r"\s*#\s*endif\b")
# What a header has around all of it: https://gcc.gnu.org/onlinedocs/cpp/Once-Only-Headers.html,
# https://isocpp.org/wiki/faq/mixing-c-and-cpp
_AROUND_HEADERS = lazy_pattern(r"\s*__cplusplus\b")
# https://doc.rust-lang.org/reference/conditional-compilation.html#the-cfg-attribute
_CFG = lazy_pattern(r"\s*#!?\[cfg(?:_attr)?\(")
_ABOVE = lazy_pattern(r"\s*(?:#\[|//|$)")
# https://learn.microsoft.com/dotnet/standard/design-guidelines/names-of-namespaces
_OF_PLATFORM = lazy_pattern(r"(?:System|javax?|kotlin)(?:\.|\Z)")


def is_conditional(path: str, text: str, each: CodeDefinition) -> bool:
    """It is compiled under a condition, or opens what may be another project's: elsewhere something
    else has the name."""
    rows, kind = text.split("\n")[: each.line], language_of(path)
    if kind == "rb":
        return _may_be_opened(path, each)
    if kind == "rs":
        return _has_cfg(rows)
    return kind in ("c", "java", "swift") and _is_in_branch(rows)


def _may_be_opened(path: str, each: CodeDefinition) -> bool:
    """A module or class of Ruby without a class above it, in a file that is not called like it.
    https://guides.rubyonrails.org/autoloading_and_reloading_constants.html"""
    named = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", each.name).lower()
    parts = re.split(r"[/.]", path)
    return re.match(r"\s*(?:module|class)\s[^<]*$", each.text) is not None and named not in parts


def is_of_platform(kind: str, text: str) -> bool:
    """It is in a namespace that the platform has by itself, for those where it lacks something."""
    return kind == "java" and _OF_PLATFORM.match(package_of(text)) is not None


def _is_in_branch(rows: Sequence[str]) -> bool:
    """The last row is between `#if` and `#endif`."""
    open_ifs: list[bool] = []
    for at, row in enumerate(rows):
        if found := _IF.match(row):
            name = re.escape(found["condition"].strip())
            following = next((each for each in rows[at + 1 :] if each.strip()), "")
            guard = found["what"] == "ndef" and re.match(rf"\s*#\s*define\s+{name}\b", following)
            open_ifs.append(not (guard or _AROUND_HEADERS.match(found["condition"])))
        elif _END.match(row) and open_ifs:
            open_ifs.pop()
    return any(open_ifs)


def _has_cfg(rows: Sequence[str]) -> bool:
    """An attribute makes the item of the last row, one around it, or the whole file depend on a
    condition."""
    depth = len(rows[-1]) - len(rows[-1].lstrip()) + 1
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            depth = indent
            for above in reversed(rows[:at]):
                if not _ABOVE.match(above):
                    break
                if _CFG.match(above):
                    return True
    return any(row.startswith("#![cfg(") for row in rows)

"""Tags of HTML that do not match: a static page, or the template of a Vue component."""

import re

from msgspec import Struct

from .patterns import lazy_pattern

# https://html.spec.whatwg.org/multipage/syntax.html#void-elements, #optional-tags
_VOID = "area base br col embed hr img input link meta param source track wbr !doctype"
_OPTIONAL = (
    "html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th"
)
_RAW = frozenset({"script", "style", "textarea", "title", "svg", "math", "pre", "xmp"})
_TAG = lazy_pattern(
    r"<!--(?s:.*?)(?:-->|\Z)|<(?P<end>/?)(?P<name>[A-Za-z!][\w:.-]*)"
    r"(?P<rest>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+)(?P<close>>?)"
)
_TEMPLATE = lazy_pattern(r"\{\{|\{%|<%|<\?(?!xml)|\$\{")
_BLOCK = lazy_pattern(r"^<template(?:\s[^>\n]*)?>[ \t]*$", re.MULTILINE)
_BLOCK_END = "\n</template>"
_MOST_TAGS, _DEEPEST = 20_000, 300


class LooseTag(Struct, frozen=True):
    """A tag without its partner, or one that does not end: its line, and what is wrong."""

    line: int
    says: str


def find_loose_tag(text: str) -> LooseTag | None:
    """The first of a page; None where all match, and of what a template engine fills in."""
    return None if _TEMPLATE.search(text) else _loose(text, frozenset(_OPTIONAL.split()))


def find_loose_component_tag(text: str) -> LooseTag | None:
    """The first of a component's template, which leaves none open.
    https://vuejs.org/guide/essentials/template-syntax.html"""
    begin, end = _BLOCK.search(text), text.rfind(_BLOCK_END)
    if begin is None or end < begin.end() or "lang=" in begin[0]:
        return None
    found = _loose(text[begin.start() : end + len(_BLOCK_END)], frozenset())
    return found and LooseTag(found.line + text.count("\n", 0, begin.start()), found.says)


def _loose(text: str, optional: frozenset[str]) -> LooseTag | None:
    opened: list[tuple[str, int]] = []
    raw, line, at, void = "", 1, 0, _VOID.split()
    for number, found in enumerate(_TAG.finditer(text)):
        name = (found["name"] or "").lower()
        line, at = line + text.count("\n", at, found.start()), found.start()
        if number > _MOST_TAGS or len(opened) > _DEEPEST:
            return None
        if not name or (raw and name != raw) or name in void:
            continue
        if not found["close"]:
            return LooseTag(line, f"`<{found['end']}{name}` has no `>`")
        if found["end"]:
            raw = ""
            if wrong := _close(name, line, opened, optional):
                return wrong
        elif not found["rest"].endswith("/"):
            opened.append((name, line))
            raw = name if name in _RAW else raw
    left = [each for each in opened if each[0] not in optional]
    return LooseTag(left[-1][1], f"`<{left[-1][0]}>` is never closed") if left else None


def _close(
    name: str, line: int, opened: list[tuple[str, int]], optional: frozenset[str]
) -> LooseTag | None:
    """Take the partner of an end tag from the open ones, and what may be left open above it."""
    if name in optional and not any(name == each[0] for each in opened):
        return None if name != "p" else LooseTag(line, "`</p>` closes nothing")
    while opened and opened[-1][0] != name and opened[-1][0] in optional:
        opened.pop()
    if opened and opened[-1][0] == name:
        opened.pop()
        return None
    if any(name == each[0] for each in opened):
        return LooseTag(opened[-1][1], f"`<{opened[-1][0]}>` is never closed")
    return LooseTag(line, f"`</{name}>` closes nothing")

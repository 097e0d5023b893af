"""Tags of HTML that do not match, in a static page or the template of a Vue component; blocks of
Svelte that do not; and names of elements that stand twice."""

import re
from collections.abc import Iterator

from msgspec import Struct

from .patterns import lazy_pattern

# https://html.spec.whatwg.org/multipage/syntax.html#void-elements, #optional-tags
_VOID = "area base br col embed hr img input link meta param source track wbr"
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
_PAGE = lazy_pattern(r"(?i)\s*(?:<!--[^>]*>\s*)?<!doctype html\b")
_PAGE_END = lazy_pattern(r"(?i)</html\s*>\s*\Z")
_NAME = lazy_pattern(
    r"(?<=\s)(?P<key>[^\s=/\"'>]+)(?:\s*+=\s*+(?:\"(?P<a>[^\"]*)\"|'(?P<b>[^']*)'"
    r"|(?P<c>[^\s\"'>]+)))?"
)
# What is no markup of the component, and texts within an expression
_SVELTE = lazy_pattern(
    r"<!--(?s:.*?)(?:-->|\Z)|<(?P<raw>script|style)(?=[\s>])(?s:.*?)(?:</(?P=raw)\s*>|\Z)"
    r"|(?<=\{)\s*(?:`[^`]*(?:`|\Z)|\"[^\"\n]*\"|'[^'\n]*')"
    r"|\{\s*(?P<mark>[#/])(?P<block>if|each|await|key|snippet)\b"
)


class LooseTag(Struct, frozen=True):
    """A tag without its partner, or one that does not end: its line, and what is wrong."""

    line: int
    says: str


def find_loose_tag(text: str) -> LooseTag | None:
    """The first of a page; None where all match, and of what a template engine fills in."""
    return None if _TEMPLATE.search(text) else _loose(text, frozenset(_OPTIONAL.split()))


def is_page(text: str) -> bool:
    """It is a whole document of HTML, not a part that another file completes."""
    return bool(_PAGE.match(text) and _PAGE_END.search(text[-200:]))


def find_loose_svelte_block(text: str) -> LooseTag | None:
    """The first block of a Svelte component that nothing closes, or that closes none.
    https://svelte.dev/docs/svelte/if"""
    opened: list[tuple[str, int]] = []
    line, at = 1, 0
    for found in _SVELTE.finditer(text):
        name = found["block"]
        line, at = line + text.count("\n", at, found.start()), found.start()
        if name and found["mark"] == "#":
            opened.append((name, line))
        elif name and opened and opened[-1][0] == name:
            opened.pop()
        elif name and any(name == each[0] for each in opened[-_DEEPEST:]):
            break
        elif name:
            return LooseTag(line, f"`{{/{name}}}` closes nothing")
    return LooseTag(opened[-1][1], f"`{{#{opened[-1][0]}}}` is never closed") if opened else None


def repeated_names(text: str) -> dict[str, tuple[int, int]]:
    """Each `id` of a page that stands twice: the lines of the second and the first."""
    first: dict[str, int] = {}
    again: dict[str, tuple[int, int]] = {}
    for _, attributes, line in elements(text) if is_static_page(text) else ():
        name = attributes.get("id", "").strip()
        if name in first:
            again.setdefault(name, (line, first[name]))
        if name:
            first.setdefault(name, line)
    return again


def is_static_page(text: str) -> bool:
    """It is a whole document that no template engine fills in."""
    return is_page(text) and not _TEMPLATE.search(text)


def elements(text: str) -> Iterator[tuple[str, dict[str, str], int]]:
    """Each element up to a tag that does not end: its name, its attributes in lower case, and its
    line. What stands within scripts, texts and templates is none."""
    raw, line, at = "", 1, 0
    for number, found in enumerate(_TAG.finditer(text)):
        name = (found["name"] or "").lower()
        line, at = line + text.count("\n", at, found.start()), found.start()
        if number > _MOST_TAGS or (name and not found["close"]):
            return
        if raw:
            raw = "" if found["end"] and name == raw else raw
            continue
        raw = "" if found["end"] or name not in (*_RAW, "template") else name
        if name and not found["end"]:
            yield name, _attributes(found["rest"] or ""), line


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in _NAME.finditer(text):
        found.setdefault(each["key"].lower(), each["a"] or each["b"] or each["c"] or "")
    return found


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
        if not name or name[0] == "!" or (raw and name != raw) or name in void:
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

"""The code of Terraform's language: without its comments and texts, with what texts fill in.

https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md
"""

import re

from .patterns import lazy_pattern

_CODE = lazy_pattern(
    r"(?P<comment>(?:\#|//)[^\n]*|/\*(?s:.*?)(?:\*/|\Z))|(?P<quote>\")"
    r"|<<[-~]?(?P<word>\w+)[^\n]*|(?P<brace>[{}])"
)
_TEXT = lazy_pattern(r"\\.|\$\$\{|%%\{|(?P<filled>[$%]\{)|(?P<quote>\")|\n")
_LINES = lazy_pattern(r"\$\$\{|%%\{|(?P<filled>[$%]\{)|\n[ \t]*(?P<word>\w+)[ \t]*(?=\n|\Z)")
_SIGN = lazy_pattern(r"[^\n]")
_BLOCK = lazy_pattern(
    r"(?m)^[ \t]*(?P<kind>\w+)(?:[ \t]+\"?(?P<first>[\w./-]*)\"?)?"
    r"(?:[ \t]+\"(?P<second>[^\"\n]*)\")?[ \t]*\{"
)


def hcl_code(text: str) -> str:
    """The text with spaces for comments and for what texts say; every sign stays where it is."""
    parts, at = list[str](), 0
    modes: list[tuple[str, int]] = [("", 0)]  # its end: a quote, a word, or braces that are open
    while at < len(text):
        end, depth = modes[-1]
        pattern = _CODE if not end else _TEXT if end == '"' else _LINES
        found = pattern.search(text, at)
        stop = found.start() if found else len(text)
        parts.append(_blank(text[at:stop]) if end else text[at:stop])
        if found is None:
            break
        groups = found.groupdict()
        # Braces of what a text fills in count as others do
        kept = found[0] if groups.get("brace") else _blank(found[0])
        parts.append(" {" if groups.get("filled") else kept)
        at = found.end()
        _next_mode(modes, end, depth, found)
    return "".join(parts)


def _next_mode(modes: list[tuple[str, int]], end: str, depth: int, found: re.Match[str]) -> None:
    groups = found.groupdict()
    if end:
        if groups.get("filled"):
            modes.append(("", 1))
        elif groups.get("quote") or groups.get("word") == end or (end == '"' and found[0] == "\n"):
            modes.pop()
    elif groups["quote"] or groups["word"]:
        modes.append((groups["quote"] or groups["word"], 0))
    elif groups["brace"] and depth:  # within what a text fills in
        depth += 1 if groups["brace"] == "{" else -1
        modes.pop()
        if depth:
            modes.append(("", depth))


def _blank(text: str) -> str:
    return _SIGN.sub(" ", text)


def blocks_of(text: str, code: str) -> list[tuple[str, str, str, int, int]]:
    """Each block with its kind, its labels, where its content begins and where that ends; blocks
    within others too, in the order of their beginnings."""
    ends, opened = dict[int, int](), list[int]()
    for brace in re.finditer(r"[{}]", code):
        if brace[0] == "{":
            opened.append(brace.end())
        elif opened:
            ends[opened.pop()] = brace.start()
    return [
        (found["kind"], found["first"] or "", found["second"] or "", found.end(), ends[found.end()])
        for found in _BLOCK.finditer(text)
        if found.end() in ends
    ]

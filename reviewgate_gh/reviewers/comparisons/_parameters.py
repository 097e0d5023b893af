"""Parameters of a definition, as written: what they are called, and how many a call has to give."""

import re
from collections.abc import Iterator

from ...text.patterns import lazy_pattern
from ._definitions import CodeDefinition


def parameters(text: str, each: CodeDefinition) -> tuple[str, ...] | None:
    """The parameters of a definition of the text, as written; None where they cannot be read."""
    name = each.name
    text = "\n".join(text.split("\n")[each.line - 1 : each.line + _LONGEST_LIST])
    found = re.search(
        rf"(?:\b(?:def|function\*?|func|fn|fun|new)\s+|(?:\)|\w|[>*\]])\s+|[*&]|^\s*|self\."
        rf"|=\s*(?:async\s*)?(?:function\s*)?)(?:\([^)]*\)\s*)?"
        rf"(?:self\.)?{re.escape(name)}\s*(?:<[^>(]*>"
        rf"|\[[^\](]*\])?\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\(",
        text,
        re.MULTILINE,
    )
    found_all = split_arguments(without_types(text), found.end(), text) if found else None
    if any(_DIRECTIVE.search(part) for part in found_all or ()):
        return None
    return found_all


def without_types(text: str) -> str:
    """As long as the text: types have commas in brackets of their own, which may hold others, and
    Rust writes lifetimes with a quote."""
    text, left = re.sub(r"[-=]>", "__", text), 1
    while left:
        text, left = _TYPES.subn(_plain, text)
    return text


_TYPES = lazy_pattern(r"(?<=[\w:])<[^<>=;{}]*>|'\w+\b(?!')")
# A parameter that is there under a condition
_DIRECTIVE = lazy_pattern(r"(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|else|endif)\b")


def _plain(found: re.Match[str]) -> str:
    """As long as the text, without commas and quotes."""
    return re.sub(r"[,'<>]", "_", found[0])


_LONGEST_LIST = 40  # lines
_CLOSE = {"(": ")", "[": "]", "{": "}"}


def split_arguments(text: str, start: int, shown: str = "") -> tuple[str, ...] | None:
    """The parts between the bracket before `start` and the one that closes it, at commas; taken
    from the text that is `shown`, of the same length."""
    stack, part, parts, quote = [")"], "", list[str](), ""
    pairs = zip(text[start : start + 3000], (shown or text)[start:], strict=False)
    for sign, seen in pairs:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'`":
            quote = sign
        elif sign in _CLOSE:
            stack.append(_CLOSE[sign])
        elif sign == stack[-1]:
            stack.pop()
            if not stack:
                return tuple(each for each in [*parts, part.strip()] if each)
        elif sign == "," and len(stack) == 1:
            parts.append(part.strip())
            part = ""
            continue
        part += seen
    return None


def arity(kind: str, rows: tuple[str, ...]) -> tuple[int, int] | None:
    """Fewest and most arguments of positions; None where there is no telling."""
    rows = tuple(
        row for row in rows if not re.match(r"(?:&?(?:mut\s+)?self|cls|void|this)\b(?!\s*=)", row)
    )
    if any(
        re.match(r"(?:\*|\.\.\.|&|params\b|vararg\b)|.*\.\.\.", row) and row != "*" for row in rows
    ):
        return None
    plain = rows[: rows.index("*")] if "*" in rows else rows
    plain = tuple(row for row in plain if row != "/")
    if kind == "go":
        return len(plain), len(plain)
    optional = sum(
        "=" in row
        or (kind == "ex" and "\\\\" in row)
        or (kind != "ex" and re.match(r"\w+\?", row) is not None)  # there it is a name
        or (kind == "rb" and ":" in row)
        for row in plain
    )
    return len(plain) - optional, len(plain)


def names_of(kind: str, rows: tuple[str, ...]) -> list[str]:
    """The names of parameters."""
    found: Iterator[re.Match[str] | None]
    if kind in ("java", "c", "php", "dart"):
        found = (
            re.search(r"([$\w]+)\s*(?:=.*)?$", row.partition(":")[0] if ":" in row else row)
            for row in rows
        )
    else:
        found = (re.match(r"[&*]*\s*(?:mut\s+)?([\w$]+)", row) for row in rows)
    return [each[1] for each in found if each and each[1] not in ("self", "cls", "this")]

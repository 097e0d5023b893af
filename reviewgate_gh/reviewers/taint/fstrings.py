"""F-strings of Python 3.12 and later (https://peps.python.org/pep-0701/), written so that an older
parser takes them: all lines stay, and so does all that the analysis looks at."""

import re
from ast import literal_eval

from ...text.patterns import lazy_pattern

_TOKEN = lazy_pattern(
    r"#[^\n]*|(?<!\w)(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')", re.IGNORECASE
)
_INSIDE = lazy_pattern(
    r"#[^\n]*|(?P<prefix>(?<!\w)[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')|[()\[\]{}]|!(?!=)|:|\\"
)
_LITERAL = lazy_pattern(r"\\.|\{\{|\}\}|\{|\}|\"\"\"|'''|\"|'", re.DOTALL)
_ESCAPE = lazy_pattern(r"\\.", re.DOTALL)
_QUOTES = ('"""', "'''", '"', "'")
_ENDS = {quote: lazy_pattern(rf"(?:[^\\]|\\.)*?{quote}", re.DOTALL) for quote in _QUOTES}
_DEEPEST = 4  # f-strings within one another


def for_older_parser(text: str) -> str:
    """The text with its f-strings rewritten; what cannot be read stays, so that it is refused."""
    out, at = list[str](), 0
    while found := _TOKEN.search(text, at):
        out.append(text[at : found.start()])
        if found["quote"] is None:
            part, at = found[0], found.end()
        else:
            part, at = _string(text, found, 0)
        out.append(part)
    return "".join([*out, text[at:]])


def _string(text: str, found: re.Match[str], depth: int) -> tuple[str, int]:
    """A string and where it ends; one in an f-string has no backslashes."""
    if "f" in found["prefix"].lower() and depth < _DEEPEST:
        return _formatted(text, found, depth)
    end = _ENDS[found["quote"]].match(text, found.end())
    if end is None:
        return text[found.start() :], len(text)
    whole = text[found.start() : end.end()]
    return _without_escapes(whole) if depth and "\\" in whole else whole, end.end()


def _without_escapes(whole: str) -> str:
    """The same string where it can be written without a backslash, else one as long."""
    try:
        value = literal_eval(whole)
    except (SyntaxError, ValueError):
        value = None
    for quote in ("'", '"'):
        if (
            isinstance(value, str)
            and "\n" not in whole
            and value.isprintable()
            and not {quote, "\\"} & {*value}
        ):
            return f"{quote}{value}{quote}"
    return _ESCAPE.sub("__", whole) + "\n" * whole.count("\\\n")


def _blank(found: re.Match[str]) -> str:
    return "_\n" if found[0][-1] == "\n" else "__"


def _formatted(text: str, found: re.Match[str], depth: int) -> tuple[str, int]:
    """An f-string in three quotes, which may hold the quotes of its own parts; one within another
    has the other quotes."""
    quote = found["quote"]
    sign = quote[0] if depth % 2 == 0 else ('"' if quote[0] == "'" else "'")
    out, at = [found["prefix"], sign * 3], found.end()
    while part := _LITERAL.search(text, at):
        literal, mark = text[at : part.start()], part[0]
        out.append(literal)
        at = part.end()
        if mark == quote:
            return "".join([*out, sign * 3]), at
        if mark == "{":
            field, at = _field(text, at, depth)
            out.append(field)
        elif mark[0] in "\"'":
            out.append(mark if sign not in mark else " " * len(mark))
        else:
            out.append(_ESCAPE.sub(_blank, mark) if depth else mark)
    return text[found.start() :], len(text)


def _field(text: str, at: int, depth: int) -> tuple[str, int]:
    """What stands in curly brackets, behind the first, without how it is to be formatted."""
    out, open_ = ["{"], 0
    while part := _INSIDE.search(text, at):
        out.append(text[at : part.start()])
        mark = part[0]
        at = part.end()
        if part["quote"]:
            string, at = _string(text, part, depth + 1)
            out.append(string)
        elif mark in "([{":
            open_ += 1
            out.append(mark)
        elif mark == "}" and not open_:
            return "".join([*out, "}"]), at
        elif mark in ")]}":
            open_ -= 1
            out.append(mark)
        elif mark in "!:" and not open_:
            end = _end_of_format(text, at)
            return "".join([*out, "\n" * text.count("\n", at, end), "}"]), end
        elif mark not in "\\" and mark[0] != "#":
            out.append(mark)
    return "".join(out), len(text)


def _end_of_format(text: str, at: int) -> int:
    open_ = 1
    for found in re.compile(r"[{}]").finditer(text, at):
        open_ += 1 if found[0] == "{" else -1
        if not open_:
            return found.end()
    return len(text)

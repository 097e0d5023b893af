"""Brackets that do not match, outside of comments and strings, and strings that do not end: the
second witness where a grammar alone is not to be believed, and the only one where there is none."""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from .patterns import lazy_pattern

_SLASHES = r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
# Comments within comments, as deep as anybody writes them. No step goes back
# https://kotlinlang.org/spec/syntax-and-grammar.html#comments
# https://doc.rust-lang.org/reference/comments.html
_NESTED = r"/\*(?s:.*?)(?:\*/|\Z)"
_NESTED_BRACES = r"\{-(?s:.*?)(?:-\}|\Z)"
for _ in range(4):
    _NESTED = rf"/\*(?:[^*/]++|\*(?!/)|/(?!\*)|{_NESTED})*+(?:\*/|\Z)"
    _NESTED_BRACES = rf"\{{-(?:[^-{{]++|-(?!\}})|\{{(?!-)|{_NESTED_BRACES})*+(?:-\}}|\Z)"
_SLASHES_NESTED = rf"//[^\n]*|{_NESTED}"
# An end is optional, so that what is never closed is read once
_STRING = r'"(?:[^"\\\n]|\\(?s:.))*"?'
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n']{1,10}|\\')'"
_THREE_QUOTES = r'"""(?s:.*?)(?:"""+|\Z)'
# At most so many strings inside of a placeholder, since each is looked for from every placeholder
_INNER = r'(?:"(?:[^"\\\n]|\\.)*+"[^{}"\n]*+){1,20}\}'
# What a text of PowerShell fills in, `$(...)`, with texts and brackets of its own, as deep as they
# are written. At most so much, since each is looked for from its beginning
_FILLED_IN = r"(?!)"
for _ in range(3):
    _INNER_TEXT = rf'"(?:[^"`$\n]|`.|\$(?:{_FILLED_IN})?+){{0,90}}+"|\'[^\'\n]{{0,90}}+\''
    _FILLED_IN = rf"\((?:[^()\"'\n]|{_INNER_TEXT}|{_FILLED_IN}){{0,90}}+\)"
_DIRECTIVE = r"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*"
_C = (_DIRECTIVE, r"//(?:[^\n\\]|\\\r?\n|\\.)*|/\*(?s:.*?)(?:\*/|\Z)")
# Per language: what holds no brackets that count, the longest first
_SKIPPED = {
    "C": (*_C, _STRING, _CHARACTER),
    "C++": (*_C, r'R"(?P<raw>[^()\s\\]{0,16})\((?s:.*?)(?:\)(?P=raw)"|\Z)', _STRING, _CHARACTER),
    "C#": (
        _DIRECTIVE,
        _SLASHES,
        r'\$*"""+(?s:.*?)(?:"""+|\Z)',
        rf'(?:@\$|\$@)"(?>[^"{{]|""|\{{[^{{}}"\n]*+{_INNER}|\{{)*+"?',
        r'@"(?:[^"]|"")*"?',
        rf'\$"(?>[^"\\\n{{]|\\.|\{{[^{{}}"\n]*+{_INNER}|\{{)*+"?',
        _STRING,
        _CHARACTER,
    ),
    "CSS": (r"/\*(?s:.*?)(?:\*/|\Z)", r"url\([^()\n]*\)", _STRING, r"'(?:[^'\\\n]|\\(?s:.))*'?"),
    # `//` of an address without quotes is none: https://sass-lang.com/documentation/syntax/comments
    "SCSS": (
        r"/\*(?s:.*?)(?:\*/|\Z)|(?<!:)//[^\n]*",
        r"url\([^()\n]*\)",
        _STRING,
        r"'(?:[^'\\\n]|\\(?s:.))*'?",
    ),
    "Dart": (
        _SLASHES_NESTED,
        _THREE_QUOTES,
        r"'''(?s:.*?)(?:'''|\Z)",
        _STRING,
        r"'(?:[^'\\\n]|\\.)*'?",
    ),
    "Go": (_SLASHES, "`[^`]*`?", _STRING, _CHARACTER),
    "Haskell": (
        r"--+(?![!#$%&*+./<=>?@\\^|~])[^\n]*",
        _NESTED_BRACES,
        r"\[\w[\w.]{0,80}\|(?s:.{0,1000}?)\|\]",
        _STRING,
        rf"(?<![\w']){_CHARACTER}",
    ),
    "HCL": (
        r"(?:#|//)[^\n]*|/\*(?s:.*?)(?:\*/|\Z)",
        r"<<[-~]?(?P<raw>\w+)(?s:.*?)(?:^[ \t]*(?P=raw)\b|\Z)",
        _STRING,
    ),
    "Java": (_SLASHES, _THREE_QUOTES, _STRING, _CHARACTER),
    "Kotlin": (
        _SLASHES_NESTED,
        _THREE_QUOTES,
        rf'"(?>[^"\\\n$]|\\.|\$\{{[^{{}}"\n]*+{_INNER}|\$)*+"?',
        _CHARACTER,
    ),
    "PHP": (
        r"(?:#(?!\[)|//)[^\n]*|/\*(?s:.*?)(?:\*/|\Z)",
        r"<<<[\"']?(?P<raw>\w+)(?s:.*?)(?:^[ \t]*(?P=raw)\b|\Z)",
        r'"(?:[^"\\]|\\(?s:.))*"?',
        r"'(?:[^'\\]|\\(?s:.))*'?",
    ),
    # https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules
    "PowerShell": (
        r"<#(?s:.*?)(?:#>|\Z)|(?:(?<=[\s;(){}|&,])|^)#[^\n]*",
        r"""@"[ \t]*\r?\n(?s:.*?)(?:^"@|\Z)|@'[ \t]*\r?\n(?s:.*?)(?:^'@|\Z)""",
        r"`(?s:.)",
        rf'"(?:[^"`$]|`(?s:.)|""|\$(?:{_FILLED_IN})?+)*+"?',
        r"'(?:[^']|'')*'?",
    ),
    "Rust": (
        _SLASHES_NESTED,
        r'\bb?c?r(?P<raw>#*)"(?s:.*?)(?:"(?P=raw)|\Z)',
        r'"(?:[^"\\]|\\(?s:.))*"?',
        _CHARACTER,
    ),
    "Scala": (_SLASHES_NESTED, _THREE_QUOTES, _STRING, _CHARACTER),
    "Solidity": (_SLASHES, _STRING, r"'(?:[^'\\\n]|\\.)*'?"),
    "SQL": (
        r"--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)",
        r"\$(?P<raw>\w{0,40})\$(?s:.*?)(?:\$(?P=raw)\$|\Z)",
        # A name with a quote in it, as of T-SQL: `[owner's table]`
        r"\[\w[\w .-]*['\"][\w .'\"-]*\]",
        r"'[^']*'?",
        r'"[^"]*"?',
        r"`[^`]*`?",
    ),
    "Swift": (
        _SLASHES_NESTED,
        r"(?<=[=(,:\s])/(?![\s/*])(?:[^/\\\n]|\\.)+/",  # a regular expression
        r'(?P<raw>#+)"(?s:.*?)(?:"(?P=raw)|\Z)',
        _THREE_QUOTES,
        _STRING,
    ),
    "Zig": (r"//[^\n]*|\\\\[^\n]*", _STRING, _CHARACTER),
}
# What begins a string that the pattern above reads to its end, or to that of its line
_QUOTES = dict.fromkeys(("C", "C#", "C++", "Dart", "Java", "Kotlin", "Scala", "Swift", "Zig"), '"')
_QUOTES["PowerShell"] = "\"'"
_BRACKET = r"(?P<bracket>[()\[\]{}])"
_OPENER = {")": "(", "]": "[", "}": "{"}
_INDENT = lazy_pattern(r"[ \t]{0,200}")
_WITH_CONDITIONS = ("C", "C++", "C#", "Swift")
_END = lazy_pattern(r"end\b")
_GOES_ON = lazy_pattern(r"(?:else|elsif|elseif|when|in|rescue|ensure|after|catch)\b")
_BLOCK = lazy_pattern(
    r"^(?:def|class|module|if|unless|while|until|case|begin|for)\b|\bdo(?: *\|[^|]*\|)?$|\bthen$"
    r"|\bfunction\b[^()]*\([^()]*\)$|\bfn\b.*->$"
)
_WHOLE = lazy_pattern(r"\bend\b|^def [^=;]*\)? = |;")  # on one line
_CONDITION = lazy_pattern(r"[ \t]*#[ \t]*(if|else|elif|elseif|endif)")


class LooseBracket(Struct, frozen=True):
    """A bracket without its partner, and its line."""

    text: str
    line: int

    @property
    def is_opening(self) -> bool:
        """Nothing closes it; else it closes nothing, or something that it does not fit."""
        return self.text in "([{"


def find_loose_bracket(language: str, text: str) -> LooseBracket | None:
    """The first one; None where all match, also if they do so under one side of every `#if`."""
    if language not in _SKIPPED:
        return None
    found = _loose(language, text)
    if found and language in _WITH_CONDITIONS and "#" in text:
        others = [_loose(language, _one_side(text, first=side)) for side in (True, False)]
        return found if all(others) else None
    return found


def find_open_string(language: str, text: str) -> int:
    """The line of the first string that its line or the file ends; 0 where all have an end."""
    quotes = _QUOTES.get(language, "")
    for found in _pattern(language).finditer(text) if quotes else ():
        if not found["bracket"] and found[0][:1] in quotes and _is_open(found[0]):
            return text.count("\n", 0, found.start()) + 1
    return 0


def has_unread_text(text: str) -> bool:
    """A text of PowerShell fills in more than can be read here, so that nobody knows where it
    ends."""
    return any(
        found[0].startswith('"') and "$(" in found[0] and found[0].count("(") != found[0].count(")")
        for found in _pattern("PowerShell").finditer(text)
    )


def without_texts(language: str, text: str) -> str:
    """The text with spaces for its comments and strings."""
    return _pattern(language).sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return found[0] if found["bracket"] else _SIGN.sub(" ", found[0])


_SIGN = lazy_pattern(r"[^\n]")


def _is_open(string: str) -> bool:
    quote = string[0]
    return len(string) == 1 or not string.endswith(quote)


def find_open_block(text: str) -> int:
    """The line of the first block without an `end` of its own, by the indents of lines; 0 where all
    have one, or none can be told."""
    opened: list[tuple[int, int]] = []
    for number, row in enumerate(text.split("\n"), 1):
        word = row.strip()
        if not word or word.startswith(("#", "--")):
            continue
        indent, is_end = len(row) - len(row.lstrip()), _END.match(word) is not None
        if opened and opened[-1][0] == indent and is_end:
            opened.pop()
        elif opened and opened[-1][0] >= indent and not _GOES_ON.match(word):
            return opened[-1][1]
        elif not is_end and _BLOCK.search(word) and not _WHOLE.search(word):
            opened.append((indent, number))
    return opened[-1][1] if opened else 0


def _loose(language: str, text: str) -> LooseBracket | None:
    opened: list[tuple[str, int, str]] = []
    last: tuple[str, int, str] | None = None
    for bracket, line, indent in _brackets(language, text):
        if bracket in "([{":
            opened.append((bracket, line, indent))
            continue
        if not opened or opened[-1][0] != _OPENER[bracket]:
            if last or _OPENER[bracket] not in {each[0] for each in opened}:
                return LooseBracket(*(last or (bracket, line))[:2])
            # `{ foo(1 }`: what was opened inside is never closed
            return LooseBracket(*opened[-1][:2])
        mate = opened.pop()
        # A `}` further to the left than the line of its `{` belongs to another one
        if last is None and bracket == "}" and mate[1] != line and len(indent) < len(mate[2]):
            last = mate
    if opened:
        return LooseBracket(*(last or opened[-1])[:2])
    return None


def _brackets(language: str, text: str) -> Iterator[tuple[str, int, str]]:
    """Each with its line and what stands before the first word of that line."""
    line, start, before, indent = 1, 0, 0, _INDENT.match(text)
    for found in _pattern(language).finditer(text):
        if bracket := found["bracket"]:
            at = found.start()
            if new := text.count("\n", before, at):
                line, start = line + new, text.rfind("\n", before, at) + 1
                indent = _INDENT.match(text, start)
            before = at
            yield bracket, line, indent[0] if indent else ""


def _one_side(text: str, first: bool) -> str:
    """The text with one branch of each `#if`: its first, or what stands behind the last `#else`."""
    kept, branches, left_out = list[str](), list[bool](), 0
    for row in text.split("\n"):
        word = found[1] if (found := _CONDITION.match(row)) else ""
        if word and branches and word != "if":
            left_out -= not branches.pop()
        if word and word != "endif":
            branches.append(first if word == "if" else not first)
            left_out += not branches[-1]
        kept.append("" if word or left_out else row)
    return "\n".join(kept)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    return re.compile("|".join((*_SKIPPED[language], _BRACKET)), re.MULTILINE)

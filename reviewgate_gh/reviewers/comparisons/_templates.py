"""Code inside of strings: what a template puts into its text."""

import re
from typing import NamedTuple

from ...text.patterns import lazy_pattern


class _Template(NamedTuple):
    """What stands before a string that is a template, its quotes, what opens code in it, and
    whether a colon there begins a format."""

    prefix: str
    quotes: str
    opens: str
    formats: bool = False


_BRACES = r"(?<!\\)(?:\\\\)*\$\{"
_HASH = r"(?<!\\)(?:\\\\)*#\{"
_SINGLE = r"(?<!\{)(?:\{\{)*\{(?!\{)"
_BY_SUFFIX = {
    # https://kotlinlang.org/docs/strings.html#string-templates
    "kt": _Template("", '"', _BRACES),
    "kts": _Template("", '"', _BRACES),
    # https://docs.scala-lang.org/scala3/book/string-interpolation.html
    "scala": _Template(r"[a-z]+$", '"', _BRACES),
    # https://dart.dev/language/built-in-types#strings
    "dart": _Template("", "\"'", _BRACES),
    "rb": _Template("", '"', _HASH),
    "rake": _Template("", '"', _HASH),
    "ex": _Template("", '"', _HASH),
    "exs": _Template("", '"', _HASH),
    "swift": _Template("", '"', r"(?<!\\)(?:\\\\)*\\\("),
    # https://learn.microsoft.com/dotnet/csharp/language-reference/tokens/interpolated
    "cs": _Template(r"\$@?$", '"', _SINGLE, formats=True),
    "py": _Template(r"(?i)\b(?:r?[ft]|[ft]r)$", "\"'", _SINGLE, formats=True),
    # https://www.php.net/manual/en/language.types.string.php#language.types.string.parsing
    "php": _Template("", '"', r"(?<!\\)\{(?=\$)"),
    "sh": _Template("", '"', r"(?<!\\)\$\((?!\()"),
}
_STRING = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_NEAR = 4  # signs before a string


def with_templates(path: str, code: str) -> str:
    """A line of code without its texts, with the code that templates among them contain."""
    kind = _BY_SUFFIX.get(path.rpartition(".")[2].lower())
    return _STRING.sub(lambda found: f'""{_code_in(kind, found)}' if kind else '""', code)


def _code_in(kind: _Template, string: re.Match[str]) -> str:
    before = string.string[max(0, string.start() - _NEAR) : string.start()]
    if string[0][0] not in kind.quotes or not re.search(kind.prefix, before):
        return ""
    text = string[0][1:-1]
    parts = (_to_end(text[found.end() :]) for found in re.finditer(kind.opens, text))
    bare = (_STRING.sub('""', part) for part in parts)
    return "".join(f" ({part.partition(':')[0] if kind.formats else part})" for part in bare)


def _to_end(text: str) -> str:
    """Up to the bracket that closes what was opened before; all of it where a string begins."""
    depth = 0
    for at, sign in enumerate(text):
        if sign in ")}" and not depth:
            return text[:at]
        depth += (sign in "({") - (sign in ")}")
    return text

"""Colours for a line of code, by its language."""

from functools import lru_cache
from typing import Any

from ._layout import StyledText

# https://pygments.org/docs/tokens/
_STYLES = {
    "Token.Keyword": "blue",
    "Token.Literal.String": "green",
    "Token.Literal.Number": "cyan",
    "Token.Comment": "dim",
    "Token.Name.Function": "bold",
    "Token.Name.Class": "bold",
    "Token.Name.Decorator": "magenta",
    "Token.Name.Tag": "blue",
}


def colour_code(path: str, text: str) -> list[StyledText]:
    """The line in pieces with their colours; in one piece where nobody knows the language."""
    lexer = _lexer(path.rpartition(".")[2].lower())
    if lexer is None:
        return [(text, "")]
    pieces = [(value, _style(str(kind))) for kind, value in lexer.get_tokens(text)]
    # It has to say the same: lexers may add and drop line ends
    return pieces if "".join(value for value, _ in pieces) == text else [(text, "")]


def _style(kind: str) -> str:
    return next((style for name, style in _STYLES.items() if kind.startswith(name)), "")


# Widely used ones: a rare lexer may take very long over a line that was made for it
# (https://github.com/pygments/pygments/issues?q=ReDoS)
_LANGUAGES = {
    "python": ("py", "pyi", "pyw"),
    "javascript": ("js", "mjs", "cjs", "jsx"),
    "typescript": ("ts", "mts", "cts", "tsx"),
    "bash": ("sh", "bash", "ksh"),
    "yaml": ("yml", "yaml"),
    "json": ("json",),
    "toml": ("toml",),
    "go": ("go",),
    "rust": ("rs",),
    "java": ("java",),
    "kotlin": ("kt", "kts"),
    "c": ("c", "h"),
    "cpp": ("cc", "cpp", "cxx", "hpp", "hh"),
    "csharp": ("cs",),
    "ruby": ("rb", "rake"),
    "php": ("php",),
    "swift": ("swift",),
    "sql": ("sql",),
    "css": ("css",),
}
_BY_SUFFIX = {suffix: name for name, suffixes in _LANGUAGES.items() for suffix in suffixes}


@lru_cache(64)
def _lexer(suffix: str) -> Any:
    name = _BY_SUFFIX.get(suffix)
    if name is None:
        return None
    from pygments.lexers import get_lexer_by_name  # 20 ms, and only colours need it

    return get_lexer_by_name(name, stripnl=False, ensurenl=False)

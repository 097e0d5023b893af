"""Statements that lack their semicolon, at the line where a grammar gives up."""

from .brackets import find_loose_bracket
from .patterns import lazy_pattern

_LANGUAGES = ("C#", "Dart", "Java")
# Macros may be whole statements: only what no macro begins counts, and only where a block ends
_WITH_MACROS = ("C", "C++")
_PLAIN = lazy_pattern(
    r"[ \t]*(?:(?:return|throw|goto)\b[^;{}\n]*"
    r"|\*?[a-z_]\w*(?:(?:->|\.)\w+|\[[^\]\n]*\])*[ \t]*[-+*/%|&^]?=(?!=)[^;{}\n]*)(?<=[\w\")\]])"
)
# A call, an assignment or a return that could end here; `==`, `=>` and `<=` assign nothing
_WHOLE = lazy_pattern(
    r"[ \t]*(?:(?:return|await|throw)\b[^;{}]*"
    r"|(?:[A-Za-z_][\w.<>\[\]?]*[ \t]+)?[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?[ \t]*"
    r"(?:[-+*/%|&^]?=(?![=>])[^;{}]*|\+\+|--|\([^;{}]*\)))(?:(?<=[\w\")\]])|(?<=\+\+)|(?<=--))"
)
_BEGINS = lazy_pattern(
    r"[ \t]*(?:(?P<word>[A-Za-z_]\w*)(?:\.\w+)*(?:\[[^\]\n]*\])?[ \t]*"
    r"(?:\([^\n]*\)[ \t]*;|(?:[-+*/%|&^]?=(?![=>])|\+\+|--)[^\n]*;)"
    r"|(?:return\b[^\n]*;|(?:if|for|foreach|while|switch)[ \t]*\())"
)
# Words that go on with the expression before them, or belong to a declaration
_JOINS = lazy_pattern(
    r"(?:and|or|is|as|in|on|by|equals|into|when|where|select|from|orderby|group|join|let|with"
    r"|switch|ascending|descending|instanceof|catch|else|new|base|this|throws)"
)
_HEADS = lazy_pattern(
    r"[ \t]*(?:if|for|foreach|while|using|lock|fixed|switch|else|case|when|where|public|private"
    r"|protected|internal|static|override|virtual|abstract|new)\b"
)


def find_unended_statement(language: str, text: str, line: int) -> int:
    """The line above this one that is a whole statement but for its semicolon, where this one
    begins another; 0 if there is none."""
    rows = text.split("\n")
    if not 1 < line <= len(rows):
        return 0
    if language in _WITH_MACROS:
        above = rows[line - 2].split("//")[0].rstrip()
        ends = rows[line - 1].strip() == "}" and _PLAIN.fullmatch(above)
        return line - 1 if ends and _is_own(rows, line - 2) else 0
    if language not in _LANGUAGES:
        return 0
    begins, above = _BEGINS.match(rows[line - 1]), rows[line - 2].split("//")[0].rstrip()
    if not begins or _JOINS.fullmatch(begins["word"] or "") or _HEADS.match(above):
        return 0
    if not _WHOLE.fullmatch(above) or find_loose_bracket(language, above):
        return 0
    return line - 1 if _is_own(rows, line - 2) else 0


def _is_own(rows: list[str], at: int) -> bool:
    """Nothing of the row before goes on in this one."""
    before = next((row for row in reversed(rows[:at]) if row.strip()), "").split("//")[0].rstrip()
    return before.endswith((";", "{", "}", "*/")) or before == ""

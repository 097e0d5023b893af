"""Brackets of Perl that one line leaves open. Its quotes take any character, and what is a pattern
only its parser knows: a line counts where nothing can be one, and the file holds no text blocks."""

from .patterns import lazy_pattern

_TEXTS = lazy_pattern(r"(?m)<<[~\"'A-Za-z]|^[ \t]*format\s")
_POD, _CUT = lazy_pattern(r"=[a-zA-Z]"), lazy_pattern(r"=cut\b")
_ENDS = ("__END__", "__DATA__")
# An assignment or a call, alone on its line, of words, numbers and plain strings
_STATEMENT = lazy_pattern(
    r"\s*(?:(?:my|our|local|return|print|push|die|warn)\b[ \t(]|[$@%]\w+\b|\w+\()"
    r"[^#/{}`\\<>?~|&]*;\s*"
)
_STRING = lazy_pattern(r"'[^']*'|\"[^\"]*\"")
_QUOTE = lazy_pattern(r"['\"]|\b(?:q|qq|qw|qr|qx|m|s|y|tr|for|foreach|while)\b|\$[(\[)#]|->\s*\$")
_BEFORE = (";", "{", "}")


def find_open_bracket(text: str) -> int:
    """The line of a whole statement that opens more round brackets than it closes; 0 if there is
    none."""
    if _TEXTS.search(text):
        return 0
    pod, before = False, ";"
    for number, row in enumerate(text.split("\n"), 1):
        if row.startswith(_ENDS):
            return 0
        if _POD.match(row):
            pod = not _CUT.match(row)
            continue
        if pod or not row.strip() or row.lstrip().startswith("#"):
            continue
        if before.endswith(_BEFORE) and len(row) < 300 and _STATEMENT.fullmatch(row):
            code = _STRING.sub("", row)
            if not _QUOTE.search(code) and code.count("(") > code.count(")"):
                return number
        before = row.split(" #")[0].rstrip()
    return 0

"""Brackets of Perl that one line leaves open. Its quotes take any character, and what is a pattern
only its parser knows: a line counts where nothing can be one, and the file holds no text blocks."""

from collections.abc import Iterator

from .patterns import lazy_pattern

_TEXTS = lazy_pattern(r"(?m)<<[~\"'A-Za-z_]|^[ \t]*format\s")
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
# https://perldoc.perl.org/perlsyn#Compound-Statements
_FOREIGN = lazy_pattern(r"(?:\}\s*)?(?:else\s+if|elseif|elif)\s*\([^#]*\)\s*\{?")
# A text that is no number, compared as one
_AS_NUMBER = lazy_pattern(
    r"\$\w[\w\->{}\[\]'\"]*\s*[=!]=\s*(['\"])(?!(?i:inf|nan|0x))[A-Za-z_][\w .:/-]*\1"
    r"|[\s(](['\"])(?!(?i:inf|nan|0x))[A-Za-z_][\w .:/-]*\2\s*[=!]=\s*\$\w"
)


def find_open_bracket(text: str) -> int:
    """The line of a whole statement that opens more round brackets than it closes; 0 if there is
    none."""
    before = ";"
    for number, row in _code(text):
        if before.endswith(_BEFORE) and len(row) < 300 and _STATEMENT.fullmatch(row):
            code = _STRING.sub("", row)
            if not _QUOTE.search(code) and code.count("(") > code.count(")"):
                return number
        before = row.split(" #")[0].rstrip()
    return 0


def find_foreign_branch(text: str) -> int:
    """The line of a second condition that is spelt as in another language; 0 if there is none."""
    return next((number for number, row in _code(text) if _FOREIGN.fullmatch(row.strip())), 0)


def find_text_as_number(text: str) -> list[int]:
    """The lines where `==` or `!=` compares with a text that is no number: any two such are equal.
    https://perldoc.perl.org/perlop#Equality-Operators"""
    return [number for number, row in _code(text) if _AS_NUMBER.search(row)]


def _code(text: str) -> Iterator[tuple[int, str]]:
    """The lines of code with their numbers, without those of comments and manuals; none of a file
    that holds blocks of text."""
    if _TEXTS.search(text):
        return
    pod = False
    for number, row in enumerate(text.split("\n"), 1):
        if row.startswith(_ENDS):
            return
        if _POD.match(row):
            pod = not _CUT.match(row)
        elif not pod and row.strip() and not row.lstrip().startswith("#"):
            yield number, row


# https://perldoc.perl.org/perlop#Quote-Like-Operators
_COMMAND = lazy_pattern(
    r"`(?P<ticks>[^`]+)`|\bqx\s*[{(/](?P<qx>[^{}()/]+)[})/]"
    r"|\b(?:system|exec)\s*(?:\(\s*)?\"(?P<call>(?:[^\"\\]|\\.)*)\"\s*(?:\)\s*)?;"
)
_VALUE = lazy_pattern(r"\$\{?(\w+)")
_INPUT = lazy_pattern(
    r"\$(?P<name>\w+)\)?\s*=\s*(?:\$\w+->|\b)(?:(?:url_)?param|query_param(?:eters)?"
    r"|body_param(?:eters)?|cookie)\b"
    r"|\$(?P<env>\w+)\)?\s*=\s*\$ENV\{['\"]?(?:QUERY_STRING|HTTP_|PATH_INFO|REQUEST_URI)"
)
_CLEANED = lazy_pattern(r"\$(?P<name>\w+)\s*(?:=~|!~)|quote\w{0,40}\(\s*\$(?P<quoted>\w+)")


def find_input_in_command(text: str) -> list[int]:
    """The lines where a value of a request becomes a part of a shell command, which nothing has
    looked at."""
    rows = list(_code(text))
    code = "\n".join(row for _number, row in rows)
    named = {found["name"] or found["env"] for found in _INPUT.finditer(code)}
    unsafe = named - {found["name"] or found["quoted"] for found in _CLEANED.finditer(code)}
    return [
        number
        for number, row in rows
        for found in _COMMAND.finditer(row)
        if unsafe.intersection(_VALUE.findall(found["ticks"] or found["qx"] or found["call"] or ""))
    ]

"""The enclosing definition and the whole statement of a line, read from the text alone: the same
answer on every machine, for every language, in one pass over the file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r"""\\.|\"\"\"|'''|["'`\n#()\[\]{}]|//|/\*|\*/""", re.DOTALL)
_SLASH_COMMENTS = re.compile(
    r"\.(?:[cm]?[jt]sx?|go|java|kts?|scala|groovy|cs|[ch](?:pp|xx|c|h)?|cc|hh|m|mm|rs|swift|dart"
    r"|php|vue|svelte|proto|zig|less|scss|jsonc|json5)\Z",
    re.IGNORECASE,
)
_YAML = re.compile(r"\.ya?ml\Z", re.IGNORECASE)
_PYTHON = re.compile(r"\.py[iw]?\Z", re.IGNORECASE)
_LAST_COMMA = re.compile(r",(?=[)\]}])")
_USES = re.compile(r"^(-?uses:[^@]+)@.*")  # which version of an action changes nothing around it
_LONG_STRINGS = ("'''", '"""', "`")
_CLOSES = {")": "(", "]": "[", "}": "{"}
_MOST_LINES = 60  # of a statement: an edit of one row of a long table is about that row alone

_DEFINITION = re.compile(
    r"(?:[\w@<>,.&*:\[\]?]+[ \t]+)*?(?:async[ \t]+)?"
    r"(?:def|class|func|function\*?|fn|fun|sub|struct|impl|interface|trait|enum|module|namespace"
    r"|object|record|protocol|extension|contract|union)[ \t]+(?:\([^()]*\)[ \t]*)?"
    r"([\w$.~!?]+(?:::[\w~]+)*)"
)
_ASSIGNED = re.compile(
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:const|let|var)[ \t]+([\w$]+)[^=]*="
    r"[ \t]*(?:async\b[ \t]*)?(?:function\b|\(|[\w$]+[ \t]*=>)"
)
# `name() {` of a shell, and methods with or without a type before them
_METHOD = re.compile(r"(?:[\w@<>,.&*:\[\]?]+[ \t]+)*?([\w$~]+)[ \t]*\([^;]*\{[ \t]*\Z")
_NO_NAMES = re.compile(
    r"(?:if|for|while|switch|catch|return|else|do|try|with|match|foreach|until|case|elif)\Z"
)
_KEY = re.compile(r"(?:-[ \t]+)*(\"[^\"]*\"|'[^']*'|[\w.$/@+ -]+?)[ \t]*:(?:[ \t]|\Z)")
_LONGEST_HEADER = 300  # characters of a line that may begin a definition
_PROSE = ("#", "//", "/*", "*", "--", "<!--", ";;", '"""', "'''")


class _Block(NamedTuple):
    """A definition or key that is open: how far it is indented, and its name with those around."""

    indent: int
    name: str


class _Bracket(NamedTuple):
    """An open bracket or string: what it is, and its first line. `joins`: its lines are one
    statement; in a list's or a block's each stands for itself."""

    sign: str
    line: int
    joins: bool


class SourceText:
    """One version of a file, asked for lines by number, from 1; a number beyond its lines has no
    unit and an empty statement."""

    def __init__(self, path: str, data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        self._lines = text.split("\n")
        count = len(self._lines) + 1
        self._inside: list[_Bracket | None] = [None] * (count + 1)
        self._ends: dict[int, int] = {}
        self._comments: dict[int, int] = {}
        self._units: list[str] | None = None
        self._is_yaml = _YAML.search(path) is not None
        if not self._is_yaml:
            self._scan(text, _SLASH_COMMENTS.search(path) is not None, _PYTHON.search(path) is None)

    def line(self, number: int) -> str:
        """The line as it is; "" beyond the last."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def unit(self, line: int) -> str:
        """The names of the definitions (of YAML: the keys) around the line, outermost first; "" at
        the top."""
        if self._units is None:
            self._units = [*self._find_units()]
        return self._units[line - 1] if 0 < line <= len(self._units) else ""

    @property
    def units(self) -> frozenset[str]:
        """The names of all of them."""
        self.unit(1)
        return frozenset(self._units or ())

    def statement(self, line: int, end: int = 0) -> str:
        """The statement at the line without spaces and comments: a call with all its arguments, a
        string with all its lines. Of a span beyond it, such as a whole job, only its head."""
        if not 0 < line <= len(self._lines):
            return ""
        first = self._first_line(line)
        last = max(self._ends.get(first, first), line)
        if last - first >= _MOST_LINES:
            first = last = line
        rows = self._lines[first - 1 : last]
        bare = "".join("".join(self._code(n).split()) for n in range(first, last + 1))
        bare = _USES.sub(r"\1", bare) if self._is_yaml else _LAST_COMMA.sub("", bare)
        return bare or "".join("".join(rows).split())

    def _first_line(self, line: int) -> int:
        while (inside := self._inside[line]) and inside.joins and inside.line < line:
            if line - inside.line >= _MOST_LINES:
                break
            line = inside.line
        return line

    def _code(self, line: int) -> str:
        text = self._lines[line - 1]
        return text[: self._comments[line]] if line in self._comments else text

    def _scan(self, text: str, slashes: bool, braces: bool) -> None:
        """Brackets, strings and comments: for each line what it stands in, and where what begins
        in it ends. `braces`: curly ones hold blocks."""
        open_: list[_Bracket] = []
        line, begin, quote, comment = 1, 0, "", ""
        for found in _TOKEN.finditer(text):
            sign = found[0]
            if sign.endswith("\n"):
                continued = sign != "\n" and not comment
                comment = "" if comment == "\n" else comment
                if not continued and len(quote) == 1 and quote != "`":
                    quote = ""  # nobody closed it
                line, begin = line + 1, found.end()
                self._inside[line] = self._around(open_, line, continued)
                if continued:
                    self._reach(line - 1, line)
            elif comment:
                if sign == comment:
                    comment = ""
            elif quote:
                if sign == quote or (sign[0] == quote and len(sign) == 3):
                    quote = ""
                    if open_ and open_[-1].sign == sign:
                        self._reach(open_.pop().line, line)
            elif sign in ("'", '"', "`", "'''", '"""'):
                quote = sign
                if sign in _LONG_STRINGS:
                    open_.append(_Bracket(sign, line, True))
            elif sign == "#" and not slashes:
                if found.start() == begin or text[found.start() - 1].isspace():
                    comment = "\n"
                    self._comments[line] = found.start() - begin
            elif sign in ("//", "/*") and slashes:
                comment = "\n" if sign == "//" else "*/"
                self._comments.setdefault(line, found.start() - begin)
            elif sign in "([{":
                joins = sign == "(" or (sign == "{" and not braces and bool(open_))
                open_.append(_Bracket(sign, line, joins))
            elif sign in _CLOSES and open_ and open_[-1].sign == _CLOSES[sign]:
                closed = open_.pop()
                if closed.sign != "{" or not braces:
                    self._reach(closed.line, line)

    @staticmethod
    def _around(open_: list[_Bracket], line: int, continued: bool) -> _Bracket | None:
        if continued:
            return _Bracket("\\", line - 1, True)
        return open_[-1] if open_ else None

    def _reach(self, first: int, last: int) -> None:
        self._ends[first] = max(self._ends.get(first, first), last)

    def _find_units(self) -> Iterator[str]:
        """The unit of each line, by its indentation: a line belongs to what begins above it and
        further left; a definition belongs to itself."""
        name_of = _yaml_key if self._is_yaml else _definition
        open_: list[_Block] = []
        for number, text in enumerate(self._lines, 1):
            bare = text.strip()
            inside = self._inside[number]
            in_string = inside is not None and inside.sign in _LONG_STRINGS
            if bare and not in_string and not bare.startswith(_PROSE):
                indent = _indent(text, self._is_yaml)
                # A closing bracket ends what began at its own depth, and still belongs to it
                keeps = bare[0] in ")]}{"
                while open_ and open_[-1].indent >= indent + keeps:
                    open_.pop()
                name = "" if inside and inside.joins else name_of(bare)
                if name:
                    around = f"{open_[-1].name}." if open_ else ""
                    open_.append(_Block(indent, f"{around}{name}"))
            yield open_[-1].name if open_ else ""


def _indent(text: str, counts_dashes: bool) -> int:
    """Columns before the first character; of an item of YAML's lists before its key."""
    wide = text.expandtabs(8) if "\t" in text[:_LONGEST_HEADER] else text
    bare = (
        wide.lstrip(" \t-") if counts_dashes and wide.lstrip().startswith("- ") else wide.lstrip()
    )
    return len(wide) - len(bare)


def _definition(bare: str) -> str:
    header = bare[:_LONGEST_HEADER]
    for pattern in (_DEFINITION, _ASSIGNED, _METHOD):
        if (found := pattern.match(header)) and not _NO_NAMES.match(found[1]):
            return found[1]
    return ""


def _yaml_key(bare: str) -> str:
    found = _KEY.match(bare[:_LONGEST_HEADER])
    return found[1] if found else ""

"""The enclosing definition and the whole statement of a line, read from the text alone: the same
answer on every machine, for every language, in one pass over the file."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from .parameters import parameter_at

_TOKEN = lazy_pattern(r"""\\.|\"\"\"|'''|["'`\n#()\[\]{}]|//|/\*|\*/""", re.DOTALL)
_SLASH_COMMENTS = lazy_pattern(
    r"\.(?:[cm]?[jt]sx?|go|java|kts?|scala|groovy|cs|[ch](?:pp|xx|c|h)?|cc|hh|m|mm|rs|swift|dart"
    r"|php|vue|svelte|proto|zig|less|scss|jsonc|json5)\Z",
    re.IGNORECASE,
)
_YAML = lazy_pattern(r"\.ya?ml\Z", re.IGNORECASE)
_PYTHON = lazy_pattern(r"\.py[iw]?\Z", re.IGNORECASE)
_SCRIPT = lazy_pattern(r"\.[cm]?[jt]sx?\Z", re.IGNORECASE)
_FREE_FORM = str.maketrans('"', "'", "()\\")
_YAML_FORM = lazy_pattern(r"\A-?([^:\"'\s]+:)([\"']?)(.*)\2\Z", re.DOTALL)
_LAST_COMMA = lazy_pattern(r",(?=[)\]}])")
# A string whose quotes may be exchanged in every language: nothing in it is expanded
_PLAIN_STRING = lazy_pattern(r"""'([^'"`$#\\{}\n]*)'""")
_LAYOUT = lazy_pattern(r"[\s;]+|,(?=\s*[)\]}])")
_USES = lazy_pattern(r"^(-?uses:[^@]+)@.*")  # which version of an action changes nothing around it
_QUOTES = ("'", '"', "`", "'''", '"""')
# What ends a string, or its line
_STRING_END = lazy_pattern(r"'|\\\n|\n")
_RUST = lazy_pattern(r"\.rs\Z", re.IGNORECASE)
# https://doc.rust-lang.org/reference/tokens.html#character-literals; a lifetime has one quote
_RUST_CHARACTER = lazy_pattern(r"'(?:\\[^\n][^'\n]{0,10}|[^'\\\n])'")
_COMMENTS = ("#", "//", "/*")
_NO_BREAK = lazy_pattern(r"[^\n]")
_OPENS_BODY = lazy_pattern(r"(?:=>|->|\)|\|)[ \t]*\Z|\bfunc\b[^{}]*\Z")
_LONG_STRINGS = ("'''", '"""', "`")
_CLOSES = {")": "(", "]": "[", "}": "{"}
_MOST_LINES = 60  # of a statement: an edit of one row of a long table is about that row alone

_DEFINITION = lazy_pattern(
    r"(?:[\w@<>,.&*:\[\]?]+[ \t]+)*?(?:async[ \t]+)?"
    r"(?:def|class|func|function\*?|fn|fun|sub|struct|impl|interface|trait|enum|module|namespace"
    r"|object|record|protocol|extension|contract|union)[ \t]+(?:\([^()]*\)[ \t]*)?"
    r"([\w$.~!?]+(?:::[\w~]+)*)"
)
_ASSIGNED = lazy_pattern(
    r"(?:export[ \t]+)?(?:default[ \t]+)?(?:const|let|var)[ \t]+([\w$]+)[^=]*="
    r"[ \t]*(?:async\b[ \t]*)?(?:function\b|\(|[\w$]+[ \t]*=>)"
)
# `name() {` of a shell, and methods with or without a type before them
_METHOD = lazy_pattern(
    r"(?:[\w@<>,.&*:\[\]?]+[ \t]+)*?[*&]*([\w$~]+(?:::~?\w+)*)[ \t]*\([^;]*\{[ \t]*\Z"
)
# The head of one whose bracket has a line of its own: a type before the name, or its class
_HEAD_ALONE = lazy_pattern(
    r"(?![:,]|(?:return|throw|await|yield|case|goto|else)\b)(?:[\w<>,.&*:\[\]?]+[ \t]+)*?"
    r"(?:(?!new\b)[\w<>,.&*:\[\]?]+[ \t]+[*&]*(?:\w+::)*~?|(?:\w+::)+~?)"
    r"\w+[ \t]*\([^;={}]*(?:=[^;={}]*)*\)[^;={}]*\Z"
)
# With its type in the line above; no call of a macro, which is written in capitals
_AT_MARGIN = lazy_pattern(r"(?![A-Z\d_]+\b)\w+[ \t]*\(")
_BRACES = lazy_pattern(
    r"\.(?:cs|[ch](?:pp|xx|c|h)?|cc|hh|m|mm|java|php|dart|glsl)\Z", re.IGNORECASE
)
# `struct pack *open(...)` has the type of another name before it
_TYPED = lazy_pattern(r"(?:[\w@]+[ \t]+)*?(?:struct|union|enum)[ \t]+\w+[ \t]*(?:[*&]|[ \t]\w)")
_NO_NAMES = lazy_pattern(
    r"(?:if|for|while|switch|catch|return|else|do|try|with|match|foreach|until|case|elif"
    r"|using|lock|fixed|synchronized|defined)\Z"
)
_KEY = lazy_pattern(r"(?:-[ \t]+)*(\"[^\"]*\"|'[^']*'|[\w.$/@+ -]+?)[ \t]*:(?:[ \t]|\Z)")
_MOST_HEADER = 12  # lines
_LONGEST_HEADER = 300  # characters of a line that may begin a definition
_PROSE = ("#", "//", "/*", "*", "--", "<!--", ";;", '"""', "'''")


class _Block(NamedTuple):
    """A definition or key that is open: how far it is indented, and its name with those around."""

    indent: int
    name: str


class _Bracket(NamedTuple):
    """An open bracket or string: what it is, and its first line. `joins`: its lines are one
    statement; in a list's or a block's each stands for itself. `is_body`: of a function."""

    sign: str
    line: int
    joins: bool
    is_body: bool = False


class SourceText:
    """One version of a file, asked for lines by number, from 1; a number beyond its lines has no
    unit and an empty statement."""

    def __init__(self, path: str, data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        self._path, self._lines = path, text.split("\n")
        self._units: list[str] | None = None
        # A packed file has a thousand findings on one line, which is a megabyte
        self._own_of_line = cache(self._own_statement)
        self.bare_statement = cache(self._bare_statement)
        self._is_yaml = _YAML.search(path) is not None
        self._has_braces = _BRACES.search(path) is not None
        scan = _Scan(text, path)
        if not self._is_yaml:
            scan.run()
        self._inside, self._ends, self._comments = scan.inside, scan.ends, scan.comments
        self._text, self._spans, self._bodies = text, scan.spans, scan.bodies

    def line(self, number: int) -> str:
        """The line as it is; "" beyond the last."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def without_comments(self) -> str:
        """The text with a blank in the place of each character of a comment, line breaks aside; in
        Python also of a string of several lines that stands alone."""
        parts, at = list[str](), 0
        for first, last in self._spans:
            parts += [self._text[at:first], _NO_BREAK.sub(" ", self._text[first:last])]
            at = last
        return "".join([*parts, self._text[at:]])

    def nearest(self, said: str, line: int) -> int:
        """The number of the line, nearest to this one, that begins so after its indentation; 0
        where none does."""
        if self.line(line).strip().startswith(said):
            return line
        found = (at for at, text in enumerate(self._lines, 1) if text.strip().startswith(said))
        return min(found, key=lambda at: abs(at - line), default=0)

    def laid_out_anew(self, line: int) -> str:
        """The line with its neighbours, without what a formatter changes: breaks and spaces, the
        quotes of plain strings, semicolons and last commas."""
        around = range(line - 1, 0, -1), range(line + 1, len(self._lines) + 1)
        before, after = (next((n for n in rows if self.line(n).strip()), line) for rows in around)
        return _without_layout("\n".join(self._lines[before - 1 : after])).rstrip(",")

    def _bare_statement(self, line: int) -> str:
        """The statement in the same way."""
        return _without_layout("\n".join(map(self.line, self.rows(line)))).rstrip(",")

    @cached_property
    def any_layout(self) -> str:
        """The whole text in the same way."""
        return _without_layout(self._text)

    def unit(self, line: int) -> str:
        """The names of the definitions (of YAML: the keys) around the line, outermost first; "" at
        the top."""
        if self._units is None:
            self._units = [*self._find_units()]
        return self._units[line - 1] if 0 < line <= len(self._units) else ""

    @cached_property
    def units(self) -> frozenset[str]:
        """The names of all of them."""
        self.unit(1)
        return frozenset(self._units or ())

    @cached_property
    def definitions(self) -> Mapping[str, int]:
        """The first line of each definition by its full name; also of those whose header takes
        several lines, which are no unit."""
        found: dict[str, int] = {}
        for number, text in enumerate(self._lines, 1):
            unit = self.unit(number)
            if text.rstrip().endswith("(") and not self._joins(number):
                bare = " ".join(self.line(row).strip() for row in self.rows(number))
                name = "" if self._is_yaml else _definition(bare)
                last = unit.rpartition(".")[2]
                unit = f"{unit}.{name}" if unit and name and name != last else unit or name
            if unit:
                found.setdefault(unit, number)
        return found

    def _joins(self, line: int) -> bool:
        inside = self._inside[line]
        return inside is not None and inside.joins

    def in_string(self, line: int) -> bool:
        """The line begins inside of a string of several lines."""
        inside = self._inside[line] if 0 < line <= len(self._lines) else None
        return inside is not None and inside.sign in _LONG_STRINGS

    def statement(self, line: int) -> str:
        """The statement at the line without spaces and comments: a call with all its arguments, a
        string with all its lines. Of a span beyond it, such as a whole job, only its head."""
        rows = self.rows(line)
        if not rows:
            return ""
        bare = "".join("".join(self._code(n).split()) for n in rows)
        bare = _USES.sub(r"\1", bare) if self._is_yaml else _LAST_COMMA.sub("", bare)
        return bare or "".join("".join(self.line(n).split()) for n in rows)

    def own_statement(self, line: int, column: int = 0) -> str:
        """The statement at the line without the bodies of functions that begin in it, such as
        callbacks: these are statements of their own. So are the parameters of a function in Python,
        which evaluates their defaults and annotations apart from one another. As it is before and
        after a formatter."""
        is_python = column > 0 and _PYTHON.search(self._path) is not None
        return (is_python and self._parameter(line, column)) or self._own_of_line(line)

    def _own_statement(self, line: int) -> str:
        rows = self.rows(line)
        inside = {
            row
            for first in rows
            for body in self._bodies.get(first, ())
            if body.stop <= rows.stop
            for row in body[1:]
        }
        bare = "".join("".join(self._code(n).split()) for n in rows if n not in inside)
        said = _LAST_COMMA.sub("", bare) if inside else self.statement(line)
        return _without_format(self._path, said)

    def _parameter(self, line: int, column: int) -> str:
        rows = self.rows(line)
        codes = [*map(self._code, rows)]
        place = sum(len(code) + 1 for code in codes[: line - rows.start]) + column - 1
        said = parameter_at("\n".join(codes), place)
        return _without_format(self._path, "".join(said.split()))

    def rows(self, line: int) -> range:
        """The numbers of the lines of the statement at the line."""
        if not 0 < line <= len(self._lines):
            return range(0)
        first = self._first_line(line)
        last = max(self._ends.get(first, first), line)
        return range(line, line + 1) if last - first >= _MOST_LINES else range(first, last + 1)

    def _first_line(self, line: int) -> int:
        while (inside := self._inside[line]) and inside.joins and inside.line < line:
            if line - inside.line >= _MOST_LINES:
                break
            line = inside.line
        return line

    def _code(self, line: int) -> str:
        text = self._lines[line - 1]
        return text[: self._comments[line]] if line in self._comments else text

    def _name_above(self, number: int) -> str:
        """The name of a function whose head begins at the line, and whose body with a bracket
        that has a line of its own."""
        last = max(self._ends.get(number, number), number)
        if not self._has_braces or last - number >= _MOST_HEADER or ")" not in self.line(last):
            return ""
        below = (self.line(row).strip() for row in range(last + 1, last + 4))
        # What stands between: of a constructor what it calls first, of a generic type its bounds
        opener = next((row for row in below if row and not row.startswith((":", "where "))), "")
        if opener != "{":
            return ""
        bare = " ".join(self._code(row).strip() for row in range(number, last + 1))
        header = bare[:_LONGEST_HEADER]
        begins = _HEAD_ALONE.match(header) or _AT_MARGIN.match(self.line(number))
        return _definition(f"{header} {{") if begins else ""

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
                joins = inside is not None and inside.joins
                name = "" if joins else name_of(bare) or self._name_above(number)
                if name:
                    around = f"{open_[-1].name}." if open_ else ""
                    open_.append(_Block(indent, f"{around}{name}"))
            yield open_[-1].name if open_ else ""


class _Scan:
    """One pass over a text's brackets, strings and comments: what each line stands `inside`, where
    what begins in it `ends`, and at which column its comment begins."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._slashes = _SLASH_COMMENTS.search(path) is not None
        self._has_lifetimes = _RUST.search(path) is not None
        self._has_blocks = _PYTHON.search(path) is None  # curly brackets hold statements
        self.inside: list[_Bracket | None] = [None] * (text.count("\n") + 3)
        self.ends: dict[int, int] = {}
        self.comments: dict[int, int] = {}
        self.spans: list[tuple[int, int]] = []  # of comments, in the whole text
        # Of functions, by the line of the bracket: up to the line before the one that ends it
        self.bodies: defaultdict[int, list[range]] = defaultdict(list)
        self._open: list[_Bracket] = []
        self._line, self._begin = 1, 0
        self._quote = self._comment = ""  # what ends the string or comment that is open
        self._comment_begin = self._alone_begin = 0
        self._alone = False  # the string that is open is a statement

    def run(self) -> None:
        """Go through it."""
        for found in _TOKEN.finditer(self._text):
            sign = found[0]
            if sign[-1] == "\n":
                self._next_line(found.end(), sign != "\n")
            elif self._comment:
                if sign == self._comment:
                    self._end_comment(found.end())
            elif self._quote:
                if sign.startswith(self._quote):
                    self._end_string(found.end())
            elif sign in _QUOTES:
                self._begin_string(sign, found.start())
            elif sign in _COMMENTS:
                self._begin_comment(sign, found.start())
            elif sign in "()[]{}":
                self._bracket(sign, found.start())
        if self._comment == "\n":
            self._end_comment(len(self._text))

    def _next_line(self, begin: int, escaped: bool) -> None:
        continued = escaped and not self._comment
        if self._comment == "\n":
            self._end_comment(begin - 1)
        if not continued and self._quote not in _LONG_STRINGS:
            self._quote = ""  # nobody closed it
        self._line, self._begin = self._line + 1, begin
        if continued:
            self.inside[self._line] = _Bracket("\\", self._line - 1, True)
            self._reach(self._line - 1)
        else:
            self.inside[self._line] = self._open[-1] if self._open else None

    def _begin_string(self, sign: str, at: int) -> None:
        if sign == "'" and not self._is_string(at):
            return
        self._quote = sign
        if sign in _LONG_STRINGS:
            before = self._text[self._begin : at].strip()
            self._alone = not (self._has_blocks or self._open or before.strip("rRuUbB"))
            self._alone_begin = at
            self._open.append(_Bracket(sign, self._line, True))

    def _is_string(self, at: int) -> bool:
        """The quote begins a string, and is no lifetime, no separator of digits and no apostrophe,
        which would hide the brackets up to the end of the line."""
        if self._has_lifetimes:
            return _RUST_CHARACTER.match(self._text, at) is not None
        found = _STRING_END.search(self._text, at + 1)
        return found is not None and found[0] != "\n"

    def _end_string(self, end: int) -> None:
        if self._quote in _LONG_STRINGS:
            self._reach(self._open.pop().line)
            line_end = self._text.find("\n", end)
            rest = self._text[end : line_end if line_end >= 0 else None]
            if self._alone and not rest.strip():
                self.spans.append((self._alone_begin, end))
        self._quote = ""

    def _begin_comment(self, sign: str, at: int) -> None:
        if (sign == "#") is self._slashes:
            return
        if sign == "#" and at > self._begin and not self._text[at - 1].isspace():
            return
        self._comment = "*/" if sign == "/*" else "\n"
        self._comment_begin = at
        self.comments.setdefault(self._line, at - self._begin)

    def _end_comment(self, at: int) -> None:
        self._comment = ""
        self.spans.append((self._comment_begin, at))

    def _bracket(self, sign: str, at: int) -> None:
        if sign not in _CLOSES:
            joins = sign == "(" or (sign == "{" and not self._has_blocks and bool(self._open))
            body = sign == "{" and _OPENS_BODY.search(self._text, max(self._begin, at - 200), at)
            self._open.append(_Bracket(sign, self._line, joins, bool(body and self._has_blocks)))
        elif self._open and self._open[-1].sign == _CLOSES[sign]:
            closed = self._open.pop()
            if closed.is_body and closed.line + 1 < self._line:
                self.bodies[closed.line].append(range(closed.line, self._line))
            if closed.sign != "{" or not self._has_blocks:
                self._reach(closed.line)

    def _reach(self, first: int) -> None:
        self.ends[first] = max(self.ends.get(first, first), self._line)


def _without_format(path: str, statement: str) -> str:
    """A statement, without spaces, as it was before and is after a formatter of its language: which
    quotes and brackets it uses where others mean the same, what ends it, and in YAML whether it
    begins an item and whether its value is quoted."""
    if _YAML.search(path):
        return _YAML_FORM.sub(lambda found: f"{found[1]}{found[3]}", statement)
    if _PYTHON.search(path) or _SCRIPT.search(path):
        return statement.translate(_FREE_FORM).removesuffix(";")
    return statement


def _without_layout(text: str) -> str:
    return _LAYOUT.sub("", _PLAIN_STRING.sub(r'"\1"', text))


def _indent(text: str, counts_dashes: bool) -> int:
    """Columns before the first character; of an item of YAML's lists before its key."""
    wide = text.expandtabs(8) if "\t" in text[:_LONGEST_HEADER] else text
    bare = (
        wide.lstrip(" \t-") if counts_dashes and wide.lstrip().startswith("- ") else wide.lstrip()
    )
    return len(wide) - len(bare)


def _definition(bare: str) -> str:
    header = bare[:_LONGEST_HEADER]
    patterns = (_ASSIGNED, _METHOD) if _TYPED.match(header) else (_DEFINITION, _ASSIGNED, _METHOD)
    for pattern in patterns:
        if (found := pattern.match(header)) and not _NO_NAMES.match(found[1]):
            return found[1]
    return ""


def _yaml_key(bare: str) -> str:
    found = _KEY.match(bare[:_LONGEST_HEADER])
    return found[1] if found else ""

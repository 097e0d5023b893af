"""The commands in a command line of a POSIX shell, as far as it is written plainly.

Only what is read here with certainty is taken apart: for everything else (functions, `case`, groups
in pipes, backquotes) the answer is that it is not clear, and whoever asks judges the text as a
whole. https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html
"""

from msgspec import Struct

from ..text.patterns import lazy_pattern

_BLANK = " \t"
# `&>` is one operator in bash and two in sh
_OPERATOR = lazy_pattern(r"\|\||&&|\|&|;;|&>|[;&|\n()]")
_REDIRECTION = lazy_pattern(r"[0-9]{0,9}(<<-|<<<|<<|<>|>>|>\||<&|>&|<|>)[ \t]*")
_BARE = lazy_pattern(r"[^\s\\'\"`$<>|&;()]+")
_QUOTED = lazy_pattern(r"[^\"\\`$]+")
_NAME = lazy_pattern(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])")
_BRACED = lazy_pattern(r"\$\{[^{}`$'\"\\]*\}")
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
# What stands before a command and changes nothing of what it does
_BEFORE = {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"}
_CLOSING = {"}", "fi", "done"}
_UNREAD = {"for", "case", "esac", "select", "function", "coproc", "[[", "in"}
_HEREDOCS = ("<<", "<<-")
_AFTER_WORD = ("", *" \t\n;&|<>)")
_PATTERN = lazy_pattern(r"[*?\[{~]")
_DEEPEST = 20  # substitutions in each other


class Unclear(Exception):
    """The command line holds what is not read here."""


class Word(Struct, frozen=True):
    """A word without its quotes; `is_plain`: the shell puts nothing else in its place."""

    text: str
    is_plain: bool = True


class ShellCommand(Struct, frozen=True):
    """A simple command: assignments, words, where its output goes, and the text as written with the
    texts that it is given to read."""

    assignments: tuple[str, ...]
    words: tuple[Word, ...]
    targets: tuple[Word, ...]
    raw: str


Pipeline = tuple[ShellCommand, ...]


def read_pipelines(text: str) -> list[Pipeline]:
    """All pipelines of a command line, those in substitutions as well.

    Raises:
        Unclear: it cannot be told for certain what they are.
    """
    reader = _Reader(text, [], 0)
    reader.read_list(nested=False)
    return [tuple(draft.done() for draft in pipeline) for pipeline in reader.found]


class _Draft:
    """A command while it is read: the texts that it reads come after it."""

    def __init__(self) -> None:
        self.assignments, self.words = list[str](), list[Word]()
        self.targets, self.texts = list[Word](), list[str]()

    @property
    def is_there(self) -> bool:
        return bool(self.words or self.assignments or self.targets or self.texts)

    def done(self) -> ShellCommand:
        raw = "\n".join(self.texts)
        return ShellCommand(tuple(self.assignments), tuple(self.words), tuple(self.targets), raw)


class _Reader:
    """One reading of a text; `found` collects the pipelines, those of substitutions too."""

    def __init__(self, text: str, found: list[list[_Draft]], depth: int) -> None:
        if depth > _DEEPEST or "\0" in text:
            raise Unclear
        self.found = found
        self._text, self._depth, self._at, self._groups = text, depth, 0, 0
        self._pipeline = list[_Draft]()
        self._heredocs = list[tuple[_Draft, str, bool, bool]]()
        self._begin()

    def _begin(self) -> None:
        self._start, self._draft = self._at, _Draft()
        self._closed = False  # a group has just ended

    def read_list(self, nested: bool) -> int:
        """Read up to the end, or to the bracket that ends a substitution; where that was."""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in _BLANK:
                self._at += 1
            elif self._text.startswith("\\\n", self._at):
                self._at += 2
            elif char == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif redirection := _REDIRECTION.match(self._text, self._at):
                self._redirect(redirection[1])
            elif operator := _OPERATOR.match(self._text, self._at):
                if self._operate(operator[0], nested):
                    return self._at
            else:
                begin = self._at
                self._take(self._word(), begin)
        self._end_pipeline()
        if nested or self._groups or self._heredocs:
            raise Unclear
        return self._at

    def _operate(self, operator: str, nested: bool) -> bool:
        """Whether this is the end of the substitution."""
        if operator == ")" and not self._groups:
            self._end_pipeline()
            if not nested or self._heredocs:
                raise Unclear
            return True
        if operator in (";;", "&>") or (
            operator == "(" and (self._draft.is_there or self._pipeline)
        ):
            raise Unclear
        if operator in ("|", "|&"):
            self._end_command(must=True)
        else:
            self._end_pipeline()
        self._at += len(operator)
        if operator == "\n":
            self._read_heredocs()
        self._begin()
        self._groups += (operator == "(") - (operator == ")")
        self._closed = operator == ")"
        return False

    def _take(self, word: Word, begin: int) -> None:
        written = self._text[begin : self._at]
        if self._closed:
            raise Unclear
        if not self._draft.words:
            if written in _UNREAD:
                raise Unclear
            if not self._draft.assignments and written in _BEFORE:
                if self._pipeline:
                    raise Unclear
                self._begin()
                return
            if not self._draft.assignments and written in _CLOSING:
                self._closed = True
                return
            if _ASSIGNMENT.match(word.text):
                self._draft.assignments.append(word.text)
                return
        self._draft.words.append(word)

    def _end_command(self, must: bool) -> None:
        """A group whose output goes on is not read: each of its commands would be a part of it."""
        there = self._draft.is_there
        if (self._closed and (must or there)) or (must and not there):
            raise Unclear
        if there:
            self._draft.texts.insert(0, self._text[self._start : self._at])
            self._pipeline.append(self._draft)

    def _end_pipeline(self) -> None:
        self._end_command(must=bool(self._pipeline))
        if self._pipeline:
            self.found.append(self._pipeline)
        self._pipeline = []

    def _redirect(self, operator: str) -> None:
        if self._closed:
            raise Unclear
        found = _REDIRECTION.match(self._text, self._at)
        self._at = found.end() if found else self._at
        begin = self._at
        target = self._word()  # a process in place of a file starts with a bracket, and is none
        if operator in _HEREDOCS:
            if not target.is_plain:
                raise Unclear
            is_quoted = any(mark in self._text[begin : self._at] for mark in "'\"\\")
            self._heredocs.append((self._draft, target.text, operator == "<<-", is_quoted))
        elif operator.startswith(">"):
            self._draft.targets.append(target)

    def _read_heredocs(self) -> None:
        """The texts that follow the line, each for its command."""
        for draft, end, strips, is_quoted in self._heredocs:
            while (line := self._next_line()).lstrip("\t" if strips else "") != end:
                if not is_quoted and any(mark in line for mark in ("`", "$(", "\\")):
                    raise Unclear
                draft.texts.append(line)
        self._heredocs = []

    def _next_line(self) -> str:
        if self._at >= len(self._text):
            raise Unclear
        stop = self._text.find("\n", self._at)
        stop = len(self._text) if stop < 0 else stop
        line, self._at = self._text[self._at : stop], stop + 1
        return line

    def _word(self) -> Word:
        parts, is_plain, begin = list[str](), True, self._at
        while self._at < len(self._text):
            char = self._text[self._at]
            if bare := _BARE.match(self._text, self._at):
                self._at = bare.end()
                parts.append(bare[0])
                is_plain = is_plain and not _PATTERN.search(bare[0])
            elif char == "'":
                parts.append(self._until_quote())
            elif char == '"':
                text, plain = self._double_quoted()
                parts.append(text)
                is_plain = is_plain and plain
            elif char == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                self._at += 2
                parts.append("" if escaped == "\n" else escaped)
            elif char == "$":
                parts.append(self._expansion())
                is_plain = False
            else:
                break
        if self._at == begin or self._text[self._at : self._at + 1] == "(":
            raise Unclear
        if self._text[self._at : self._at + 1] not in _AFTER_WORD:
            raise Unclear
        text = "".join(parts)
        return Word(text, is_plain or self._text[begin : self._at] == "[")

    def _until_quote(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise Unclear
        inner, self._at = self._text[self._at + 1 : end], end + 1
        return inner

    def _double_quoted(self) -> tuple[str, bool]:
        self._at += 1
        parts, is_plain = list[str](), True
        while (char := self._text[self._at : self._at + 1]) != '"':
            if char == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                parts.append(escaped if escaped in '"$`\\' else f"\\{escaped}")
                self._at += 2
            elif char == "$" and self._text[self._at + 1 : self._at + 2] in ('"', " "):
                parts.append(char)  # no more than a dollar
                self._at += 1
            elif char == "$":
                parts.append(self._expansion())
                is_plain = False
            elif inner := _QUOTED.match(self._text, self._at):
                parts.append(inner[0])
                self._at = inner.end()
            else:
                raise Unclear
        self._at += 1
        return "".join(parts), is_plain

    def _expansion(self) -> str:
        """The text of an expansion as it is written; the commands in it are found."""
        begin = self._at
        if self._text.startswith("$(", begin):
            if self._heredocs:
                raise Unclear  # whose line ends first
            inner = _Reader(self._text[begin + 2 :], self.found, self._depth + 1)
            self._at = begin + 2 + inner.read_list(nested=True) + 1
        elif known := _NAME.match(self._text, begin) or _BRACED.match(self._text, begin):
            self._at = known.end()
        else:
            raise Unclear
        return self._text[begin : self._at]

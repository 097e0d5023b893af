"""What a comparison is given: the changed files with both their sides, and the rest of the head's
tree to be searched."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from ...findings.source_text import SourceText
from ...model.change import Change, FileDiff, Hunk, HunkLine
from ...text.patterns import lazy_pattern
from ..checks._paths import is_document, is_fixture, is_prose, is_tests
from ..checks._paths import is_foreign as is_copy
from ._apart import apart
from ._lines import Block as Block
from ._lines import Line as Line

# Bytes of a line: a longer one was written by a machine, and patterns that look for the end of a
# line need time by its square
_LONGEST = 1000


_A_WORD = lazy_pattern(r"\w+")
_STANDS_IN = lazy_pattern(r"(?:^|/)(?:deps|external|stubs?|typings)/")


class Place(NamedTuple):
    """A line of some file at head."""

    path: str
    number: int
    text: str


class ComparedFile(Struct, frozen=True, dict=True):
    """A changed text file; `read` gives the text of a blob, "" of one that is absent or large."""

    diff: FileDiff
    read: Callable[[str], str]

    @property
    def path(self) -> str:
        """Its path at head; of a deleted file that at base."""
        return self.diff.path

    @cached_property
    def written(self) -> "ComparedFile":
        """The file with its comments."""
        return self

    @cached_property
    def code(self) -> "ComparedFile":
        """The file without its comments, as its compiler reads it."""
        return CodeFile(self.diff, self.read)

    @property
    def name(self) -> str:
        """Its base name."""
        return self.diff.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folder that it lies in, with a slash; "" at the root."""
        return self.diff.path[: -len(self.name)]

    @property
    def is_new(self) -> bool:
        """The base has no such file."""
        return self.diff.old_mode == "000000"

    @property
    def is_gone(self) -> bool:
        """The head has no such file."""
        return self.diff.mode == "000000"

    @cached_property
    def is_test(self) -> bool:
        """A test, example or fixture by its path."""
        return is_tests(self.diff.path)

    @cached_property
    def is_foreign(self) -> bool:
        """Kept here, and written elsewhere."""
        return is_foreign(self.diff.path)

    @property
    def is_edited_product(self) -> bool:
        """Product code that both sides have, and of which the change takes something away."""
        return self.is_product and bool(self.removed) and not (self.is_gone or self.is_new)

    @cached_property
    def is_product(self) -> bool:
        """Neither a test nor text for people, on one side at least: what moves among the tests was
        product."""
        return _is_product(self.diff.path) or _is_product(self.diff.old_path)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """What the change replaces, block by block."""
        return tuple(block for hunk in self.diff.hunks for block in _blocks(hunk.lines()))

    @cached_property
    def added(self) -> tuple[Line, ...]:
        """The lines that only the head has."""
        return tuple(line for block in self.blocks for line in block.added)

    @cached_property
    def removed(self) -> tuple[Line, ...]:
        """The lines that only the base has."""
        return tuple(line for block in self.blocks for line in block.removed)

    @cached_property
    def base(self) -> str:
        """The whole text at base."""
        return "" if self.is_new else self.read(self.diff.old_oid)

    @cached_property
    def head(self) -> str:
        """The whole text at head."""
        return "" if self.is_gone else self.read(self.diff.oid)

    @cached_property
    def base_rows(self) -> tuple[str, ...]:
        """The base's lines, as far as a person would read them; the first has the number 0 here."""
        return _rows(self.base)

    @cached_property
    def head_rows(self) -> tuple[str, ...]:
        """The head's lines, likewise."""
        return _rows(self.head)

    @cached_property
    def base_code(self) -> SourceText:
        """The base's definitions and statements."""
        return SourceText(self.diff.path, self.base.encode("utf-8", "surrogateescape"))

    @cached_property
    def head_code(self) -> SourceText:
        """The head's definitions and statements."""
        return SourceText(self.diff.path, self.head.encode("utf-8", "surrogateescape"))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of both sides."""
        return frozenset(_A_WORD.findall(f"{self.base}\n{self.head}"))

    def mentions(self, *words: bytes) -> bool:
        """One of the words stands somewhere in the hunks: the quick question."""
        return any(word in hunk.body for hunk in self.diff.hunks for word in words)


class CodeFile(ComparedFile, frozen=True, dict=True):
    """A changed file of code as its compiler reads it: comments are blank, and lines without any
    code are not among the added ones. What is commented out is gone."""

    @cached_property
    def written(self) -> ComparedFile:
        """The file with its comments."""
        return ComparedFile(self.diff, self.read)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """What the change replaces, block by block; none without code."""
        if self.is_test:  # an assertion beside another one may say the same
            return tuple(self._coded)
        return tuple(part for block in self._coded for part in apart(block))

    @property
    def _coded(self) -> Iterable[Block]:
        blocks = self.written.blocks
        texts = [line.text for each in blocks for side in each for line in side]
        if not any(sign in text for text in texts for sign in _SIGNS):
            return blocks
        # Code that stays where it is may be inside a comment now
        if any(sign in text for text in texts for sign in _AROUND):
            return _blocks_of_code(self)
        coded = (
            Block(_code(each.removed, self.base_rows), _code(each.added, self.head_rows))
            for each in blocks
        )
        return (block for block in coded if block.removed or block.added)

    @cached_property
    def base(self) -> str:
        """The text at base without its comments."""
        return _without_comments(self.path, self.written.base)

    @cached_property
    def head(self) -> str:
        """The text at head without its comments."""
        return _without_comments(self.path, self.written.head)


# What begins a comment, or a text that may stand alone
_SIGNS = ("#", "//", "/*", "--", '"', "'")
_AROUND = ("/*", "*/", '"""', "'''")
_TEXT_ALONE = lazy_pattern(r"\s*[rbuRBU]{0,2}(\"\"\"|\'\'\'|\"|\').*\1\s*")


def _code(lines: Sequence[Line], rows: Sequence[str]) -> tuple[Line, ...]:
    """The lines as far as they are code; blank ones stay."""
    return tuple(
        Line(line.number, row)
        for line in lines
        for row in rows[line.number - 1 : line.number]
        if not line.text.strip() or (row.strip() and not _TEXT_ALONE.fullmatch(row))
    )


def _blocks_of_code(file: CodeFile) -> Iterator[Block]:
    """What goes and what comes where both sides are read without comments, in the order of git's
    own difference."""
    removed, added = list[Line](), list[Line]()
    for old, new in _aligned(file.diff.hunks, len(file.base_rows), len(file.head_rows)):
        was, now = _row(file.base_rows, old), _row(file.head_rows, new)
        if old and new and was == now:
            if removed or added:
                yield Block(tuple(removed), tuple(added))
            removed, added = [], []
            continue
        removed += [Line(old, was)] if was.strip() else []
        added += [Line(new, now)] if now.strip() else []
    if removed or added:
        yield Block(tuple(removed), tuple(added))


def _row(rows: Sequence[str], number: int) -> str:
    """A row by its number; "" for none, as in a file that is too large to be read."""
    return rows[number - 1] if 0 < number <= len(rows) else ""


def _aligned(hunks: Sequence[Hunk], base: int, head: int) -> Iterator[tuple[int, int]]:
    """Each line of both sides by its numbers, 0 for one that a side does not have."""
    old = new = 1
    for sign, before, after, _raw in (line for hunk in hunks for line in hunk.lines()):
        while (old < before) if sign == "-" else (new < after):
            yield old, new
            old, new = old + 1, new + 1
        yield (old if sign != "+" else 0), (new if sign != "-" else 0)
        old, new = old + (sign != "+"), new + (sign != "-")
    while old <= base and new <= head:
        yield old, new
        old, new = old + 1, new + 1


# https://hexdocs.pm/elixir/writing-documentation.html
_ELIXIR_DOCS = lazy_pattern(
    r"(?ms)^[ \t]*@(?:module|type|short)?doc[ \t]+(?:~[sS])?\"{3}$.*?^[ \t]*\"{3}"
)


def _without_comments(path: str, text: str) -> str:
    if path.endswith((".ex", ".exs")):
        text = _ELIXIR_DOCS.sub(lambda found: "\n" * found[0].count("\n"), text)
    source = SourceText(path, text.encode("utf-8", "surrogateescape"))
    return source.without_comments()


def _is_product(path: str) -> bool:
    return not (is_tests(path) or is_document(path) or is_prose(path) or is_fixture(path))


def is_foreign(path: str) -> bool:
    """A copy of other projects' code, or a stand-in for it."""
    return is_copy(path) or _STANDS_IN.search(path) is not None


def _rows(text: str) -> tuple[str, ...]:
    return tuple(row[:_LONGEST].rstrip() for row in text.split("\n"))


def _blocks(lines: Iterator[HunkLine]) -> Iterator[Block]:
    removed: list[Line] = []
    added: list[Line] = []
    for sign, old, new, raw in lines:
        text = raw[:_LONGEST].decode("utf-8", "surrogateescape").rstrip()
        if sign == "-":
            if added:
                yield Block(tuple(removed), tuple(added))
                removed, added = [], []
            removed.append(Line(old, text))
        elif sign == "+":
            added.append(Line(new, text))
        elif removed or added:
            yield Block(tuple(removed), tuple(added))
            removed, added = [], []
    if removed or added:
        yield Block(tuple(removed), tuple(added))


class ComparisonInput(Struct, frozen=True, dict=True):
    """A change and what its comparisons may ask for.

    `files` are the changed text files. `find_words` gives, for whole words, where the head has
    them, up to a bound; `list_head` all paths of the head; `read_head` the texts of other files of
    the head; all of them ask git, so a comparison looks at cheaper facts first.
    """

    change: Change
    files: tuple[ComparedFile, ...]
    find_words: Callable[[Collection[str]], Mapping[str, Sequence[Place]]]
    list_head: Callable[[], Collection[str]]
    read_head: Callable[[Collection[str]], Mapping[str, str]]

    @cached_property
    def added_rows(self) -> tuple[str, ...]:
        """Every line that the change adds to a text file."""
        return tuple(line.text for file in self.files for line in file.added)

    @cached_property
    def added_text(self) -> str:
        """These lines as one text, to look for a word in."""
        return "\n".join(self.added_rows)

    @cached_property
    def added_numbers(self) -> Mapping[str, frozenset[int]]:
        """By path at head the numbers of the lines that the change adds."""
        return {
            file.path: frozenset(
                number
                for hunk in file.hunks
                for first, last in hunk.added_runs()
                for number in range(first, last + 1)
            )
            for file in self.change.files
        }

    @cached_property
    def changed_paths(self) -> frozenset[str]:
        """Every path that the change touches, compared or not: what lies there says nothing of what
        the project did before."""
        return frozenset(path for file in self.change.files for path in (file.path, file.old_path))

    @cached_property
    def added_statements(self) -> frozenset[str]:
        """All added lines of the change without their spaces: what is among them has moved."""
        return frozenset(squeeze(line.text) for file in self.files for line in file.added)

    @cached_property
    def new_definitions(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """By path and name the words of the product's definitions that only the head has."""
        found: dict[tuple[str, str], set[str]] = {}
        for file in self.files:
            for each in file.added if file.is_product else ():
                unit = file.head_code.unit(each.number)
                if unit and unit not in file.base_code.units:
                    found.setdefault((file.path, unit), set()).update(_A_WORD.findall(each.text))
        return {key: frozenset(words) for key, words in found.items()}

    @cached_property
    def removed_statements(self) -> frozenset[str]:
        """All removed lines of the change without their spaces: what is among them was there."""
        return frozenset(squeeze(line.text) for file in self.files for line in file.removed)


def has_word(text: str, word: str) -> bool:
    """The word stands in the text with no letter, digit or underscore beside it."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_is_letter(text[at - 1 : at]) or _is_letter(text[end : end + 1])):
            return True
        at = text.find(word, at + 1)
    return False


def _is_letter(sign: str) -> bool:
    return sign == "_" or sign.isalnum()


def squeeze(text: str) -> str:
    """A line without spaces, and without the comma that may end it."""
    return "".join(text.split()).rstrip(",;")

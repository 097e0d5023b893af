"""The definitions that a change removes or changes, by the words under which other code uses them,
and the words that its added lines use."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import chain
from posixpath import basename, dirname
from typing import Literal

from msgspec import Struct

from ..findings.causes import Spans
from ..findings.source_text import SourceText
from ..model.change import FileDiff
from ..model.languages import detect_language
from ..reviewers.checks._paths import is_tests
from ..reviewers.comparisons._definitions import find_definitions, language_of
from ..reviewers.python.definitions import (
    ChangedDefinition,
    Definition,
    find_changed,
    read_definitions,
)
from ..reviewers.python.roots import module_word
from ..text.patterns import lazy_pattern

SymbolChange = Literal["removed", "signature", "import", "body"]
# Most telling first. What a module merely imported is used everywhere
SYMBOL_CHANGES: tuple[SymbolChange, ...] = ("removed", "signature", "import", "body")
MAX_SYMBOLS = 100
_WORD = lazy_pattern(r"[A-Za-z_$][\w$]+")
# What a folder shares though it is not public
_SHARED = lazy_pattern(r"^(?:var|const|type)[ \t]+([a-z_]\w*)[^\n]*", re.MULTILINE)
_CALLED = lazy_pattern(r"(?<![\w$])([A-Za-z_][\w$]{2,})[ \t]*\(|\b([A-Z][\w$]*[a-z][\w$]*)\b")
# Nobody writes the constructor's own name to call it
_CONSTRUCTORS = frozenset({"constructor", "initialize", "__construct", "__init__", "__new__"})
# What a header that was read as text may seem to name
_KEYWORDS = lazy_pattern(
    r"async|await|catch|class|const|default|defer|do|else|export|fn|for|func|function|go|if|import"
    r"|interface|let|match|new|return|static|struct|switch|then|throw|try|type|typeof|var|while"
    r"|with|yield|self|this|super|true|false|null|None|True|False|describe|it|test|expect|main"
)
_HOLDS_MEMBERS = lazy_pattern(
    r"\b(?:class|interface|struct|impl|trait|enum|object|module|namespace|record|protocol"
    r"|extension|contract|union|mixin)\b"
)
_HEADER = 300  # characters of a line that says what it begins
_YAML = (".yml", ".yaml")
_PYTHON = (".py", ".pyi")
_KINDS: Mapping[str, SymbolChange] = {
    "module": "removed", "removed": "removed", "export": "removed", "import": "import",
    "signature": "signature",
}  # fmt: skip
# A folder is one scope: what moves to a neighbour has not moved for anybody
_FOLDER_SCOPES = ("go",)


class ChangedSymbol(Struct, frozen=True):
    """A definition that is gone or differs. `word` is what its uses say; `path` is the file at
    head, or the old one where it is gone; `old` and `new` are its lines, `module` is the name by
    which code of its language imports the file."""

    word: str
    change: SymbolChange
    path: str
    old: Spans = ()
    new: Spans = ()

    @property
    def language(self) -> str:
        """The family of languages that can use it."""
        return family(self.path)

    @property
    def module(self) -> str:
        """The word by which other files import this one."""
        folder = dirname(self.path)
        return basename(folder) if self.language in _FOLDER_SCOPES else _module(self.path)


class ChangedCode(Struct, frozen=True, dict=True):
    """A changed file with its text on both sides, b"" where it is absent."""

    diff: FileDiff
    base: bytes
    head: bytes

    @cached_property
    def old(self) -> SourceText:
        """Its definitions at base."""
        return SourceText(self.diff.old_path, self.base)

    @cached_property
    def new(self) -> SourceText:
        """Its definitions at head."""
        return SourceText(self.diff.path, self.head)

    @cached_property
    def is_code(self) -> bool:
        """Others can use what it defines: no data, no text, no YAML, whose keys are no names."""
        diff = self.diff
        path, mode, data = (
            (diff.old_path, diff.old_mode, self.base)
            if diff.mode == "000000"
            else (diff.path, diff.mode, self.head)
        )
        return not path.endswith(_YAML) and detect_language(path, mode, data) != ""

    @property
    def is_gone(self) -> bool:
        """Nobody can use it under its old path any more."""
        return self.diff.status in "DR" and self.diff.old_path != ""


def changed_symbols(files: Sequence[ChangedCode]) -> tuple[ChangedSymbol, ...]:
    """What other code may use and the change removes or changes, the most telling first; one for
    each word and language."""
    kept = _kept_headers(files)
    found: dict[tuple[str, str], ChangedSymbol] = {}
    every = sorted(
        chain.from_iterable(_of_file(file, kept.get(_scope(file), frozenset())) for file in files),
        key=lambda each: SYMBOL_CHANGES.index(each.change),
    )
    for each in every:
        if _WORD.fullmatch(each.word) and not _is_nobodys(each):
            found.setdefault((each.word, each.language), each)
    return tuple(found.values())[:MAX_SYMBOLS]


def _is_nobodys(symbol: ChangedSymbol) -> bool:
    """No code says this word to use it: a test is called by its runner."""
    if is_keyword(symbol.word):
        return True
    return symbol.word.lower().startswith("test") and is_tests(symbol.path)


def is_keyword(word: str) -> bool:
    """A word of programming languages themselves, which names nothing of a project."""
    return _KEYWORDS.fullmatch(word) is not None


def used_words(file: ChangedCode) -> Mapping[str, int]:
    """What the added lines call, and the types that they name: the first line of each."""
    found: dict[str, int] = {}
    for line in file.diff.added_lines() if file.is_code else ():
        for each in _CALLED.finditer(line.text[:1000].decode("utf-8", "replace")):
            found.setdefault(each[1] or each[2], line.new)
    return found


def family(path: str) -> str:
    """The languages that can use one another's names; of an unknown one its suffix."""
    return language_of(path) or basename(path).rpartition(".")[2].lower()


def _of_file(file: ChangedCode, kept: frozenset[str]) -> Iterator[ChangedSymbol]:
    path = file.diff.old_path if file.is_gone else file.diff.path
    if not file.is_code:
        return
    if file.is_gone:
        yield ChangedSymbol(_module(path), "removed", path)
    if file.diff.old_mode == "000000":
        return
    if path.endswith(_PYTHON):
        before, after = read_definitions(file.base), read_definitions(file.head)
        if before is not None and after is not None:
            found = _of_python(path, before, after) if not file.is_gone else _all_of(path, before)
            yield from found
            yield from _bodies(file)
            return
    yield from _of_text(file, path, kept)
    yield from _bodies(file)


def _of_python(
    path: str, before: Mapping[str, Definition], after: Mapping[str, Definition]
) -> Iterator[ChangedSymbol]:
    for each in find_changed(path, before, after):
        yield _symbol(each)


def _all_of(path: str, before: Mapping[str, Definition]) -> Iterator[ChangedSymbol]:
    for name, definition in before.items():
        if "." not in name and not definition.imported:
            yield ChangedSymbol(name, "removed", path, definition.spans)


def _symbol(each: ChangedDefinition) -> ChangedSymbol:
    return ChangedSymbol(each.word, _KINDS[each.kind], each.path, each.old, each.new)


def _of_text(file: ChangedCode, path: str, kept: frozenset[str]) -> Iterator[ChangedSymbol]:
    """By headers alone: those that are gone, and those that read otherwise; one that is `kept` has
    moved within its scope."""
    gone = file.is_gone
    old, new = _headers(file.old), {} if gone else _headers(file.new)
    for name, (line, header) in old.items():
        owner, _dot, last = name.rpartition(".")
        word = _called(name)
        if name not in new and header not in kept:
            # A class that is gone stands for all that it held
            if not owner or owner in new:
                yield ChangedSymbol(last, "removed", path, _span(file.old, line))
        elif name in new and new[name][1] != header:
            spans = _span(file.old, line), _span(file.new, new[name][0])
            yield ChangedSymbol(word, "signature", path, *spans)
    for name, (line, _header) in new.items():
        if name not in old and _called(name) != name.rpartition(".")[2]:
            yield ChangedSymbol(_called(name), "signature", path, (), _span(file.new, line))
    known = {name.rpartition(".")[2] for name in (*old, *new)}
    for each in _of_exports(file, path, kept):
        if each.word not in known:
            yield each


def _of_exports(file: ChangedCode, path: str, kept: frozenset[str]) -> Iterator[ChangedSymbol]:
    """Constants, types and the like, which have no header."""
    old = _rows(path, file.base)
    new = {} if file.is_gone else _rows(path, file.head)
    for name, (line, text) in old.items():
        span = ((line, line),)
        if name not in new and text not in kept:
            yield ChangedSymbol(name, "removed", path, span)
        elif name in new and new[name][1] != text:
            yield ChangedSymbol(name, "body", path, span, ((new[name][0], new[name][0]),))


def _rows(path: str, data: bytes) -> dict[str, tuple[int, str]]:
    """Number and text of the lines that define something, by its name."""
    text = _decoded(data)
    found = {name: (each.line, each.text) for name, each in find_definitions(path, text).items()}
    if language_of(path) in _FOLDER_SCOPES:
        for each in _SHARED.finditer(text):
            found.setdefault(each[1], (text.count("\n", 0, each.start()) + 1, each[0]))
    return found


def _headers(text: SourceText) -> dict[str, tuple[int, str]]:
    """Line and header of what other files can name: not what is within a function."""
    lines = text.definitions
    return {
        name: (line, text.statement(line))
        for name, line in lines.items()
        if _is_reachable(name, text)
    }


def _is_reachable(name: str, text: SourceText) -> bool:
    while owner := name.rpartition(".")[0]:
        line = text.definitions.get(owner, 0)
        if _HOLDS_MEMBERS.search(text.line(line)[:_HEADER]) is None:
            return False
        name = owner
    return True


def _bodies(file: ChangedCode) -> Iterator[ChangedSymbol]:
    """The innermost reachable definition around each changed line."""
    if file.is_gone:
        return
    found: dict[str, tuple[Spans, Spans]] = {}
    reachable = cache(partial(_reachable, text=file.new))
    for hunk in file.diff.hunks:
        for line in hunk.lines():
            if line.sign == " ":
                continue
            name = reachable(file.new.unit(line.new) if line.new else file.old.unit(line.old))
            old, new = (((at, at),) if at else () for at in (line.old, line.new))
            if name and name in file.old.definitions and name in file.new.definitions:
                found.setdefault(name, (old, new))
    for name, spans in found.items():
        yield ChangedSymbol(_called(name), "body", file.diff.path, *spans)


def _reachable(name: str, text: SourceText) -> str:
    """The innermost of these nested definitions that other files can name; "" for none."""
    while name and not _is_reachable(name, text):
        name = name.rpartition(".")[0]
    return name


def _kept_headers(files: Iterable[ChangedCode]) -> dict[str, frozenset[str]]:
    """By folder, how what its changed files define at head begins, where a folder is one scope."""
    found: dict[str, set[str]] = {}
    for file in files:
        if scope := _scope(file):
            headers = (header for _line, header in _headers(file.new).values())
            others = _rows(file.diff.path, file.head).values()
            found.setdefault(scope, set()).update(headers, (text for _line, text in others))
    return {scope: frozenset(headers) for scope, headers in found.items()}


def _scope(file: ChangedCode) -> str:
    path = file.diff.path
    return f"{dirname(path)}/" if language_of(path) in _FOLDER_SCOPES else ""


def _called(name: str) -> str:
    """What is written to use it: of a constructor its class."""
    owner, _dot, last = name.rpartition(".")
    return owner.rpartition(".")[2] if owner and last in _CONSTRUCTORS else last


def _span(text: SourceText, line: int) -> Spans:
    rows = text.rows(line)
    return ((rows[0], rows[-1]),) if rows else ()


def _module(path: str) -> str:
    word = module_word(path)
    *_above, folder, _name = ("", *path.split("/"))
    return folder if word in ("index", "mod", "lib") and folder else word.partition(".")[0]


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")

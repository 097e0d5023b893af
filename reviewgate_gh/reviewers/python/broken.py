"""Which of a checker's remarks about unchanged code a changed definition causes, and what they say
of it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname

from msgspec import Struct
from msgspec.structs import replace

from ...findings.causes import causing_line
from ...findings.lines import redact_line
from ...model.change import FileDiff
from ...model.finding import CausingPlace, Finding, Priority, QuotedLine
from ...text.patterns import lazy_pattern
from .definitions import ChangedDefinition, Kind
from .guards import UsingCode
from .roots import SourceRoots, module_word, shared_folders
from .ty import Diagnostic, Problem

_QUOTED = lazy_pattern(r"`([^`\n]*)`")
_WORD = lazy_pattern(r"\w+")
_MOST_LINES = 5
# By what a use is broken: the kinds of change that can have done it, the likeliest first
_CAUSES: Mapping[Problem, tuple[Kind, ...]] = {
    "imports": ("removed", "import", "module"),
    "attributes": ("removed", "import", "module", "signature"),
    "arguments": ("signature", "removed"),
    "names": ("export", "removed", "import"),
}
_RULES: Mapping[Problem, str] = {
    "imports": "callers/import",
    "attributes": "callers/attribute",
    "arguments": "callers/arguments",
    "names": "callers/name",
}


class Suspect(Struct, frozen=True):
    """A remark about an unchanged file, and the changed definition that seems to cause it."""

    diagnostic: Diagnostic
    cause: ChangedDefinition


class Judge:
    """Tells breakages from what is expected to fail, or means another module."""

    def __init__(
        self,
        changed: Sequence[ChangedDefinition],
        roots: SourceRoots,
        head: Callable[[str], bytes],
    ) -> None:
        self._changed, self._roots, self._head = changed, roots, head
        self._codes: dict[str, UsingCode] = {}

    def lines(self, diagnostic: Diagnostic) -> tuple[int, int]:
        """First and last line of the use: of an argument from its call on."""
        first = diagnostic.line
        if diagnostic.problem == "arguments" and not diagnostic.at_call:
            first = self._using(diagnostic.path).call_line(first, diagnostic.column)
        return min(first, diagnostic.line), diagnostic.last

    def suspects(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Suspect]:
        """Those with a cause."""
        for each in diagnostics:
            if cause := self._cause(each):
                yield Suspect(each, cause)

    def is_expected(self, suspect: Suspect) -> bool:
        """The code around the use catches its failure, or the definition is there by other
        ways."""
        told = suspect.diagnostic
        if self._using(told.path).catches(told.problem, told.line):
            return True
        return told.problem == "attributes" and (
            self._is_set_elsewhere(suspect.cause) or self._is_given(suspect)
        )

    def priority(self, diagnostic: Diagnostic) -> Priority:
        """An import or a call that fails is certain to; an attribute may be there by other ways,
        and what only checkers read fails nowhere."""
        calm = self._using(diagnostic.path).is_for_checkers(diagnostic.line)
        return Priority.P2 if calm or diagnostic.problem == "attributes" else Priority.P1

    def _cause(self, diagnostic: Diagnostic) -> ChangedDefinition | None:
        said = _words_said(diagnostic)
        if diagnostic.problem == "arguments":
            said.update(_WORD.findall(self._code(diagnostic)))
        kinds = _CAUSES[diagnostic.problem]
        possible = [
            each
            for each in self._changed
            if each.kind in kinds
            and each.word in said
            and not self._roots.means_other(diagnostic.path, each.path)
        ]

        code = self._head(diagnostic.path)

        def rank(each: ChangedDefinition) -> tuple[bool, int, bool, int]:
            module = module_word(each.path)
            around = {*each.name.split("."), module} - {each.word}
            return (
                said.isdisjoint(around),
                -shared_folders(dirname(each.path), diagnostic.path),
                module.encode() not in code,
                kinds.index(each.kind),
            )

        return min(possible, key=rank, default=None)

    def _code(self, diagnostic: Diagnostic) -> str:
        lines = self._head(diagnostic.path).splitlines()[diagnostic.line - 1 : diagnostic.last]
        return b"\n".join(lines).decode("utf-8", "replace")

    def _is_set_elsewhere(self, cause: ChangedDefinition) -> bool:
        """The file still names what is gone, as a text or as what it sets on an object, or it sets
        what nobody can read there."""
        word = re.escape(cause.word.encode())
        pattern = rb"""\bsetattr\(|["']%b["']|\.%b[ \t]*(?::[^=\n]*)?=(?!=)""" % (word, word)
        return re.search(pattern, self._head(cause.path)) is not None

    def _is_given(self, suspect: Suspect) -> bool:
        """The file gives something the attribute, such as a function: `f.wide = partial(f)`."""
        words = b"|".join(re.escape(word.encode()) for word in _words_said(suspect.diagnostic))
        given = rb"(?m)^[ \t]*[A-Za-z_]\w*\.(?:%b)[ \t]*(?::[^=\n]*)?=(?!=)" % words
        return re.search(given, self._head(suspect.cause.path)) is not None

    def _using(self, path: str) -> UsingCode:
        if path not in self._codes:
            self._codes[path] = UsingCode(self._head(path))
        return self._codes[path]


def _words_said(diagnostic: Diagnostic) -> set[str]:
    return {word for text in _QUOTED.findall(diagnostic.message) for word in _WORD.findall(text)}


class BrokenUse(Struct, frozen=True):
    """A suspect that is none any more: its lines, its priority, the content of its file, and
    everything that was said of it."""

    suspect: Suspect
    lines: tuple[int, int]
    priority: Priority
    code: bytes
    said: tuple[str, ...] = ()

    @property
    def use(self) -> object:
        """What makes it the same mistake: a renamed parameter is missing and unknown in one
        call."""
        told = self.suspect.diagnostic
        return told.path, self.lines[0], told.problem, self.suspect.cause


def join_uses(uses: Iterable[BrokenUse]) -> tuple[BrokenUse, ...]:
    """One for each use, with all that is said of it."""
    found: dict[object, BrokenUse] = {}
    for each in uses:
        first = found.get(each.use, each)
        last = max(first.lines[1], each.lines[1])
        said = dict.fromkeys([*first.said, each.suspect.diagnostic.message])
        found[each.use] = replace(first, lines=(first.lines[0], last), said=tuple(said))
    return tuple(found.values())


def finding(use: BrokenUse, file: FileDiff | None) -> Finding:
    """The use, with the hunk that breaks it: of this changed file."""
    told, cause = use.suspect.diagnostic, use.suspect.cause
    line = causing_line(file, cause.old, cause.new) if file else 0
    place = CausingPlace(cause.path, line)
    first, last = use.lines
    return Finding(
        use.priority,
        "correctness",
        _RULES[told.problem],
        told.path,
        first,
        last,
        _title(told, cause),
        " ".join([f"Changed at {place.location}.", *use.said]),
        excerpt=tuple(_quoted(use.code, first, last)),
        compared=True,
        cause=place,
    )


def _title(told: Diagnostic, cause: ChangedDefinition) -> str:
    name = cause.name.removeprefix("__all__.")
    if cause.kind == "module":
        return f"The module `{name}` is used here, but this change removes it"
    if told.problem == "arguments":
        return f"This call does not fit `{name}` as this change defines it"
    if cause.kind == "signature":
        return f"`{name}` no longer has what is used here"
    return f"`{name}` is used here, but this change removes it from {cause.path}"


def _quoted(code: bytes, first: int, last: int) -> Iterator[QuotedLine]:
    rows = code.split(b"\n")[first - 1 : min(last, first + _MOST_LINES - 1)]
    return (QuotedLine(number, redact_line(text)) for number, text in enumerate(rows, first))

"""Modules of the repository that a file of Terraform calls with arguments which they do not take,
without those that they need, or for outputs which they do not have.

https://developer.hashicorp.com/terraform/language/modules/syntax
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from ....model.finding import Finding, Priority
from ....text.hcl import blocks_of, hcl_code
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line

EVERY_FILE = False
_RULE = ComparisonRule(
    "terraform-module-call", Priority.P1, "Terraform refuses the whole folder. Correct the call."
)
_SUFFIX, _READ, _MADE = ".tf", (".tf", ".tofu"), (".tf.json", ".tm.hcl")
_SOURCE = lazy_pattern(r"(?m)^[ \t]*source\s*=\s*\"(?P<folder>\.\.?/[\w./-]*)\"")
_ARGUMENT = lazy_pattern(r"(?m)^[ \t]*(?P<name>[A-Za-z_][\w-]*)[ \t]*=(?![=>])")
_DEFAULT = lazy_pattern(r"(?m)^[ \t]*default[ \t]*=|\{[ \t]*default[ \t]*=")
_OUTPUT = lazy_pattern(
    r"(?<![\w.\-])module\.(?P<module>[\w-]+)(?:\[[^\]\n]{0,80}\])?\.(?P<name>[A-Za-z_][\w-]*)"
)
# What they name may be gone, or something within the module
_NO_VALUE = lazy_pattern(
    r"\bdepends_on\s*=\s*\[[^\]]{0,2000}\]|(?m:^(?:moved|removed|import)\s*\{[^{}]{0,500}\})"
)
_OF_ALL = frozenset(("source", "version", "providers", "count", "for_each", "depends_on"))
_LARGEST, _MOST_FILES, _MOST = 200_000, 60, 5


class _Module(Struct, frozen=True):
    takes: Collection[str]
    needs: Collection[str]
    gives: Collection[str]


class _Call(Struct, frozen=True):
    name: str
    module: _Module
    given: dict[str, int]
    line: int
    last: int

    @property
    def lines(self) -> range:
        """Those of the call."""
        return range(self.line, self.last + 1)

    def wrong(self) -> Iterator[tuple[int, str]]:
        """Arguments that the module does not take, and one that it needs."""
        for argument, line in self.given.items():
            if argument not in self.module.takes and argument not in _OF_ALL:
                yield line, f"the module `{self.name}` takes no argument `{argument}`"
        for argument in sorted(set(self.module.needs) - self.given.keys())[:1]:
            yield self.line, f"the module `{self.name}` needs the argument `{argument}`"


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """At most five findings a file."""
    for file in sources.files:
        is_wanted = file.path.endswith(_SUFFIX) and not (file.is_gone or is_fixture(file.path))
        if is_wanted and len(file.head) <= _LARGEST and "module" in file.head:
            yield from islice(_in_file(sources, file), _MOST)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    code = hcl_code(file.head)
    calls = [*_calls(sources, file, code)]
    told = [(line, title) for call in calls for line, title in call.wrong()]
    modules = {call.name: call.module for call in calls}
    code = _NO_VALUE.sub(_blank, code)
    for use in _OUTPUT.finditer(code):
        module = modules.get(use["module"])
        if module and use["name"] not in module.gives:
            line = code.count("\n", 0, use.start()) + 1
            told.append((line, f"the module `{use['module']}` has no output `{use['name']}`"))
    added = {line.number for line in file.added}
    touched = {call.line for call in calls if not added.isdisjoint(call.lines)}
    for line, title in told:
        if line in added or line in touched:
            yield put(_RULE, file, Line(line, file.head_rows[line - 1]), title)


def _calls(sources: ComparisonInput, file: ComparedFile, code: str) -> Iterator[_Call]:
    for kind, name, _, start, end in blocks_of(file.head, code):
        source = _SOURCE.search(file.head, start, end) if kind == "module" else None
        module = _read(sources, file.folder, source["folder"]) if source else None
        if module is not None:
            last = code.count("\n", 0, end) + 1
            yield _Call(
                name, module, _arguments(code, start, end), code.count("\n", 0, start) + 1, last
            )


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _arguments(code: str, start: int, end: int) -> dict[str, int]:
    """The block's own arguments with their lines, those of values within it aside."""
    found: dict[str, int] = {}
    depth = 0
    first = code.count("\n", 0, start) + 1
    for number, row in enumerate(code[start:end].split("\n"), first):
        argument = _ARGUMENT.match(row) if not depth else None
        if argument:
            found[argument["name"]] = number
        depth += sum(map(row.count, "{[(")) - sum(map(row.count, "}])"))
    return found


def _read(sources: ComparisonInput, folder: str, source: str) -> _Module | None:
    """What a folder of the repository declares; None where it is none, or not whole."""
    place = posixpath.normpath(posixpath.join(folder, source))
    if place.startswith("."):
        return None
    inside = [path for path in sources.list_head()
              if path.startswith(f"{place}/") and "/" not in path[len(place) + 1:]]  # fmt: skip
    paths = [path for path in inside if path.endswith(_READ)]
    if not paths or len(paths) > _MOST_FILES or any(path.endswith(_MADE) for path in inside):
        return None
    texts = [*sources.read_head(paths).values()]
    # A symbolic link has the path of its target as its content
    is_whole = len(texts) == len(paths) and all("\n" in text or not text for text in texts)
    return _declared(texts) if is_whole else None


def _declared(texts: Sequence[str]) -> _Module:
    takes, needs, gives = set[str](), set[str](), set[str]()
    for text in texts:
        code = hcl_code(text)
        for kind, name, _, start, end in blocks_of(text, code):
            if kind == "variable":
                takes.add(name)
                if not _DEFAULT.search("{" + code[start:end]):
                    needs.add(name)
            elif kind == "output":
                gives.add(name)
    return _Module(takes, needs, gives)

"""JavaScript and TypeScript: names that a change imports from a module of the project which does
not export them, and files that it imports and that are not there.

https://nodejs.org/api/esm.html#resolution-algorithm,
https://www.typescriptlang.org/docs/handbook/modules/theory.html#module-resolution
"""

import posixpath
from collections.abc import Collection, Iterator

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.javascript import Exports, Imported, exported_names, imported_names
from ....text.paths import matching_paths
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture, is_own_test
from .._definitions import language_of
from .._remark import ComparisonRule, put
from .._sources import ComparedFile, ComparisonInput, Line, is_foreign
from .._spoken import is_in_long_text

EVERY_FILE = False
MISSING = ComparisonRule(
    "import-missing",
    Priority.P1,
    "Loading or building this file fails. Use a name that the module exports, or export it there.",
)
NO_FILE = ComparisonRule(
    MISSING.name,
    Priority.P2,
    "Loading this file fails unless something makes the other. Name one that is there, or commit "
    "it.",
)
_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_CODE = lazy_pattern(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
# Other suffixes that say which file it is; whatever else follows a dot is part of a name
_OWN_SUFFIX = lazy_pattern(r"\.(?:vue|svelte|css|s[ac]ss|less|json)\Z")
_ASKED = lazy_pattern(r"[?!#*$`]|\Anode:|//")
_MADE = lazy_pattern(r"(?i)generated|(?:^|[/._-])gen(?:[/._-]|$)|version|[+$]|manifest|\.local$")
# Types of a comment are exported, too:
# https://www.typescriptlang.org/docs/handbook/jsdoc-supported-types.html
_DOCUMENTED = lazy_pattern(r"@(?:typedef|callback)\b")
# What a tool loads in its own way: https://vitepress.dev/guide/data-loading
_LOADED = lazy_pattern(r"\.data\.\w+\Z")
_TEST = lazy_pattern(r"[._-](?:test|tests|spec)\.[^/.]+\Z")
_DEEPEST = 6  # modules that hand on names of others
_MOST = 300  # names of a file
_LONGEST_NAME = 60


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    tree: Modules | None = None
    for file in sources.files:
        if language_of(file.path) != "js" or file.is_gone or not file.mentions(b"from"):
            continue
        if is_foreign(file.path) or is_fixture(file.path) or _is_sample(file):
            continue
        tree = tree or Modules(sources)
        yield from _first(file, tree)


def _is_sample(file: ComparedFile) -> bool:
    """Code that tests read: it may be wrong on purpose."""
    return is_own_test(file.path) and not _TEST.search(file.path)


def _first(file: ComparedFile, tree: "Modules") -> Iterator[Finding]:
    """The first of the added imports that fails, unless the base had it."""
    added = {line.number: line for line in file.added}
    text = file.code.head
    before = {(each.module, each.name) for each in imported_names(file.code.base)}
    for each in [*imported_names(text)][:_MOST]:
        number = text.count("\n", 0, each.at) + 1
        if is_in_long_text(file.path, file.head_rows, number) or (each.module, each.name) in before:
            continue
        if number in added and (finding := tree.judge(file, added[number], each)):
            yield finding
            return


class Modules:
    """The modules of the head."""

    def __init__(self, sources: ComparisonInput) -> None:
        self._read, self._find = sources.read_head, sources.find_words
        self._paths = sources.list_head()
        self._folders = {posixpath.dirname(path) for path in self._paths}
        self._exports: dict[str, Exports | None] = {}

    def judge(self, file: ComparedFile, line: Line, imported: Imported) -> Finding | None:
        """What is wrong with an import, if anything is for certain."""
        place = _place(file.path, imported.module)
        if not place:
            return None
        files = self.files(place)
        if not files:
            if imported.module.startswith(".") and self._is_missing(place):
                said = imported.module[:_LONGEST_NAME]
                return put(NO_FILE, file, line, f"{said!r} is imported, and no such file is there")
            return None
        if any(self.may_have(path, imported.name) for path in files):
            return None
        rule = NO_FILE if imported.is_type else MISSING
        what = "a default" if imported.name == "default" else imported.name[:_LONGEST_NAME]
        title = f"{what} is imported from {files[0]}, which exports none"
        return put(ComparisonRule(rule.name, rule.priority, MISSING.advice), file, line, title)

    def files(self, place: str) -> list[str]:
        """The files that an import of this place may mean."""
        bare = _CODE.sub("", place)
        names = [place, *(f"{place}{each}" for each in _SUFFIXES)]
        names += [f"{bare}{each}" for each in _SUFFIXES] if bare != place else []
        names += [f"{place}/index{each}" for each in _SUFFIXES]
        return list(dict.fromkeys(each for each in names if each in self._paths))

    def may_have(self, path: str, name: str, above: Collection[str] = ()) -> bool:
        """The module exports the name, or may do so where nobody sees it."""
        if not _CODE.search(path) or _LOADED.search(path) or len(above) > _DEEPEST:
            return True
        exports = self.known(path)
        if exports is None or name in exports.names:
            return True
        if name == "default" or path in above:
            return False
        for module in exports.others:
            place = _place(path, module)
            files = self.files(place) if place else []
            if not files or any(self.may_have(each, name, (*above, path)) for each in files):
                return True
        return False

    def known(self, path: str) -> Exports | None:
        """What the module exports; None where nobody sees it."""
        if path not in self._exports:
            text = self._read([path]).get(path, "")
            source = SourceText(path, text.encode("utf-8", "surrogateescape"))
            # What a file of declarations declares is exported, unless it says `export {}`
            hidden = path.endswith((".d.ts", ".d.mts", ".d.cts")) or _DOCUMENTED.search(text)
            self._exports[path] = None if hidden else exported_names(source.without_comments())
        return self._exports[path]

    def _is_missing(self, place: str) -> bool:
        """Nothing like it is there, in a folder that is, and nothing says that it will be made."""
        folder, _slash, name = place.rpartition("/")
        if folder not in self._folders or _MADE.search(place) or not name.strip("."):
            return False
        bare = _CODE.sub("", _OWN_SUFFIX.sub("", place))
        if any(path.startswith((f"{bare}.", f"{bare}/", f"{place}.")) for path in self._paths):
            return False
        return not (self._is_ignored(place) or self._is_spoken_of(bare.rpartition("/")[2]))

    def _is_ignored(self, place: str) -> bool:
        names = [each for each in self._paths if each.rpartition("/")[2] == ".gitignore"]
        for path, text in self._read(names).items():
            folder = path[: -len(".gitignore")]
            if place.startswith(folder):
                below = place[len(folder) :]
                if matching_paths([below, f"{below}.js", f"{below}.ts"], text.splitlines()):
                    return True
        return False

    def _is_spoken_of(self, name: str) -> bool:
        """Settings or scripts of a build name the file."""
        word = name.rpartition(".")[2] or name
        said = (f"/{name}", f"{name}.")
        return any(
            any(each in place.text for each in said)
            for place in self._find([word]).get(word, ())
            if language_of(place.path) != "js" or "config" in place.path or "script" in place.path
        )


def _place(path: str, module: str) -> str:
    """Where an import of a file of the project leads, without the suffix that may be left out; ""
    for a package, or where that is not known."""
    if _ASKED.search(module.removeprefix("$lib/")):
        return ""
    if module.startswith(("./", "../")) or module in (".", ".."):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
        return "" if place.startswith("..") else place.removeprefix("./")
    # https://svelte.dev/docs/kit/$lib; what `create-vue` and others make of `@`
    for alias, folder in (("$lib/", "src/lib/"), ("@/", "src/")):
        start = f"/{path}".rfind("/src/")
        if module.startswith(alias) and start >= 0:
            return posixpath.normpath(f"{path[:start]}{folder}{module[len(alias) :]}")
    return ""

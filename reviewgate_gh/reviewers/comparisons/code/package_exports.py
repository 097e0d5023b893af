"""JavaScript: names that a package of the tree no longer exports, while code that has the package
by its name still imports them from it.

https://nodejs.org/api/packages.html#package-entry-points
"""

import posixpath
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from ....findings.source_text import SourceText
from ....model.finding import Finding
from ....text.javascript import Exports, exported_names, imported_names
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from ...checks._paths import is_fixture
from .._definitions import language_of
from .._manifests import Dependency
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, is_foreign
from .._uses import is_new_line, where
from ..additions.missing_exports import Modules
from ..packages._requirements import numbers, takes
from . import lost_exports, removed_names
from ._told import without_told
from .removed_names import GONE

EVERY_FILE = False
_MOST = 40  # names of a file: of more it is a rewrite
_SHORTEST = 3
_MOST_PLACES = 400
_TABLES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
# `npm help install`, https://pnpm.io/workspaces
_OF_TREE = lazy_pattern(r"(?:workspace|file|link|portal):")
_NONE = Exports(frozenset(), ())


class _Package(NamedTuple):
    """A package of the tree: its folder with a slash, and what its manifest says."""

    folder: str
    manifest: Mapping[str, Any]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    yield from without_told(
        sources, _findings(sources), removed_names.compare, lost_exports.compare
    )


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    tree: Modules | None = None
    told = set[str]()  # places: a function is removed, and what handed it on as well
    for file in sources.files:
        if language_of(file.path) != "js" or not (file.is_product and file.removed):
            continue
        if file.is_new or file.is_foreign or not file.mentions(b"export"):
            continue
        tree = tree or Modules(sources)
        package = next(_packages(sources, file.path), None)
        if package is None or not isinstance(package.manifest.get("name"), str):
            continue
        lost = [*_lost(file, tree)]
        for finding in islice(_told(sources, tree, file, package, lost), len(lost) <= _MOST):
            if not told.issuperset(finding.places):
                yield finding
            told.update(finding.places)


def _lost(file: ComparedFile, tree: Modules) -> Iterator[str]:
    """The names that the module had, and those of modules that it handed on."""
    before, after = exported_names(file.base), exported_names(file.head)
    if before is None or (after is None and "export" in file.head):
        return
    after = after or _NONE
    yield from sorted(before.names - after.names)
    for module in before.others if not file.is_gone else ():
        if module not in after.others and module.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), module))
            for path in tree.files(place)[:1]:
                yield from sorted((tree.known(path) or _NONE).names)


def _told(
    sources: ComparisonInput, tree: Modules, file: ComparedFile, package: _Package, lost: list[str]
) -> Iterator[Finding]:
    names = {each for each in lost if len(each) >= _SHORTEST and each != "default"}
    places = sources.find_words(names)
    for name in lost:
        if name not in names or len(places[name]) > _MOST_PLACES:
            continue
        uses = [each for each in places[name] if _is_use(sources, tree, package, name, each)]
        if uses:
            line = next((row for row in file.removed if has_word(row.text, name)), file.removed[0])
            called = package.manifest["name"]
            title = f"{name} is no longer exported by {called}, and is still used in {where(uses)}"
            yield with_places(taken(GONE, file, Line(line.number, line.text), title), uses)


def _is_use(
    sources: ComparisonInput, tree: Modules, package: _Package, name: str, place: Place
) -> bool:
    """The line takes the name from this very package, which does not export it."""
    own = package.manifest["name"]
    if language_of(place.path) != "js" or is_foreign(place.path) or is_fixture(place.path):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    if own not in text or is_new_line(sources, place):
        return False
    code = SourceText(place.path, text.encode("utf-8", "surrogateescape")).without_comments()
    modules = {
        each.module
        for each in imported_names(code)
        if each.name == name and code.count("\n", 0, each.at) + 1 == place.number
    }
    return any(
        _lacks(tree, package, module[len(own) :], name)
        for module in modules
        if module == own or module.startswith(f"{own}/")
    ) and _is_linked(sources, package, place.path)


def _lacks(tree: Modules, package: _Package, below: str, name: str) -> bool:
    """What the import leads to is known, and does not have the name."""
    entries = {path for said in _said(package, below) for path in _files(tree, package, said)}
    if not (entries or below):
        usual = (f"{package.folder}src/index", f"{package.folder}index")
        entries = {path for each in usual for path in tree.files(each)}
    return bool(entries) and not any(tree.may_have(path, name) for path in entries)


def _said(package: _Package, below: str) -> Iterator[str]:
    """The files that the manifest names for the package, or for a path below it."""
    exports = package.manifest.get("exports")
    if not below:
        yield from _texts([package.manifest.get(key) for key in _MAIN])
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        yield from _texts(exports.get(f".{below}"))
    elif exports is not None:
        yield from _texts(exports) if not below else ()
    elif below:
        yield below[1:]


_MAIN = ("main", "module", "types", "typings", "source")


def _texts(value: object) -> Iterator[str]:
    """Those of all conditions."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _files(tree: Modules, package: _Package, said: str) -> list[str]:
    """The file of the tree, or the source that it is built of."""
    place = posixpath.normpath(said)
    if found := tree.files(package.folder + place):
        return found
    built = _BUILT.match(place)
    return tree.files(f"{package.folder}src/{place[built.end() :]}") if built else []


_BUILT = lazy_pattern(
    r"(?:(?:dist|lib|build|out|output|esm?|cjs|umd|types|typings|node|browser)/){1,4}"
)


def _is_linked(sources: ComparisonInput, package: _Package, path: str) -> bool:
    """What the file has under the package's name is the package of the tree: it is its own, its
    manifest asks for that one, or all are linked that are of a version it takes."""
    name = package.manifest["name"]
    above = [*_packages(sources, path)]
    for each in above:
        if each.folder == package.folder:
            return True
        tables = (each.manifest.get(key) for key in _TABLES)
        specs = [str(t[name]) for t in tables if isinstance(t, dict) and name in t]
        if specs:
            linked = any(other.manifest.get("workspaces") for other in above)
            return any(_OF_TREE.match(spec) for spec in specs) or (
                linked and all(_takes(package, spec) for spec in specs)
            )
    return False


def _takes(package: _Package, spec: str) -> bool:
    """Whether the range takes the version of the tree: `npm help workspaces`."""
    version = numbers(str(package.manifest.get("version", "")))
    if spec in ("*", ""):
        return True
    return bool(version and numbers(spec)) and takes(Dependency("npm", "", spec), version)


def _packages(sources: ComparisonInput, path: str) -> Iterator[_Package]:
    """Those whose folder holds the file, the inmost first."""
    paths, folder = sources.list_head(), posixpath.dirname(path)
    while True:
        manifest = posixpath.join(folder, "package.json")
        if manifest in paths:
            try:
                top = load_loose_json(sources.read_head([manifest]).get(manifest, ""))
            except ValueError:
                top = None
            if isinstance(top, dict):
                yield _Package(f"{folder}/" if folder else "", top)
        if not folder:
            return
        folder = posixpath.dirname(folder)

"""Names that a module no longer hands on from another one, while others import them from it."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import find_definitions, language_of
from .._imports import imports_from
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, is_foreign
from .._uses import is_new_line, where
from . import removed_names
from ._told import without_told
from .removed_names import GONE

EVERY_FILE = False
_SHORTEST = 3
_MOST = 40  # names of a change
# `export { a, b as c } from './d'`, `module.exports = { a, b }`, `from .d import a, b`
_LISTS = {
    "js": r"^[ \t]*(?:export\s+(?:type\s+)?|(?:module\.)?exports\s*=\s*)\{(?P<names>[^{}]*)\}",
    "py": r"^from[ \t]+\.[\w.]*[ \t]+import[ \t]+(?:\((?P<names>[^)]*)\)|(?P<row>[^\n(]+))",
}
# Not what a declaration of another module has, which is indented
_DEFAULT = lazy_pattern(
    r"(?m)^(?:export\s+default\b|export\s*=|module\.exports\s*=)|\bas\s+default\b"
)
_ALL = lazy_pattern(
    r"(?m)^[ \t]*export\s*\*|\bexports\s*=\s*\{[^{}]*\.\.\."
    r"|\bassign\(\s*(?:module\.)?exports\b|^from[ \t]+\.[\w.]*[ \t]+import[ \t]+\*"
    r"|^(?:def )?__getattr__\b"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    yield from without_told(sources, _findings(sources), removed_names.compare)


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    for file in sources.files:
        if file.is_edited_product and not file.is_foreign and _hands_on(file):
            yield from islice(_names(sources, file), 1)
            yield from _default(sources, file)


def _hands_on(file: ComparedFile) -> bool:
    kind = language_of(file.path)
    return kind == "js" or (kind == "py" and file.name == "__init__.py")


def _names(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    kind = language_of(file.path)
    if _ALL.search(file.head):
        return
    now = {*_listed(kind, file.head), *find_definitions(file.path, file.head)}
    lost = [each for each in _listed(kind, file.base) if each not in now and len(each) >= _SHORTEST]
    if not lost or len(lost) > _MOST:
        return
    places = sources.find_words({*lost})
    for name in lost:
        line = next((line for line in file.removed if has_word(line.text, name)), None)
        if line is None or _is_bound(kind, file.head, name) or _is_module(sources, file, name):
            continue
        uses = [place for place in places[name] if _is_use(sources, file, place, name)]
        if uses:
            title = f"{name} is no longer exported, and is still used in {where(uses)}"
            yield with_places(taken(GONE, file, line, title), uses)


def _listed(kind: str, text: str) -> list[str]:
    """The names of all lists, as others see them."""
    rows = (found.groupdict() for found in re.finditer(_LISTS[kind], text, re.M))
    every = ",".join(row["names"] or row.get("row") or "" for row in rows).split(",")
    names = (re.search(r"([\w$]+)\s*(?:$|:|#|//)", each.strip()) for each in every)
    return [found[1] for found in names if found]


def _is_module(sources: ComparisonInput, file: ComparedFile, name: str) -> bool:
    """Python: a module below the package has the name as well.
    https://docs.python.org/3/reference/import.html#submodules"""
    paths = (f"{file.folder}{name}.py", f"{file.folder}{name}/__init__.py")
    return file.path.endswith(".py") and any(path in sources.list_head() for path in paths)


def _is_bound(kind: str, text: str, name: str) -> bool:
    """The head gives the name to others in another way."""
    if kind == "py":  # what a module names outside of a text it has, whatever way it takes
        return has_word(_TEXTS.sub("", text), name)
    name = re.escape(name)
    return re.search(rf"(?m)^.*\bexports?\b[^\n]*(?<![\w$]){name}(?![\w$])", text) is not None


_TEXTS = lazy_pattern(r"\"[^\"\n]*\"|'[^'\n]*'")


def _is_use(sources: ComparisonInput, file: ComparedFile, place: Place, name: str) -> bool:
    kind = language_of(file.path)
    if language_of(place.path) != kind or place.path == file.path or is_foreign(place.path):
        return False
    if is_new_line(sources, place):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    return imports_from(place, text, file.path, name, sources.list_head())


def _default(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """What the module gives without a name."""
    if language_of(file.path) != "js" or file.path.endswith(_COMPONENTS):
        return
    if _DEFAULT.search(file.head) or "default" in _listed("js", file.head):
        return
    line = next((line for line in file.removed if _DEFAULT.search(line.text)), None)
    stem = file.folder.rstrip("/").rpartition("/")[2] if file.name.startswith("index.") else ""
    word = stem or file.name.partition(".")[0]
    if line is None or "module" in line.text or len(word) < _SHORTEST:
        return
    uses = [
        place
        for place in sources.find_words({word})[word]
        if _TAKES_DEFAULT.search(place.text)
        and language_of(place.path) == "js"
        and not (is_new_line(sources, place) or is_foreign(place.path))
        and imports_from(place, place.text, file.path, "")
    ]
    if uses:
        title = f"the default export is removed, and is still imported in {where(uses)}"
        yield with_places(taken(GONE, file, Line(line.number, line.text), title), uses)


# Their compilers make the default export: https://vuejs.org/api/sfc-script-setup.html,
# https://svelte.dev/docs/svelte/svelte-files
_COMPONENTS = (".vue", ".svelte")
_TAKES_DEFAULT = lazy_pattern(r"^\s*import\s+[\w$]+\s*(?:,\s*\{[^}]*\}\s*)?from\b")

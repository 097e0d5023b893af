"""Names that a file no longer defines for others, while these still use them: targets of builds,
jobs of pipelines, services, settings, options."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document, is_fixture
from .._guards import code_of
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, is_foreign
from .._uses import is_new_line, where
from . import lost_members, named_blocks, removed_names
from ._entry_folders import goes_elsewhere, is_nearest, with_siblings
from ._entry_kinds import DEPLOYED, PIPELINES, EntryKind
from ._setting_kinds import SETTINGS
from ._told import without_told
from .removed_names import GONE

EVERY_FILE = False
_KINDS = (*PIPELINES, *DEPLOYED, *SETTINGS)
_MOST = 40  # names of a change and kind: of more it is a rewrite
_MOST_PLACES = 300
_KEY = lazy_pattern(
    r"^(?P<indent>\s*)[\"']?(?P<key>[\w./$@:-]+?)[\"']?\s*(?::(?=\s|$)|=\s*\{|\{\s*$)"
)


class _Lost(NamedTuple):
    """A name that the head does not have, with the line that had it."""

    kind: EntryKind
    file: ComparedFile
    line: Line
    name: str


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a kind and file."""
    yield from without_told(
        sources,
        _findings(sources),
        named_blocks.compare,
        removed_names.compare,
        lost_members.compare,
    )


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    groups = [each for file in sources.files for each in _of_file(file)]
    words = {_word(each.name) for group in groups for each in group if not each.kind.few}
    if not groups or len(words) > _MOST_WORDS:
        return
    sources.find_words(words)
    for group in groups:
        yield from islice(_in_group(sources, group), 1)


_MOST_WORDS = 120


def _is_read(file: ComparedFile) -> bool:
    return bool(file.removed) and not (file.is_foreign or file.is_test or is_fixture(file.path))


def _of_file(file: ComparedFile) -> Iterator[list[_Lost]]:
    for kind in [kind for kind in _KINDS if kind.paths.search(file.path)]:
        if _is_read(file):
            lost = [*_lost(kind, file)]
            if 0 < len(lost) <= _MOST:
                yield lost


def _in_group(sources: ComparisonInput, lost: Sequence[_Lost]) -> Iterator[Finding]:
    for each in lost:
        kind, places = each.kind, _places(sources, each)
        if len(places) > _MOST_PLACES or _is_alive(each, places):
            continue
        uses = [place for place in places if _is_use(sources, each, place)]
        if uses:
            title = f"{kind.what} {each.name} is removed, and is still used in {where(uses)}"
            yield with_places(taken(GONE, each.file, each.line, title), uses)


def _places(sources: ComparisonInput, each: _Lost) -> Sequence[Place]:
    """Where the head has the word; of a kind that few files use, these alone are read."""
    word = _word(each.name)
    if not each.kind.few:
        return sources.find_words({word})[word]
    paths = [path for path in sources.list_head() if each.kind.used_in.search(path)][:_MOST_READ]
    return [
        Place(path, number, row)
        for path, text in sorted(sources.read_head(paths).items())
        if word in text
        for number, row in enumerate(text.split("\n"), 1)
        if has_word(row, word)
    ]


_MOST_READ = 20  # files


def _lost(kind: EntryKind, file: ComparedFile) -> Iterator[_Lost]:
    gone = {line.number: line for line in file.removed}
    said = _KEY if kind.row is None or kind.under is not None else kind.row
    if not any(said.search(line.text) for line in file.removed):
        return  # before the texts are read
    if kind.within and not kind.within.search(file.base):
        return
    now = {name for _number, name in _names(kind, file, file.head_rows)}
    seen = set[str]()
    for number, name in _names(kind, file, file.base_rows):
        if number in gone and name not in now and name not in seen:
            seen.add(name)
            if len(name) >= kind.shortest and not (kind.few and has_word(file.head, name)):
                yield _Lost(kind, file, gone[number], name)


def _names(kind: EntryKind, file: ComparedFile, rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    if kind.row is None or kind.under is not None:
        yield from _keyed(kind, file, rows)
        return
    for number, row in enumerate(rows, 1):
        for found in kind.row.finditer(row):
            name = next((name for name in found.groups() if name), "")
            if name:
                yield number, kind.spelt(name, file)


def _keyed(kind: EntryKind, file: ComparedFile, rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Keys by those above them, in YAML and in JSON that is written line by line."""
    above: list[tuple[int, str]] = []
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        found = _KEY.match(row)
        if not bare or bare[0] in "#}])" or not found:
            continue
        depth = len(found["indent"])
        while above and depth <= above[-1][0]:
            above.pop()
        under = ".".join(key for _depth, key in above)
        if kind.under is not None and kind.under.search(under):
            whole = f"{under}.{found['key']}" if under else found["key"]
            yield number, kind.spelt(whole, file)
        above.append((depth, found["key"]))


def _word(name: str) -> str:
    """The part of a name to search for."""
    return re.split(r"[.:]", name)[-1].strip("$-") or name


def _is_alive(each: _Lost, places: Sequence[Place]) -> bool:
    """Another file of the kind defines it, or something else does."""
    kind = each.kind
    if kind.makes(each.name, each.file.head):
        return True
    if kind.under is not None and _is_in_row(each.file.head, _word(each.name)):
        return True
    keeps = re.compile(kind.alive(each.name))
    for place in places:
        if keeps.search(place.text):
            return True
        if kind.scope == "file" or not kind.paths.search(place.path):
            continue
        if kind.row is not None and kind.under is None:
            found = kind.row.search(place.text)
            if found and each.name in (kind.spelt(n, each.file) for n in found.groups() if n):
                return True
        elif (
            place.path != each.file.path
            and _is_key(place.text, _word(each.name))
            and not re.search(
                f"{kind.uses(each.name, each.file)}|{kind.given(each.name)}", place.text
            )
        ):
            return True
    return False


def _is_in_row(head: str, word: str) -> bool:
    """A row of YAML or JSON has several keys, and one of them is the word."""
    return re.search(rf"[{{,][ \t]*[\"']?{re.escape(word)}[\"']?\s*:(?=\s)", head) is not None


def _is_key(row: str, word: str) -> bool:
    return re.match(rf"\s*[\"']?(?:[\w-]+\.)*{re.escape(word)}[\"']?\s*:", row) is not None


def _is_use(sources: ComparisonInput, each: _Lost, place: Place) -> bool:
    kind = each.kind
    if not (kind.used_in.search(place.path) and _is_in_scope(each, place)):
        return False
    if not _is_code(place) or is_new_line(sources, place):
        return False
    is_given = place.path != each.file.path and re.search(kind.given(each.name), place.text)
    if not (
        is_given
        or re.search(kind.uses(each.name, each.file), place.text)
        or _is_listed(sources, each, place)
    ):
        return False
    if place.path == each.file.path:
        return True
    if kind.own is not None and kind.own.search(place.path):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    if kind.nearest and not is_nearest(sources, each.file, text, place):
        return False
    needed = kind.needs(each.file)
    if not needed:
        return not goes_elsewhere(text, place, each.file.folder)
    said = with_siblings(text, place.number) if kind.near else text
    return re.search(needed, said, re.M) is not None


def _is_code(place: Place) -> bool:
    """The line is one of the project's own that does something today."""
    path = place.path
    aside = is_foreign(path) or is_fixture(path) or is_document(path) or _HISTORY.search(path)
    return not aside and bool(code_of(place.text))


_HISTORY = lazy_pattern(
    r"(?i)(?:^|/)(?:CHANGE|HISTORY|NEWS|UPGRAD|MIGRAT|RELEASE)[^/]*\.(?:md|rst|txt|adoc)$|changelog"
    r"|/migrations?/"
)


def _is_listed(sources: ComparisonInput, each: _Lost, place: Place) -> bool:
    """An entry of a list below a key that takes such names."""
    if not re.match(rf"\s*-\s*[\"']?{re.escape(each.name)}[\"']?\s*$", place.text) and not (
        re.match(rf"\s*{re.escape(each.name)}:\s*$", place.text)
    ):
        return False
    rows = sources.read_head([place.path]).get(place.path, "").split("\n")[: place.number]
    depth = len(rows[-1]) - len(rows[-1].lstrip())
    for row in reversed(rows[:-1]):
        indent = len(row) - len(row.lstrip())
        if row.strip() and (
            indent < depth or (indent == depth and not row.lstrip().startswith("-"))
        ):
            said = f"{row.strip()} {each.name}"
            return _LISTS.match(row) is not None and bool(
                re.search(each.kind.uses(each.name, each.file), said)
            )
    return False


_LISTS = lazy_pattern(r"\s*(?:-\s+)?(?:needs|depends_on|links|dependencies|extends|notify):\s*$")


def _is_in_scope(each: _Lost, place: Place) -> bool:
    folder = each.file.folder
    match each.kind.scope:
        case "file":
            return place.path == each.file.path
        case "folder":
            return place.path.rpartition("/")[0] == folder.rstrip("/")
        case "below":
            return place.path.startswith(folder)
        case "role":
            return place.path.startswith(folder.rstrip("/").rpartition("/")[0])
    return True

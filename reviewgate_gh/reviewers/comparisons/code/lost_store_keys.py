"""State, getters and actions that a store of Pinia no longer has, while others read them from it.
https://pinia.vuejs.org/core-concepts/"""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word
from .._uses import is_new_line, is_spoken, where
from . import lost_members, removed_names
from ._told import without_told
from .removed_names import GONE

EVERY_FILE = False
_WORD = b":"
_STORE = lazy_pattern(r"(?m)^export\s+const\s+(?P<name>use\w+)\s*=\s*defineStore\(")
_KEY = lazy_pattern(r"^\s+(?:async\s+)?(?P<key>[a-zA-Z_$][\w$]*)\s*(?::|\([^()]*\)\s*\{\s*$)")
_NO_KEY = frozenset(("if", "for", "while", "switch", "catch", "return", "default", "case"))
_MOST = 20  # keys


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    found = (
        finding
        for file in sources.files
        if language_of(file.path) == "js" and file.is_edited_product and file.mentions(_WORD, b"(")
        for finding in islice(_in_file(sources, file), 1)
    )
    yield from without_told(sources, found, removed_names.compare, lost_members.compare)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    stores = [found["name"] for found in _STORE.finditer(file.head)]
    if len(stores) != 1 or not has_word(file.base, stores[0]):
        return
    lost = {key: line for line in file.removed if (key := _key(file, line))}
    if not lost or len(lost) > _MOST:
        return
    places = sources.find_words(lost.keys())
    for key, line in lost.items():
        uses = [each for each in places[key] if _is_use(sources, each, stores[0], key)]
        if uses:
            title = f"{key} of {stores[0]} is removed, and is still used in {where(uses)}"
            yield with_places(taken(GONE, file, line, title), uses)


def _key(file: ComparedFile, line: Line) -> str:
    """What the line gave the store, where nothing at head has the name; "" for nothing."""
    found = _KEY.match(code_of(line.text))
    key = found["key"] if found else ""
    if not key or key in _NO_KEY or has_word(file.head, key):
        return ""
    return key


def _is_use(sources: ComparisonInput, place: Place, store: str, key: str) -> bool:
    """The line reads it from the store itself, or from what the file got of it."""
    if language_of(place.path) != "js" or is_new_line(sources, place):
        return False
    code = code_of(place.text)
    if f"{store}().{key}" in code:
        return True
    text = sources.read_head([place.path]).get(place.path, "")
    owners = re.findall(rf"\b(?:const|let)\s+(\w+)\s*=\s*{re.escape(store)}\(", text)
    if len({*owners}) != 1 or len(re.findall(rf"\b(?:const|let)\s+{owners[0]}\b", text)) != len(
        owners
    ):
        return False
    reads = rf"(?<![\w.$]){re.escape(owners[0])}\??\.{re.escape(key)}(?![\w$])"
    return re.search(reads, code) is not None and not is_spoken(sources, place)

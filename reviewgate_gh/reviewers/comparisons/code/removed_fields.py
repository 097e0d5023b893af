"""Fields that are gone from a type of TypeScript while code that has the type reads them."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._imports import imports_from
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word
from .._uses import is_new_line, where
from .removed_names import GONE

EVERY_FILE = False
_SUFFIXES = (".ts", ".tsx", ".mts", ".cts")
_READERS = (*_SUFFIXES, ".vue", ".svelte")
# What extends or joins others may get the field from them
_HEAD = lazy_pattern(
    r"^(?P<indent>\s*)export\s+(?:default\s+)?(?:declare\s+)?(?:interface\s+(?P<interface>\w+)\s*\{"
    r"|type\s+(?P<type>\w+)\s*=\s*\{)\s*$"
)
_FIELD = lazy_pattern(r"^\s*(?:readonly\s+)?(?P<name>[A-Za-z_$]\w{2,})(?P<call>\()?\??\s*(?::|\()")
_ANY_KEY = lazy_pattern(r"^\s*\[\w+\s*(?::|\bin\b)")
_MOST = 20  # fields


class _Field(NamedTuple):
    """A field of a type that the file exports, with its line."""

    owner: str
    name: str
    line: Line


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and file.path.endswith(_SUFFIXES) and not file.is_foreign:
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    gone = {line.number for line in file.removed}
    after = {(each.owner, each.name) for each in _fields(file.head_rows)}
    owners = _owners(file.head_rows)
    lost = [
        each
        for each in _fields(file.base_rows)
        if each.line.number in gone
        and each.owner in owners
        and (each.owner, each.name) not in after
    ]
    if len(lost) > _MOST:
        return
    for each in lost:
        uses = _uses(sources, file, each)
        if found := [use for use in uses if _is_of_type(sources, each, use)]:
            title = f"{each.name} of {each.owner} is removed, and is still used in {where(found)}"
            yield with_places(taken(GONE, file, each.line, title), found)


def _owners(rows: Sequence[str]) -> set[str]:
    """The types that have no fields but those that are written there."""
    found, owner, indent = set[str](), "", ""
    for row in rows:
        if head := _HEAD.match(code_of(row)):
            owner, indent = head["interface"] or head["type"], head["indent"]
            found.add(owner)
        elif owner and _ANY_KEY.match(code_of(row)):
            found.discard(owner)
        elif owner and re.match(rf"{indent}\}}", row):
            found -= {owner} if re.match(rf"{indent}\}}\s*&", row) else set[str]()
            owner = ""
    return found


def _fields(rows: Sequence[str]) -> Iterator[_Field]:
    """Those of all types whose fields are all written there."""
    owner, indent, depth = "", "", 0
    found = list[_Field]()
    for number, row in enumerate(rows, 1):
        code = code_of(row)
        if not owner:
            if head := _HEAD.match(code):
                owner, indent = head["interface"] or head["type"], head["indent"]
                found, depth = [], 1
            continue
        if depth == 1 and _ANY_KEY.match(code):
            found, owner = [], ""
            continue
        if depth == 1 and (field := _FIELD.match(code)):
            found.append(_Field(owner, field["name"], Line(number, row)))
        depth += sum(map(code.count, "{([")) - sum(map(code.count, "})]"))
        if depth <= 0:
            if not re.match(rf"{indent}\}}\s*&", code):
                yield from found
            owner = ""


def _uses(sources: ComparisonInput, file: ComparedFile, field: _Field) -> list[Place]:
    """Lines that read the field, or write it, where it can be no other's."""
    places = [
        place
        for place in sources.find_words({field.name})[field.name]
        if place.path.endswith(_READERS)
    ]
    if any(_declares(place, field.name) for place in places):
        return []
    reads = re.compile(rf"(?<=[\w)\]!?])\.{re.escape(field.name)}(?![\w$(])")
    return [
        place
        for place in places
        if reads.search(code_of(place.text))
        and not is_new_line(sources, place)
        and _takes_type(sources, file, field, place)
    ]


def _is_of_type(sources: ComparisonInput, field: _Field, place: Place) -> bool:
    """What the field is read from has the type by its declaration, or is called like it."""
    text = sources.read_head([place.path]).get(place.path, "")
    owner = re.escape(field.owner)
    for name in re.findall(rf"(\w+)(?:\[[^\]]*\]|[!?])*\.{re.escape(field.name)}\b", place.text):
        is_each = re.search(rf"\b{name}\b[\w\s,:)\[\]]*=>", place.text)
        said = re.findall(r"[A-Za-z]\w+", place.text) if is_each else [name]
        if any(_is_called_like(word, field.owner) for word in said):
            return True
        if re.search(
            rf"\b{name}\b\??\s*:\s*[^=;)\n]*\b{owner}\b|\b{name}\b[^\n]*[<(]{owner}\b", text
        ):
            return True
    return False


def _is_called_like(name: str, owner: str) -> bool:
    short, whole = name.lower().rstrip("s"), owner.lower()
    return len(short) >= _SHORTEST and (short in whole or whole in short)


_SHORTEST = 3


def _declares(place: Place, name: str) -> bool:
    """Another type or class has a field of the name, or a schema that types are made of."""
    return re.search(_DECLARED.replace("NAME", re.escape(name)), code_of(place.text)) is not None


_MODIFIERS = r"(?:readonly|public|private|protected|static|declare|abstract|override|accessor|get)"
_DECLARED = (
    rf"^\s*(?:{_MODIFIERS}\s+)*NAME[?!]?\s*:\s*[^=,]*;\s*$|\b{_MODIFIERS}\s+NAME\b"
    r"|[;{]\s*NAME\??\s*:\s*[^,;{}]*;|\bNAME\s*:\s*(?:z|yup|t|v|Joi|Type|s)\.\w+"
)


def _takes_type(sources: ComparisonInput, file: ComparedFile, field: _Field, place: Place) -> bool:
    """Its file imports the type, or a function of the file whose head speaks of it."""
    if place.path == file.path:
        return True
    text = sources.read_head([place.path]).get(place.path, "")
    functions = [
        found["name"]
        for row in file.head_rows
        if has_word(row, field.owner) and (found := _EXPORTED.match(row))
    ]
    return any(imports_from(place, text, file.path, name) for name in (field.owner, *functions))


_EXPORTED = lazy_pattern(r"^\s*export\s+(?:async\s+)?(?:function\*?|const|class)\s+(?P<name>\w+)")

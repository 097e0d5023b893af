"""GraphQL: fields and types that a schema no longer has, while an operation or a fragment of the
tree, which the schema answered, still asks for them.

https://spec.graphql.org/October2021/#sec-Validation
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._paths import is_fixture
from .._definitions import language_of
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, is_foreign
from .._uses import is_new_line, where
from ._graphql import SUFFIXES, Token, Types, joined, selected, tokens_of, types_of
from .removed_names import GONE

EVERY_FILE = False
_MOST_FILES = 500  # of schemas
_MOST = 40  # names of a change: of more it is another schema
_MOST_PLACES = 2000
_Name = tuple[str, str]  # of a field with its type; of a type without one


class _Schema(NamedTuple):
    """What the tree's files say together, before and after."""

    base: Types
    head: Types


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    changed = [(file, lost) for file in sources.files if _is_read(file) and (lost := _lost(file))]
    if not changed or sum(len(lost) for _file, lost in changed) > _MOST:
        return
    schema = _schema(sources)
    if "Query" not in schema.head:
        return
    words = {name for _file, lost in changed for _owner, name in lost}
    words = {name for name in words if not any(has_word(row, name) for row in sources.added_rows)}
    asked = _asked(sources, schema, words) if words else {}
    told = set[_Name]()  # a schema that is made of several ones loses what they lose
    for file, lost in changed:
        if found := next((name for name in lost if name in asked and name not in told), None):
            told.add(found)
            yield _finding(file, lost[found], found, asked[found])


def _finding(file: ComparedFile, line: Line, found: _Name, uses: Sequence[Place]) -> Finding:
    owner, name = found
    of = f"{name} of {owner}" if owner else f"the type {name}"
    title = f"{of} is removed, and is still queried in {where(uses)}"
    return with_places(taken(GONE, file, line, title), uses)


def _is_read(file: ComparedFile) -> bool:
    """By cheap facts."""
    kind = file.path.endswith(SUFFIXES) or language_of(file.path) == "js"
    return kind and file.is_product and bool(file.removed) and not file.is_foreign


def _lost(file: ComparedFile) -> Mapping[_Name, Line]:
    """The fields and types that the file no longer defines, with their lines."""
    if not file.path.endswith(SUFFIXES) and "${" in file.head:
        return {}  # what is inserted may have them
    before = types_of(tokens_of(file.path, file.base))
    after = types_of(tokens_of(file.path, file.head)) if before else {}
    found: dict[_Name, Line] = {}
    for owner, fields in before.items():
        if owner not in after:
            row = next((each for each in file.removed if has_word(each.text, owner)), None)
            found |= {("", owner): row} if row else {}
        for name, field in fields.items() if owner in after else ():
            if name not in after[owner]:
                number = file.base.count("\n", 0, field.at) + 1
                found[owner, name] = Line(number, file.base_rows[number - 1])
    return found


def _schema(sources: ComparisonInput) -> _Schema:
    """Of all documents of the tree, of the change's modules, and of those with what can be asked
    for first."""
    changed = {file.path: file for file in sources.files}
    paths = {path for path in sources.list_head() if path.endswith(SUFFIXES)}
    first = sources.find_words({"Query"})["Query"]
    paths |= {each.path for each in first if _ROOT.search(each.text)}
    others = sources.read_head(paths - changed.keys() if len(paths) <= _MOST_FILES else ())
    stays = [types_of(tokens_of(path, text)) for path, text in others.items()]
    sides = [(tokens_of(p, f.base), tokens_of(p, f.head)) for p, f in changed.items()]
    before, after = ([types_of(each) for each in side] for side in zip(*sides, strict=True))
    return _Schema(joined([*stays, *before]), joined([*stays, *after]))


_ROOT = lazy_pattern(r"\btype\s+Query\b")


def _asked(
    sources: ComparisonInput, schema: _Schema, words: set[str]
) -> Mapping[_Name, list[Place]]:
    """The names that only the base has, with the places that ask for them."""
    found: dict[_Name, list[Place]] = {}
    places = sources.find_words(words)
    few = [each for word in words if len(places[word]) <= _MOST_PLACES for each in places[word]]
    at_line = {(each.path, each.number): each for each in few}
    defined = list[Types]()  # by modules that the change leaves alone, too
    for path in dict.fromkeys(each.path for each in few):
        text = sources.read_head([path]).get(path, "")
        tokens = tokens_of(path, text)
        defined.append(types_of(tokens))
        asks = not (is_foreign(path) or is_fixture(path))
        for name, at in _gone_in(tokens, schema) if asks else ():
            place = at_line.get((path, text.count("\n", 0, at) + 1))
            if place and name[1] in words and not is_new_line(sources, place):
                found.setdefault(name, []).append(place)
    types = joined(defined)
    return {
        (owner, name): uses
        for (owner, name), uses in found.items()
        if name not in (types.get(owner, ()) if owner else types)
    }


def _gone_in(tokens: Sequence[Token], schema: _Schema) -> Iterator[tuple[_Name, int]]:
    """What the base answered of a file's documents, and the head does not."""
    before, after = selected(tokens, schema.base), selected(tokens, schema.head)
    for old, new in zip(before, after, strict=True):
        if all(each.known for each in old):
            yield from (((each.owner, each.name), each.at) for each in new if not each.known)

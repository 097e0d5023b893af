"""Members that a model has by a declaration, and that are gone while still called: scopes and
associations of Rails, scopes of Laravel."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Place, has_word
from .._uses import is_new_line, where
from .removed_names import GONE

EVERY_FILE = False
# https://guides.rubyonrails.org/active_record_querying.html#scopes,
# https://guides.rubyonrails.org/association_basics.html
_RAILS = lazy_pattern(
    r"^\s*(?P<what>scope|has_many|has_one|belongs_to|has_and_belongs_to_many|has_one_attached"
    r"|has_many_attached)[ (]+:(?P<name>\w+[?!]?)"
)
# https://laravel.com/docs/eloquent#local-scopes
_LARAVEL = lazy_pattern(r"^\s*(?:public|protected)\s+function\s+scope(?P<name>[A-Z]\w*)\s*\(")
_CLASS = lazy_pattern(r"(?m)^\s*(?:(?:final|abstract)\s+)?class\s+(?:\w+::)*(?P<name>[A-Z]\w*)")
_MODELS = lazy_pattern(r"(?:^|/)(?:models|Models|app)/[\w/]+\.(?:rb|php)$")
_ASKS = (".rb", ".erb", ".haml", ".slim", ".jbuilder", ".rake", ".php")
# What takes an association by its name
_TAKES = r"\b(?:includes|joins|left_joins|left_outer_joins|preload|eager_load|references)\b[^\n]*"
_MOST = 20  # names


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if file.is_edited_product and _MODELS.search(file.path):
            yield from islice(_in_file(sources, file), 1)


def _in_file(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    pattern = _RAILS if file.path.endswith(".rb") else _LARAVEL
    found = _CLASS.search(file.base)
    if found is None or (file.path.endswith(".rb") and "concerns/" in file.path):
        return
    for line in file.removed[: _MOST * 10]:
        gone = pattern.match(code_of(line.text))
        name = _called(gone) if gone else ""
        if not name or _is_declared(file.head, name):
            continue
        uses = [*_uses(sources, file, found["name"], gone, name)] if gone else []
        if uses:
            title = f"{name} of {found['name']} is removed, and is still used in {where(uses)}"
            yield with_places(taken(GONE, file, line, title), uses)


def _called(gone: re.Match[str]) -> str:
    """As it is called: `scopeRecent` as `recent`."""
    name = gone["name"]
    return name if _kind(gone) else name[:1].lower() + name[1:]


def _kind(gone: re.Match[str]) -> str:
    """The macro of Rails; "" for a method of Laravel."""
    return gone.groupdict().get("what") or ""


def _is_declared(text: str, name: str) -> bool:
    """The class has it in another way: a method, another macro, a name that stands for it."""
    scope = name[:1].upper() + name[1:]
    return (
        re.search(
            rf"(?m)^\s*(?:\w+\s+)*(?:def|function)\s+(?:self\.)?(?:{re.escape(name)}"
            rf"|scope{scope})\b"
            rf"|^\s*(?!#)\w+[ (]+[^#\n]*:{re.escape(name)}\b|\b{re.escape(name)}\s*:",
            text,
        )
        is not None
    )


def _uses(
    sources: ComparisonInput, file: ComparedFile, owner: str, gone: re.Match[str], name: str
) -> Iterator[Place]:
    places = sources.find_words({name})[name]
    if _is_ambiguous(file, places, name):
        return
    called = re.compile(_receivers(owner) + rf"(?:\.|->|::|&\.|\?->){re.escape(name)}(?![\w?!=:])")
    taken_by = re.compile(rf"{_TAKES}(?<!\w):{re.escape(name)}\b")
    of_association = _kind(gone) not in ("", "scope")
    for place in places:
        if not place.path.endswith(_ASKS) or is_new_line(sources, place):
            continue
        code = code_of(place.text)
        if called.search(code) or (
            of_association and has_word(code, owner) and taken_by.search(code)
        ):
            yield place


def _is_ambiguous(file: ComparedFile, places: Sequence[Place], name: str) -> bool:
    """A module that models share may have it."""
    return any(
        "concerns/" in place.path and _is_declared(place.text, name)
        for place in places
        if place.path != file.path
    )


def _receivers(owner: str) -> str:
    """The class, one of its objects, or all those of another: `Order`, `@order`, `orders`."""
    snake = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", owner).lower()
    plural = rf"{snake[:-1]}ies" if snake.endswith("y") else rf"{snake}(?:e?s)"
    one = rf"(?<![\w.]){owner}(?:::(?!\w+\.)\w+\([^()]*\))?"
    return rf"(?:{one}|(?<![\w.:])[@$]?{snake}|(?:(?<![\w:])|[.@>]){plural}(?:\(\))?){_ARROWS}"


_ARROWS = r"(?:(?:\.|->|&\.)\w+[?!]?(?:\([^()]*\))?)*?"

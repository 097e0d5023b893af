"""Rails: helpers for addresses that `resources` made, and that are gone while still called."""

import re
from collections.abc import Iterator

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Place
from .._uses import is_new_line, where
from ._routed import Handler, routed_in_rails
from .named_routes import RULE, is_composed

_ROUTES = lazy_pattern(r"(?:^|/)config/routes(?:\.rb$|/)")
# Which actions each helper leads to:
# https://guides.rubyonrails.org/routing.html#path-and-url-helpers
_HELPERS = {
    "{many}": ("index", "create"),
    "new_{one}": ("new",),
    "edit_{one}": ("edit",),
    "{one}": ("show", "update", "destroy"),
}
_OWN_NAME = lazy_pattern(r"\bas:\s*[:\"'](\w+)")
_MOST = 100  # files of routes, and helpers


def lost_helpers(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """Of a file of routes, those that something still calls."""
    if not _ROUTES.search(file.path):
        return
    gone = {line.number: line for line in file.removed}
    lost = {
        name: (number, handler)
        for handler, number in routed_in_rails(file.base)
        if number in gone
        for name in _names_of(handler)
    }
    for line in file.removed:  # a name of its own is told by it
        if found := _OWN_NAME.search(code_of(line.text)):
            lost.pop(found[1], None)
    if not lost or len(lost) > _MOST:
        return
    paths = [path for path in sources.list_head() if _ROUTES.search(path)][:_MOST]
    routes = [*sources.read_head(paths).values()]
    kept = {
        name
        for text in routes
        for handler, _line in routed_in_rails(text)
        for name in _names_of(handler)
    }
    joined = "\n".join(routes)
    for name, (number, handler) in lost.items():
        words = "|".join((name, handler.owner, _one_of(handler.owner)))
        named = re.compile(rf"\bas:\s*:?[\"']?(?:{words})\b|:{name}\b")
        if name in kept or any(map(named.search, routes)) or is_composed(name, joined):
            continue
        if uses := _uses(sources, name):
            title = f"{name}_path has no route any more, and is still used in {where(uses)}"
            yield with_places(taken(RULE, file, gone[number], title), uses)


def _names_of(handler: Handler) -> Iterator[str]:
    return (
        name.format(many=handler.owner, one=_one_of(handler.owner))
        for name, actions in _HELPERS.items()
        if handler.name in actions
    )


def _one_of(many: str) -> str:
    """The word for one of them."""
    return _IES.sub("y", many) if many.endswith("ies") else _S.sub("", many)


_IES = lazy_pattern(r"ies$")
_S = lazy_pattern(r"(?<=ss|sh|ch)es$|s$")


def _uses(sources: ComparisonInput, name: str) -> list[Place]:
    """Calls of the helper that were there before; a method of that name stands for it."""
    called = re.compile(rf"(?<![\w.:@\"']){name}_(?:path|url)\b")
    defined = re.compile(rf"\bdef\s+{name}_(?:path|url)\b|:{name}_(?:path|url)\b")
    words = (f"{name}_path", f"{name}_url")
    places = [place for word in words for place in sources.find_words({*words})[word]]
    if any(defined.search(place.text) for place in places):
        return []
    return [
        place
        for place in places
        if called.search(code_of(place.text))
        and not is_new_line(sources, place)
        and not _OTHERS.search(place.path)
    ]


_OTHERS = lazy_pattern(r"(?:^|/)(?:docs?|test|spec)/|\.md$")

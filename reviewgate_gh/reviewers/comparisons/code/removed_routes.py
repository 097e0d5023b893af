"""Routes that are gone while pages and programs of the head still ask for them."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of
from .._remark import ComparisonRule, hint, taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place
from .._uses import where

EVERY_FILE = False
_ROUTE = ComparisonRule(
    "removed-route-used",
    Priority.P2,
    "Whoever follows these places gets an error. Change them, or redirect the old address.",
)
_ROUTES = lazy_pattern(
    r"(?:@\w+(?:\.\w+)*\.(?:route|get|post|put|patch|delete)|\b(?:app|router|server|api|r|mux"
    r"|http|e|g|group)\.(?:get|post|put|patch|delete|all|GET|POST|PUT|DELETE|PATCH|Get|Post|Put"
    r"|Delete|HandleFunc|Handle)|\b(?:re_)?path|\burl|@(?:Get|Post|Put|Delete|Patch"
    r"|Request)Mapping|Route::\w+|^\s*(?:get|post|put|patch"
    r"|delete))\s*\(?\s*(?:value\s*=\s*)?r?[\"'`](?P<route>\^?/?[\w/.-]{3,})"
)


_UNSURE = "The text may mean another program's address, so this is worth a look, no more."
# What follows an address: pages, and the usual clients
_ASKS = lazy_pattern(
    r"\b(?:href|action|src|to|hx-\w+|formaction)\s*=|\bfetch\(|\baxios\b|\$\.(?:get|post"
    r"|ajax|getJSON)"
    r"|\b(?:requests|httpx|client|http|session|api|ky|got|superagent|restTemplate|webClient)\.\w+\("
    r"|\bredirect\w*\(|\burl_for\(|\bcurl\b|\bnavigate\(|\brouter\.push\(|\blocation\b|open\("
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a route."""
    gone = list(_gone(sources))
    if gone:  # at once: many routes may go
        sources.find_words({word for *_place, route in gone for word in _words(route)})
    for file, line, route in gone:
        uses = _uses(sources, route)
        if uses and not any(_ROUTES.search(place.text) for place in uses):
            asks = not file.is_gone and any(_ASKS.search(place.text) for place in uses)
            rule = _ROUTE if asks else hint(_ROUTE, _UNSURE)
            title = f"the route {route} is removed, and is still used in {where(uses)}"
            yield with_places(taken(rule, file, line, title), uses)


def _gone(sources: ComparisonInput) -> Iterator[tuple[ComparedFile, Line, str]]:
    for file in sources.files:
        if file.is_product and file.removed and language_of(file.path):
            for line in file.removed:
                found = _ROUTES.search(code_of(line.text))
                route = found["route"].lstrip("^").rstrip("$") if found else ""
                if not route or _lives_on(sources, file, route) or _is_named_now(file, line):
                    continue
                yield file, line, route


def _lives_on(sources: ComparisonInput, file: ComparedFile, route: str) -> bool:
    """The file still has it, the change adds it elsewhere, or a group holds it now."""
    return (
        route in file.head
        or any(route in row and _answers(row) for row in _all_added(sources))
        or _is_nested_now(file, route)
    )


def _answers(row: str) -> bool:
    return _ROUTES.search(row) is not None or _SENDS_ON.search(row) is not None


_SENDS_ON = lazy_pattern(r"(?i)redirect|rewrite|\b30[1278]\b")


def _is_named_now(file: ComparedFile, line: Line) -> bool:
    """In its place the same call has the address as a value with a name."""
    block = next(block for block in file.blocks if line in block.removed)
    found = _ROUTES.search(code_of(line.text))
    call = found[0].partition("(")[0].strip() if found and "(" in found[0] else ""
    named = re.compile(rf"{re.escape(call)}\(\s*[A-Za-z_][\w.]*\s*,")
    return bool(call) and any(named.search(new.text) for new in block.added)


def _is_nested_now(file: ComparedFile, route: str) -> bool:
    """Its last part stands alone in a new line: the others may come from a group around it."""
    last = route.strip("/").rpartition("/")[2]
    alone = re.compile(rf"[\"'`]/?{re.escape(last)}[\"'`/{{]")
    return last != route.strip("/") and any(alone.search(line.text) for line in file.added)


def _uses(sources: ComparisonInput, route: str) -> list[Place]:
    """Where the product still names it; nowhere, where it has no word to look for."""
    return [
        place
        for word in _words(route)
        for place in sources.find_words([word])[word]
        if _names_route(place, route)
        and not re.search(r"test|spec|CHANGE|HISTORY|docs?/|\.md$", place.path)
    ]


def _words(route: str) -> list[str]:
    """The one to look for, if it has any."""
    return [word for word in route.split("/") if len(word) > 3][-1:]


def _all_added(sources: ComparisonInput) -> Iterator[str]:
    return (line.text for file in sources.files for line in file.added)


def _names_route(place: Place, route: str) -> bool:
    """The line has the address as a text of its own."""
    address = re.escape("/" + route.strip("/"))
    return (
        re.search(rf"[\"'`(=]\s*(?:https?://[^/\"']+)?{address}/?[\"'`?#)]", place.text) is not None
    )

"""Routes that are gone while pages and programs of the head still ask for them."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of
from .._remark import ComparisonRule, taken, with_places
from .._sources import Block, ComparedFile, ComparisonInput, Line, Place
from .._uses import where

EVERY_FILE = False
_ROUTE = ComparisonRule(
    "removed-route-used",
    Priority.P2,
    "Anyone who follows them gets an error. Update these places, or redirect the old address.",
)
ROUTES = lazy_pattern(
    r"(?:@\w+(?:\.\w+)*\.(?:route|get|post|put|patch|delete)|\b(?:app|router|server|api|r|mux"
    r"|http|e|g|group)\.(?:get|post|put|patch|delete|all|GET|POST|PUT|DELETE|PATCH|Get|Post|Put"
    r"|Delete|HandleFunc|Handle)|\b(?:re_)?path|\burl|@(?:Get|Post|Put|Delete|Patch"
    r"|Request)Mapping|Route::\w+|^\s*(?:get|post|put|patch"
    r"|delete))\s*(?:\(\s*)?(?:value\s*=\s*)?r?[\"'`](?P<route>\^?/?[\w/.-]{3,})"
)


# What follows an address: pages, and the usual clients
_ASKS = lazy_pattern(
    r"\b(?:href|action|src|to|hx-\w+|formaction)\s*=|\bfetch\(|\baxios\b|\$\.(?:get|post"
    r"|ajax|getJSON)"
    r"|\b(?:requests|httpx|client|http|session|api|ky|got|superagent|restTemplate|webClient)\.\w+\("
    r"|\bredirect\w*\(|\burl_for\(|\bcurl\b|\bnavigate\(|\brouter\.push\(|\blocation\b|open\("
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a route, whichever methods it answered."""
    gone = dict[str, tuple[ComparedFile, Line]]()
    for file, line, route in _gone(sources):
        gone.setdefault(route, (file, line))
    if gone:  # at once: many routes may go
        sources.find_words({word for route in gone for word in _words(route)})
    for route, (file, line) in gone.items():
        uses = _uses(sources, route)
        asks = any(_ASKS.search(place.text) for place in uses)
        if asks and not any(ROUTES.search(place.text) for place in uses):
            title = f"the route {route} is removed, and is still used in {where(uses)}"
            yield with_places(taken(_ROUTE, file, line, title), uses)


def _gone(sources: ComparisonInput) -> Iterator[tuple[ComparedFile, Line, str]]:
    answering = ""
    for file, block, line, registered in _registered(sources):
        route = registered["route"].lstrip("^").rstrip("$")
        if not route or route in file.head:
            continue
        answering = answering or "\n".join(filter(_answers, sources.added_rows))
        if not (
            route in answering
            or _is_nested_now(answering, route)
            or _is_file(sources, route)
            or _is_nested_now("\n".join(line.text for line in file.added), route)
            or _is_named_now(registered[0], "\n".join(line.text for line in block.added))
        ):
            yield file, line, route


def _registered(
    sources: ComparisonInput,
) -> Iterator[tuple[ComparedFile, Block, Line, re.Match[str]]]:
    """The removed lines that registered a route."""
    for file in sources.files:
        if file.is_product and file.removed and language_of(file.path):
            for block in file.blocks:
                for line in block.removed:
                    if found := ROUTES.search(code_of(line.text)):
                        yield file, block, line, found


def _is_file(sources: ComparisonInput, route: str) -> bool:
    """A file of the head answers it by its place.
    https://nextjs.org/docs/app/building-your-application/routing, https://kit.svelte.dev/docs/routing"""
    part = f"/{route.strip('/')}"
    return any(f"{part}/" in f"/{path}" or f"{part}." in f"/{path}" for path in sources.list_head())


def _answers(row: str) -> bool:
    return ROUTES.search(row) is not None or _SENDS_ON.search(row) is not None


_SENDS_ON = lazy_pattern(r"(?i)redirect|rewrite|\b30[1278]\b")


def _is_named_now(registered: str, instead: str) -> bool:
    """In its place the same call has the address as a value with a name."""
    call, opens, _rest = registered.partition("(")
    call = call.strip()
    named = rf"{re.escape(call)}\([ \t]*[A-Za-z_][\w.]*[ \t]*,"
    return bool(opens and call) and call in instead and re.search(named, instead) is not None


def _is_nested_now(added: str, route: str) -> bool:
    """Its last part stands alone in a new line: the others may come from a group around it."""
    whole = route.strip("/")
    last = whole.rpartition("/")[2]
    alone = rf"[\"'`]/?{re.escape(last)}[\"'`/{{]"
    return last != whole and last in added and re.search(alone, added) is not None


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


def _names_route(place: Place, route: str) -> bool:
    """The line has the address as a text of its own."""
    address = re.escape("/" + route.strip("/"))
    return (
        re.search(rf"[\"'`(=]\s*(?:https?://[^/\"']+)?{address}/?[\"'`?#)]", place.text) is not None
    )

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
_CALL = (
    r"(?:@\w+(?:\.\w+)*\.(?:route|get|post|put|patch|delete)|\b(?:app|router|server|api|r|mux"
    r"|http|e|g|group)\.(?:get|post|put|patch|delete|all|GET|POST|PUT|DELETE|PATCH|Get|Post|Put"
    r"|Delete|HandleFunc|Handle)|\b(?:re_)?path|\burl|@(?:Get|Post|Put|Delete|Patch"
    r"|Request)Mapping|Route::\w+|^\s*(?:get|post|put|patch"
    r"|delete))\s*(?:\(\s*)?(?:value\s*=\s*)?r?[\"'`]"
)
ROUTES = lazy_pattern(rf"{_CALL}(?P<route>\^?/?[\w/.-]{{3,}})")
# It begins with a parameter, as one of a group does
_OF_GROUP = lazy_pattern(rf"{_CALL}(?P<route>/(?=[<{{:])[^\"'`\s]{{3,}})")
# What all routes of a file begin with: https://fastapi.tiangolo.com/reference/apirouter/,
# https://flask.palletsprojects.com/en/stable/api/#flask.Blueprint,
# https://docs.spring.io/spring-framework/reference/web/webmvc/mvc-controller/ann-requestmapping.html
_PREFIX = lazy_pattern(
    r"\b(?:url_)?prefix\s*=\s*[\"'](?P<of>[\w/-]*)[\"']"
    r"|^@RequestMapping\((?:(?:value|path)\s*=\s*)?\"(?P<mapped>[\w/-]*)\"\)",
    re.M,
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
            yield _finding(file, line, route, uses)
    yield from _with_parameters(sources)


def _finding(file: ComparedFile, line: Line, route: str, uses: list[Place]) -> Finding:
    title = f"the route {route} is removed, and is still used in {where(uses)}"
    return with_places(taken(_ROUTE, file, line, title), uses)


def _gone(sources: ComparisonInput) -> Iterator[tuple[ComparedFile, Line, str]]:
    answering = ""
    for file, block, line, registered in _registered(sources, ROUTES):
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
    sources: ComparisonInput, *patterns: re.Pattern[str]
) -> Iterator[tuple[ComparedFile, Block, Line, re.Match[str]]]:
    """The removed lines that registered a route."""
    for file in sources.files:
        if file.is_product and file.removed and language_of(file.path):
            for block in file.blocks:
                for line in block.removed:
                    code = code_of(line.text)
                    if found := next(filter(None, (each.search(code) for each in patterns)), None):
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
        if _names_route(place, route) and not _NOT_THE_PRODUCT.search(place.path)
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


def _with_parameters(sources: ComparisonInput) -> Iterator[Finding]:
    """Of a route with parameters its whole address is compared, not only what stands before the
    first of them."""
    gone = dict[tuple[str, ...], tuple[ComparedFile, Line, str]]()
    for file, _block, line, registered in _registered(sources, ROUTES, _OF_GROUP):
        address, group = _rest_of_text(registered), _prefix(file)
        address = f"{group}/{address.lstrip('/')}" if group else address
        parts = _parts(address)
        # The routes of Rails nest by words without quotes
        if _ANY in parts and _fixed(parts) and not file.path.endswith(".rb"):
            gone.setdefault(parts, (file, line, address))
    if not gone:
        return
    places = sources.find_words({word for parts in gone for word in _fixed(parts)})
    for parts, (file, line, address) in gone.items():
        named = [place for word in _fixed(parts) for place in places[word]]
        if _is_answered(sources, file, parts, named):
            continue
        asks = _asking(parts)
        uses = [
            place
            for place in dict.fromkeys(named)
            if _ASKS.search(place.text)
            and asks.search(place.text)
            and not _NOT_THE_PRODUCT.search(place.path)
        ]
        if uses:
            yield _finding(file, line, address, uses)


_ANY = "*"  # a part of an address that a parameter takes
_PARAMETER = lazy_pattern(r"<(?:\w+:)?\w+>|\{\w+(?::\w+)?\}|:\w+")
_FIXED = lazy_pattern(r"[\w.-]+")
_TO_QUOTE = lazy_pattern(r"[^\"'`\s]*")
_QUOTED = lazy_pattern(r"(?<![fF])[\"'`]([^\"'`\s]+)[\"'`]")  # no text that Python fills in


def _prefix(file: ComparedFile) -> str:
    """What stands before each route of the file, where that is said once, and as before."""
    before, after = ([*_PREFIX.finditer(text)] for text in (file.base, file.head))
    if len(before) != 1 or [each[0] for each in before] != [each[0] for each in after]:
        return ""
    return f"/{(before[0]['of'] or before[0]['mapped'] or '').strip('/')}".rstrip("/")


def _rest_of_text(registered: re.Match[str]) -> str:
    """The address up to its closing quote."""
    found = _TO_QUOTE.match(registered.string, registered.start("route"))
    return found[0] if found else ""


def _parts(address: str) -> tuple[str, ...]:
    """Those of an address, a parameter as any; none of one that says more, as a pattern."""
    parts = address.strip("/").split("/")
    if not all(_FIXED.fullmatch(part) or _PARAMETER.fullmatch(part) for part in parts):
        return ()
    return tuple(part if _FIXED.fullmatch(part) else _ANY for part in parts)


def _fixed(parts: tuple[str, ...]) -> list[str]:
    """The words that are rare enough to look for."""
    return [part for part in parts if part != _ANY and len(part) > 3]


def _is_answered(
    sources: ComparisonInput, file: ComparedFile, parts: tuple[str, ...], places: list[Place]
) -> bool:
    """Something of the head may take such a request: another route, of which a group around it may
    have the first parts, what sends it on, or a file by its place."""
    rows = (*file.head_rows, *sources.added_rows, *(place.text for place in places))
    if any(_fits(route, parts) for row in rows for route in _named_in(row)):
        return True
    at = re.compile("/".join("[^/]+" if part == _ANY else re.escape(part) for part in parts))
    return any(at.search(path) for path in sources.list_head())


def _named_in(row: str) -> Iterator[tuple[str, ...]]:
    """The addresses in a line that may be a route's: with parameters, or in no request."""
    asks = _ASKS.search(row) is not None
    for text in _QUOTED.finditer(row):
        parts = _parts(text[1])
        if (_ANY in parts or not asks) and (len(parts) > 1 or _answers(row)):
            yield parts


def _fits(route: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """The shorter one is the end of the longer one."""
    pairs = zip(reversed(route), reversed(parts), strict=False)
    return bool(route) and all(mine in (_ANY, part) for mine, part in pairs)


def _asking(parts: tuple[str, ...]) -> re.Pattern[str]:
    """A text that is such an address, with a value for each parameter. What stands before it, as
    the address of a group, may be anything only where the address has several words."""
    value, joined = r"(?:\$\{[^}]*\}|#?\{[^}]*\}|\d+)", r"[\"'`]\s*\+[^+\"'`]{1,80}"
    inner = rf"(?:{value}|{joined}\+\s*[\"'`])"
    begins = "/".join(inner if part == _ANY else re.escape(part) for part in parts[:-1])
    many = sum(part != _ANY for part in parts) > 1
    before = r"(?:\$\{[\w.]+\})?(?:/[\w-]+){0,4}" if many else r"(?:/api(?:/v\d+)?)?"
    ends = r"/?[\"'`?#]"
    last = rf"(?:{value}{ends}|{joined}$)" if parts[-1] == _ANY else re.escape(parts[-1]) + ends
    return re.compile(rf"[\"'`]{before}/{begins}{'/' * (len(parts) > 1)}{last}")


_NOT_THE_PRODUCT = lazy_pattern(r"test|spec|CHANGE|HISTORY|docs?/|\.md$")

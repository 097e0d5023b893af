"""Prefixes of routes that change while pages, scripts and programs of the head still ask for an
address below the old one."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from ...checks._paths import is_document, is_fixture
from .._definitions import language_of
from .._guards import code_of
from .._remark import taken, with_places
from .._sources import Block, ComparedFile, ComparisonInput, Line, Place, is_foreign
from .._uses import is_new_line, where
from . import removed_routes
from ._told import without_told
from .named_routes import RULE

EVERY_FILE = False
# How frameworks hang routes below a prefix, or register one with its method
_CALL = lazy_pattern(
    r"(?:\.(?:use|mount|Mount|nest|nest_service|route|Route|group|Group|scope|service|register"
    r"|PathPrefix|MapGroup|Map(?:Get|Post|Put|Delete|Patch)|HandleFunc|Handle|namespace)"
    r"|\bRoute::(?:\w+\([^)]*\)->)*prefix|@(?:RequestMapping|Path|Controller|RoutePrefix|Prefix)"
    r"|^\s*\[Route(?:Prefix)?|#\[Route|^\s*(?:scope|namespace|forward|live|get|post|put|delete"
    r"|patch|mount)"
    r"|\b(?:re_)?path(?=.*\binclude\())"
    r"\s*(?:\(\s*)?(?:\{\s*)?(?:(?:value|path)\s*[=:]\s*)?r?[\"'`:]\^?"
    r"(?:(?:GET|POST|PUT|DELETE|PATCH)\s+)?(?P<route>/?[A-Za-z][\w/.-]{2,})"
    r"|\b(?:url_prefix|prefix|root_path|path_prefix|basePath"
    r"|base_path)\s*[=:]\s*[\"'](?P<prefix>/[\w/.-]{3,})"
)
_ASKS = lazy_pattern(
    r"\b(?:href|action|src|to|hx-\w+)\s*=|\bfetch\w*\(|\baxios\b|\bcurl\b|\bwget\b|\bhttps?\b"
    r"|\.(?:get|post|put|patch|delete|request|ajax|goto|visit|open)(?:<[^>]*>)?\(|\buse(?:SWR|Query"
    r"|Fetch)\(|\bredirect\w*\(|\bnavigate\(|\b(?:GET|POST|PUT|PATCH|DELETE)\b|\blocation\b"
    r"|\b(?:get|post|put|patch|delete|request)\("
)
_NO_ADDRESS = lazy_pattern(
    r"^\s*(?:import|from|require)\b|^\s*export\b.*\bfrom\b|\brequire\(|\bimport\("
)
_HISTORY = lazy_pattern(r"(?i)(?:^|/)(?:CHANGE|HISTORY|NEWS|UPGRAD|MIGRAT|RELEASE)|changelog")
_SENDS_ON = lazy_pattern(r"(?i)redirect|rewrite|\b30[1278]\b|alias")
_MOST = 20  # prefixes of a change
_GENERIC = frozenset(("api", "v1", "v2", "v3", "app", "web", "www", "static", "assets", "public"))


class _Gone(NamedTuple):
    """A prefix that the head no longer has, with the line that had it."""

    file: ComparedFile
    block: Block
    line: Line
    route: str

    @property
    def last(self) -> str:
        """The last part of its route."""
        return self.route.rpartition("/")[2]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a prefix."""
    yield from without_told(sources, _findings(sources), removed_routes.compare)


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    read = [file for file in sources.files if _is_read(file)]
    lost = [each for file in read for each in (*_in_file(file), *_below_prefix(sources, file))]
    if not lost or len(lost) > _MOST:
        return
    known = _routes_now(sources)
    gone = [each for each in lost if not _is_registered(each.route, known)]
    sources.find_words({word for each in gone for word in (each.route, each.last)})
    for each in gone:
        uses = [] if _is_kept(sources, each, known) else _uses(sources, each)
        if any(_ASKS.search(use.text) and not is_document(use.path) for use in uses):
            title = f"no route begins with /{each.route} any more, and {where(uses)} asks for it"
            yield with_places(taken(RULE, each.file, each.line, title), uses)


def _routes_now(sources: ComparisonInput) -> set[str]:
    """Those that the files of the change have at the head."""
    rows = (row for file in sources.files for row in file.head_rows if _QUOTED.search(row))
    return {route for row in rows for route in routes_in(row)}


def _is_read(file: ComparedFile) -> bool:
    routed = any("/" in line.text or _QUOTED.search(line.text) for line in file.removed)
    return file.is_product and routed and bool(language_of(file.path))


def _in_file(file: ComparedFile) -> Iterator[_Gone]:
    for block in file.blocks:
        for line in block.removed:
            for route in routes_in(line.text):
                if route.split("/")[-1] not in _GENERIC or "/" in route:
                    yield _Gone(file, block, line, route)


def _below_prefix(sources: ComparisonInput, file: ComparedFile) -> Iterator[_Gone]:
    """Routes with the prefix that their file hangs them below, or that another file hangs it
    below."""
    lost = [
        (block, line, route)
        for block in file.blocks
        for line in block.removed
        for route in _own_routes(file, line.text)
        if f"/{route}" not in file.head
    ]
    if not lost or file.is_gone:
        return
    prefixes = [route for row in file.head_rows for route in routes_in(row)]
    stem = file.name.partition(".")[0]
    mounts = sources.find_words({stem})[stem] if not prefixes and len(stem) >= _SHORTEST else ()
    prefixes += [route for place in mounts for route in routes_in(place.text)]
    if len({*prefixes}) == 1:
        yield from (
            _Gone(file, block, line, f"{prefixes[0]}/{route}") for block, line, route in lost
        )


_SHORTEST = 4


def _own_routes(file: ComparedFile, row: str) -> list[str]:
    """The addresses of single routes, as they stand in the line."""
    if not _QUOTED.search(row):
        return []
    patterns = [removed_routes.ROUTES, *([_OF_ROUTER] if "Router(" in file.base else [])]
    found = (each for pattern in patterns for each in pattern.finditer(code_of(row)))
    return [route for each in found if (route := each["route"].strip("^/$"))]


# https://expressjs.com/en/guide/routing.html: a handler follows the address
_OF_ROUTER = lazy_pattern(
    r"^\s*\w+\.(?:get|post|put|patch|delete)\(\s*[\"'`](?P<route>/[\w/.-]{3,})[\"'`]\s*,"
)


def routes_in(row: str) -> list[str]:
    """The addresses that a line registers, without the slashes around them."""
    every = (found["route"] or found["prefix"] for found in _CALL.finditer(code_of(row)))
    return [each.strip("/") for each in every if each.strip("/")]


_QUOTED = lazy_pattern(r"[\"'`:]\^?/?[A-Za-z]")


def _is_kept(sources: ComparisonInput, each: _Gone, registered: set[str]) -> bool:
    """The head registers it, in one piece or in several, or sends on who asks for it."""
    last = each.route.rpartition("/")[2]
    places = sources.find_words({last})[last]
    added = sources.added_rows
    if any(_SENDS_ON.search(row) and each.route in row for row in added):
        return True
    if any(_is_named_now(each.line.text, line.text) for line in each.block.added):
        return True
    known = {*registered, *(route for place in places for route in routes_in(place.text))}
    known.update(route for row in each.file.head_rows for route in _own_routes(each.file, row))
    known |= {text.strip("/") for row in added for text in re.findall(r"[\"'`](/[\w/-]+)", row)}
    return _is_registered(each.route, known)


def _is_registered(route: str, known: set[str]) -> bool:
    return any(_begins(each, route) for each in known) or _is_composed(route, known)


def _begins(route: str, prefix: str) -> bool:
    return route == prefix or route.startswith(f"{prefix}/") or route.endswith(f"/{prefix}")


def _is_composed(route: str, known: set[str]) -> bool:
    """A prefix of the head brings its first part, and a route the rest."""
    parts = route.split("/")
    for at in range(1, len(parts)):
        first, rest = "/".join(parts[:at]), "/".join(parts[at:])
        if any(each == first or each.endswith(f"/{first}") for each in known) and any(
            each == rest or each.startswith(f"{rest}/") for each in known
        ):
            return True
    return False


def _is_named_now(row: str, instead: str) -> bool:
    """The same call takes the address as a value with a name."""
    found = re.match(r"\s*(?P<call>[^\"'`]*?[(=:])\s*[\"'`]", row)
    call = re.escape(found["call"]) if found else ""
    return bool(call) and re.search(rf"{call}\s*[A-Za-z_$]", instead) is not None


def _uses(sources: ComparisonInput, each: _Gone) -> list[Place]:
    """Lines that ask for an address below the prefix."""
    places = [*sources.find_words({each.route})[each.route]]
    head, _slash, last = each.route.rpartition("/")
    ends = sources.find_words({last})[last] if head and last not in _GENERIC else ()
    places += [place for place in ends if f"/{last}" in place.text]
    return [
        place
        for place in dict.fromkeys(places)
        if not (is_foreign(place.path) or is_fixture(place.path) or _HISTORY.search(place.path))
        and not is_new_line(sources, place)
        and not _NO_ADDRESS.search(place.text)
        and not routes_in(place.text)
        and place.path != each.file.path
        and _asks_for(sources, place, each.route)
    ]


def _asks_for(sources: ComparisonInput, place: Place, route: str) -> bool:
    address = rf"{re.escape(route)}(?![\w-])(?!\.\w)"
    whole = re.search(
        rf"(?:^\s*(?:location\s+)?|[\"'`(=\s}}>\[]|https?://[^/\s\"'`]+|\$\w+)/{address}",
        place.text,
    )
    if whole and ("/" in route or _ASKS.search(place.text)):
        return True
    if re.search(rf"[\"'`](?:/?api(?:/v\d)?)?/{address}", place.text):
        return _ASKS.search(place.text) is not None
    return _is_put_together(sources, place, route)


def _is_put_together(sources: ComparisonInput, place: Place, route: str) -> bool:
    """The line has the end of it after a variable, and its file the beginning as a text."""
    first, _slash, last = route.rpartition("/")
    if not first or not re.search(
        rf"(?:\}}|\$\w+|\+\s*[\"'`])/{re.escape(last)}(?![\w-])", place.text
    ):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    return re.search(rf"/{re.escape(first)}/?[\"'`\n]", text) is not None

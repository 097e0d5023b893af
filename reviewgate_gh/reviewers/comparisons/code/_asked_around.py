"""Guards of a whole router or group, which ask the same as one of a route."""

import re
from collections.abc import Iterator

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, Line, has_word

_NAMED = lazy_pattern(r"(?:\w+\.)*(?P<name>[A-Za-z_]\w*)")
# What a route is registered with: `router.get(`, `r.With(`, `@bp.route(`
_OWNER = lazy_pattern(
    r"\b(?P<owner>\w+)\.(?:get|post|put|patch|delete|all|route|head|options|Get|Post|Put|Patch|Delete"
    r"|Handle\w*|GET|POST|PUT|PATCH|DELETE|With)\("
)
_NEAR = 4  # lines


def is_asked_around(file: ComparedFile, line: Line, guard: str) -> bool:
    """What the route at a line of the head belongs to asks for the guard as well: the router that
    it is registered with, a group around it, a layer of its chain."""
    found = _NAMED.search(guard)
    if found is None:
        return False
    name, rows = found["name"], file.head_rows
    if any(has_word(row, name) for row in _around(rows, line.number)):
        return True
    if file.path.endswith(".rs"):
        return _has(file, rf"^\s*\.(?:layer|route_layer|wrap)\([^;]{{0,200}}?\b{name}\b")
    near = "\n".join(rows[max(0, line.number - _NEAR) : line.number])
    owners = {found["owner"] for found in _OWNER.finditer(near)}
    return any(_has(file, _ASKS.replace("OWNER", each).replace("GUARD", name)) for each in owners)


# https://expressjs.com/en/guide/using-middleware.html, https://go-chi.io/#/pages/middleware,
# https://fastapi.tiangolo.com/reference/apirouter/,
# https://flask.palletsprojects.com/en/stable/api/#flask.Blueprint.before_request
_ASKS = (
    r"^\s*OWNER\.[uU]se\((?!\s*['\"`])[^;{}]{0,200}?\bGUARD\b"
    r"|^\s*OWNER\s*:?=.*Router\([^;{}]{0,200}?\bGUARD\b"
    r"|^@OWNER\.before_request\n(?:.*\n){0,3}?.*\bGUARD\b"
)


def _has(file: ComparedFile, pattern: str) -> bool:
    return re.search(pattern, file.head, re.MULTILINE) is not None


def _around(rows: tuple[str, ...], number: int) -> Iterator[str]:
    """The rows that one is indented below."""
    depth = _depth(rows[number - 1])
    for row in reversed(rows[: number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            yield row


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

"""What else asks the same as a guard: one of the whole router or group, the settings of all views,
a new line."""

import re
from collections.abc import Iterator

from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._sources import ComparedFile, ComparisonInput, Line, has_word

_NAMED = lazy_pattern(r"(?:\w+\.)*(?P<name>[A-Za-z_]\w*)")
# What a route is registered with: `router.get(`, `r.With(`, `@bp.route(`
_OWNER = lazy_pattern(
    r"\b(?P<owner>\w+)\.(?:get|post|put|patch|delete|all|route|head|options|Get|Post|Put|Patch"
    r"|Delete"
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
# https://flask.palletsprojects.com/en/stable/api/#flask.Blueprint.before_request,
# https://fastify.dev/docs/latest/Reference/Hooks/
_ASKS = (
    r"^\s*OWNER\.[uU]se\((?!\s*['\"`])[^;{}]{0,200}?\bGUARD\b"
    r"|^\s*OWNER\s*:?=.*Router\([^;{}]{0,200}?\bGUARD\b"
    r"|^\s*OWNER\.addHook\([^;{}]{0,200}?\bGUARD\b"
    r"|^@OWNER\.before_request\n(?:.*\n){0,3}?.*\bGUARD\b"
)


def _has(file: ComparedFile, pattern: str) -> bool:
    return re.search(pattern, file.head, re.MULTILINE) is not None


def is_asked_at_each_request(sources: ComparisonInput, guard: str) -> bool:
    """The file in which a program of JavaScript is put together asks for it, whatever the route."""
    found = _NAMED.search(guard)
    places = sources.find_words({found["name"]})[found["name"]] if found else []
    return any(_MAIN.search(place.path) and _FOR_ALL.match(code_of(place.text)) for place in places)


_MAIN = lazy_pattern(r"(?:^|/)(?:app|server|main|index)\.[cm]?[jt]s$")
_FOR_ALL = lazy_pattern(r"\s*(?:await\s+)?\w+\.(?:addHook\(|use\((?!\s*['\"`]))")


def _around(rows: tuple[str, ...], number: int) -> Iterator[str]:
    """The rows that one is indented below."""
    depth = _depth(rows[number - 1])
    for row in reversed(rows[: number - 1]):
        if row.strip() and _depth(row) < depth:
            depth = _depth(row)
            yield row


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def is_asked_for_all(sources: ComparisonInput, file: ComparedFile, name: str, guard: str) -> bool:
    """The router of the definition asks for it, or Django does for every view.
    https://docs.djangoproject.com/en/stable/ref/middleware/#django.contrib.auth.middleware.LoginRequiredMiddleware
    """
    word = "LoginRequiredMiddleware"
    if guard == "login_required" and sources.find_words({word})[word]:
        return True
    defined = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(name)}\b")
    rows = [Line(at, row) for at, row in enumerate(file.head_rows, 1) if defined.match(row)]
    return bool(rows) and is_asked_around(file, rows[0], guard)


def is_default(sources: ComparisonInput, hook: re.Match[str]) -> bool:
    """Django's REST framework: the settings name the same classes for every view.
    https://www.django-rest-framework.org/api-guide/permissions/#setting-the-permission-policy"""
    names = {*_NAME.findall(hook["classes"] or "")}
    if not names:
        return False
    places = [place for every in sources.find_words({*_DEFAULT}).values() for place in every]
    texts = sources.read_head({place.path for place in places})
    rows = (texts.get(place.path, "").split("\n")[place.number - 1 :] for place in places)
    said = ("\n".join(each[:_MOST_ROWS]) for each in rows)
    return any(all(has_word(text, name) for name in names) for text in said)


_DEFAULT = ("DEFAULT_PERMISSION_CLASSES", "DEFAULT_AUTHENTICATION_CLASSES")


def is_matched(file: ComparedFile, hook: re.Match[str]) -> bool:
    """Spring: what has no rule of its own is asked for as much.
    https://docs.spring.io/spring-security/reference/servlet/authorization/authorize-http-requests.html
    """
    asked = (hook["matcher"] or "").rpartition(").")[2]
    rest = {*_REST.findall(file.head)}
    return bool(asked) and ("denyAll()" in rest or asked in rest)


_REST = lazy_pattern(r"\.anyRequest\(\)\s*\.(\w+\([^()]*\))")
_NAME = lazy_pattern(r"[A-Za-z_]\w*")
_MOST_ROWS = 12  # of a setting


def is_asked_anew(sources: ComparisonInput, what: str) -> bool:
    """An added line anywhere asks the same."""
    return any(asks(row, what) for row in sources.added_rows)


def asks(row: str, what: str) -> bool:
    """The line has what is asked, and a constant does not answer before it."""
    code = code_of(row)
    return what in code and not ANSWERED.search(code)


ANSWERED = lazy_pattern(
    r"\b(?:[Ff]alse|0)\s*(?:and\b|&&)|(?:\band\b|&&)\s*\(?(?:[Ff]alse|0)\b"
    r"|\b(?:[Tt]rue|1)\s*(?:or\b|\|\|)|(?:\bor\b|\|\|)\s*\(?(?:[Tt]rue|1)\b"
)

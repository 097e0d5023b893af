"""Guards that a router, a class or a group still has, and that no longer cover what they covered:
middleware that moves into one group of routes, below some of them, or onto single methods."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import language_of
from .._guards import code_of, decorated
from .._remark import ComparisonRule, quoted, taken
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from .._spoken import is_in_tests
from . import access_checks, guarded_routes, guards_unwrapped
from ._access_words import DECORATOR, FOR_ALL, NAME
from ._unsaid import where_silent
from .access_checks import RULE

EVERY_FILE = False
_RULE = ComparisonRule(RULE.name, Priority.P2, RULE.advice)
_GUARD = lazy_pattern(
    rf"{NAME}|\b\w*(?:[a-z]Auth|_auth|Guard|_guard|[lL]imiter)\b|\b[aA]uth(?:Guard"
    rf"|Middleware)?\b(?!\.)"
)
# https://pkg.go.dev/github.com/go-chi/chi/v5, https://expressjs.com/en/guide/using-middleware.html,
# https://gin-gonic.com/docs/examples/using-middleware, https://echo.labstack.com/docs/routing
_USES = lazy_pattern(
    r"^\s*(?P<on>[\w$]+)\.(?:use|Use)\(\s*(?:(?P<path>['\"`][^'\"`]*['\"`])\s*,)?(?P<what>.*)"
)
_GROUP = lazy_pattern(
    r"^\s*(?:const\s+|let\s+|var\s+)?(?P<name>[\w$]+)\s*:?=\s*(?:await\s+)?(?P<of>[\w$]+)\.(?:Group"
    r"|group"
    r"|MapGroup|With|PathPrefix|Route)\((?P<given>.*)$"
)
_ROUTE = lazy_pattern(
    r"^\s*(?P<on>[\w$]+)\.(?P<method>get|post|put|patch|delete|all|use|route|mount|Mount|Get|Post"
    r"|Put"
    r"|Patch|Delete|GET|POST|PUT|PATCH|DELETE|Any|Handle(?:Func)?|Map(?:Get|Post|Put|Delete"
    r"|Patch))\("
    r"\s*(?P<path>['\"`][^'\"`]*['\"`])\s*,(?P<rest>.*)$"
)
_LAYER = lazy_pattern(r"^\s*\.(?:route_layer|layer|wrap)\((?P<what>.*)$")
_LINK = lazy_pattern(r"^\s*\.(?:route|service|nest|merge|get|post)\(")


class _Open(NamedTuple):
    """A router that a guard is on: from here to the end of what its line is in."""

    depth: int
    on: str
    path: str


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file, where no other comparison says it."""
    found = [
        finding
        for file in sources.files
        if file.is_edited_product and language_of(file.path)
        for finding in islice(chain(_routes(file), _chains(file), _methods(file)), 1)
    ]
    others = (access_checks.compare, guarded_routes.compare, guards_unwrapped.compare)
    yield from where_silent(sources, found, others)


def _routes(file: ComparedFile) -> Iterator[Finding]:
    """Routes that stay, and that a guard which is still used no longer covers."""
    forms = (_USES, _GROUP, _ROUTE)
    if not any(form.match(line.text) for line in file.removed for form in forms):
        return
    for name in _guards_of(file, forms):
        if not any(has_word(row, name) for row in file.head_rows) or _is_handed_on(file, name):
            continue
        before, now = _covered(file.base_rows, name), _covered(file.head_rows, name)
        for route, (number, covered) in before.items():
            if covered and route in now and not now[route][1]:
                if FOR_ALL.search(route.split(",")[0]):
                    continue
                if file.base_code.unit(number) != file.head_code.unit(now[route][0]):
                    continue  # whoever calls that one gives it its router
                if any(_GUARD.search(row) and name not in row for row in _new_near(file, route)):
                    continue
                title = f"a route is no longer guarded by {name}"
                row = Line(number, file.base_rows[number - 1])
                yield taken(_RULE, file, row, title, quoted(file.head_rows[now[route][0] - 1]))
                return


def _is_handed_on(file: ComparedFile, guard: str) -> bool:
    """A new line puts it somewhere from where it may come onto any router."""
    return any(
        has_word(code, guard) and not any(form.match(code) for form in (_USES, _GROUP, _ROUTE))
        for line in file.added
        if (code := code_of(line.text)) and not _TAKES_IN.match(code)
    )


_TAKES_IN = lazy_pattern(r"\s*(?:(?:import|from|use|using|export)\b|(?:const|var)\b.*\brequire\()")


def _guards_of(file: ComparedFile, forms: Sequence[re.Pattern[str]]) -> list[str]:
    """The names of the guards that the base gives to routes."""
    rows = (row for row in file.base_rows for form in forms if form.match(row))
    given = (form.match(code_of(row)) for row in rows for form in forms)
    found = (_GUARD.search(each[each.lastindex or 0]) for each in given if each)
    return sorted({each[0] for each in found if each})


def _new_near(file: ComparedFile, route: str) -> Iterator[str]:
    """The added lines that name the route with another guard, or guard in another way."""
    return (
        line.text for line in file.added if _USES.match(line.text) or route in squeeze(line.text)
    )


def _covered(rows: Sequence[str], guard: str) -> dict[str, tuple[int, bool]]:
    """Each route, by its path and what answers it: its line, and whether the guard covers it."""
    found = dict[str, tuple[int, bool]]()
    using = cache(lambda: _using(rows, guard))
    open_: list[_Open] = []
    for number, row in enumerate(rows, 1):
        code = code_of(row)
        if not code.strip():
            continue
        depth = len(row) - len(row.lstrip())
        open_ = [each for each in open_ if each.depth <= depth]
        uses, group, route = _USES.match(code), _GROUP.match(code), _ROUTE.match(code)
        if group and (has_word(group["given"], guard) or _is_on(open_, group["of"], "")):
            open_.append(_Open(depth, group["name"], ""))
        elif uses and has_word(uses["what"], guard) and not _mounts(uses):
            path = (uses["path"] or "").strip("'\"`")
            open_.append(_Open(depth, uses["on"], path))
        elif route and not has_word(route["rest"].split("=>")[0], guard):
            path = route["path"].strip("'\"`")
            mounted = re.match(r"\s*([\w$]+)\s*\)", route["rest"])
            covered = _is_on(open_, route["on"], path) or bool(mounted and mounted[1] in using())
            found[squeeze(f"{path},{route['rest']}")] = (number, covered)
        elif route:
            bare = squeeze(f"{route['path']},{route['rest']}".replace(f"{guard},", ""))
            found[bare.strip("'\"`")] = (number, True)
    return found


def _mounts(uses: re.Match[str]) -> bool:
    """The guard stands before a router on the same path: it covers that one alone."""
    return bool(uses["path"]) and uses["what"].count(",") > 0


def _is_on(open_: Sequence[_Open], on: str, path: str) -> bool:
    return any(each.on == on and path.startswith(each.path.rstrip("*")) for each in open_)


def _using(rows: Sequence[str], guard: str) -> frozenset[str]:
    """The routers of the file that use the guard for themselves."""
    uses = (_USES.match(code_of(row)) for row in rows)
    return frozenset(each["on"] for each in uses if each and has_word(each["what"], guard))


def _chains(file: ComparedFile) -> Iterator[Finding]:
    """Rust: a layer covers the routes above it in the chain, and none below.
    https://docs.rs/axum/latest/axum/middleware/index.html#ordering"""
    if not file.path.endswith(".rs"):
        return
    if any(map(_is_layered_anew, file.blocks)):
        return
    before, now = _layered(file.base_rows), _layered(file.head_rows)
    for route, (number, covered) in before.items():
        in_tests = is_in_tests(file.path, file.base_rows, number)
        if covered and route in now and not (now[route][1] or in_tests):
            row = Line(number, file.base_rows[number - 1])
            title = "a route is no longer under the layer that guarded it"
            yield taken(_RULE, file, row, title, quoted(file.head_rows[now[route][0] - 1]))
            return


def _is_layered_anew(block: Block) -> bool:
    """Another layer takes the place of one: it may guard by another name."""
    return all(
        any(_LAYER.match(code_of(line.text)) for line in lines)
        for lines in (block.removed, block.added)
    )


def _layered(rows: Sequence[str]) -> dict[str, tuple[int, bool]]:
    """Each route by its text: its line, and whether a layer covers it, be it one that a later
    statement puts around the router by its name."""
    found = dict[str, tuple[int, bool]]()
    chain: list[tuple[str, int]] = []
    routers = dict[str, list[tuple[str, int]]]()
    guarded_from = -1
    for number, row in enumerate(rows, 1):
        code = code_of(row)
        if _LINK.match(code):
            chain.append((squeeze(code), number))
            found[squeeze(code)] = (number, guarded_from >= 0 and ".wrap(" in rows[guarded_from])
        elif (layer := _LAYER.match(code)) and _GUARD.search(layer["what"]):
            guarded_from = number - 1
            found.update({text: (at, True) for text, at in chain})
        elif not code.lstrip().startswith((".", ")")):
            chain, guarded_from = [], -1
        for name in [name for name in routers if has_word(code, name)]:
            if _GUARD.search(_rest_of_statement(rows, number)):
                found.update({text: (at, True) for text, at in routers.pop(name)})
        if bound := _BINDS.match(code):
            chain = routers[bound["name"]] = []
    return found


_BINDS = lazy_pattern(r"^\s*let\s+(?:mut\s+)?(?P<name>\w+)\s*(?::[^=]+)?=(?!=)")


def _rest_of_statement(rows: Sequence[str], number: int) -> str:
    """The row with those below it, up to the one that ends what it is a part of."""
    below = rows[number - 1 : number - 1 + _LONGEST]
    last = next((at for at, row in enumerate(below) if row.rstrip().endswith((";", "}"))), None)
    return " ".join(below[: None if last is None else last + 1])


_LONGEST = 30  # rows


def _answers(file: ComparedFile, unit: str) -> bool:
    """A framework calls the method: it is decorated, or called like a method of the protocol."""
    at = file.base_code.definitions.get(unit, 1)
    above = file.base_rows[at - 2] if at > 1 else ""
    return unit.rpartition(".")[2].lower() in _VERBS or _DECORATED.match(above) is not None


_VERBS = frozenset(
    ("get", "post", "put", "patch", "delete", "list", "create", "retrieve", "update", "destroy",
     "partial_update", "dispatch", "index", "show", "edit", "store")
)  # fmt: skip
_DECORATED = lazy_pattern(r"\s*(?:@\w|\[\w|#\[|.*\)\s*$)")


def _methods(file: ComparedFile) -> Iterator[Finding]:
    """A class is no longer guarded, and only some of its methods that answer requests are."""
    for line in file.removed:
        found = DECORATOR.match(code_of(line.text))
        name = decorated(file.base, line.number) if found else ""
        if not found or name not in file.head_code.units:
            continue
        mark = found["name"]
        marked = {
            decorated(file.head, at)
            for at, row in enumerate(file.head_rows, 1)
            if has_word(row, mark) and DECORATOR.match(code_of(row))
        }
        methods = [unit for unit in file.head_code.units if unit.startswith(f"{name}.")]
        open_ = sorted(
            unit
            for unit in methods
            if unit.count(".") == name.count(".") + 1
            and unit in file.base_code.units
            and unit.rpartition(".")[2] not in (*marked, name)
            and _answers(file, unit)
        )
        if marked - {""} and name not in marked and open_:
            method = open_[0].rpartition(".")[2]
            yield taken(_RULE, file, line, f"{method} is no longer guarded by {mark}")
            return

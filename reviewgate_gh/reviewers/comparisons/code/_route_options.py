"""Routes whose options stand on lines of their own, and no longer name a guard.
https://fastify.dev/docs/latest/Reference/Routes/"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._remark import quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._access_words import NAME
from ._asked_around import is_asked_anew, is_asked_around, is_asked_at_each_request

Lost = tuple[Line, str, str]  # the line that is gone, what to say, and what is there now
HOOKS = lazy_pattern(r"\b(?:onRequest|preValidation|preHandler)\s{0,3}:")
# What TypeScript says of a request: `app.post<{ Params: Id }>(`
TYPES = lazy_pattern(r"(\.(?:get|post|put|patch|delete|all|route))<[^()]{0,300}>\(")
_VALUE = lazy_pattern(
    r"\b(?:onRequest|preValidation|preHandler)\s{0,3}:\s{0,3}(?P<value>\[[^\]]{0,500}(?:\]|$)|[^,}]+)"
)
_GUARD = lazy_pattern(rf"{NAME}|\b\w{{0,30}}?(?:JWT|[Jj]wt|[Aa]uth)(?![a-z])\w*")
_ROUTE = lazy_pattern(r"\.(?:get|post|put|patch|delete|all)\(\s*['\"`]|\.route\(\s*\{")
_WHICH = lazy_pattern(r"\s*(?:url|path|method)\s*:")
_MOST = 20  # options of a block
_LONGEST = 200  # lines of a route


def hooked(text: str) -> list[str]:
    """The guards that the options of a route name, or those of several."""
    values = (found["value"] for found in _VALUE.finditer(text))
    return [found[0] for value in values for found in _GUARD.finditer(value)]


def bared_options(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Lost]:
    """The route is declared as before, and the option is gone from it, or one of its guards."""
    for old in islice((line for line in block.removed if HOOKS.search(line.text)), _MOST):
        rows = [line.text for line in block.removed if old.number <= line.number < old.number + 9]
        before = hooked(" ".join(map(code_of, rows[: _ends(rows)])))
        opener = _opener(file.base_rows, old.number) if before else 0
        place = _at_head(file, opener) if opener else 0
        if not place:
            continue
        route = "\n".join(_of_route(file.head_rows, place))
        left = hooked(" ".join(map(code_of, route.split("\n"))))
        lost = [name for name in before if not has_word(route, name)]
        if not lost or not {*left} <= {*before} or is_asked_anew(sources, lost[0]):
            continue
        new = Line(place, file.head_rows[place - 1])
        asked = is_asked_around(file, new, lost[0]) or is_asked_at_each_request(sources, lost[0])
        if not asked:
            yield old, f"this route is no longer guarded by {lost[0]}", quoted(new.text)


def _ends(rows: Sequence[str]) -> int:
    """How many of the rows the option takes: a list may go on."""
    if "[" not in rows[0] or "]" in rows[0]:
        return 1
    return next((at for at, row in enumerate(rows, 1) if "]" in row), len(rows))


def _opener(rows: Sequence[str], number: int) -> int:
    """The line of the call that declares the route of an option; 0 where another call takes it."""
    depth = _depth(rows[number - 1])
    above = range(number - 1, max(0, number - _LONGEST), -1)
    at = next((at for at in above if rows[at - 1].strip() and _depth(rows[at - 1]) < depth), 0)
    return at if at and _ROUTE.search(TYPES.sub(r"\1(", rows[at - 1])) else 0


def _at_head(file: ComparedFile, number: int) -> int:
    """The line of the head that declares the route of a line of the base; 0 where that is gone, or
    may be one of several."""
    start, which = _start(file.base_rows[number - 1]), _which(file.base_rows, number)
    same = (at for at, row in enumerate(file.head_rows, 1) if _start(row) == start)
    found = [at for at in same if _which(file.head_rows, at) == which]
    return found[0] if len(found) == 1 else 0


def _start(row: str) -> str:
    return squeeze(TYPES.sub(r"\1(", row).partition(",")[0])


def _which(rows: Sequence[str], number: int) -> set[str]:
    """The address and the method, where the options say them."""
    if ".route(" not in rows[number - 1]:
        return set()
    return {squeeze(row).rstrip(",") for row in _of_route(rows, number) if _WHICH.match(row)}


def _of_route(rows: Sequence[str], number: int) -> list[str]:
    """The lines of a route: those below the first that are indented more, or close something."""
    depth = _depth(rows[number - 1])
    below = takewhile(
        lambda row: not row.strip() or _depth(row) > depth or re.match(r"\s*[\])}]", row),
        rows[number : number + _LONGEST],
    )
    return [rows[number - 1], *below]


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())

"""Routes that are declared as before, without the guard among their arguments or links."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._remark import quoted
from .._sources import Block, ComparedFile, ComparisonInput, Line, has_word, squeeze
from ._access_words import ARGUMENT, NAME, ROUTE
from ._asked_around import is_asked_anew, is_asked_around, is_asked_at_each_request
from ._route_options import HOOKS, TYPES, Lost, bared_options, hooked

_NAME = lazy_pattern(r"[A-Za-z_]\w*")


def bared_routes(sources: ComparisonInput, file: ComparedFile, block: Block) -> Iterator[Lost]:
    """One loss a block."""
    added = sorted((_as_route(new), new) for new in block.added)
    news = {squeeze(code_of(new.text)): new for new in block.added}
    matches = ((new, _MIDDLEWARE.search(new.text)) for new in block.added)
    lists = {squeeze(new.text[: found.start()]): new for new, found in matches if found}
    for old in block.removed:
        if not ROUTE.search(old.text):
            continue
        if found := _chain_lost(sources, file, news, old) or _entry_lost(sources, file, lists, old):
            yield found
            return
        start = _as_route(old).partition(",")[0]
        first = bisect_left(added, (start,))
        after = bisect_left(added, (f"{start}\U0010ffff",))
        same = [new for _text, new in added[first:after]]
        lost = _checks_lost(sources, file, block, old, same)
        if lost and is_asked_at_each_request(sources, lost):
            return
        if lost:
            yield old, f"this route is no longer guarded by {lost}", quoted(same[0].text)
            return
    yield from islice(bared_options(sources, file, block), 1)


def _checks_lost(
    sources: ComparisonInput, file: ComparedFile, block: Block, old: Line, same: Sequence[Line]
) -> str:
    """The first check that the route had and none of the rows in its place has; "" for none."""
    if not same:
        return ""
    left = _checks_of(same[0]) if len(same) == 1 else _checks_of(*block.added)
    lost = [name for name in _checks_of(old) if name not in left]
    # Another check than any before may do the same
    if not lost or not left <= _checks_of(old) or is_asked_anew(sources, lost[0]):
        return ""
    elsewhere = is_asked_around(file, same[0], lost[0]) or _is_of_another(old, lost, block)
    return "" if elsewhere else lost[0]


def _as_route(line: Line) -> str:
    """The line without what TypeScript says of its types, in Go whether it is given a handler or a
    function that is made one. https://pkg.go.dev/net/http#ServeMux.HandleFunc"""
    return TYPES.sub(r"\1(", line.text.strip().replace(".HandleFunc(", ".Handle("))


def _is_of_another(route: Line, checks: Iterable[str], block: Block) -> bool:
    """What the route called is called no longer."""
    bare = TYPES.sub(r"\1(", code_of(route.text)).partition(",")[2]
    for check in checks:
        # What a check around the handler is given besides is its own
        bare = re.sub(rf"{re.escape(check)}(?:\((?:[^(),]*,)*)?", "", bare)
    bare = HOOKS.sub("", _OF_FUNCTION.sub("", bare))
    # A function that is written there may take fewer parameters
    taken = {name for found in _TAKES.finditer(bare) for name in _NAME.findall(found[0])}
    new = _STRINGS.sub("", " ".join(line.text for line in block.added))
    names = (name for name in _NAME.findall(_STRINGS.sub("", bare)) if name not in taken)
    return any(not has_word(new, name) for name in names)


_OF_FUNCTION = lazy_pattern(r"\b(?:http\.)?HandlerFunc\(")
_TAKES = lazy_pattern(
    r"(?:\basync\s{0,3})?\([^()]*\)\s{0,3}(?::[^=()]{0,200})?=>|\b(?:async\s{1,3})?\w+\s{0,3}=>"
    r"|\b(?:async\s{1,3})?function\b[^()]{0,80}\([^()]*\)"
)
_STRINGS = lazy_pattern(r"\"[^\"]*\"|'[^']*'")


def _chain_lost(
    sources: ComparisonInput, file: ComparedFile, news: Mapping[str, Line], old: Line
) -> Lost | None:
    """The route is declared as before, without the link that named a guard:
    https://pkg.go.dev/github.com/go-chi/chi/v5#Mux.With"""
    code = code_of(old.text)
    found = _LINK.search(code)
    new = news.get(squeeze(code[: found.start()] + code[found.end() :])) if found else None
    if found is None or new is None or is_asked_anew(sources, found["guard"]):
        return None
    if is_asked_around(file, new, found["guard"]):
        return None
    title = f"this route is no longer guarded by {found['guard']}"
    return old, title, quoted(new.text)


def _entry_lost(
    sources: ComparisonInput, file: ComparedFile, lists: Mapping[str, Line], old: Line
) -> Lost | None:
    """One of several middleware of a route is gone. https://laravel.com/docs/middleware"""
    was = _MIDDLEWARE.search(code_of(old.text))
    new = lists.get(squeeze(old.text[: was.start()])) if was else None
    now = _MIDDLEWARE.search(code_of(new.text)) if new else None
    if was is None or new is None or now is None:
        return None
    before, after = (set(_NAMED_TEXT.findall(each["names"])) for each in (was, now))
    lost = sorted(before - after)
    if not lost or not after < before or is_asked_anew(sources, lost[0]):
        return None
    if is_asked_around(file, new, lost[0]):
        return None
    title = f"this route is no longer guarded by {lost[0]}"
    return old, title, quoted(new.text)


_MIDDLEWARE = lazy_pattern(r"(?:->|\.|::)middleware\((?P<names>[^()]*)\)")
_NAMED_TEXT = lazy_pattern(r"[\"'](?:auth|throttle|can|verified|signed|role|permission)[^\"']*")
_LINK = lazy_pattern(
    rf"(?:\.|->)(?:With|with|middleware|[uU]se|before|guard|layer|route_layer|RequireAuthorization)"
    rf"\((?P<guard>[^()]*(?:{NAME}|[\"'](?:auth|can|verified|throttle|role|permission)\b)[^()]*)\)"
)


def _checks_of(*lines: Line) -> Set[str]:
    """The checks among the arguments of a route."""
    found = (ARGUMENT.finditer(code_of(line.text)) for line in lines)
    named = [each["argument"] for every in found for each in every]
    return dict.fromkeys([*named, *hooked(" ".join(line.text for line in lines))]).keys()

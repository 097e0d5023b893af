"""A file of Python: what strangers send into it, followed to where it does harm."""

import ast
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct

from ...text.patterns import lazy_pattern
from .._syntax_tree import parse_python
from .binding import Shared
from .fstrings import for_older_parser
from .reached import ReachedSink, is_own
from .scopes import Scope
from .sinks import KINDS
from .statements import Runner
from .suspicion import Suspicion

_HAS_FSTRING = lazy_pattern(rb"(?i)\bf[r]?[\"']|\brf[\"']").search


class JudgedSink(Struct, frozen=True):
    """A sink by the last word of its rule and the lines of its call. `harmless`: all that comes
    there is constant, was made safe, or is of whoever starts the program."""

    defect: str
    first: int
    last: int
    harmless: bool


@lru_cache(16)
def judge_sinks(data: bytes) -> tuple[JudgedSink, ...]:
    """The sinks of one file that were visited; what is not among them nobody can judge."""
    tree = _parse(data) or _parse(_older(data))
    if tree is None:
        return ()
    suspicion = Suspicion(tree)
    shared = Shared(_modules(tree), suspicion)
    _run(shared, tree)
    harmed = {(hit.kind, hit.first, hit.last) for hit in shared.hits if not is_own(hit)}
    return tuple(
        JudgedSink(
            KINDS[sink.kind].rule,
            sink.first,
            sink.last,
            sink.contained or (sink.kind, sink.first, sink.last) not in harmed,
        )
        for sink in suspicion.visited
    )


def find_hits(data: bytes) -> tuple[ReachedSink, ...]:
    """The flows of one file, in order of their lines; none of one that does not parse, which other
    tools tell."""
    tree = _parse(data) or _parse(_older(data))
    if tree is None:
        return ()
    shared = Shared(_modules(tree), views=_views(tree))
    _run(shared, tree)
    return tuple(sorted(_distinct(shared.hits), key=lambda hit: (hit.first, hit.column, hit.kind)))


def _parse(data: bytes | str) -> ast.Module | None:
    try:
        return parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _older(data: bytes) -> str:
    return for_older_parser(data.decode("utf-8-sig", "replace")) if _HAS_FSTRING(data) else ""


def _run(shared: Shared, tree: ast.Module) -> None:
    """The file itself first, then its functions, with those that they hold."""
    module = Runner(shared, Scope())
    _guarded(lambda: module.run(tree.body))
    while shared.waiting:
        waiting, shared.waiting = shared.waiting, []
        for function in waiting:
            _guarded(Runner(shared, Scope(function.scope), function).enter)


def _guarded(run: Callable[[], None]) -> None:
    with suppress(RecursionError):
        run()


def _modules(tree: ast.Module) -> frozenset[str]:
    """The packages that the file imports anywhere, by their first names."""
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def _views(tree: ast.Module) -> frozenset[str]:
    """The functions that the file gives to `add_url_rule` by their names."""
    return frozenset(
        given.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "add_url_rule"
        for given in (*node.args[2:3], *(k.value for k in node.keywords if k.arg == "view_func"))
        if isinstance(given, ast.Name)
    )


def _distinct(found: list[ReachedSink]) -> list[ReachedSink]:
    """One hit a call and kind of harm: the surest, and of those the first. What is not random
    enough is said once, wherever it is stored."""
    best: dict[tuple[object, ...], ReachedSink] = {}
    for hit in found:
        place = (hit.flow.source.key,) if hit.kind == "random" else (hit.first, hit.column)
        key = (hit.kind, *place)
        if key not in best or (hit.flow.sure and not best[key].flow.sure):
            best[key] = hit
    return list(best.values())

"""A second look at a file, for which everything unknown counts as input: what reaches a sink even
so is constant, or was made safe."""

import ast
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from . import sanitizers, sources
from .calls import CallSite
from .reached import ReachedSink, hits
from .sinks import find_sinks, is_sql
from .values import MODULE, NOTHING, PLAIN, Value, words

_EVALUATES = ("builtins.eval", "builtins.exec")
_COMPILES = "builtins.compile"
# They are sinks themselves: what they return is as harmless as what they were given
_STATEMENTS = words(
    "sqlalchemy.text sqlalchemy.sql.text sqlalchemy.sql.expression.text sqlalchemy.literal_column "
    "psycopg2.sql.SQL psycopg.sql.SQL"
)
_QUERY_TEXT = "the text of a query"


class VisitedSink(Struct, frozen=True):
    """A sink that the program comes by: its kind, the lines of the call, and whether it is
    `contained`: code with a namespace of its own, or that was compiled before."""

    kind: str
    first: int
    last: int
    contained: bool = False


class Suspicion:
    """What counts as unknown, and the sinks that were visited. `rebound` are the global names that
    functions assign to."""

    def __init__(self, tree: ast.Module) -> None:
        self.visited: list[VisitedSink] = []
        self.rebound = frozenset(
            name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
        )

    def read(self, value: Value, node: ast.Name) -> Value:
        """The value of a name: imported ones, and those that are bound elsewhere, may be
        anything."""
        if node.id in self.rebound:
            return sources.suspected(replace(value, const=NOTHING.const, text=None), node.id, 0)
        return _suspect(value, node.id) if not _is_builtin(value) else value

    def member(self, value: Value) -> Value:
        """The value of an attribute."""
        return _suspect(value, value.name)

    def result(self, value: Value, site: CallSite) -> Value:
        """What a call returns; a number, or what was made safe, does no harm."""
        name = site.name
        plain = sanitizers.is_number(name) or sanitizers.made_safe(name) is not None
        text = site.receiver.text is not None or sanitizers.makes_text(name) or name in _STATEMENTS
        if _is_opaque(value) and (plain or text):
            return replace(value, tag=PLAIN)
        kept = plain or text or sanitizers.keeps_input(name)
        return value if kept else _suspect(value, f"{name}()")

    def visit(self, site: CallSite) -> None:
        """Remember the sinks of a call."""
        first, last = site.node.lineno, site.node.end_lineno or site.node.lineno
        for sink in find_sinks(site.name):
            if site.name != _COMPILES and any(site.argument(at) is not None for at in sink.args):
                self.visited.append(VisitedSink(sink.kind, first, last, _is_contained(site)))

    def query(self, value: Value, node: ast.expr) -> Iterator[ReachedSink]:
        """The hits of a text that is a query, where it is built: linters report it there."""
        if value.text is not None and is_sql(value.text):
            first, last = node.lineno, node.end_lineno or node.lineno
            self.visited.append(VisitedSink("sql", first, last))
            yield from hits("sql", value.flows, node, _QUERY_TEXT)


def _suspect(value: Value, key: str) -> Value:
    known = not _is_opaque(value) or value.tag in (PLAIN, MODULE)
    return value if known else sources.suspected(value, key, 0)


def _is_opaque(value: Value) -> bool:
    """Nothing is known of it."""
    inside = value.items is not None or value.rest is not None or value.text is not None
    return not (inside or value.flows or value.is_constant)


def _is_builtin(value: Value) -> bool:
    return value.name.startswith("builtins.")


def _is_contained(site: CallSite) -> bool:
    if site.name not in _EVALUATES:
        return False
    return len(site.every) > 1 or any(v.name == f"{_COMPILES}()" for v in site.args)

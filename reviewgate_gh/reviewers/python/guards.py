"""What stands around a use of something: an import that is tried, a call that must raise, the call
that an argument belongs to."""

import ast
import warnings
from collections.abc import Iterator

from .._syntax_tree import parse_python

_RAISED = {
    "imports": ("ImportError", "ModuleNotFoundError"),
    "attributes": ("AttributeError",),
    "arguments": ("TypeError",),
    "names": ("NameError",),
}
_ANYTHING = ("Exception", "BaseException")
_EXPECTING = ("raises", "assertRaises", "assertRaisesRegex", "suppress")
_CHECKING = "TYPE_CHECKING"


class UsingCode:
    """One file: its lines by what is caught there, those that only type checkers read, and its
    calls by their arguments' places."""

    def __init__(self, data: bytes) -> None:
        self._caught: dict[str, list[range]] = {kind: [] for kind in _RAISED}
        self._unchecked: list[range] = []
        self._calls: dict[tuple[int, int], int] = {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = parse_python(data)
            self._read(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass

    def catches(self, kind: str, line: int) -> bool:
        """What would fail on this line is expected to, or caught."""
        return any(line in lines for lines in self._caught[kind])

    def is_for_checkers(self, line: int) -> bool:
        """The line is never run."""
        return any(line in lines for lines in self._unchecked)

    def call_line(self, line: int, column: int) -> int:
        """The first line of the call whose argument begins there; the same line where none
        does."""
        return self._calls.get((line, column), line)

    def _read(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Try):
                names = {name for each in node.handlers for name in _named(each.type)}
                # Who catches everything expects no mistake; an import may be missing all the same
                self._guard(node.body, names, "imports" if names & {*_ANYTHING} else "")
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                names = {name for each in node.items for name in _expected(each)}
                self._guard(node.body, names, "" if names.isdisjoint(_ANYTHING) else "any")
            elif isinstance(node, ast.If) and _CHECKING in _words(node.test):
                self._unchecked.append(_lines(node.body))
            elif isinstance(node, ast.Call):
                for each in node.args:
                    self._calls[each.lineno, each.col_offset + 1] = node.lineno
                for named in node.keywords:
                    self._calls[named.lineno, named.col_offset + 1] = node.lineno

    def _guard(self, body: list[ast.stmt], names: set[str], besides: str) -> None:
        for kind, raised in _RAISED.items():
            if besides in (kind, "any") or not names.isdisjoint(raised):
                self._caught[kind].append(_lines(body))


def _lines(body: list[ast.stmt]) -> range:
    return range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)


def _named(node: ast.expr | None) -> Iterator[str]:
    """The exceptions that a handler names; all of them where it names none."""
    yield from _words(node) if node else ["BaseException"]


def _words(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def _expected(item: ast.withitem) -> Iterator[str]:
    call = item.context_expr
    if isinstance(call, ast.Call) and next(_words(call.func), "") in _EXPECTING:
        for argument in call.args:
            yield from _words(argument)

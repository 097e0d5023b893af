"""Python source as a syntax tree, in one thread at a time."""

import ast
import threading

# Up to 3.12 all threads count in one place how deep they are in their trees, and parsing one may
# let another run: then there is a SystemError, or one that says that code is nested too deeply.
# https://github.com/python/cpython/issues/106905
_TURN = threading.RLock()


def parse_python(source: bytes | str) -> ast.Module:
    """The tree.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
    """
    with _TURN:
        return ast.parse(source)


def place_in_tree(source: bytes, line: int, column: int) -> tuple[int, int]:
    """Where the tree has the character at this column, from 1: it counts bytes, from 0."""
    rows = source.split(b"\n")
    row = rows[line - 1] if 0 < line <= len(rows) else b""
    return line, len(row.decode("utf-8", "replace")[: column - 1].encode())

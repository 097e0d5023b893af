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

"""Expressions of GitHub's workflows: whether GitHub can read one, and which values it asks for.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions, read as by
https://github.com/actions/runner/tree/main/src/Sdk/DTExpressions2
"""

import re
from collections.abc import Iterator

from ...text.patterns import lazy_pattern

CONTEXTS = frozenset(
    ("github", "env", "vars", "job", "jobs", "steps", "runner", "secrets", "strategy", "matrix",
     "needs", "inputs")
)  # fmt: skip
STATUS = frozenset(("success", "failure", "always", "cancelled"))
_MANY = 255
# Functions with the least and the most arguments
_FUNCTIONS = {
    "contains": (2, 2),
    "startswith": (2, 2),
    "endswith": (2, 2),
    "format": (1, _MANY),
    "join": (1, 2),
    "tojson": (1, 1),
    "fromjson": (1, 1),
    "hashfiles": (1, _MANY),
    "case": (3, _MANY),
} | dict.fromkeys(STATUS, (0, _MANY))
_LITERALS = frozenset(("true", "false", "null", "nan", "infinity"))
_TOKEN = lazy_pattern(
    r"\s*(?:(?P<text>'(?:[^']|'')*+')"
    r"|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+|Infinity)"
    r"(?![^\s()\[\],.!<>=&|]))"
    r"|(?P<sign>&&|\|\||[=!<>]=|[()\[\],.*!<>])"
    r"|(?P<name>[A-Za-z_][\w-]*)(?![^\s()\[\],.!<>=&|*])|(?P<end>\Z))",
    re.ASCII,
)
_DEEPEST = 50
_LONGEST = 40

Path = tuple[str, ...]


class ExpressionError(ValueError):
    """Why GitHub cannot read an expression."""


def expressions_in(text: str) -> Iterator[tuple[str, int]]:
    """What stands between `${{` and `}}`, and where it begins.

    Raises:
        ExpressionError: one has no end.
    """
    at = text.find("${{")
    while at >= 0:
        end = _end_of(text, at + 3)
        yield text[at + 3 : end], at
        at = text.find("${{", end)


def _end_of(text: str, at: int) -> int:
    end = text.find("}}", at)
    while end >= 0:
        quote = text.find("'", at, end)
        if quote < 0:
            return end
        at = text.find("'", quote + 1) + 1
        if not at:
            raise ExpressionError("a text in single quotes does not end")
        if at > end:
            end = text.find("}}", at)
    raise ExpressionError("a `${{` has no `}}`")


def read_expression(text: str) -> tuple[list[Path], set[str]]:
    """The values that an expression asks for, each as its names in lower case up to the first that
    is computed (`*`), and the functions that it calls.

    Raises:
        ExpressionError: GitHub refuses it.
    """
    reader = _Reader(text)
    reader.expression(0)
    reader.expect("")
    return reader.paths, reader.calls


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.paths: list[Path] = []
        self.calls: set[str] = set()
        self._kind = self._word = ""
        self._next()

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise ExpressionError(_unexpected(self._text[self._at :]))
        self._kind, self._at = str(found.lastgroup), found.end()
        self._word = found[self._kind]

    def expect(self, sign: str) -> None:
        """Go over a sign; "" is the end."""
        if self._kind not in ("sign", "end") or self._word != sign:
            if self._kind == "end":
                raise ExpressionError(f"`{sign}` is missing at the end")
            raise ExpressionError(_unexpected(self._word))
        if sign:
            self._next()

    def _is(self, *signs: str) -> bool:
        return self._kind == "sign" and self._word in signs

    def expression(self, depth: int) -> None:
        """Values with operators between them."""
        if depth > _DEEPEST:
            raise RecursionError
        self._value(depth)
        while self._is("&&", "||", "==", "!=", "<", "<=", ">", ">="):
            self._next()
            self._value(depth)

    def _value(self, depth: int) -> None:
        while self._is("!"):
            self._next()
        kind, word = self._kind, self._word
        if kind == "end":
            raise ExpressionError("a value is missing at the end")
        if kind == "sign" and word != "(":
            raise ExpressionError(_unexpected(word))
        self._next()
        if kind == "sign":
            self.expression(depth + 1)
            self.expect(")")
            self._rest(None, depth)
        elif kind == "name" and self._is("("):
            self._call(word, depth)
            self._rest(None, depth)
        elif kind == "name" and word.lower() not in _LITERALS:
            if word.lower() not in CONTEXTS:
                raise ExpressionError(f"there is no context `{word[:_LONGEST]}`")
            self._rest(word.lower(), depth)

    def _call(self, name: str, depth: int) -> None:
        least, most = _FUNCTIONS.get(name.lower(), (-1, 0))
        if least < 0:
            raise ExpressionError(f"there is no function `{name[:_LONGEST]}`")
        self.calls.add(name.lower())
        self._next()
        count = 0
        while not self._is(")"):
            if count:
                self.expect(",")
            self.expression(depth + 1)
            count += 1
        self._next()
        if not least <= count <= most:
            raise ExpressionError(f"`{name}` with {count} argument{'s' * (count != 1)}")

    def _rest(self, context: str | None, depth: int) -> None:
        """What follows a value: `.name`, `.*` and `[...]`."""
        path = [context or ""]
        while self._is(".", "["):
            dot = self._is(".")
            self._next()
            if dot and self._kind not in ("name", "number") and not self._is("*"):
                raise ExpressionError(_unexpected(self._word or "."))
            kind, word = self._kind, self._word
            if not dot and not self._is("*"):
                self.expression(depth + 1)
                known = kind == "text" and self._is("]")
                path += [word[1:-1].lower() if known else "*"]
            else:
                path += [word.lower()]
                self._next()
            if not dot:
                self.expect("]")
        if context:
            self.paths.append(tuple(path))


def _unexpected(text: str) -> str:
    word = (text.split() or [""])[0][:_LONGEST]
    if word == "=":
        return "`=` is no operator (it is `==`)"
    if word.startswith('"'):
        return f"texts stand in single quotes, not {word}"
    return f"{word} is not expected"

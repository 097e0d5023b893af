"""Constants and texts that are known without running anything, in bounded size."""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...text.patterns import lazy_pattern
from .values import (
    HOLE,
    INPUT_HOLE,
    MOST_TEXT,
    NOTHING,
    UNKNOWN,
    Value,
    constant,
    join_flows,
    shown,
    words,
)

_LARGEST = 10**9
_NUMBERS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_TEXT_METHODS = words(
    "lower upper strip lstrip rstrip title capitalize replace removeprefix removesuffix swapcase "
    "startswith endswith find index count isdigit isalpha isalnum zfill"
)
_CHARACTERS = (str, bytes)
# The first group is the name of a field
_PERCENT = lazy_pattern(r"%(?:\((\w*)\))?[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
_BRACES = lazy_pattern(r"\{(\w*)[^{}]*\}")


def fold_binary(op: ast.operator, left: Value, right: Value) -> Value:
    """`left op right`: its constant or text, and the input of both."""
    flows = join_flows(left.flows, right.flows)
    if left.is_constant and right.is_constant:
        found = _number(op, left.const, right.const)
        if found is not UNKNOWN:
            return constant(found)
    if isinstance(op, ast.Add) and (left.text is not None or right.text is not None):
        return concatenate((left, right))
    if isinstance(op, ast.Mod) and left.text is not None:
        items = right.items.values() if right.tag == "tuple" and right.items else (right,)
        return Value(flows, text=_formatted(_PERCENT, left.text, [*items]))
    return Value(flows)


def _number(op: ast.operator, left: Any, right: Any) -> Any:
    apply = _NUMBERS.get(type(op))
    if apply is None or not all(
        isinstance(side, int | float) and abs(side) <= _LARGEST for side in (left, right)
    ):
        return UNKNOWN
    try:
        return apply(left, right)
    except (ArithmeticError, TypeError):
        return UNKNOWN


def concatenate(parts: Iterable[Value]) -> Value:
    """Strings one after the other; what is not known of them is a hole in the text."""
    every = list(parts)
    text = "".join(shown(part) for part in every)[:MOST_TEXT]
    whole = all(part.is_constant and isinstance(part.const, str) for part in every)
    if whole:
        return constant("".join(part.const for part in every))
    return Value(join_flows(*(part.flows for part in every)), text=text)


def _formatted(fields: re.Pattern[str], text: str, values: Sequence[Value]) -> str:
    """A format string with its fields filled in order; those that are named may hold any value."""
    holes = [shown(value) for value in values]
    every = INPUT_HOLE if any(value.flows for value in values) else HOLE
    plain = iter(holes if len(fields.findall(text)) == len(holes) else ())
    filled = fields.sub(lambda found: next(plain, every) if not found[1] else every, text)
    return filled[:MOST_TEXT]


def fold_format(template: Value, values: Sequence[Value]) -> Value:
    """`template.format(...)`."""
    flows = join_flows(template.flows, *(value.flows for value in values))
    text = template.text
    return Value(flows, text=None if text is None else _formatted(_BRACES, text, values))


def fold_length(value: Value) -> Any:
    """`len(value)`, else UNKNOWN."""
    if isinstance(value.const, _CHARACTERS):
        return len(value.const)
    exact = value.tag in ("list", "tuple") and value.items is not None and value.rest is None
    return len(value.items or ()) if exact else UNKNOWN


def fold_compare(op: ast.cmpop, left: Value, right: Value) -> Any:
    """The outcome of a comparison of constants, else UNKNOWN."""
    if not left.is_constant or not right.is_constant:
        return UNKNOWN
    try:
        return bool(_COMPARISONS[type(op)](left.const, right.const))
    except (TypeError, ValueError):
        return UNKNOWN


def fold_method(receiver: Any, method: str, args: Sequence[Value]) -> Any:
    """What a method of a constant string returns for constant arguments, else UNKNOWN."""
    if (
        not isinstance(receiver, _CHARACTERS)
        or method not in _TEXT_METHODS
        or not all(arg.is_constant for arg in args)
        or any(isinstance(arg.const, int) for arg in args)
    ):
        return UNKNOWN
    try:
        return getattr(receiver, method)(*(arg.const for arg in args))
    except (TypeError, ValueError, LookupError):
        return UNKNOWN


def fold_subscript(value: Any, key: Any) -> Any:
    """The character or item of a constant, else UNKNOWN."""
    if not isinstance(value, _CHARACTERS) or not isinstance(key, int | slice):
        return UNKNOWN
    try:
        return value[key]
    except (LookupError, TypeError, ValueError):
        return UNKNOWN


def fold_text_slice(text: str, start: Any, stop: Any) -> str | None:
    """A slice that lies in the constant beginning or end of a text; None for any other."""
    holes = [at for at, sign in enumerate(text) if sign in (HOLE, INPUT_HOLE)]
    if not holes or len(text) >= MOST_TEXT:
        return None
    if isinstance(stop, int) and (start or 0) >= 0 and 0 <= stop <= holes[0]:
        return text[start:stop]
    if stop is None and isinstance(start, int) and 0 < -start < len(text) - holes[-1]:
        return text[start:]
    return None


def fold_not(value: Value) -> Value:
    """`not value`."""
    return constant(not value.const) if value.is_constant else NOTHING


def truth(value: Value) -> bool | None:
    """Whether a test certainly holds; None where that is not known."""
    return bool(value.const) if value.is_constant else None

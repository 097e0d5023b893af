"""`required_version`: a comma-separated list of comparisons with a release number."""

import operator
import re
from collections.abc import Callable

from .. import __version__

_TERM = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9})*)\s*")
_COMPARE: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


def satisfies(version: str, wanted: str) -> bool:
    """The version meets every comparison.

    Raises:
        ValueError: `wanted` is not such a list.
    """
    terms = [_TERM.fullmatch(term) for term in wanted.split(",")]
    if not all(terms):
        raise ValueError(f"not a version range: {wanted!r}; write for example >=0.1,<1")
    have = _numbers(version)
    return all(_COMPARE[term[1]](have, _numbers(term[2])) for term in terms if term)


def major() -> int:
    """The major version of this release."""
    return (*_numbers(__version__), 0)[0]


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.match(r"[\d.]*", version)[0].strip(".").split(".") if part]  # type: ignore[index]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)

"""All kinds, in the order in which they count: of two that overlap, the earlier one says more."""

from collections.abc import Mapping, Sequence
from itertools import chain

from ..patterns import lazy_pattern
from .general import GENERAL, JSON_WEB_TOKEN
from .kind import Kind
from .kinds import ai, chat, cloud, data, forges, payment, registries

_FIELDS = (forges, cloud, ai, chat, payment, registries, data)
VENDORS: Sequence[Kind] = tuple(chain.from_iterable(field.KINDS for field in _FIELDS))
PREFIXED: Sequence[Kind] = tuple(k for k in VENDORS if k.words)
NAMED: Sequence[Kind] = tuple(k for k in VENDORS if not k.words)
_IN_RUNS = lazy_pattern(r"[A-Za-z0-9_\-.+/=]+")
_NOT_IN_RUNS = frozenset(":%!@#$*~")
_FIRST = 24  # characters of a pattern, which say what its value begins with
_GROUPS = lazy_pattern(r"\(\?(?::|P<value>|!\[A-Za-z0-9\]\))")  # signs that are none of the value's


def _is_in_runs(word: str, kind: Kind) -> bool:
    """It begins with a run of letters, digits and `_-.+/=`, as long as those that are searched."""
    first = _GROUPS.sub("", kind.body)[:_FIRST]
    return bool(_IN_RUNS.fullmatch(word)) and not _NOT_IN_RUNS & set(first)


# Each beginning with its kind: in runs alone, and anywhere in a text
_BEGINNINGS = tuple((word, k) for k in (*PREFIXED, JSON_WEB_TOKEN) for word in k.words)
IN_RUNS = tuple(pair for pair in _BEGINNINGS if _is_in_runs(*pair))
ELSEWHERE = tuple(pair for pair in _BEGINNINGS if not _is_in_runs(*pair))
KINDS: Mapping[str, Kind] = {k.id: k for k in (*PREFIXED, *NAMED, *GENERAL.values())}
RANK = {name: place for place, name in enumerate(KINDS)}

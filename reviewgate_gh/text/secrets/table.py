"""All kinds, in the order in which they count: of two that overlap, the earlier one says more."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from .general import GENERAL, JSON_WEB_TOKEN
from .kind import Kind
from .kinds import ai, chat, cloud, data, forges, payment, registries

_FIELDS = (forges, cloud, ai, chat, payment, registries, data)
VENDORS: Sequence[Kind] = tuple(chain.from_iterable(field.KINDS for field in _FIELDS))
PREFIXED: Sequence[Kind] = tuple(k for k in VENDORS if k.words)
NAMED: Sequence[Kind] = tuple(k for k in VENDORS if not k.words)
_IN_RUNS = re.compile(r"[A-Za-z0-9_\-.]+")
# Each beginning with its kind: those of letters, digits and `_-.` alone, and the others
_BEGINNINGS = tuple((word, k) for k in (*PREFIXED, JSON_WEB_TOKEN) for word in k.words)
IN_RUNS = tuple(pair for pair in _BEGINNINGS if _IN_RUNS.fullmatch(pair[0]))
ELSEWHERE = tuple(pair for pair in _BEGINNINGS if not _IN_RUNS.fullmatch(pair[0]))
KINDS: Mapping[str, Kind] = {k.id: k for k in (*PREFIXED, *NAMED, *GENERAL.values())}
RANK = {name: place for place, name in enumerate(KINDS)}

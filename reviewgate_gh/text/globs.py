"""Names matched against globs, as `fnmatch` reads them on systems that tell capitals from small letters."""

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from functools import lru_cache

_START = re.compile(r"[*?\[]")


def any_of(globs: Iterable[str]) -> Callable[[str], bool]:
    """Whether a name fits one of the globs. Plain names are looked up: a pattern of dozens of them takes long to compile."""
    return _any_of(frozenset(globs))


@lru_cache(64)
def _any_of(every: frozenset[str]) -> Callable[[str], bool]:
    wild = sorted(glob for glob in every if _START.search(glob))
    plain = every.difference(wild)
    if not wild:
        return plain.__contains__
    pattern = re.compile("|".join(translate(glob) for glob in wild))
    starts = tuple(_START.split(glob, 1)[0] for glob in wild)
    return lambda name: name in plain or (name.startswith(starts) and pattern.match(name) is not None)

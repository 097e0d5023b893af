"""Regular expressions that are compiled when they are first needed: a review imports 700, which
would take a fourth of its start, and most changes need few of them."""

import re
from typing import Any, AnyStr, cast


class _LazyPattern:
    """Stands for a pattern; the first use of one of its methods compiles it."""

    def __init__(self, source: Any, flags: int) -> None:
        self._made = source, flags

    def __getattr__(self, name: str) -> Any:
        if name == "pattern":  # another one is made of it
            return self._made[0]
        pattern = re.compile(*self._made)
        for method in ("search", "match", "fullmatch", "findall", "finditer", "sub", "split"):
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern, not compiled yet."""
    return cast(re.Pattern[AnyStr], _LazyPattern(source, flags))

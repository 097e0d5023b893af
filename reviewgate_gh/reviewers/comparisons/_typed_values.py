"""Variables that have a type by their declaration, and what is read from them."""

import re
from functools import cache

from ._guards import code_of
from ._sources import Place


def is_read_from(text: str, owner: str, name: str, place: Place) -> bool:
    """It is read from a variable that has the type by its declaration."""
    name = re.escape(name)
    objects = re.findall(
        rf"(?<![\w.])\$?(?:(?:this|self)(?:\.|->))?(\w+)(?:\.|->|\?\.|!!?\.){name}(?![\w$])",
        code_of(place.text),
    )
    return any(
        pattern.search(text) is not None
        for called in objects
        if called not in ("this", "self", "super")
        for pattern in _typed(called, owner)
    )


_DECLARED = (
    r"(?<![\w.])(?:\w+(?:\.|::"
    r"|\\))*OWNER(?:<[^<>;(){}]*>)?[?!]?[ \t]+[*&]*\s*(?:const\s+)?\$?OBJECT\b(?!\s*\()",
    r"(?<![\w.])OBJECT[ \t]+\*?(?:\w+\.)?OWNER\b",
    r"(?<![\w.])\$?OBJECT\??\s*:\s*(?:&|mut\b|dyn\b|const\b|\s|'\w+\b)*(?:\w+(?:\."
    r"|::))*OWNER\b(?!\s*[.:\[<])",
    r"(?<![\w.])[@$]?OBJECT\s*(?::\s*[^=\n]{1,40})?:?=\s*(?:new\s+|await\s+|&|try[!?]?\s+)*"
    r"(?:\w+(?:\.|::|\\))*(?:New|new)?OWNER\s*(?:\(|\{|::new\b|\.new\b)",
    r"\*?const\s+OWNER\s*&\s*OBJECT\b",
)


@cache
def _typed(called: str, owner: str) -> tuple[re.Pattern[str], ...]:
    every = (each.replace("OBJECT", re.escape(called)) for each in _DECLARED)
    return tuple(re.compile(each.replace("OWNER", re.escape(owner))) for each in every)

"""Variables that have a type by their declaration, and what is read from them."""

import re
from functools import cache

from ._guards import code_of
from ._sources import Place, has_word


def is_read_from(text: str, owner: str, name: str, place: Place) -> bool:
    """It is read from a variable that has the type by its declaration."""
    name = re.escape(name)
    objects = re.findall(
        rf"(?<![\w.])\$?(?:(?:this|self)(?:\.|->))?(\w+)(?:\.|->|\?\.|!!?\.){name}(?![\w$])",
        code_of(place.text),
    )
    return any(
        _has_type(text, called, owner, place)
        for called in objects
        if called not in ("this", "self", "super")
    )


def _has_type(text: str, called: str, owner: str, place: Place) -> bool:
    """The nearest line above that gives the variable a type gives it this one; of fields any."""
    patterns = _typed(called, owner)
    rows = text.split("\n")[: place.number]
    for row in reversed(rows):
        if has_word(row, called):
            if any(pattern.search(row) for pattern in patterns):
                return True
            if re.search(rf"[(,]\s*(?:mut\s+)?{re.escape(called)}\s*:\s*(?:&\s*)?[A-Z]", row):
                return False  # a parameter of another type
            if re.search(rf"[(,]\s*[A-Z]\w*[ ]+[*&]*\$?{re.escape(called)}\s*[,)]", row):
                return False
    return any(pattern.search(text) for pattern in patterns)


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

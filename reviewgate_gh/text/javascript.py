"""What a module of JavaScript or TypeScript imports and exports, read without a compiler: of text
whose comments are gone.

https://tc39.es/ecma262/#sec-modules, https://www.typescriptlang.org/docs/handbook/modules/reference
"""

from collections.abc import Iterator
from typing import NamedTuple

from .patterns import lazy_pattern

_NAME = r"[A-Za-z_$][\w$]*"
_IMPORT = lazy_pattern(
    r"(?m)^[ \t]*(?P<verb>import|export)\b[ \t]*(?P<bare>[\w$ \t,*]{0,200}?)"
    r"(?:\{(?P<names>[\w$\s,]{0,4000})\}\s*)?\bfrom\s*"
    r"(?P<quote>[\"'])(?P<module>[^\"'\n]{1,300})(?P=quote)"
)
_DECLARED = lazy_pattern(
    r"(?<![\w$.])export\s+(?:declare\s+)?(?P<default>default\b\s*)?(?:async\s+)?(?:abstract\s+)?"
    r"(?:(?:function\b\s*\*?|class|(?:const\s+)?enum|(?:opaque\s+)?type|interface|namespace|module"
    rf"|const|let|var|import)(?![\w$])\s*(?P<name>(?<=[\s*]){_NAME})?)?"
)
_PATTERN = lazy_pattern(
    r"(?<![\w$.])export\s+(?:declare\s+)?(?:const|let|var)\s*(?P<names>[{\[][^=;]{0,500})="
)
_LIST = lazy_pattern(r"(?<![\w$.])export\s*(?:type\s*)?\{(?P<names>[^{}]{0,20000})\}")
_STAR = lazy_pattern(
    r"(?<![\w$.])export\s*(?:type\s*)?\*\s*(?:as\s+(?P<name>[\w$]+)\s*)?"
    r"(?:from\s*[\"'](?P<module>[^\"'\n]{1,300})[\"'])?"
)
# Names that come in another way: CommonJS, `export =`, decorators before a class, names in quotes
_OTHER_WAYS = lazy_pattern(
    r"\bmodule\.exports\b|(?<![\w$.])exports\s*[.\[=,)]|(?<![\w$.])export\s*[=@]"
    r"|\bdeclare\s+module\b"
    r"|(?<![\w$.])export\s*\{[^{}\"']{0,4000}[\"']|(?<![\w$.])export\s+as\s+namespace\b"
)
# A later name of `export const a = 1, b = 2`
_LATER = lazy_pattern(rf",\s*({_NAME})\s*(?::[^=,;\n]{{0,200}})?=(?![=>])")
_EXPORT = lazy_pattern(r"(?<![\w$.])export\b")
_WORD = lazy_pattern(r"[\w$]+")


class Imported(NamedTuple):
    """A name that is imported or handed on: "default" where none is said; where in the text it
    stands; and whether only a type checker reads it."""

    module: str
    name: str
    at: int
    is_type: bool


class Exports(NamedTuple):
    """The names of a module, and the modules whose names it hands on all."""

    names: frozenset[str]
    others: tuple[str, ...]


def imported_names(text: str) -> Iterator[Imported]:
    """Each name that an import or `export ... from` takes from a module."""
    for found in _IMPORT.finditer(text):
        words, module = found["bare"].replace(",", " ").split(), found["module"]
        is_type = words[:1] == ["type"] and (len(words) > 1 or found["names"] is not None)
        own = words[is_type:]
        if own and found["verb"] == "import" and own[0] != "*":
            yield Imported(module, "default", found.start("bare"), is_type)
        at = found.start("names")
        for part in (found["names"] or "").split(","):
            said = part.split()
            own_type = len(said) > 1 and said[0] == "type" and said[1] != "as"
            if said := said[own_type:]:
                yield Imported(module, said[0], at + part.index(said[0]), is_type or own_type)
            at += len(part) + 1


def exported_names(text: str) -> Exports | None:
    """What a module exports; None where its text does not tell."""
    if not _EXPORT.search(text) or _OTHER_WAYS.search(text):
        return None
    names, others = set[str](), list[str]()
    for found in _DECLARED.finditer(text):
        names.update(filter(None, (found["name"], found["default"] and "default")))
    for found in _PATTERN.finditer(text):
        names.update(_WORD.findall(found["names"]))
    for found in _LIST.finditer(text):
        names.update(words[-1] for each in found["names"].split(",") if (words := each.split()))
    for found in _STAR.finditer(text):
        if found["name"]:
            names.add(found["name"])
        else:
            others.append(found["module"] or "")
    names.update(found[1] for found in _LATER.finditer(text))
    return Exports(frozenset(names), tuple(others))

"""Functions, methods and constructors of a text with the names that their calls may give, in
languages where calls name parameters."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...text.patterns import lazy_pattern
from ._definitions import OWNER, language_of
from ._parameters import arity, split_arguments, without_types

# Of these a suffix says more than the family: Java has no named arguments
_HEADS = {
    "py": r"^[ \t]*(?:async[ ]+)?def[ ]+(?P<name>\w+)\(",
    "rb": r"^[ \t]*def[ ]+(?:self\.)?(?P<name>\w+[?!]?)\s*\(",
    "kt": r"\bfun\s+(?:<[^>\n]+>\s*)?(?:\w+\.)?(?P<name>\w+)\(|^[ \t]*(?:\w+\s+)*class\s+"
          r"(?P<type>\w+)(?:<[^>\n]*>)?\s*(?:(?:internal|private|@\w+)?\s*constructor\s*)?\(",
    "scala": r"\bdef\s+(?P<name>\w+)(?:\[[^\]\n]*\])?\("
             r"|^[ \t]*(?:\w+\s+)*class\s+(?P<type>\w+)(?:\[[^\]\n]*\])?\(",
    "cs": r"^[ \t]*(?:(?:public|internal|protected|static|virtual|override|async|abstract|sealed"
          r"|partial)\s+)+(?:[\w<>\[\],.?]+\s+)+?(?P<name>\w+)(?:<[^>\n]*>)?\((?!\()"
          r"|^[ \t]*(?:public|internal|protected)\s+(?P<made>[A-Z]\w*)\(",
    "java": r"^[ \t]*(?:public|protected)\s+(?P<made>[A-Z]\w*)\(",
    "php": r"\bfunction\s+(?P<name>\w+)\s*\(",
    "swift": r"\bfunc\s+(?P<name>\w+)(?:<[^>\n]*>)?\(|^[ \t]*(?:\w+\s+)*(?P<init>init)[?!]?\(",
    "dart": r"^[ \t]*(?:(?:const|factory|static"
    r"|external)\s+)*(?:[\w<>?,]+\s+)?(?P<name>[A-Za-z]\w*)"
            r"\((?=[^;{}]*\{)",
    "js": r"^[ \t]+(?:(?:public|static|async)\s+)*"
    r"(?P<method>(?!(?:if|for|while|switch|catch)\b)"
          r"[A-Za-z_$][\w$]*)\((?=[^()]*\)\s*(?::[^{=;\n]+)?\{)"
          r"|\bfunction\*?\s+(?P<name>[\w$]+)\s*(?:<[^>(\n]*>)?\("
          r"|\b(?:const"
          r"|let)\s+(?P<arrow>[\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:function\s*)?\(",
}  # fmt: skip
_SUFFIX = {"kt": "kt", "kts": "kt", "scala": "scala", "cs": "cs", "groovy": ""}
# What is called when an object is made, by the language
_MADE = {"py": "__init__", "rb": "initialize", "php": "__construct", "swift": "init"}
_PY_SELF = ("self", "cls")
_MODIFIERS = lazy_pattern(
    r"^(?:(?:@\w+(?:\([^)]*\))?|private|public|protected|internal|override|readonly|final|val|var"
    r"|vararg|crossinline|noinline|implicit|using|required|covariant|this|ref|out|in|params)\s+)+"
)


class Callable(Struct, frozen=True):
    """What is called, by the name that calls have; `owner` is the type around it."""

    called: str
    owner: str
    line: int
    end: int
    text: str
    names: frozenset[str]
    required: frozenset[str]
    takes_any: bool
    # Fewest and most arguments of positions: of what makes objects, and of methods of Python and
    # JavaScript
    arity: tuple[int, int] | None

    @property
    def owner_is_called(self) -> bool:
        """It makes an object: calls name the type."""
        return self.owner == self.called

    @property
    def is_indented(self) -> bool:
        """It stands inside of something."""
        return self.text[:1] in (" ", "\t")


def callables(path: str, text: str) -> dict[tuple[str, str], Callable | None]:
    """By owner and name; None where there are several of them."""
    kind = _kind(path)
    found: dict[tuple[str, str], Callable | None] = {}
    for each in _read(kind, path, text) if kind else ():
        key = (each.owner, each.called)
        found[key] = None if key in found else each
    return found


def _kind(path: str) -> str:
    suffix, family = path.rpartition(".")[2].lower(), language_of(path)
    kind = _SUFFIX.get(suffix, family)
    return kind if kind in _HEADS else ""


def _read(kind: str, path: str, text: str) -> Iterator[Callable]:
    rows, plain = text.split("\n"), without_types(text)
    for match in re.finditer(_HEADS[kind], text, re.M):
        parts = split_arguments(plain, match.end(), text)
        if parts is None:
            continue
        groups = match.groupdict()
        name = next(found for found in groups.values() if found)
        line = text.count("\n", 0, match.end()) + 1
        end = line + "\n".join(parts).count("\n") + len(parts)
        row = rows[line - 1]
        owner = _owner(kind, rows, line)
        if groups.get("type") or groups.get("made"):
            owner = name
        elif name == _MADE.get(kind) or (kind == "dart" and name[:1].isupper()):
            owner = owner if owner and kind != "dart" else name
            name = owner
        names, required = _names(kind, parts)
        if names or owner:
            by_place = owner == name or kind in ("py", "js")
            counted = arity(language_of(path), parts) if owner and by_place else None
            any_name = _takes_any(kind, parts)
            yield Callable(name, owner, line, end, row, names, required, any_name, counted)


def _owner(kind: str, rows: Sequence[str], line: int) -> str:
    """The nearest type around the line, by its indentation."""
    row = rows[line - 1]
    depth = len(row) - len(row.lstrip())
    for above in reversed(rows[: line - 1] if depth else ()):
        indent = len(above) - len(above.lstrip())
        if above.strip() not in ("", "{") and indent < depth:
            depth = indent
            if found := OWNER.match(above):
                return found["name"]
            if not depth:
                break
    return ""


_TAKES_ALL = ("**", "...", "options", "opts")


def _takes_any(kind: str, parts: tuple[str, ...]) -> bool:
    """Any name is taken, or read later from what is taken whole."""
    marks: dict[str, str | tuple[str, ...]] = {"py": "**", "rb": _TAKES_ALL}
    inside = any("..." in part for part in parts) and kind in ("js", "php")
    return inside or any(part.startswith(marks.get(kind, "\0")) for part in parts)


def _names(kind: str, parts: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """All names, and those that have to be given by name."""
    names, required = list[str](), list[str]()
    if kind in ("dart", "js"):
        objects = [part for part in parts if part.startswith("{")]
        parts = tuple(p for each in objects for p in entries(each))
    by_name = False
    for part in parts:
        bare = _MODIFIERS.sub("", part)
        found = re.search(_NAME[kind], bare)
        if found and found[1] not in _PY_SELF:
            names.append(found[1])
            if _is_asked(kind, part, by_name):
                required.append(found[1])
        by_name = by_name or part.startswith("*")
    return frozenset(names), frozenset(required)


def _is_asked(kind: str, part: str, by_name: bool) -> bool:
    """A call has to name it."""
    if kind == "rb":
        return part.endswith(":")
    if kind == "dart":
        return part.startswith("required ")
    return kind == "py" and by_name and "=" not in part


_NAME = {
    "py": r"^(\w+)",
    "rb": r"^(\w+):",
    "kt": r"^(\w+)\s*:",
    "scala": r"^(\w+)\s*:",
    "cs": r"(\w+)\s*(?:=[^=].*)?$",
    "java": r"(\w+)$",
    "php": r"\$(\w+)",
    "swift": r"^(?!_\b)(\w+)",
    "dart": r"(\w+)\s*(?:=.*)?$",
    "js": r"^(\w+)",
}


def entries(part: str) -> tuple[str, ...]:
    """Those of a group in braces."""
    return split_arguments(_braced(part), 0) or ()


def _braced(part: str) -> str:
    """The inside of the first pair of braces, whatever type or default follows it."""
    depth = 0
    for at, sign in enumerate(part):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return f"{part[1:at]})"
    return ")"

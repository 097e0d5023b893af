"""Members of types, as they are written one a line or in the head of a type: fields, properties,
methods, values of enumerations."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...text.patterns import lazy_pattern
from ._definitions import language_of

_WORDS = (
    r"(?:enum class|enum struct|enum|data class|case class|class|struct|interface|trait|record"
    r"|protocol|object|extension|type|const)"
)
# `const (` of Go belongs to the package; `export const Routes = {` is an object
_TYPE = lazy_pattern(
    r"^(?P<indent>\s*)(?:(?:export|default|declare|public|internal|open|static|final|abstract"
    r"|sealed|partial|pub(?:\([^)]*\))?|readonly|value|inner|indirect|mixin|typedef|companion"
    r"|@\w+)\s+)*"
    rf"(?P<word>{_WORDS})\s*(?P<name>[A-Za-z_]\w*|\()(?P<rest>.*)$"
)
_GO_TYPE = lazy_pattern(r"^type\s+(?P<name>[A-Z]\w*)(?:\[[^\]]*\])?\s+(?:struct|interface)\s*\{")
_GO_METHOD = lazy_pattern(
    r"^func\s*\(\s*(?:\w+\s+)?\*?(?P<type>[A-Z]\w*)(?:\[[^\]]*\])?\s*\)\s*(?P<name>[A-Z]\w*)\("
)
_OBJECT = lazy_pattern(r"^\s*(?::\s*[^=]+)?=\s*(?:Object\.freeze\()?\{\s*$")
_PRIVATE = lazy_pattern(r"^\s*(?:private|fileprivate|#)|\b(?:private|protected)\b")
_VALUE = r"^\s*(?:case\s+)?(?P<n>[A-Za-z]\w*)\s*(?:=[^=>].*|\(.*|\{.*)?[,;]?\s*$"
_JS = (
    r"^\s*(?:(?:public|static|readonly|async|get|set|override|declare|abstract)\s+)*"
    r"[\"']?(?P<n>[A-Za-z_$][\w$]*)[\"']?\s*(?:[?!]\s*)?(?:[:(=<;,]|$)"
)
_TYPED = (
    r"^\s*(?:\[[^\]]*\]\s*)?(?:(?:public|internal|static|final|readonly|virtual|abstract|override"
    r"|required|late|const|volatile|default|async|synchronized|extern|inline|constexpr|mutable"
    r"|unsigned|explicit)\s+)*(?!return\b|using\b|else\b|throw\b|new\b|case\b|typedef\b|friend\b)"
    r"[\w:][\w<>\[\],.?:* &]*?[\s*&](?P<n>[A-Za-z]\w*)(?:\[[^\]]*\])*\s*(?:[;({=]|=>|$)"
)
_ROWS = {
    "rb": r"(?!)",
    "py": r"^\s+(?:async\s+)?def\s+(?P<n>[A-Za-z]\w*)\(|^\s+(?P<v>[A-Za-z]\w*)\s*(?::[^=]+)?=(?!=)"
          r"|^\s+(?P<f>[A-Za-z]\w*)\s*:\s*\S",
    "js": _JS,
    "go": r"^\t(?P<n>[A-Z]\w*)(?:\(|\s|$)",
    "kt": r"^\s*(?:\w+\s+|@\w+(?:\([^)]*\))?\s+)*(?:val|var|fun|class|object)\s+(?P<n>[A-Za-z]\w*)",
    "scala": r"^\s*(?:\w+\s+)*(?:val|var|def|class|object)\s+(?P<n>[A-Za-z]\w*)"
             r"|^\s+(?P<f>[a-z]\w*)\s*:\s*[A-Z].*,?$",
    "java": _TYPED,
    "cs": _TYPED,
    "dart": _TYPED,
    "c": _TYPED,
    "rs": r"^\s*pub(?:\([^)]*\))?\s+(?P<n>\w+)\s*:|^\s*(?:async\s+)?fn\s+(?P<f>\w+)",
    "php": r"^\s*(?:(?:public|static|readonly|final|abstract)\s+)+(?:[?\w|\\]+\s+)?\$(?P<n>\w+)"
           r"|^\s*case\s+(?P<v>\w+)",
    "swift": r"^\s*(?:\w+\s+)*(?:let|var|func|case)\s+(?P<n>[A-Za-z]\w*)",
}  # fmt: skip
_FEWEST = 3  # letters
_NO_NAMES = frozenset((
    "constructor", "if", "for", "while", "switch", "return", "case", "default", "else", "new",
    "get", "set", "this", "super", "public", "private", "protected", "static", "self", "init",
    "operator", "class", "Meta", "struct", "enum", "void", "int", "catch", "try",
))  # fmt: skip


class Member(NamedTuple):
    """A name that a type has; `is_value` where the type's own name stands before it."""

    owner: str
    name: str
    line: int
    text: str
    is_value: bool
    extends: bool
    head: str  # the row of the type

    @property
    def is_inline(self) -> bool:
        """It stands in that very row."""
        return self.head == self.text


def members(path: str, text: str) -> dict[tuple[str, str], Member]:
    """By owner and name."""
    kind = _kind(path)
    every = _read(kind, path, text) if kind else ()
    return {(each.owner, each.name): each for each in every if _is_name(each.name)}


def _kind(path: str) -> str:
    suffix, family = path.rpartition(".")[2].lower(), language_of(path)
    kind = {"kts": "kt"}.get(suffix, suffix)
    return kind if kind in _ROWS else family if family in _ROWS else ""


def _is_name(name: str) -> bool:
    return len(name) >= _FEWEST and name not in _NO_NAMES


def _read(kind: str, path: str, text: str) -> Iterator[Member]:
    open_types: list[
        tuple[int, str, bool, bool, str, int]
    ] = []  # the last: the depth of its members
    for number, row in enumerate(text.split("\n"), 1):
        bare = row.strip()
        if not bare or bare[0] in _NO_MEMBERS or _LABEL.match(bare):
            continue
        if kind == "go" and (found := _GO_METHOD.match(row)):
            yield Member(found["type"], found["name"], number, row, False, False, "")
        depth = len(row) - len(row.lstrip())
        while open_types and depth <= open_types[-1][0]:
            open_types.pop()
        if open_types:
            outer, owner, value, extends, top, inner = open_types[-1]
            if inner < 0:
                inner = depth
                open_types[-1] = (outer, owner, value, extends, top, depth)
            for name in _member(kind, row, value) if depth == inner else ():
                yield Member(owner, name, number, row, value or kind == "php", extends, top)
        if head := _type(kind, path, row):
            owner, value, rest = head
            extends = bool(_EXTENDS.search(rest)) or (kind == "py" and "(" in rest)
            open_types.append((depth, owner, value, extends, row, -1))
            for name in _inline(kind, rest, value):
                yield Member(owner, name, number, row, value, extends, row)


# A brace of its own row, an annotation, a comment; `public:` of C++
_NO_MEMBERS = "{}])#@/*"
_LABEL = lazy_pattern(r"(?:public|private|protected)(?: slots)?\s*:\s*$")
_EXTENDS = lazy_pattern(r"\b(?:extends|implements|with)\b|\)?\s*:\s*[A-Z]\w*")


def _type(kind: str, path: str, row: str) -> tuple[str, bool, str] | None:
    """The name of the type that the row begins, whether it has values, and what follows."""
    if kind == "go":
        if row.startswith("const ("):
            return path.rpartition("/")[0].rpartition("/")[2], True, ""
        found = _GO_TYPE.match(row)
        return (found["name"], False, "") if found else None
    found = _TYPE.match(row)
    if not found or (kind not in _WITH_TYPE and found["word"] == "type"):
        return None
    word, rest = found["word"], found["rest"]
    if word == "const" and not (kind == "js" and _OBJECT.match(rest)):
        return None
    if word == "type" and not re.match(r"\s*=\s*\{\s*$", rest):
        return None
    if word in ("type", "interface") and path.endswith((".ts", ".tsx", ".mts", ".cts")):
        return None  # their fields are told of by another comparison
    python = kind == "py" and re.search(r"\((?:[\w.]+,\s*)*[\w.]*(?:Enum|Choices|Flag)\b", rest)
    value = word.startswith("enum") or word in ("object", "const") or bool(python)
    return found["name"], value, rest


_WITH_TYPE = ("js",)


def _member(kind: str, row: str, value: bool) -> Iterator[str]:
    """What a row of a type defines: one name, of Ruby's accessors several."""
    if _PRIVATE.search(row):
        return
    if kind == "rb":
        yield from re.findall(r":(\w+)", row) if _ACCESSORS.match(row) else ()
        return
    pattern = _ROWS[kind]
    if value and kind == "swift":
        pattern = r"^\s*case\s+(?P<n>\w+)"
    elif value and kind not in ("py", "js", "go", "php") and re.match(_VALUE, row):
        pattern = _VALUE
    if found := re.match(pattern, row):
        yield from [name for name in found.groups() if name][:1]


_ACCESSORS = lazy_pattern(r"\s*attr_(?:reader|accessor)\s")


def _inline(kind: str, rest: str, value: bool) -> Iterator[str]:
    """Those that stand in the row of the type: `{ OPEN, PAID }`, `(val article: String)`."""
    if value and (found := re.search(r"\{([^{}]*)\}", rest)):
        yield from re.findall(r"(?:^|,)\s*(?:case\s+)?([A-Za-z]\w*)", found[1])
    if value or not (found := re.match(r"\s*(?:<[^>]*>|\[[^\]]*\])?\s*\(([^()]*)\)", rest)):
        return
    if kind == "kt":
        yield from re.findall(r"\b(?:val|var)\s+(\w+)", found[1])
    elif kind == "scala":
        yield from re.findall(r"(?:^|,)\s*(?:\w+\s+)*(\w+)\s*:", found[1])
    elif kind in ("java", "cs"):
        yield from re.findall(r"[\w>\]?]\s+(\w+)\s*(?:,|=|$)", found[1])

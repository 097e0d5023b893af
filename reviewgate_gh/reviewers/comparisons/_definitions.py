"""Names that a file defines for others, in the usual languages, and how their uses look."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from ...text.patterns import lazy_pattern
from ._sources import has_word

_SUFFIXES = {
    "py": "py pyi", "js": "js jsx ts tsx mjs cjs mts cts vue svelte", "go": "go",
    "java": "java kt kts scala groovy cs", "rb": "rb rake erb", "rs": "rs", "php": "php",
    "c": "c h cc cpp cxx hpp hh", "sh": "sh bash", "swift": "swift", "ex": "ex exs", "dart": "dart",
}  # fmt: skip
_KINDS = {suffix: kind for kind, words in _SUFFIXES.items() for suffix in words.split()}
# One that begins with an underscore, or is private by its language, is nobody else's business
# A line break before the first word would cost time by the square of blanked comments
_PATTERNS = {
    "py": r"^(?P<indent>[ ]*)(?:async[ ]+)?(?P<what>def|class)[ ]+(?P<name>[A-Za-z]\w*)"
          r"|^(?P<constant>[A-Z][A-Z0-9_]{2,})\s*(?::[^=\n]+)?=(?!=)",
    "js": r"^[ \t]*export\s+(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?P<what>function\*?|class"
          r"|const|let|var|interface|type|enum|abstract\s+class)\s+(?P<name>[A-Za-z_$][\w$]*)"
    r"|^[ \t]*(?:module\.)?exports\.(?P<exported>[A-Za-z_$][\w$]*)\s*="
    r"|^(?:async\s+)?(?P<plain>function)\*?\s+(?P<pname>[A-Za-z_$][\w$]*)",
    # The files of a package see all of its names
    "go": r"^(?P<what>func)\s+(?:\([^)\n]*\)\s*)?(?P<name>[A-Za-z]\w*)|^(?:type|var"
          r"|const)\s+(?P<gname>[A-Z]\w*)|^\t(?P<constant>[A-Z]\w*)\s+(?:[\w.\[\]*]+\s+)?=\s",
    "java": r"^[ \t]*(?:@\w+\s+)*(?:(?:public|internal|open|static|final|override|suspend|abstract"
            r"|synchronized|const|data|sealed|inline)\s+)+(?:<[^>\n]+>\s+)?"
            r"(?:(?P<what>fun(?:\s*<[^>\n]+>)?|class|interface|enum|record|object|val"
            # Of Kotlin, for values of another type
            r"|var)\s+(?:[A-Z][\w<>?*]*\.(?=[a-z]))?(?P<name>[A-Za-z]\w*)"
            r"|[\w<>\[\],.?@& ]+?\s(?P<method>[A-Za-z]\w*)\s*(?:<[^<>\n]*>\s*)?(?=[(=;]))"
            # Of Kotlin, public by default
            r"|^fun\s+(?:<[^>\n]+>\s+)?(?:[A-Z][\w<>?*]*\.)?(?P<function>[a-z]\w*)\s*(?=\()"
            r"|^[ \t]+fun\s+(?:<[^>\n]+>\s+)?(?P<method_of>[a-z]\w*)\s*(?=\()",
    "rb": r"^(?P<indent>[ \t]+(?=def\b))?[ \t]*(?P<what>def|class"
          r"|module)\s+(?:self\.|(?:[A-Z]\w*::)+)?(?P<name>[A-Za-z]\w*[?!]?)"
          r"|^[ \t]*(?P<constant>[A-Z][A-Z0-9_]{2,})\s*=(?!=)",
    "rs": r"^(?P<indent>[ \t]*)pub(?:\([^)\n]*\))?\s+"
          r"(?:const\s+|async\s+|unsafe\s+|extern\s+\"C\"\s+)*(?P<what>fn|struct|enum"
          r"|trait|type|static|mod)\s+(?P<name>\w+)"
          r"|^[ \t]*pub(?:\([^)\n]*\))?\s+const\s+(?P<constant>[A-Z]\w*)\s*:",
    "php": r"^[ \t]*(?:(?:public|static|final|abstract)\s+)*(?P<what>function|class|interface"
           r"|trait)\s+(?P<name>[A-Za-z]\w*)"
           r"|^[ \t]*(?:(?:public|final)\s+)*const\s+(?:[?\w\\|&()]+\s+)?(?P<constant>[A-Z]\w*)\s*="
           r"|^\\?define\(\s*['\"](?P<defined>\w+)",
    "c": r"^(?!static)(?:[\w*]+[ \t*]+)+(?P<name>[A-Za-z]\w*)\s*\([^;{]*\)?\s*(?:\{\s*)?$"
         r"|^[ \t]*#[ \t]*define\s+(?P<constant>[A-Z]\w+)",
    "sh": r"^(?:function\s+)?(?P<name>[A-Za-z_]\w*)\s*\(\)",
    "swift": r"^(?:public|open)\s+(?:let|var)\s+(?P<constant>[A-Za-z]\w+)"
             r"|^[ \t]*(?:(?:public|open)\s+)?(?:static\s+)?(?P<what>func|class|struct|enum"
             r"|protocol)\s+(?P<name>[A-Za-z]\w*)",
    "ex": r"^[ \t]*(?P<what>def(?:macro|delegate|guard)?)\s+(?P<name>[a-z]\w*[?!]?)",
    "dart": r"^(?P<what>class|enum|mixin)\s+(?P<name>[A-Z]\w*)"
            r"|^(?:[\w<>?]+\s+)(?P<function>[a-z]\w*)\s*\(",
}  # fmt: skip


class CodeDefinition(Struct, frozen=True):
    """A name that a file defines for others: its line, and whether it belongs to a class."""

    name: str
    line: int
    text: str
    member: bool
    callable: bool


def language_of(path: str) -> str:
    """The family of languages that can use one another's names; "" for all else."""
    return _KINDS.get(path.rpartition(".")[2].lower(), "")


def suffixes_of(language: str) -> tuple[str, ...]:
    """The suffixes of the files of a family of languages; none of an unknown one."""
    return tuple(_SUFFIXES.get(language, "").split())


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[kind], re.MULTILINE)


def find_definitions(path: str, text: str) -> dict[str, CodeDefinition]:
    """By name; of equal ones the first."""
    kind = language_of(path)
    found: dict[str, CodeDefinition] = {}
    if not kind or not text:
        return found
    at, line = 0, 1
    for match in _pattern(kind).finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        groups = match.groupdict()
        name = next((groups[key] for key in _NAMES if groups.get(key)), "")
        begin = match.start() + len(match[0]) - len(match[0].lstrip("\n"))
        number = line + text.count("\n", match.start(), begin)
        row = text[begin:].split("\n", 1)[0]
        if path.endswith(".cs") and groups.get("what") in ("object", "val", "var", "fun"):
            continue  # words of Kotlin: here a type stands before the name of a property
        if name and name not in found:
            found[name] = CodeDefinition(
                name, number, row, _is_member(kind, groups, row), _is_callable(kind, groups, row)
            )
    return found


def _is_member(kind: str, groups: Mapping[str, str | None], row: str) -> bool:
    if (kind == "go" and re.match(r"func\s*\(", row)) or (kind == "swift" and row[:1] in " \t"):
        return True
    return any(groups.get(name) for name in ("indent", "method", "method_of"))


def _is_callable(kind: str, groups: Mapping[str, str | None], row: str) -> bool:
    if groups.get("constant"):
        return False
    word = (groups.get("what") or groups.get("plain") or "").partition("<")[0].strip()
    return (
        word in ("def", "function", "function*", "func", "fn", "fun")
        or (bool(groups.get("method")) and not _CONSTANT.search(row))
        or (kind == "java" and bool(groups.get("function") or groups.get("method_of")))
        or kind in ("c", "sh")
    )


_BASES = lazy_pattern(
    r"<\s*[:\w]|\bextends\b|\bimplements\b|\bfor\b|\binclude\b|\w\s*:\s*\w|\bclass\s+\w+\s*:\s*\w"
)
# `public const int X = 1`, `static final int X = 1`
_CONSTANT = lazy_pattern(r"\b(?:const|static|readonly)\b[^(=;]*[=;]")
_NAMES = (
    "name",
    "gname",
    "constant",
    "exported",
    "pname",
    "method",
    "defined",
    "function",
    "method_of",
)


def is_inherited(text: str, line: int) -> bool:
    """The class around the line has a base class or interface, which may define the name as
    well."""
    rows = text.split("\n")[: max(0, line - 1)]
    indent = len(text.split("\n")[line - 1]) - len(text.split("\n")[line - 1].lstrip())
    for row in reversed(rows):
        depth = len(row) - len(row.lstrip())
        if (
            row.strip()
            and depth < indent
            and re.search(
                r"\b(?:class|impl|struct|module|record|object|interface|trait|protocol|enum"
                r"|extension)\b",
                row,
            )
        ):
            if re.search(r"\(\s*\w[^)]*\)\s*:\s*$", row):
                return True  # of Python
            return _BASES.search(re.sub(r"\([^()]*\)", "", row)) is not None
    return False


def owners_of(path: str, text: str, each: CodeDefinition) -> tuple[str, ...]:
    """What a definition belongs to: the type or module around it, and the name of its file."""
    rows = text.split("\n")[: each.line]
    depth = len(rows[-1]) - len(rows[-1].lstrip())
    stem = path.rpartition("/")[2].partition(".")[0]
    around = ""
    for row in reversed(rows[:-1]):
        found = OWNER.match(row)
        if found and len(found["indent"]) < depth:
            around = found["name"]
            break
    return tuple(dict.fromkeys(name for name in (around, stem) if len(name) > 2))


OWNER = lazy_pattern(
    r"(?P<indent>\s*)(?:(?:pub|public|internal|open|static|final|abstract|sealed|data"
    r"|export|partial)"
    r"\s+)*(?:class|module|object|struct|enum|interface|trait|impl(?:<[^>]*>)?|protocol|extension"
    r"|record|namespace)\s+(?:[\w.:\\]*[.:\\])?(?P<name>[A-Za-z_]\w*)"
)


def package_of(text: str) -> str:
    """The package or namespace that a file says it belongs to; "" where it says none."""
    found = _PACKAGE.search(text)
    return found[1] if found else ""


_PACKAGE = lazy_pattern(r"(?m)^\s*(?:package|namespace)\s+([\w.\\]+)")


def names_in_import(text: str, package: str, owner: str, name: str) -> bool:
    """A file imports the name, or what it belongs to, from the package."""
    rows = [row for row in _IMPORTS.findall(text) if package in row]
    return any(has_word(row, owner) and (owner == name or has_word(row, name)) for row in rows)


_IMPORTS = lazy_pattern(
    r"(?m)^[ \t]*(?:pub\s+)?(?:import|use|using|from|require|include|open)\b[^\n]{0,400}"
)


def is_fallback(kind: str, text: str, each: CodeDefinition) -> bool:
    """It only stands in for what may be there without it: a macro under `#ifndef`, a type of Ruby
    that is opened without a body, whatever is defined under a condition that names it."""
    every = text.split("\n")
    if _is_under_its_name(every[: each.line], each.name):
        return True
    if kind == "c":
        return _is_where_undefined(every[: each.line], each.name)
    rows = every[max(0, each.line - 2) : each.line + 1]
    return (
        kind == "rb"
        and re.match(r"\s*(?:module|class)\b", each.text) is not None
        and any(row.strip() == "end" for row in rows[-1:])
    )


def _is_where_undefined(rows: Sequence[str], name: str) -> bool:
    """The last row is inside of `#ifndef name`."""
    for row in reversed(rows[-_NEAR:]):
        if re.match(rf"\s*#\s*ifn?def\s+{re.escape(name)}\b", row):
            return True
        if re.match(r"\s*#\s*endif\b", row):
            return False
    return False


_NEAR = 12  # lines


def _is_under_its_name(rows: Sequence[str], name: str) -> bool:
    """The last row is inside of a condition about the name: `if (!function_exists('name')) {`."""
    depth = len(rows[-1]) - len(rows[-1].lstrip())
    for row in reversed(rows[:-1]):
        if not depth:
            return False
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            depth = indent
            if re.match(r"\s*(?:if|unless)\b", row) and has_word(row, name):
                return True
    return False


def is_definition(path: str, text: str, name: str) -> bool:
    """The line defines, binds or imports under this name: whoever uses it may mean that."""
    if name in find_definitions(path, text):
        return True
    escaped = re.escape(name)
    patterns = (*_BINDINGS, _TYPED) if language_of(path) in ("java", "c", "dart") else _BINDINGS
    return any(re.search(each.replace("NAME", escaped), text) is not None for each in patterns)


# A method with its type before it, with or without a body
_TYPED = (
    r"^\s*(?!return\b|throw\b|new\b|else\b|case\b|await\b)(?:[\w<>\[\],.?@&]+\s+)+NAME\s*\([^;]*$"
)
_BINDINGS = (
    r"(?:^|[\s;{(])(?:def|class|function\*?|const|let|var|type|interface|enum|func|fn|fun|struct"
    r"|trait|module|val|mod|static|alias|macro_rules!|typedef|#\s*define|local|record|object"
    r"|protocol)"
    r"\s+(?:self\.|\([^)]*\)\s*)?NAME(?!\w)",
    r"^\s*(?:self\.|this\.|@)?NAME\s*(?::[^=]+)?(?::?=)(?!=)",
    # https://learn.microsoft.com/dotnet/csharp/programming-guide/classes-and-structs/properties
    r"\w\s+NAME\s*\{\s*(?:get|set|init)\b",
    # A condition that calls it looks like the head of a method, but for what stands before
    r"(?<![.:>])(?<!\bif )(?<!\bif \()(?<!\bwhile )(?<!\bmatch )(?<!\bswitch \()"
    r"(?<!!)\bNAME\s*(?::\s*(?:async\s*)?(?:function\b|\()|\([^)]*\)\s*(?:throws [\w, ]+)?\{\s*$)",
    r"\bas\s+NAME\b|attr_\w+.*:NAME\b|define_method.*NAME|alias_method.*NAME|\bfor\s+NAME\s+in\b"
    r"|[({,]\s*NAME\s*[,})].*=>|^\s*case\s+NAME\b",
)

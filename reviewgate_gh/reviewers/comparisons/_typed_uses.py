"""Uses that name what a definition belongs to: a variable of its type, a header that declares
it."""

import re
from collections.abc import Sequence
from functools import cache

from ...text.patterns import lazy_pattern
from ._definitions import CodeDefinition, is_definition, language_of, owners_of
from ._sources import ComparedFile, ComparisonInput, Place, has_word

# What stands between a name and its type in the languages, and how a value of the type is made
_DECLARED = (
    r"(?<![\w.])OWNER(?:<[^<>;(){}]*>)?[?!]?[ \t]+[*&]*[ \t]*\$?OBJECT\b(?!\s*\()",
    r"(?<![\w.])OBJECT[ \t]+(?:\[\])?\*?OWNER\b",
    r"(?<![\w.])\$?OBJECT\??\s*:\s*(?:&|mut\b|\s|'\w+\b)*OWNER\b(?![.:])",
    r"(?<![\w.])[@$]?OBJECT\s*(?::\s*[^=\n]{1,40})?:?=\s*(?:new\s+|await\s+|&|try[!?]?\s+)*"
    r"(?:\w+(?:\.|::|\\))*(?:New|new)?OWNER\s*(?:\(|\{|::new\b|::default\b|\.new\b|\.find\b"
    r"|\.create\b)",
)


def is_typed_use(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The line calls or reads the member on a variable whose file says that it is of the type that
    the member belongs to; in Ruby also on one that is called like it."""
    kind = language_of(file.path)
    owner = _type_around(file, each)
    if not owner or not (each.member or each.text[:1] in (" ", "\t")):
        return False
    if place.path != file.path and _is_of_new_object(place.text, owner, each.name):
        return True
    objects = re.findall(
        rf"(?<![\w.])[@$]?(?:(?:this|self)(?:\.|->))?(\w+)(?:\.|->|\?\.|!!\."
        rf"|&\.){re.escape(each.name)}"
        r"(?![\w!?])",
        place.text,
    )
    if not objects or place.path == file.path:
        return False
    if kind == "rb" and _snake(owner) in objects:
        return True
    text = sources.read_head([place.path]).get(place.path, "")
    if kind == "php" and _is_called_like(sources, text, place, owner, objects):
        return True
    return has_word(text, owner) and any(
        _is_of_type(text, name, owner) and not _is_another(text, place, name, owner)
        for name in objects
    )


def _is_called_like(
    sources: ComparisonInput, text: str, place: Place, owner: str, objects: Sequence[str]
) -> bool:
    """PHP: a variable with the name of the only type that is called so, as a template has it."""
    name = f"{owner[0].lower()}{owner[1:]}"
    if name not in objects or _is_another(text, place, name, owner):
        return False
    made = re.compile(rf"\b(?:class|interface|trait|enum)\s+{re.escape(owner)}\b")
    types = [each for each in sources.find_words({owner})[owner] if made.search(each.text)]
    return len(types) == 1


def _is_of_new_object(row: str, owner: str, name: str) -> bool:
    """The member of an object that the line itself makes: `(new Purse())->open()`."""
    made = rf"\bnew\s+(?:\w+[.\\]|\\)*{re.escape(owner)}\b(?:\([^()]*\))?\)?"
    return re.search(rf"{made}(?:->|\.|::){re.escape(name)}\b", row) is not None


def is_chained(name: str, row: str) -> bool:
    """The member is called on what another call returns."""
    return re.search(rf"(?:^\s*|[)\]])\.{re.escape(name)}\(", row) is not None


def is_added_elsewhere(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> bool:
    """The head gives the type the member in another way: by an extension, in another part of the
    class, as a component of a record."""
    owner, name = re.escape(_type_around(file, each)), re.escape(each.name)
    if not owner:
        return False
    extends = re.compile(
        rf"\bfun\s+(?:<[^>]*>\s*)?{owner}(?:<[^>]*>)?\??\.{name}\b"
        rf"|\b{name}\s*(?:<[^>]*>)?\(\s*this\s+{owner}\b|\brecord\s+{owner}\b[^{{]*\b{name}\b"
    )
    part = re.compile(
        rf"\b(?:extension|(?:partial\s+)?class|struct|enum|actor|module|trait|interface"
        rf"|impl(?:<[^>]*>)?"
        rf"(?:\s+[\w:<>]+\s+for)?)\s+{owner}\b"
    )
    defined = [place for place in places if is_definition(place.path, place.text, each.name)]
    texts = sources.read_head({place.path for place in defined if place.path != file.path})
    return any(extends.search(place.text) for place in places) or any(
        part.search(text) for text in texts.values()
    )


def _type_around(file: ComparedFile, each: CodeDefinition) -> str:
    """The type that the member belongs to, where its name begins with a capital letter."""
    if receiver := _RECEIVER.match(each.text):
        return receiver[1]
    owners = owners_of(file.path, file.base, each)
    return owners[0] if owners and owners[0].lstrip("_")[:1].isupper() else ""


# https://go.dev/ref/spec#Method_declarations
_RECEIVER = lazy_pattern(r"func\s*\(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\)")


def _is_of_type(text: str, name: str, owner: str) -> bool:
    """Every line that gives the variable a type gives it this one."""
    return name not in _NO_OBJECTS and any(
        pattern.search(text) is not None for pattern in _declares(name, owner)
    )


def _is_another(text: str, place: Place, name: str, owner: str) -> bool:
    """The nearest line above that says what the variable is says something else."""
    said = [each.replace("NAME", re.escape(name)) for each in _GIVES]
    if language_of(place.path) in _DYNAMIC:
        said.append(rf"(?<![\w.>])[@$]?{re.escape(name)}\s*=(?![=>])")
    for row in reversed(text.split("\n")[: place.number]):
        if has_word(row, name):
            if any(pattern.search(row) for pattern in _declares(name, owner)):
                return False
            if row.rstrip() != place.text.rstrip() and any(
                re.search(pattern, row) for pattern in said
            ):
                return True
    return False


# Whose variables have the type of what they were last set to
_DYNAMIC = ("py", "js", "rb", "php")
_GIVES = (
    r"(?<![\w.])[A-Z]\w*(?:<[^<>;(){}]*>)?[?!]?[ \t]+[*&]*\$?NAME\s*[=;,)]",
    r"\b(?:var|val|let|const|auto)\s+(?:mut\s+)?NAME\s*=(?!=)",
    r"(?<![\w.])NAME\s*(?:,\s*\w+\s*)?:=",
    r"[(,]\s*(?:mut\s+)?NAME\s*:\s*&?[A-Z]\w*",
)
_NO_OBJECTS = ("this", "self", "super", "cls")


@cache
def _declares(name: str, owner: str) -> tuple[re.Pattern[str], ...]:
    texts = (each.replace("OBJECT", re.escape(name)) for each in _DECLARED)
    return tuple(re.compile(each.replace("OWNER", re.escape(owner))) for each in texts)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", name).lower()


def includes_its_header(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """C: the place's file includes a header of the change that declared the name, or the file
    itself: nothing else at head has it."""
    headers = [
        other.name
        for other in sources.files
        if (other is file or other.removed)
        and other.name.rpartition(".")[2] in ("h", "hh", "hpp", "hxx")
        and has_word(other.base, each.name)
    ]
    text = sources.read_head([place.path]).get(place.path, "")
    return any(
        re.search(rf"(?m)^\s*#\s*include\s+[\"<][^\">]*{re.escape(name)}[\">]", text)
        for name in headers
    )

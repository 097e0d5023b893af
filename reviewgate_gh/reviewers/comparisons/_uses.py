"""Definitions that a change touches, and the lines of the head that use them: which of these mean
the definition for certain, and which only have its name."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from ...findings.source_text import SourceText
from ...text.patterns import lazy_pattern
from ..checks._paths import is_foreign
from ._conditional import is_conditional, is_of_platform
from ._crates import is_compiled, is_in_braces, is_of_root
from ._definitions import (
    CodeDefinition,
    find_definitions,
    is_definition,
    is_fallback,
    is_inherited,
    language_of,
    names_in_import,
    owners_of,
    package_of,
)
from ._guards import code_of
from ._imports import imports_from
from ._made_names import is_installed
from ._manifests import is_manifest, read_dependencies
from ._sources import ComparedFile, ComparisonInput, Place, has_word
from ._templates import with_templates
from ._typed_uses import includes_its_header, is_added_elsewhere, is_chained, is_typed_use

_SHORTEST = 4
_RESOLVED = ("py", "js", "go")  # where imports are followed
FOLLOWED = (*_RESOLVED, "ex")  # and where modules are named at each use
_HASHED = ("py", "rb", "sh", "ex")  # whose comments begin with `#`, and with nothing else
_INLINE = lazy_pattern(r"/\*.*?(?:\*/|$)")
_WHOLE = lazy_pattern(r"\s*(?:import|use)\s+[A-Z]")
_COMMON = frozenset((
    "main", "init", "run", "test", "setup", "start", "stop", "open", "close", "read", "write",
    "get", "set", "name", "value", "data", "type", "item", "list", "next", "send", "call", "load",
    "save", "update", "delete", "create", "index", "show", "edit", "new", "copy", "clear", "reset",
    "size", "length", "keys", "values", "items", "error", "info", "debug", "warn",
))  # fmt: skip


class TouchedFile(NamedTuple):
    """A file with its definitions at base and at head."""

    file: ComparedFile
    before: Mapping[str, CodeDefinition]
    after: Mapping[str, CodeDefinition]


def touched_files(sources: ComparisonInput) -> Iterator[TouchedFile]:
    """Files of the product's own code of which the change takes a definition's line away."""
    for file in sources.files:
        code = file.is_product and language_of(file.path) and not file.is_foreign
        if code and _touches_definition(file):
            before = find_definitions(file.path, file.base)
            named = {name: each for name, each in before.items() if _may_be_found(each)}
            yield TouchedFile(file, named, find_definitions(file.path, file.head))


def _touches_definition(file: ComparedFile) -> bool:
    return any(
        re.search(
            r"\b(?:def|class|function|const|func|fn|fun|type|interface|enum|struct|trait|var"
            r"|let|val|public|exports|define|module|void|int|static)\b|[A-Z]{3,}\s*=|\w\s*\(",
            line.text,
        )
        for line in file.removed
    )


def _may_be_found(each: CodeDefinition) -> bool:
    """Not a letter or two, and not called through what it overrides."""
    return len(each.name) > 2 and not re.search(r"\boverride\b", each.text)


def is_telling(file: ComparedFile, each: CodeDefinition) -> bool:
    """The word is rare enough to mean this very thing: where imports do not lead to it, it is made
    of several words."""
    name = each.name
    if language_of(file.path) in ("py", "js") and not each.member:
        return True
    if len(name) < _SHORTEST or name.lower() in _COMMON:
        return False
    if language_of(file.path) in (*FOLLOWED, "sh") and not each.member:
        return True
    return len(name) > 5 and ("_" in name.strip("_") or any(c.isupper() for c in name[1:]))


def is_new_line(sources: ComparisonInput, place: Place) -> bool:
    """The change itself writes this line: it knows what it does."""
    file = sources.change.file(place.path)
    return file is not None and (
        file.is_without_hunks or place.number in sources.added_numbers[file.path]
    )


def where(uses: Sequence[Place]) -> str:
    """The first place, and in how many more files there are others."""
    files = list(dict.fromkeys(use.path for use in uses))
    more = f" and {len(files) - 1} more file{'s' * (len(files) > 2)}" if len(files) > 1 else ""
    return f"{files[0]}:{uses[0].number}{more}"


def find_uses(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> list[Place]:
    """Lines of code of the same language at head that mean this definition."""
    kind = language_of(file.path)
    mine = _candidates(sources, file, each, places)
    if not mine or _may_be_inherited(kind, file, each) or is_fallback(kind, file.base, each):
        return []
    if (kind == "go" and each.member and _embeds_more(sources, file)) or is_of_platform(
        kind, file.base
    ):
        return []
    return [
        place
        for place in mine
        if (place.path != file.path or kind not in ("py", "js"))  # told by linters
        and not is_foreign(place.path)
        and not is_new_line(sources, place)
        and _is_use(place, each, kind)
        and (kind != "rs" or is_compiled(sources, place.path))
        and is_meant(sources, file, each, place, kind)
        and not is_spoken(sources, place, each.name)
    ]


def _embeds_more(sources: ComparisonInput, file: ComparedFile) -> bool:
    """The change embeds a type in one of the package, which brings its methods along.
    https://go.dev/ref/spec#Struct_types"""
    return any(
        _EMBEDDED.search(line.text)
        for other in sources.files
        if other.folder == file.folder and other.path.endswith(".go")
        for line in other.added
    )


_EMBEDDED = lazy_pattern(
    r"^\t+\*?(?:\w+\.)?[A-Z]\w*\s*(?:`[^`]*`)?\s*$|\bstruct\s*\{\s*\*?(?:\w+\.)?[A-Z]\w*\s*\}"
)


def _candidates(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> list[Place]:
    """Those of the places that may mean it, by its name and by what else has that name."""
    kind = language_of(file.path)
    mine = [place for place in places if is_of_language(sources, place, kind)]
    if kind == "c":
        # A statement is indented; what is not declares the name, or defines it
        bare = [place for place in mine if place.text[:1] not in (" ", "\t", "#")]
        if any(not place.text.rstrip().endswith(";") for place in bare):
            return []
        mine = [place for place in mine if place not in bare]
    if not is_telling(file, each) or any(
        is_definition(place.path, place.text, each.name) for place in mine
    ):
        mine = _certain(sources, file, each, mine)
    if kind == "go" and each.member and any(is_chained(each.name, place.text) for place in mine):
        # What another call returns has a method of that name, too
        mine = [place for place in mine if is_typed_use(sources, file, each, place)]
    return mine


def is_of_language(sources: ComparisonInput, place: Place, kind: str) -> bool:
    """By its suffix; a program without one says in its first line what runs it."""
    if "." in place.path.rpartition("/")[2] or kind not in _RUN_BY:
        return language_of(place.path) == kind
    text = sources.read_head([place.path]).get(place.path, "")
    return re.match(rf"#!.*\b(?:{_RUN_BY[kind]})", text) is not None


_RUN_BY = {"rb": "ruby", "py": "python", "sh": "(?:ba|da|k|z)?sh\\b", "js": "node", "php": "php"}


def _may_be_inherited(kind: str, file: ComparedFile, each: CodeDefinition) -> bool:
    """A class that the file's class extends may have it."""
    return (
        each.text[:1] in (" ", "\t")
        and is_inherited(file.base, each.line)
        and not (kind == "rb" and _IS_OWN.match(file.base) and "(" in each.text)
    )


# A model's base class knows its columns, which take no arguments
_IS_OWN = lazy_pattern(r"(?s).*?\bclass\s+[\w:]+\s*<\s*(?:ApplicationRecord|ActiveRecord::Base)\b")


def _certain(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> list[Place]:
    """Those that say what the name belongs to, where the name alone says too little."""
    kind = language_of(file.path)
    if kind in FOLLOWED or kind == "sh" or len(places) > _MOST_PLACES:
        return []
    if is_added_elsewhere(sources, file, each, places) or _has_namesake(
        sources, file, each, places
    ):
        return []
    own = () if each.member else places  # a member belongs to its type, wherever that stands
    others = [place for place in own if is_definition(place.path, place.text, each.name)]
    return [
        place
        for place in places
        if _leads(sources, file, each, place)
        and not any(
            _shared(other.path, place.path) > _shared(file.path, place.path) for other in others
        )
    ]


_MOST_PLACES = 400


def _shared(one: str, other: str) -> int:
    """How many folders two paths share: of two definitions with one name and one namespace, which
    two programs have, the nearer one is meant."""
    pairs = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])


def _has_namesake(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> bool:
    """Rust: the head has the name in another module of the same name, too: `shells::Bash`."""
    if not file.path.endswith(".rs"):
        return False
    owners = owners_of(file.path, file.base, each)
    return any(
        not set(re.split(r"[/.]", place.path)).isdisjoint(owners)
        for place in places
        if place.path != file.path
        and is_definition(place.path, place.text, each.name)
        and not is_new_line(sources, place)
    )


def _leads(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """By the type of a variable, the name of an owner, or an import of both."""
    if place.path == file.path:
        return False
    owners = owners_of(file.path, file.base, each)
    named = _names_owner(file, each, place)
    if not named and file.path.endswith(".rs") and not each.member:
        text = sources.read_head([place.path]).get(place.path, "")
        named = is_in_braces(text, each, place, owners) or is_of_root(sources, file, each, place)
    return named or is_typed_use(sources, file, each, place)


def _names_owner(file: ComparedFile, each: CodeDefinition, place: Place) -> bool:
    """What the definition belongs to stands before its name. Rust: what stands before a dot is a
    value, which may be called like a module."""
    sign = "::" if file.path.endswith(".rs") else r"(?:\.|::|->)"
    return any(
        re.search(rf"\b{re.escape(owner)}{sign}{re.escape(each.name)}\b", place.text)
        for owner in owners_of(file.path, file.base, each)
    )


def is_spoken(sources: ComparisonInput, place: Place, name: str = "") -> bool:
    """The line is part of a comment, or of a text of several lines; or the name, if there is one,
    is part of such a text."""
    kind = language_of(place.path)
    return _is_commented_out(sources, place, kind) or _is_text(sources, place, name)


def _is_text(sources: ComparisonInput, place: Place, name: str) -> bool:
    """A string of several lines goes on here, and has no code in it, or none with the name."""
    text = sources.read_head([place.path]).get(place.path, "")
    source = SourceText(place.path, text.encode("utf-8", "surrogateescape"))
    if not source.in_string(place.number):
        return False
    if name and language_of(place.path) == "js":
        return not has_word(embedded(f"`{place.text}`"), name)
    braces = "{" in place.text and language_of(place.path) == "py"
    return not (braces or _EMBEDS.search(place.text))


_EMBEDS = lazy_pattern(r"[$#]\{|\\\(")


def _is_commented_out(sources: ComparisonInput, place: Place, kind: str) -> bool:
    """A comment that began above goes on here."""
    if kind in _HASHED:
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    above = "\n".join(text.split("\n")[: place.number - 1])
    return above.rfind("/*") > above.rfind("*/")


def _is_use(place: Place, each: CodeDefinition, kind: str) -> bool:
    bare = code_of(place.text)
    if kind in ("py", "js", "go"):  # in a shell and in Ruby backticks run what is between them
        bare = _LONG_STRING.sub(lambda found: embedded(found[0]), bare)
    code = with_templates(place.path, bare if kind in _HASHED else _INLINE.sub(" ", bare))
    only_names = _ONLY_NAMES.get(place.path.rpartition(".")[2])
    if (only_names and only_names.match(code)) or not has_word(code, each.name):
        return False
    name = re.escape(each.name)
    if kind == "rb" and each.text.startswith((" ", "\t")) and not each.callable:
        return re.search(rf"\w::{name}\b", code) is not None
    if each.member:
        end = r"\b" if kind == "rb" or not each.callable else r"\s*\("
        return re.search(rf"(?:\.|->|::){name}{end}", code) is not None
    if each.callable and kind not in ("py", "js", "sh", "rb"):
        return (
            re.search(
                rf"{name}\s*(?:<[^>]*>|::<[^>]*>|!)?\s*\(|(?:::|\.)\s*{name}\b"
                rf"|import\b.*\b{name}\b|use\b.*\b{name}\b",
                code,
            )
            is not None
        )
    return True


# What may name a thing that is not there, or names more than it:
# https://learn.microsoft.com/dotnet/csharp/language-reference/keywords/using-directive,
# https://www.php.net/manual/en/language.namespaces.importing.php
_ONLY_NAMES = {
    "cs": lazy_pattern(r"\s*(?:global\s+)?(?:namespace|using)\s+[\w.]+\s*[;{]?\s*$"),
    "php": lazy_pattern(r"use\s[\w\\, {}]+;?\s*$"),
}
# It may go on in the lines below
_LONG_STRING = lazy_pattern(r"(\"\"\"|'''|`).*?(?:\1|$)")


def embedded(text: str) -> str:
    """A string of the same length of which only the code in braces is left: `${size(1)}`."""
    depth, signs = 0, list[str]()
    for sign in text:
        depth -= sign == "}" and depth > 0
        signs.append(sign if depth or sign in "{}" else "_")
        depth += sign == "{"
    signs[0], signs[-1] = text[0], text[-1]
    return "".join(signs)


def without_strings(code: str) -> str:
    """What is left of a line of code without the texts in it."""
    return re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", '""', code)


def is_meant(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place, kind: str
) -> bool:
    """What its file imports, or its place, leads to the definition."""
    if kind == "ex" and place.path != file.path:
        used = re.search(rf"\b([A-Z]\w*)\.{re.escape(each.name)}\b", place.text)
        modules = re.findall(r"^\s*defmodule\s+(?:\w+\.)*(\w+)", file.base, re.M)
        return used is not None and used[1] in modules
    if kind == "go":
        return _is_meant_in_go(sources, file, each, place)
    if kind == "sh":
        known = "_" in each.name or _reads_functions(sources, file, place)
        return known and _is_run(place.text, each.name)
    if _means_another(sources, file, each, place, kind):
        return False
    if place.path == file.path or kind not in _RESOLVED:
        return kind not in ("java",) or not each.member or each.name[:3] not in ("get", "set")
    text = sources.read_head([place.path]).get(place.path, "")
    return not each.member and imports_from(place, text, file.path, each.name, sources.list_head())


def _means_another(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place, kind: str
) -> bool:
    """A variable of C has the name, or the place's module of Swift does not import this one."""
    if kind == "swift" and _MODULE.search(file.path):
        return not _sees_module(sources, file, place)
    return kind == "c" and place.path != file.path and _is_variable(sources, place, each.name)


def _is_variable(sources: ComparisonInput, place: Place, name: str) -> bool:
    """The file of the place has a parameter or a variable of the name."""
    text = sources.read_head([place.path]).get(place.path, "")
    declared = rf"\b(?!return\b)[A-Za-z_]\w*>?(?:\s|[&*])[&*\s]*{re.escape(name)}\s*(?:[,)]|=(?!=))"
    return re.search(declared, text) is not None


def _is_run(text: str, name: str) -> bool:
    """The word stands where a shell begins a command."""
    before = r"(?:^|[;&|({`!]|\b(?:then|do|else|if|elif|while|until|time)\s)\s*"
    return re.search(rf"{before}{re.escape(name)}(?![\w=./-])", code_of(text)) is not None


def _reads_functions(sources: ComparisonInput, file: ComparedFile, place: Place) -> bool:
    """It is the same script, or one that reads its functions: `. "$(dirname "$0")/lib.sh"`."""
    text = sources.read_head([place.path]).get(place.path, "")
    read = rf"(?m)^\s*(?:\.|source)\s[^#\n]*(?<![\w.-]){re.escape(file.name)}\b"
    return place.path == file.path or re.search(read, text) is not None


def _is_meant_in_go(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    package = file.folder.rstrip("/").rpartition("/")[2]
    same = place.path.rpartition("/")[0] == file.folder.rstrip("/")
    # A field of a record may have the name: `Name: value`, `Name bool`
    end = r"\s*(?:[(,)]|$)" if each.callable else r"\b(?!\s*:)"
    field = re.match(rf"\s*{re.escape(each.name)}\s+(?:[\w(\[<]|\*\w)", place.text)
    bare = re.search(rf"(?<![\w.]){re.escape(each.name)}{end}", place.text) and not field
    qualified = re.search(rf"\b{re.escape(package)}\.{re.escape(each.name)}\b", place.text)
    if each.member:
        # What a call returns may be of any type
        called = re.search(rf"\b(\w+)\.{re.escape(each.name)}\(", place.text) if same else None
        text = sources.read_head([place.path]).get(place.path, "")
        return called is not None and called[1] not in _packages_in(text)
    if same or not package or qualified is None:
        return same and bool(bare)
    text = sources.read_head([place.path]).get(place.path, "")
    return _imports_folder(text, file.folder.rstrip("/"))


def _packages_in(text: str) -> set[str]:
    """The names under which a file of Go has other packages: `import flag2 "flag"`."""
    found = re.findall(r"^\s*(?:import\s+)?(?:([\w.]+)\s+)?\"([^\"\s]+)\"\s*(?://.*)?$", text, re.M)
    return {alias or path.rpartition("/")[2] for alias, path in found}


def _imports_folder(text: str, folder: str) -> bool:
    """A file of Go imports the package of a folder: others may have its last name."""
    paths = re.findall(r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"([^\"\s]+)\"\s*(?://.*)?$", text, re.M)
    return any(path == folder or path.endswith(f"/{folder}") for path in paths)


def is_resolved(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The use cannot well mean another thing: it is in the same file, its import was followed, or
    it names what the definition belongs to, or lies in the same package."""
    kind = language_of(file.path)
    if _brings_more(sources, file, place):
        return False
    if file.is_gone and (_comes_from_package(sources, kind) or is_installed(sources, file.path)):
        return False
    if is_conditional(file.path, file.base, each):
        return False
    if place.path == file.path:
        # What a module imports as a whole is not named: `import Shop.Checks`
        brings = kind == "ex" and any(_WHOLE.match(row) for row in file.head_rows)
        return not (each.member or brings)
    if kind in FOLLOWED:
        return True  # only such were taken for uses
    if kind == "sh":
        return _reads_functions(sources, file, place)
    return _is_named_with_owner(sources, file, each, place) or _is_seen(sources, file, each, place)


def _is_named_with_owner(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The place says what the definition belongs to, or an object's type does."""
    by_name = _names_owner(file, each, place)
    if not by_name and file.path.endswith(".rs"):
        by_name = is_of_root(sources, file, each, place)
    return by_name or is_typed_use(sources, file, each, place)


def _is_seen(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The place's file takes in the definition, or its module, package or header."""
    kind = language_of(file.path)
    if kind == "swift" and not each.member and _sees_module(sources, file, place):
        return True
    if kind == "c" and includes_its_header(sources, file, each, place):
        return True
    owners = owners_of(file.path, file.base, each)
    return not (each.member and each.callable) and _is_imported(
        sources, file, each, place.path, owners
    )


# https://docs.swift.org/swiftpm/documentation/packagemanagerdocs/addingdependencies
_MODULE = lazy_pattern(r"(?:^|/)Sources/(?P<name>\w+)/")


def _sees_module(sources: ComparisonInput, file: ComparedFile, place: Place) -> bool:
    """Swift: the file is of the same module, or imports it."""
    mine, other = _MODULE.search(file.path), _MODULE.search(place.path)
    if not mine or (other and other["name"] == mine["name"]):
        return mine is not None
    text = sources.read_head([place.path]).get(place.path, "")
    # With attributes, and of one thing alone: `@testable import Shop`, `import struct Shop.Purse`
    taken = rf"(?m)^[@\w() ]{{0,80}}\bimport\s+(?:\w+\s+)?{mine['name']}\b"
    return re.search(taken, text) is not None


def _is_imported(
    sources: ComparisonInput,
    file: ComparedFile,
    each: CodeDefinition,
    path: str,
    owners: Collection[str],
) -> bool:
    """The file of the use imports it, or sees the names of its package, as one of Kotlin does."""
    text = sources.read_head([path]).get(path, "")
    package = package_of(file.base)
    top = each.text[:1] not in (" ", "\t")
    if language_of(file.path) == "java" and top and package:
        by_name = rf"(?m)^import\s+{re.escape(package)}\.{re.escape(each.name)}\s*;?\s*$"
        if package_of(text) == package or re.search(by_name, text):
            return True
    return any(names_in_import(text, package, owner, each.name) for owner in owners)


def _brings_more(sources: ComparisonInput, file: ComparedFile, place: Place) -> bool:
    """The change makes the place's file, or that of the definition, take in something more, which
    may have the name as well; where imports are followed, it is known what."""
    return language_of(file.path) not in _RESOLVED and any(
        _TAKES_IN.match(line.text)
        for other in sources.files
        if other.path in (file.path, place.path)
        for line in other.added
    )


def _comes_from_package(sources: ComparisonInput, kind: str) -> bool:
    """The change asks for a package or a submodule that it did not have: the file may live on
    there, under the same names. Where imports lead to files, they do not lead to it."""
    if kind not in _RESOLVED and any(file.mode == _SUBMODULE for file in sources.change.files):
        return True
    return kind not in _RESOLVED and any(
        read_dependencies(other.name, other.head).keys()
        - read_dependencies(other.name, other.base).keys()
        for other in sources.files
        if is_manifest(other.name) and other.added
    )


_SUBMODULE = "160000"  # https://git-scm.com/docs/gitsubmodules
_TAKES_IN = lazy_pattern(
    r"\s*(?:#\s*include|(?:pub\s+)?(?:import|use|using|include|extend|require)\b)"
)

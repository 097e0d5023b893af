"""Functions, classes and constants that are gone or changed while the head still uses them."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ....findings.source_text import SourceText
from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._definitions import (
    CodeDefinition,
    arity,
    find_definitions,
    is_definition,
    is_fallback,
    is_inherited,
    language_of,
    names_in_import,
    names_of,
    owners_of,
    package_of,
    parameters,
    split_arguments,
)
from .._guards import code_of
from .._imports import imports_from
from .._remark import ComparisonRule, hint, put, taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word
from .._uses import is_new_line, where

EVERY_FILE = False
_GONE = ComparisonRule(
    "removed-name-used",
    Priority.P2,
    "The places named here still use it, and break when they run. Change them in the same change, "
    "or keep the old name for a while.",
)
_CHANGED = ComparisonRule(
    "changed-call",
    Priority.P2,
    "The places named here still call it as it was. Change them in the same change, or give the "
    "parameter a default.",
)
_UNSURE = "Something else may have the name, so this is worth a look, no more."
_MOST = 60  # names of a change: of more it is a rewrite
_SHORTEST = 4
_RESOLVED = ("py", "js", "go")  # where imports are followed
_FOLLOWED = (*_RESOLVED, "ex")  # and where modules are named at each use
_SHORTEST_HINT = 10  # where nothing but the name leads to the definition
_WHOLE = lazy_pattern(r"\s*(?:import|use)\s+[A-Z]")
_COMMON = frozenset((
    "main", "init", "run", "test", "setup", "start", "stop", "open", "close", "read", "write",
    "get", "set", "name", "value", "data", "type", "item", "list", "next", "send", "call", "load",
    "save", "update", "delete", "create", "index", "show", "edit", "new", "copy", "clear", "reset",
    "size", "length", "keys", "values", "items", "error", "info", "debug", "warn",
))  # fmt: skip


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file for names that are gone, and one a parameter list."""
    files = [file for file in sources.files if file.is_product and file.removed]
    code = [file for file in files if language_of(file.path) and not file.is_foreign]
    if code:
        yield from _names(sources, code)


class _Changed(NamedTuple):
    """A definition of a file at base, and at head where it is still there."""

    file: ComparedFile
    old: CodeDefinition
    new: CodeDefinition | None = None


def _names(sources: ComparisonInput, files: Sequence[ComparedFile]) -> Iterator[Finding]:
    gone, changed = _losses(files)
    if (not gone and not changed) or len(gone) > _MOST:
        return
    places = sources.find_words({each.old.name for each in [*gone, *changed[:_MOST]]})
    for file in files:
        # What is gone from the file may live on there under the same name
        used = [
            (each.old, uses)
            for each in gone
            if each.file is file
            and not _binds(file, each.old.name)
            and (uses := _uses(sources, file, each.old, places[each.old.name]))
        ]
        if used and (finding := _gone_finding(sources, file, used)):
            yield finding
    for each in changed[:_MOST]:
        yield from _calls(sources, each, places[each.old.name])


def _losses(files: Sequence[ComparedFile]) -> tuple[list[_Changed], list[_Changed]]:
    """The definitions that are gone, and those that take other parameters."""
    gone: list[_Changed] = []
    changed: list[_Changed] = []
    alive: set[str] = set()
    for file in filter(_touches_definition, files):
        before = find_definitions(file.path, file.base)
        after = find_definitions(file.path, file.head)
        alive |= after.keys()
        for name, old in before.items():
            if not _is_telling(file, old):
                continue
            if name not in after:
                gone += [] if _is_module_gone(file) else [_Changed(file, old)]
            elif old.callable and _takes_others(file, old, after[name]):
                changed.append(_Changed(file, old, after[name]))
    return [each for each in gone if each.old.name not in alive], changed


def _is_module_gone(file: ComparedFile) -> bool:
    """Whoever imports the module is told as using the file."""
    return file.is_gone and language_of(file.path) in ("py", "js")


def _gone_finding(
    sources: ComparisonInput, file: ComparedFile, used: list[tuple[CodeDefinition, list[Place]]]
) -> Finding | None:
    """At P2 where some use leads to the definition by its import or its owner's name."""
    certain = [
        (each, resolved)
        for each, places in used
        if _is_single(sources, file, each)
        and (resolved := [place for place in places if _is_resolved(sources, file, each, place)])
    ]
    rare = [pair for pair in used if len(pair[0].name) >= _SHORTEST_HINT]
    if not certain and not rare:
        return None
    rule, used = (_GONE, certain) if certain else (hint(_GONE, _UNSURE), rare)
    first, uses = used[0]
    others = ", ".join(each.name for each, _uses in used[1:4])
    more = f" (so {'is' if len(used) == 2 else 'are'} {others})" if others else ""
    title = f"{first.name} is removed, and is still used in {where(uses)}{more}"
    every = [use for _each, places in used for use in places]
    return with_places(taken(rule, file, Line(first.line, first.text), title), every)


def _is_single(sources: ComparisonInput, file: ComparedFile, each: CodeDefinition) -> bool:
    """Nothing else of the base that the change touches may have been meant by the name; what it
    does not touch was looked at with the head. Where imports are followed, only its own file
    counts."""
    mine = [file] if language_of(file.path) in _FOLLOWED else _kin(sources, file)
    found = [
        row
        for other in mine
        for row in other.base_rows
        if has_word(row, each.name) and is_definition(other.path, row, each.name)
    ]
    return len(found) <= 1


def _kin(sources: ComparisonInput, file: ComparedFile) -> list[ComparedFile]:
    kind = language_of(file.path)
    return [other for other in sources.files if language_of(other.path) == kind]


def _brings_more(sources: ComparisonInput, file: ComparedFile, place: Place) -> bool:
    """The change makes the place's file, or that of the definition, take in something more, which
    may have the name as well; where imports are followed, it is known what."""
    return language_of(file.path) not in _RESOLVED and any(
        _TAKES_IN.match(line.text)
        for other in sources.files
        if other.path in (file.path, place.path)
        for line in other.added
    )


_TAKES_IN = lazy_pattern(
    r"\s*(?:#\s*include|(?:pub\s+)?(?:import|use|using|include|extend|require)\b)"
)


def _touches_definition(file: ComparedFile) -> bool:
    return any(
        re.search(
            r"\b(?:def|class|function|const|func|fn|fun|type|interface|enum|struct|trait|var"
            r"|let|val|public|exports|define|module|void|int|static)\b|[A-Z]{3,}\s*=|\w\s*\(",
            line.text,
        )
        for line in file.removed
    )


def _is_telling(file: ComparedFile, each: CodeDefinition) -> bool:
    """The word is rare enough to mean this very thing: where imports do not lead to it, it is made
    of several words."""
    name = each.name
    if re.search(r"\boverride\b", each.text):
        return False  # called through what it overrides
    if len(name) < _SHORTEST or name.lower() in _COMMON:
        return False
    if language_of(file.path) in _RESOLVED and not each.member:
        return True
    return len(name) > 5 and ("_" in name.strip("_") or any(c.isupper() for c in name[1:]))


def _takes_others(file: ComparedFile, old: CodeDefinition, new: CodeDefinition) -> bool:
    """The parameters were read on both sides, and are not the same."""
    if not _touches(file, old, new):
        return False
    before, after = parameters(file.base, old), parameters(file.head, new)
    return before is not None and after is not None and before != after


def _touches(file: ComparedFile, old: CodeDefinition, new: CodeDefinition) -> bool:
    """The lines of its parameters are among those that changed."""
    return any(old.line <= line.number <= old.line + 12 for line in file.removed) or any(
        new.line <= line.number <= new.line + 12 for line in file.added
    )


def _uses(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> list[Place]:
    """Lines of code of the same language at head that mean this definition."""
    kind = language_of(file.path)
    mine = [place for place in places if language_of(place.path) == kind]
    if any(is_definition(place.path, place.text, each.name) for place in mine):
        return []
    if each.text[:1] in (" ", "\t") and is_inherited(file.base, each.line):
        return []
    if is_fallback(kind, file.base, each):
        return []
    return [
        place
        for place in mine
        if (place.path != file.path or kind not in ("py", "js"))  # told by linters
        and not is_new_line(sources, place)
        and _is_use(place, each, kind)
        and _is_meant(sources, file, each, place, kind)
        and not _is_commented_out(sources, place, kind)
        and not _is_text(sources, place)
    ]


def _is_text(sources: ComparisonInput, place: Place) -> bool:
    """A string of several lines goes on here, and has no code in it."""
    text = sources.read_head([place.path]).get(place.path, "")
    source = SourceText(place.path, text.encode("utf-8", "surrogateescape"))
    braces = "{" in place.text and language_of(place.path) == "py"
    return source.in_string(place.number) and not (braces or _EMBEDS.search(place.text))


_EMBEDS = lazy_pattern(r"[$#]\{|\\\(")


def _is_commented_out(sources: ComparisonInput, place: Place, kind: str) -> bool:
    """A comment that began above goes on here."""
    if kind in ("py", "rb", "sh", "ex"):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    above = "\n".join(text.split("\n")[: place.number - 1])
    return above.rfind("/*") > above.rfind("*/")


def _is_use(place: Place, each: CodeDefinition, kind: str) -> bool:
    code = _without_strings(code_of(place.text))
    if not has_word(code, each.name):
        return False
    name = re.escape(each.name)
    if kind == "rb" and each.text.startswith((" ", "\t")) and not each.callable:
        return re.search(rf"\w::{name}\b", code) is not None
    if each.member:
        end = r"\b" if kind == "rb" else r"\s*\("
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


def _without_strings(code: str) -> str:
    return re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", '""', code)


def _is_meant(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place, kind: str
) -> bool:
    """What its file imports, or its place, leads to the definition."""
    if kind == "ex" and place.path != file.path:
        used = re.search(rf"\b([A-Z]\w*)\.{re.escape(each.name)}\b", place.text)
        modules = re.findall(r"^\s*defmodule\s+(?:\w+\.)*(\w+)", file.base, re.M)
        return used is not None and used[1] in modules
    if kind == "go":
        return _is_meant_in_go(sources, file, each, place)
    if place.path == file.path or kind not in _RESOLVED:
        return kind not in ("java",) or not each.member or each.name[:3] not in ("get", "set")
    text = sources.read_head([place.path]).get(place.path, "")
    return not each.member and imports_from(kind, place, text, file.path, each.name)


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
        return same and re.search(rf"\.{re.escape(each.name)}\(", place.text) is not None
    if same or not package or qualified is None:
        return same and bool(bare)
    text = sources.read_head([place.path]).get(place.path, "")
    return _imports_folder(text, file.folder.rstrip("/"))


def _imports_folder(text: str, folder: str) -> bool:
    """A file of Go imports the package of a folder: others may have its last name."""
    paths = re.findall(r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"([^\"\s]+)\"\s*(?://.*)?$", text, re.M)
    return any(path == folder or path.endswith(f"/{folder}") for path in paths)


def _is_resolved(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The use cannot well mean another thing: it is in the same file, its import was followed, or
    it names what the definition belongs to, or lies in the same package."""
    kind = language_of(file.path)
    if _brings_more(sources, file, place):
        return False
    if place.path == file.path:
        # What a module imports as a whole is not named: `import Shop.Checks`
        brings = kind == "ex" and any(_WHOLE.match(row) for row in file.head_rows)
        return not (each.member or brings)
    if kind in _FOLLOWED:
        return True  # only such were taken for uses
    owners = owners_of(file.path, file.base, each)
    if any(
        re.search(rf"\b{re.escape(o)}(?:\.|::|->){re.escape(each.name)}\b", place.text)
        for o in owners
    ):
        return True
    if each.member and each.callable:
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    package = package_of(file.base)
    return any(names_in_import(text, package, owner, each.name) for owner in owners)


def _binds(file: ComparedFile, name: str) -> bool:
    """The head of the file gives the name another meaning: an import, an assignment, a table."""
    return any(
        has_word(row, name)
        and (
            is_definition(file.path, row, name)
            or re.search(r"\b(?:import|require|use|export|from|include)\b", row)
            or (file.path.endswith(".go") and _GROUPED_TYPE.match(row))
        )
        for row in file.head_rows
    )


# One of `type ( ... )`: https://go.dev/ref/spec#Type_declarations
_GROUPED_TYPE = lazy_pattern(r"\t[A-Z]\w*\s+(?:=\s|func\(|struct\b|interface\b|map\[|chan\b|\[|\*)")


def _calls(
    sources: ComparisonInput, changed: _Changed, places: Sequence[Place]
) -> Iterator[Finding]:
    """Calls at head that fit the parameters of the base and not those of the head."""
    file, each = changed.file, changed.new or changed.old
    kind = language_of(file.path)
    if each.member and kind in ("java", "js", "py"):
        return
    old, new = parameters(file.base, changed.old), parameters(file.head, each)
    if old is None or new is None or old == new:
        return
    mine = [place for place in places if language_of(place.path) == kind]
    defined = [place for place in mine if is_definition(place.path, place.text, each.name)]
    if len({(place.path, place.number) for place in defined}) > 1:
        return
    broken = [
        place
        for place in mine
        if place not in defined
        and not is_new_line(sources, place)
        and _no_longer_fits(kind, each.name, place, old, new)
        and _is_meant(sources, file, each, place, kind)
    ]
    if broken:
        certain = [place for place in broken if _is_certain_call(sources, file, each, place)]
        rule, broken = (_CHANGED, certain) if certain else (hint(_CHANGED, _UNSURE), broken)
        title = f"{each.name} takes other arguments, and is called as before in {where(broken)}"
        was = f"`({', '.join(old)[:100]})`"
        finding = put(rule, file, Line(each.line, each.text), title, was)
        yield with_places(finding, broken)


def _is_certain_call(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """It is the definition that is called, and the language refuses such a call."""
    if place.path.endswith((".js", ".mjs", ".cjs", ".jsx")):
        return False  # what is too much is dropped
    return _is_resolved(sources, file, each, place)


def _no_longer_fits(
    kind: str, name: str, place: Place, old: tuple[str, ...], new: tuple[str, ...]
) -> bool:
    found = re.search(rf"(?<![\w]){re.escape(name)}\s*\(", code_of(place.text))
    given = split_arguments(place.text, found.end()) if found else None
    if given is None or any(each.startswith(("*", "...", "&")) for each in given):
        return False
    named = [m[1] for each in given if (m := re.match(r"(\w+)\s*(?:=(?!=)|:(?!:))", each))]
    before, after = names_of(kind, old), names_of(kind, new)
    takes_any = kind not in ("py", "rb", "java", "swift") or any(r.startswith("**") for r in new)
    if not takes_any and {*named} & {*before} - {*after}:
        return True
    was, now = arity(kind, old), arity(kind, new)
    if was is None or now is None:
        return False
    if kind in ("py", "rb") and named:
        missing = set(after[: now[0]]) - set(before) - set(named)
        return bool(missing) and was[0] <= len(given) < now[0]
    most_fit = len(given) <= now[1]
    fits_now = most_fit if kind == "js" else most_fit and now[0] <= len(given)
    return was[0] <= len(given) <= was[1] and not fits_now

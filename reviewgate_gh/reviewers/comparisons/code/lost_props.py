"""Props that a component of Vue no longer declares while a template still passes them.

https://vuejs.org/guide/components/props.html, https://vuejs.org/api/sfc-script-setup.html
"""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._imports import imports_from
from .._remark import ComparisonRule, taken, with_places
from .._sources import ComparedFile, ComparisonInput, Place, has_word
from .._uses import is_new_line, where

EVERY_FILE = False
_PROP = ComparisonRule(
    "changed-call",
    Priority.P2,
    "The component ignores it. Update these places in the same change, or keep the prop.",
)
_LARGEST = 200_000  # characters
_MOST = 100  # places that name the component, and elements of a file
_SCRIPT = lazy_pattern(r"<script\b[^>]{0,300}>")
_DECLARES = lazy_pattern(
    r"\bdefineProps\s*(?:\(\s*(?=[\[{])|<\s*(?=\{)|<\s*(?P<type>\w+)\s*>)"
    r"|(?<![.\w])props\s{0,9}:\s{0,9}(?=[\[{])"
)
_KEY = lazy_pattern(r"\s*(?:readonly\s+)?(?P<q>[\"']?)(?P<name>[\w-]+)(?P=q)\??\s*(?::|\(|$)")
_MODEL = lazy_pattern(r"\bdefineModel\s*(?:<[^>]*>)?\(\s*[\"'](?P<name>\w+)")
# What is not declared goes to the element of the component, or to the component in its place:
# https://vuejs.org/guide/components/attrs.html
_HANDS_ON = lazy_pattern(r"\$attrs\b|\buseAttrs\b|\battrs\b|\bmixins\b|\bextends\b|\$props\b")
_ROOT = lazy_pattern(r"<template\b[^>]{0,200}>\s*<(?P<tag>[\w-]+)")
_OF_HTML = """
    accept action align alt autocomplete autofocus checked class cols color colspan content controls
    dir disabled download draggable enctype for form height hidden href icon id label lang list loop
    max maxlength method min minlength multiple muted name open pattern placeholder readonly rel
    required role rows rowspan selected size slot span src srcset start step style summary tabindex
    target title type value width wrap key ref is
"""
_OF_FRAMEWORK = lazy_pattern(r"on[A-Z]|modelValue$")
_IMPORT = lazy_pattern(r"\bimport\s+(?P<name>[A-Z]\w*)\s+from\s+[\"'][^\"'\n]+[\"']")
_TO_END = lazy_pattern(r"(?:[^>\"']|\"[^\"]*\"|'[^']*')*>")
_TEXT = lazy_pattern(r"\"[^\"\n]*\"|'[^'\n]*'")
_VALUE = lazy_pattern(r"\"[^\"]*\"|'[^']*'")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a component."""
    for file in sources.files:
        edited = file.path.endswith(".vue") and file.is_edited_product and file.removed
        if edited and not _hands_on(file.head):
            before, after = props_of(file.base), props_of(file.head)
            lost = before - after if before and after is not None else frozenset[str]()
            if lost := frozenset(name for name in lost if not _is_attribute(name)):
                yield from _still_passed(sources, file, lost)


def _hands_on(text: str) -> bool:
    """What it does not declare may reach something that does."""
    root = _ROOT.search(text)
    within = root is None or root["tag"] != root["tag"].lower() or "-" in root["tag"]
    tag = root["tag"] if root else ""
    return within or tag in ("component", "slot", "template") or _HANDS_ON.search(text) is not None


def _is_attribute(name: str) -> bool:
    return has_word(_OF_HTML, name.lower()) or _OF_FRAMEWORK.match(name) is not None


def props_of(text: str) -> frozenset[str] | None:
    """The names, of which each word begins with a capital letter but the first; None where the
    text does not say them all."""
    script = "\n".join(
        text[found.end() : text.find("</script>", found.end())] for found in _SCRIPT.finditer(text)
    )
    declared = [*_DECLARES.finditer(script)] if len(text) <= _LARGEST else []
    if len(declared) != 1:
        return None if declared or re.search(r"[pP]rops\b", script) else frozenset()
    begins = declared[0].end()
    if kind := declared[0]["type"]:
        named = re.search(rf"\b(?:interface\s+{kind}\s*|type\s+{kind}\s*=\s*)(?=\{{)", script)
        if named is None:
            return None
        begins = named.end()
    entries, rest = _entries(script, begins)
    if re.match(r"\s*[&|\[]", rest) or any(each.startswith(("...", "[")) for each in entries):
        return None
    is_list = script[begins] == "["
    keys = (each.strip("\"'") if is_list else _name_of(each) for each in entries)
    models = (found["name"] for found in _MODEL.finditer(script))
    return frozenset(_camel(key) for key in (*keys, *models) if key)


def _name_of(entry: str) -> str:
    found = _KEY.match(entry)
    return found["name"] if found else ""


def _camel(name: str) -> str:
    return re.sub(r"-(\w)", lambda found: found[1].upper(), name)


def _entries(script: str, begins: int) -> tuple[list[str], str]:
    """What stands between the bracket and its end, by commas and ends of lines, and the rest."""
    entries, depth, at = list[str](), 0, begins + 1
    bare = _TEXT.sub(lambda text: "_" * len(text[0]), script)
    for number in range(begins, len(bare)):
        sign = bare[number]
        depth += (sign in "{[(") - (sign in "}])")
        if depth == 0 or (depth == 1 and sign in ",;\n"):
            entries.append(script[at:number].strip())
            at = number + 1
        if depth == 0:
            break
    return [each for each in entries if each], script[at : at + 20]


def _still_passed(
    sources: ComparisonInput, file: ComparedFile, lost: frozenset[str]
) -> Iterator[Finding]:
    stem = file.name.removesuffix(".vue")
    users = {place.path for place in sources.find_words([stem])[stem]} - {file.path}
    users = {path for path in users if path.endswith(".vue")}
    passed = [
        (name, place)
        for path, text in sources.read_head(sorted(users)[:_MOST]).items()
        for called in _names_for(file, path, text)
        for name, place in _passed(path, text, called, lost)
        if not is_new_line(sources, place)
    ]
    for line in file.removed:
        name = next((name for name, _place in passed if _says(line.text, name)), "")
        if name:
            uses = [place for other, place in passed if other == name]
            title = f"{stem} no longer has the prop {name}, which is still passed in {where(uses)}"
            yield with_places(taken(_PROP, file, line, title), uses)
            return


def _says(text: str, name: str) -> bool:
    return has_word(text, name) or _kebab(name) in text


def _names_for(file: ComparedFile, path: str, text: str) -> Iterator[str]:
    """What the component is called in another one, which imports it."""
    for found in _IMPORT.finditer(text):
        if imports_from(Place(path, 1, found[0]), found[0], file.path, ""):
            yield found["name"]


def _passed(path: str, text: str, called: str, lost: frozenset[str]) -> Iterator[tuple[str, Place]]:
    """The lost props that its elements have in this template."""
    rows = text.split("\n")
    tags = re.compile(rf"<(?:{called}|{_kebab(called)})(?=[\s/>])")
    names = {form: name for name in lost for form in (name, _kebab(name))}
    named = "|".join(sorted(names))
    attributes = re.compile(rf"\s(?:v-bind)?(?::|v-model:)?(?P<name>{named})(?=[\s=/>.]|$)")
    for tag in [*tags.finditer(text)][:_MOST]:
        end = _TO_END.match(text, tag.end())
        if end is None or text.rfind("<!--", 0, tag.start()) > text.rfind("-->", 0, tag.start()):
            continue
        bare = _VALUE.sub(lambda value: '"' + re.sub(r"[^\n]", "_", value[0][1:-1]) + '"', end[0])
        for found in attributes.finditer(bare):
            number = text.count("\n", 0, tag.end() + found.start("name")) + 1
            yield names[found["name"]], Place(path, number, rows[number - 1])


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])", "-", name).lower()

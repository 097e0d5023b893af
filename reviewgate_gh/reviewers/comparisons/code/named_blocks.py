"""Names that descriptions of infrastructure define for one another, and that are gone while still
used: variables, outputs and resources of Terraform, templates of Helm."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Place
from .._uses import is_new_line, where
from .removed_names import GONE

EVERY_FILE = False
_TERRAFORM = lazy_pattern(
    r"^(?P<what>variable|output|resource|data|module"
    r"|locals)\s+\"(?P<first>[\w-]+)\"(?:\s+\"(?P<second>[\w-]+)\")?"
)
_TEMPLATE = lazy_pattern(r"\{\{-?\s*define\s+\"(?P<name>[^\"]+)\"")
_MOST = 20  # names


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    for file in sources.files:
        if not file.removed or file.is_test:
            continue
        if file.path.endswith(".tf"):
            yield from islice(_blocks(sources, file), 1)
        elif file.path.endswith((".tpl", ".yaml", ".yml")) and file.mentions(b"define"):
            yield from islice(_templates(sources, file), 1)


def _blocks(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    names = [(line, found) for line in file.removed if (found := _TERRAFORM.match(line.text))]
    for line, found in names[:_MOST]:
        last = found["second"] or found["first"]
        if _is_defined(sources, file, found):
            continue
        places = [
            place
            for place in sources.find_words({last})[last]
            if place.path.endswith(".tf") and not is_new_line(sources, place)
        ]
        uses = [place for place in places if _uses(file, found, place)]
        if uses:
            title = f"{found['what']} {last} is removed, and is still used in {where(uses)}"
            yield with_places(taken(GONE, file, line, title), uses)


def _is_defined(sources: ComparisonInput, file: ComparedFile, found: re.Match[str]) -> bool:
    """Another file of the folder has it, or this one again."""
    names = {found["second"] or found["first"]}
    places = sources.find_words(names)[names.pop()]
    head = " ".join(found[0].split())
    return any(
        place.path.rpartition("/")[0] == file.folder.rstrip("/")
        and " ".join(place.text.split()).startswith(head)
        for place in places
    )


def _uses(file: ComparedFile, found: re.Match[str], place: Place) -> bool:
    """https://developer.hashicorp.com/terraform/language/expressions/references"""
    same = place.path.rpartition("/")[0] == file.folder.rstrip("/")
    name = re.escape(found["second"] or found["first"])
    match found["what"]:
        case "variable":
            return same and re.search(rf"\bvar\.{name}\b", place.text) is not None
        case "output":
            # The module of this very folder alone can be meant where the name is a rare one
            rare = found["first"].count("_") > 1
            return (
                rare
                and re.search(rf"\bmodule\.\w+(?:\[[^\]]*\])?\.{name}\b", place.text) is not None
            )
        case "module":
            return same and re.search(rf"\bmodule\.{name}\b", place.text) is not None
        case "resource" | "data":
            before = "data\\." if found["what"] == "data" else r"(?<!data\.)"
            owner = re.escape(found["first"])
            return same and re.search(rf"{before}\b{owner}\.{name}\b", place.text) is not None
    return False


def _templates(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    gone = [
        (line, found["name"]) for line in file.removed if (found := _TEMPLATE.search(line.text))
    ]
    for line, name in gone[:_MOST]:
        word = max(re.findall(r"\w+", name), key=len)
        places: Sequence[Place] = sources.find_words({word})[word]
        quoted_name = f'"{name}"'
        if any(_TEMPLATE.search(p.text) and quoted_name in p.text for p in places):
            continue
        uses = [
            place
            for place in places
            if quoted_name in place.text and not is_new_line(sources, place)
        ]
        if uses:
            title = f"{name} is removed, and is still used in {where(uses)}"
            yield with_places(taken(GONE, file, line, title), uses)

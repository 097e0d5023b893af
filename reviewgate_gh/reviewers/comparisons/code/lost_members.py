"""Fields, values of enumerations and methods that a type no longer has, while code that has the
type still names them."""

import re
from collections.abc import Iterator
from itertools import islice

from ....model.finding import Finding
from ....text.patterns import lazy_pattern
from .._definitions import CodeDefinition, find_definitions, language_of
from .._guards import code_of
from .._imports import imports_from
from .._made_names import is_made_otherwise
from .._members import Member, members
from .._remark import taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, is_foreign
from .._uses import is_new_line, is_spoken, where, without_strings
from . import changed_calls, lost_keywords, removed_fields, removed_names
from ._told import without_told
from .removed_names import GONE

EVERY_FILE = False
_MOST = 30  # members of a change: of more it is a rewrite
_MOST_PLACES = 200
_ROWS_ABOVE = 12  # of a literal that goes over several lines
# Of these `removed_names` tells what it finds as a definition
_TOLD_OF = ("java", "rb", "rs", "php", "swift", "c")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    others = (
        each.compare for each in (removed_names, removed_fields, changed_calls, lost_keywords)
    )
    yield from without_told(sources, _findings(sources), *others)


def _findings(sources: ComparisonInput) -> Iterator[Finding]:
    every = (each for file in sources.files if _is_read(file) for each in _lost(file))
    lost = [*islice(every, _MOST + 1)]
    if not lost or len(lost) > _MOST:
        return
    sources.find_words({each.name for _file, each in lost})
    told = set[str]()
    for file, each in lost:
        if file.path in told:
            continue
        uses = _uses(sources, file, each)
        if not uses:
            continue
        told.add(file.path)
        title = f"{each.name} of {each.owner} is removed, and is still used in {where(uses)}"
        yield with_places(taken(GONE, file, Line(each.line, each.text), title), uses)


def _is_read(file: ComparedFile) -> bool:
    return file.is_edited_product and bool(language_of(file.path)) and not file.is_foreign


def _lost(file: ComparedFile) -> Iterator[tuple[ComparedFile, Member]]:
    """Those that the head's type does not have, whatever else has the name there."""
    gone = {line.number for line in file.removed if not _STATEMENT.match(line.text)}
    if not gone or any(_TAKES_IN.match(line.text) for line in file.added):
        return  # before the texts are read
    before, after = members(file.path, file.base), members(file.path, file.head)
    owners = {owner for owner, _name in after}
    known = find_definitions(file.path, file.base) if before.keys() - after.keys() else {}
    for key, each in before.items():
        if key in after or each.owner not in owners or each.line not in gone:
            continue
        if each.name in known and language_of(file.path) in _TOLD_OF:
            continue
        if has_word("\n".join(line.text for line in file.added), each.name):
            continue
        if each.is_inline or not is_made_otherwise(file, _as_definition(each)):
            yield file, each


# A type takes in what another one has: its base, a mixin, what it embeds or spreads
_TAKES_IN = lazy_pattern(
    r"\s*\.\.\.[\w$]|\s+(?:include|extend|prepend|use|mixin|with)\s+[A-Z]"
    r"|\t+\*?(?:\w+\.)?[A-Z]\w*\s*(?:`[^`]*`)?$|\s*class\s+\w+\(.*\w.*\)\s*:\s*$"
    r"|.*\b(?:class|struct|interface|trait|object|enum|record|protocol)\b.*?\b"
    r"(?:extends|implements|with)\s"
    r"|.*\b(?:class|struct|interface|record|enum)\s[^:()]*(?:\([^()]*\)\s*)?:\s*[A-Z]"
)
_STATEMENT = lazy_pattern(
    r"\s*(?:$|[#})\]]|//|\*|(?:return|if|else|elif|for|while|raise|throw|import|from|assert|del"
    r"|pass"
    r"|break|continue|switch|try|catch|except|finally|await|yield)\b)"
)


def _as_definition(each: Member) -> CodeDefinition:
    return CodeDefinition(each.name, each.line, each.text, True, False)


def _uses(sources: ComparisonInput, file: ComparedFile, each: Member) -> list[Place]:
    """Lines that name the member of this type."""
    kind = language_of(file.path)
    places = [
        place
        for place in sources.find_words({each.name})[each.name]
        if language_of(place.path) == kind
    ]
    if len(places) > _MOST_PLACES:
        return []
    if each.extends and not each.is_value and any(_declares(place, each) for place in places):
        return []
    if kind == "go" and any(_is_in_package(place, each) for place in places):
        return []
    if kind not in ("py", "js", "go") and not _is_single(sources, file, each):
        return []
    return [
        place
        for place in places
        if place.path != file.path
        and not is_foreign(place.path)
        and not is_new_line(sources, place)
        and has_word(without_strings(code_of(place.text)), each.name)
        and _means(sources, file, each, place)
        and not is_spoken(sources, place)
    ]


def _declares(place: Place, each: Member) -> bool:
    """Another type has it, which this one may take it from."""
    name = re.escape(each.name)
    return (
        re.search(
            rf"\b(?:def|fun|func|fn|val|var|let|case)\s+{name}\b|^\s+{name}\s*[:=]"
            rf"|^\s*(?:[\w<>\[\]?]+\s+)+{name}\s*[({{;=]",
            place.text,
        )
        is not None
    )


def _is_in_package(place: Place, each: Member) -> bool:
    """Go: any file of the package may have it."""
    if each.is_value:
        name = rf"(?:(?:const|var)\s+|\t){re.escape(each.name)}\b\s*(?:[\w.]+\s*)?(?:=|$)"
        return re.match(name, place.text) is not None
    receiver = rf"\(\s*(?:\w+\s+)?\*?{re.escape(each.owner)}(?:\[[^\]]*\])?\s*\)"
    return re.match(rf"func\s*{receiver}\s*{re.escape(each.name)}\(", place.text) is not None


def _is_single(sources: ComparisonInput, file: ComparedFile, each: Member) -> bool:
    """No other file of the head has a type of the name."""
    made = re.compile(
        rf"\b(?:class|struct|enum|interface|trait|record|object|protocol|union|extension|mixin)\s+"
        rf"{re.escape(each.owner)}\b(?!\s*(?:;|\*|&|\w))"
    )
    return not any(
        made.search(place.text) and place.path != file.path
        for place in sources.find_words({each.owner})[each.owner]
        if language_of(place.path) == language_of(file.path)
    )


def _means(sources: ComparisonInput, file: ComparedFile, each: Member, place: Place) -> bool:
    """The line names the member with its type, and the file has this very type."""
    kind = language_of(file.path)
    text = sources.read_head([place.path]).get(place.path, "")
    if kind == "c" and each.is_value and _PLAIN_ENUM.match(each.head):
        return (
            re.search(rf"(?m)^\s*#\s*include\s+[\"<][^\">]*{re.escape(file.name)}[\">]", text)
            is not None
        )
    named = _is_named(place.text, each)
    if not has_word(text, each.owner) or not (
        named or (not each.is_value and _is_in_literal(text, each, place))
    ):
        return False
    if kind == "go":
        return _sees(text, file, place, each)
    if kind not in ("py", "js"):
        return True
    paths = sources.list_head()
    return imports_from(place, text, file.path, each.owner, paths) or (
        named and imports_from(place, text, file.path, "", paths)
    )


# Its values are known without its name
_PLAIN_ENUM = lazy_pattern(r"\s*(?:typedef\s+)?enum\s+(?!class|struct)\w")


def _sees(text: str, file: ComparedFile, place: Place, each: Member) -> bool:
    """Go: the file is of the package, or imports its folder."""
    folder = file.folder.rstrip("/")
    if place.path.rpartition("/")[0] == folder:
        # Of a method `removed_names` tells, and of a value the package's own files do not name it
        return not (each.is_value or each.text.startswith("func"))
    paths = re.findall(r"\"([^\"\s]+)\"\s*(?://.*)?$", text, re.M)
    return any(path == folder or path.endswith(f"/{folder}") for path in paths)


def _is_named(row: str, each: Member) -> bool:
    """The name of the type stands before it."""
    said = rf"(?<![\w$]){re.escape(each.owner)}(?:\.|::|->|\?\.){re.escape(each.name)}(?![\w$])"
    return re.search(said, code_of(row)) is not None


def _is_in_literal(text: str, each: Member, place: Place) -> bool:
    """It is given to a new value of the type, in this line or in one that goes on here."""
    name = rf"(?<![\w.$@]){re.escape(each.name)}\s*(?:=(?![=>])|:(?!:))"
    if not (found := re.search(name, place.text)):
        return False
    rows = text.split("\n")[max(0, place.number - _ROWS_ABOVE) : place.number - 1]
    before = "\n".join([*rows, place.text[: found.start()]])
    opened = [
        *re.finditer(rf"(?<![\w]){re.escape(each.owner)}(?:<[^<>]*>)?\s*(?P<sign>[({{])", before)
    ]
    if not opened or re.search(
        r"\b(?:class|struct|record|type|def|impl)\s+$", before[: opened[-1].start()]
    ):
        return False
    inside = before[opened[-1].start("sign") :]
    closes = {"(": ")", "{": "}"}[opened[-1]["sign"]]
    return _depth(inside, opened[-1]["sign"], closes) == 1 and (
        _depth(inside, "(", ")") + _depth(inside, "{", "}") + _depth(inside, "[", "]") == 1
    )


def _depth(text: str, opens: str, closes: str) -> int:
    bare = _TEXTS.sub('""', text)
    return bare.count(opens) - bare.count(closes)


_TEXTS = lazy_pattern(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")

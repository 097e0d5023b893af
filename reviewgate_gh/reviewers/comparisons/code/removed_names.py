"""Functions, classes and constants that are gone while the head still uses them."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._crates import is_outside, root_of_crate
from .._definitions import (
    OWNER,
    CodeDefinition,
    find_definitions,
    is_definition,
    language_of,
    owners_of,
    package_of,
)
from .._made_names import is_built, is_made_otherwise, may_be_built
from .._remark import ComparisonRule, taken, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place, has_word, squeeze
from .._typed_uses import is_typed_use
from .._uses import (
    FOLLOWED,
    TouchedFile,
    find_uses,
    is_resolved,
    touched_files,
    where,
)

EVERY_FILE = False
GONE = ComparisonRule(
    "removed-name-used",
    Priority.P2,
    "The places named here still use it, and break unless something else defines it. Update them "
    "in the same change, or keep the old name for a while.",
)
_MOST = 60  # names of a change: of more it is a rewrite


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a file."""
    touched = [*touched_files(sources)]
    alive = _alive(sources, touched)
    gone = [
        (each.file, old)
        for each in touched
        if not (_is_module_gone(each.file) or is_built(sources, each.file))
        for name, old in each.before.items()
        if alive.isdisjoint(_spelt(each.file, [name])) or _hides(each.file, old)
    ]
    if not gone or len(gone) > _MOST:
        return
    places = sources.find_words({each.name for _file, each in gone})
    for file, *_sides in touched:
        mine = [each for of, each in gone if of is file and _is_gone(sources, file, each)]
        used = [
            (each, uses)
            for each in mine
            if (
                uses := find_uses(
                    sources, file, each, _outside(sources, file, each, places[each.name])
                )
            )
        ]
        if used and (finding := _gone_finding(sources, file, used)):
            yield finding


def _alive(sources: ComparisonInput, touched: Iterable[TouchedFile]) -> set[str]:
    """The names that the files of the change define at head."""
    alive = {name for each in touched for name in _spelt(each.file, each.after)}
    alive.update(name for each in _written_anew(sources) for name in _spelt(each, _names(each)))
    alive.update(found[1] for row in sources.added_rows if (found := _OF_GROUP.match(row)))
    return alive


def _is_gone(sources: ComparisonInput, file: ComparedFile, each: CodeDefinition) -> bool:
    """It does not live on in the file, or in the folder that takes its place, under its name."""
    folder = _as_folder(sources, file)
    if folder and has_word(folder.head, each.name):
        return False
    if _comes_anew(sources, file, each):
        return False
    return _hides(file, each) or not _binds(file, each.name)


def _comes_anew(sources: ComparisonInput, file: ComparedFile, each: CodeDefinition) -> bool:
    """Another file of the change defines it, and whoever uses it finds it there: by its package, or
    by what hands it on."""
    kind = language_of(file.path)
    if kind in FOLLOWED or each.text[:1] in (" ", "\t"):
        return False
    if kind == "rs" and not any(
        re.match(r"\s*pub\s+use\b", row) and has_word(row, each.name) for row in sources.added_rows
    ):
        return False
    return any(
        package_of(other.head) == package_of(file.base)
        for other in _kin(sources, file)
        for line in other.added
        if other is not file
        and has_word(line.text, each.name)
        and is_definition(other.path, line.text, each.name)
    )


def _written_anew(sources: ComparisonInput) -> Iterator[ComparedFile]:
    """New files that stand in the place of one in another language: `Order.kt` of `Order.java`."""
    gone = {file.path.rpartition(".")[0]: file for file in sources.files if file.is_gone}
    for file in sources.files:
        old = gone.get(file.path.rpartition(".")[0]) if file.is_new else None
        if old and language_of(old.path) == language_of(file.path) != "":
            yield file


def _as_folder(sources: ComparisonInput, file: ComparedFile) -> ComparedFile | None:
    """The new file that stands for a module divided into a folder of its name: it hands the names
    on. https://doc.rust-lang.org/reference/items/modules.html#module-source-filenames"""
    stem = file.path.rpartition(".")[0]
    places = tuple(f"{stem}/{name}" for name in ("mod.", "__init__.", "index."))
    found = (each for each in sources.files if each.is_new and each.path.startswith(places))
    return next(found, None) if file.is_gone else None


def _names(file: ComparedFile) -> Iterable[str]:
    return find_definitions(file.path, file.head)


# https://go.dev/ref/spec#Constant_declarations: the value of the one above is repeated
_OF_GROUP = lazy_pattern(r"\t([A-Z]\w*)\s*(?://.*)?$")


def _spelt(file: ComparedFile, names: Iterable[str]) -> set[str]:
    """The names as the language compares them: PHP's functions and classes in any case.
    https://www.php.net/manual/en/functions.user-defined.php"""
    return {name.lower() if file.path.endswith(".php") else name for name in names}


def _outside(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: Sequence[Place]
) -> Sequence[Place]:
    """The places that a definition is hidden from, where it is hidden: its own file sees it, and
    in Rust the modules below it."""
    if not _hides(file, each):
        return places
    if _is_of_crate(file, each) or file.path.endswith("src/lib.rs"):
        root = root_of_crate(sources, file.path)
        return [place for place in places if is_outside(sources, place.path, root)]
    below = file.folder if file.name in _TOPS else f"{file.path.removesuffix('.rs')}/"
    rust = file.path.endswith(".rs")
    return [
        place
        for place in places
        if place.path != file.path and not (rust and place.path.startswith(below))
    ]


_TOPS = ("mod.rs", "lib.rs", "main.rs")  # whose modules stand beside them


def _hides(file: ComparedFile, old: CodeDefinition) -> bool:
    """A line of the head has the definition without what made it public, and none makes it so in
    another way."""
    kind = language_of(file.path)
    if kind not in ("js", "rs", "java", "php"):
        return False
    if not (_PUBLIC.match(old.text) or file.path.endswith((".kt", ".kts"))):
        return False
    name = re.escape(old.name)
    bare = squeeze(_PUBLIC.sub("", old.text))
    private = "private" if kind in ("java", "php") else ""
    hidden = _is_of_crate(file, old) or any(
        squeeze(line.text) == private + bare and not (kind == "rs" and _is_of_trait(file, line))
        for line in file.added
        if has_word(line.text, old.name)
    )
    listed = rf"\bexport\b[^;\n]*\b{name}\b|\bexports\b[^;\n]*\b{name}\b|^\s*{name},?\s*$"
    return hidden and not re.search(listed, file.head, re.M)


def _is_of_crate(file: ComparedFile, old: CodeDefinition) -> bool:
    """Rust: everybody could use it, and only its own crate can now."""
    public = _EVERYBODY.match(old.text) if file.path.endswith(".rs") else None
    own = squeeze(f"pub(crate) {old.text[public.end() :]}") if public else ""
    return bool(public) and any(squeeze(line.text) == own for line in file.added)


_EVERYBODY = lazy_pattern(r"\s*pub\s+(?!\()")


def _is_of_trait(file: ComparedFile, line: Line) -> bool:
    """Rust: it is as public as its trait. https://doc.rust-lang.org/reference/visibility-and-privacy.html"""
    depth = len(line.text) - len(line.text.lstrip())
    above = (
        row
        for row in reversed(file.head_rows[: line.number - 1])
        if row.strip() and len(row) - len(row.lstrip()) < depth
    )
    return _TRAIT.match(next(above, "")) is not None


_TRAIT = lazy_pattern(r"\s*(?:unsafe\s+)?(?:impl\b.*\bfor\b|(?:pub(?:\([^)]*\))?\s+)?trait\b)")
_PUBLIC = lazy_pattern(r"^\s*(?:export(?:\s+default)?|pub(?:\([^)]*\))?|public)\b(?=\s)")


def _is_module_gone(file: ComparedFile) -> bool:
    """Whoever imports the module is told as using the file."""
    return file.is_gone and language_of(file.path) in ("py", "js")


def _gone_finding(
    sources: ComparisonInput, file: ComparedFile, used: list[tuple[CodeDefinition, list[Place]]]
) -> Finding | None:
    """Where some use leads to the definition by its import or its owner's name, and nothing else of
    the change may make such a name."""
    certain = [
        (each, resolved)
        for each, places in used
        if (resolved := _certain_uses(sources, file, each, places))
    ]
    if not certain:
        return None
    first, uses = certain[0]
    others = ", ".join(each.name for each, _uses in certain[1:4])
    more = f" (so {'is' if len(certain) == 2 else 'are'} {others})" if others else ""
    what = "no longer public" if _hides(file, first) else "removed"
    title = f"{first.name} is {what}, and is still used in {where(uses)}{more}"
    every = [use for _each, places in certain for use in places]
    return with_places(taken(GONE, file, Line(first.line, first.text), title), every)


def _certain_uses(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, places: list[Place]
) -> list[Place]:
    """The uses that lead to the definition; none where something else may be meant or made."""
    if not _hides(file, each) and is_made_otherwise(file, each):
        return []
    if may_be_built(sources, file):
        return []
    resolved = [
        place
        for place in places
        if is_resolved(sources, file, each, place)
        and not _is_of_another(sources, file, each, place)
    ]
    typed = all(is_typed_use(sources, file, each, place) for place in resolved)
    return resolved if typed or _is_single(sources, file, each) else []


def _is_of_another(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The type of the member is gone as well, and the file of the place does not name it: a value
    that is called like it is of another one."""
    owner = next(iter(owners_of(file.path, file.base, each)), "")
    if not owner[:1].isupper() or each.text[:1] not in (" ", "\t") or OWNER.match(each.text):
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    return not (has_word(file.head, owner) or has_word(text, owner))


def _is_single(sources: ComparisonInput, file: ComparedFile, each: CodeDefinition) -> bool:
    """Nothing else of the base that the change touches may have been meant by the name; what it
    does not touch was looked at with the head. Where imports are followed, only its own file
    counts."""
    mine = [file] if language_of(file.path) in FOLLOWED else _kin(sources, file)
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


def _binds(file: ComparedFile, name: str) -> bool:
    """The head of the file gives the name another meaning: an import, an assignment, a table; or
    any name, by a function that Python asks: https://peps.python.org/pep-0562/"""
    if file.path.endswith((".py", ".pyi")) and re.search(r"(?m)^def __getattr__\(", file.head):
        return True
    return any(
        has_word(row, name)
        and (
            is_definition(file.path, row, name)
            or re.search(r"\b(?:import|require|use|export|from|include)\b", row)
            or (file.path.endswith(".go") and _GROUPED_TYPE.match(row))
            or (file.path.endswith(".rb") and _is_declared(row, name))
            or re.search(rf"\bexports\.{re.escape(name)}\s*=(?!=)", row)
            or _is_listed(row, name)
            or _is_one_of_several(row, name)
            or (file.path.endswith(".rs") and re.match(rf"\w+!\s*[({{\[].*\b{name}\b", row))
        )
        for row in file.head_rows
    )


# One of `type ( ... )`: https://go.dev/ref/spec#Type_declarations
_GROUPED_TYPE = lazy_pattern(r"\t[A-Z]\w*\s+(?:=\s|func\(|struct\b|interface\b|map\[|chan\b|\[|\*)")


def _is_declared(row: str, name: str) -> bool:
    """Ruby: a method of the class takes the name as a symbol, to define it: `setting :name, 1`."""
    return re.match(rf"\s*[a-z_]\w*[ (]+:{re.escape(name)}\b", row) is not None


def _is_listed(row: str, name: str) -> bool:
    """The row is an entry of a list of names: those that are imported, or handed on."""
    return re.fullmatch(rf"\s*[\"']?{re.escape(name)}[\"']?(?:\s+as\s+\w+)?,\s*", row) is not None


def _is_one_of_several(row: str, name: str) -> bool:
    """The row gives several names a value at once, or takes them out of an object."""
    name = re.escape(name)
    several = (
        rf"\s*\(?[\w, *]*\b{name}\b[\w, *]*\)?\s*=(?!=)",
        rf"(?:export\s+)?(?:const|let|var)\s*[\[{{][^=]*\b{name}\b[^=]*[\]}}][^=]*=(?!=)",
    )
    renamed = rf"\s*[\w$\"']+\s*:\s*{name},?\s*"
    return any(re.match(each, row) for each in several) or bool(re.fullmatch(renamed, row))

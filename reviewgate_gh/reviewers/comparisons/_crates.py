"""Items of the root of a crate of Rust, and the places that name them by the crate."""

import re
from collections.abc import Collection

from ...text.patterns import lazy_pattern
from ...text.strict import load_toml
from ._definitions import CodeDefinition
from ._sources import ComparedFile, ComparisonInput, Place, has_word

# https://doc.rust-lang.org/cargo/guide/project-layout.html: each is a crate of its own
_OTHER_TARGETS = ("tests/", "examples/", "benches/", "src/bin/", "src/main.rs")
_ROOTS = ("src/lib.rs", "src/main.rs")
_GLOB = lazy_pattern(r"(?m)^(?:pub(?:\([^)]*\))?\s+)?use\s[^;]*\*|^include!")
_MODULE = lazy_pattern(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*;")


def root_of_crate(sources: ComparisonInput, path: str) -> str:
    """The folder of the nearest manifest above, with a slash; "" for the root."""
    head = sources.list_head()
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if f"{folder}/Cargo.toml" in head:
            return f"{folder}/"
    return ""


def is_outside(sources: ComparisonInput, path: str, root: str) -> bool:
    """The file belongs to another crate than the library of a folder."""
    own = path.startswith(root) and root_of_crate(sources, path) == root
    return not own or path[len(root) :].startswith(_OTHER_TARGETS)


def is_compiled(sources: ComparisonInput, path: str) -> bool:
    """The module above the file's own names it, as may the manifest, or is not known.
    https://doc.rust-lang.org/reference/items/modules.html#module-source-filenames"""
    folder, _slash, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    if stem == "mod":
        folder, _slash, stem = folder.rpartition("/")
    above = (*(f"{folder}/{each}.rs" for each in _MODULES), f"{folder}.rs")
    texts = [text for each, text in sources.read_head(above).items() if each != path and text]
    if stem in _MODULES or not texts:
        return True
    manifest = f"{root_of_crate(sources, path)}Cargo.toml"
    texts += sources.read_head([manifest]).values()
    return any(_INCLUDES.search(text) or has_word(text, stem) for text in texts)


_MODULES = ("lib", "main", "mod")


_INCLUDES = lazy_pattern(r"#\[path\b|\binclude!|\bmod\s+\$")


def is_of_root(
    sources: ComparisonInput, file: ComparedFile, each: CodeDefinition, place: Place
) -> bool:
    """The place names an item of the crate's root: `knot::name` from another crate or program, or
    `crate::name` from a module of its own."""
    root = root_of_crate(sources, file.path)
    inside = file.path[len(root) :]
    if inside not in _ROOTS or each.member or each.text[:1] in (" ", "\t"):
        return False
    if _GLOB.search(file.head):
        return False  # which may have the name as well
    if is_outside(sources, place.path, root):
        crate = _crate_name(sources, root) if inside == "src/lib.rs" else ""
    else:
        crate = "" if _has_other_modules(sources, root, inside) else "crate"
    text = sources.read_head([place.path]).get(place.path, "") if crate else ""
    if not crate or _is_another(text, crate):
        return False
    named = rf"(?:(?<![\w:])|(?<![\w:])::|\$){crate}::{re.escape(each.name)}\b(?!::)"
    return re.search(named, place.text) is not None or is_in_braces(text, each, place, [crate])


def _crate_name(sources: ComparisonInput, root: str) -> str:
    """What other crates call the library."""
    path = f"{root}Cargo.toml"
    try:
        tables = load_toml(sources.read_head([path]).get(path, ""), "TOML")
    except ValueError:
        return ""
    found = (tables.get(table) for table in ("lib", "package"))
    names = (each.get("name") for each in found if isinstance(each, dict))
    name = next((name for name in names if isinstance(name, str)), "").replace("-", "_")
    return name if re.fullmatch(r"\w{3,}", name) else ""


def _has_other_modules(sources: ComparisonInput, root: str, inside: str) -> bool:
    """The folder has a library and a program, and the other one may be the root of a module."""
    other = next(f"{root}{each}" for each in _ROOTS if each != inside)
    return _MODULE.search(sources.read_head([other]).get(other, "")) is not None


def _is_another(text: str, crate: str) -> bool:
    """The file has a module of this name, or takes one in."""
    taken = rf"\bmod\s+{crate}\b|\buse\s[^;]*(?:::|\{{|,)\s*{crate}\s*[,;}}:]|\bas\s+{crate}\b"
    return crate != "crate" and re.search(taken, text) is not None


def is_in_braces(text: str, each: CodeDefinition, place: Place, owners: Collection[str]) -> bool:
    """The file of the place takes the name out of the module with others, and the place uses it
    bare. https://doc.rust-lang.org/reference/items/use-declarations.html"""
    name = re.escape(each.name)
    taken = (
        rf"(?m)^\s*(?:pub\s+)?use\s[^;{{]*\b{re.escape(owner)}::\{{[^;{{}}]*"
        rf"(?<![\w:]){name}(?!\w|\s*::|\s+as\b)[^;{{}}]*\}}\s*;"
        for owner in owners
    )
    # Not as a method, a field, or what another module has
    bare = re.search(rf"(?<![\w.:]){name}\b(?!\s*:(?!:))", place.text)
    shadows = re.search(rf"\b(?:let|fn|for|static|const)\s+(?:mut\s+)?\(?{name}\b", text)
    return bool(bare and not shadows) and any(re.search(each, text) for each in taken)

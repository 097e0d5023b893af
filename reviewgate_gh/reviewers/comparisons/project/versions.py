"""A version number that is raised in one place and not in the others."""

import re
from collections.abc import Collection, Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_foreign
from .._remark import ComparisonRule, put, quoted, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place

EVERY_FILE = True
_RULE = ComparisonRule(
    "version-mismatch",
    Priority.P2,
    "A release from this tree would carry two version numbers. Change them together, or derive one "
    "from the other.",
)
_VERSION = lazy_pattern(
    r"^\s*(?:export\s+)?(?:const\s+|let\s+|var\s+|public\s+|static\s+|final\s+|String\s+"
    r"|val\s+)*[\"']?(?P<key>__version__|[Vv]ersion|VERSION|projectVersion|appVersion"
    r"|s\.version|spec\.version|versionName)[\"']?\s*(?:[:=]|=>"
    r"|\s)\s*[\"']?v?(?P<number>\d+\.\d+(?:\.\d+)?(?:[-.+]?[A-Za-z][\w.]*)?)"
    r"[\"']?(?:\.freeze)?\s*(?:[,;]\s*)?(?:#.*)?$"
    # https://cmake.org/cmake/help/latest/command/project.html
    r"|^\s*project\(\s*[\w-]+\s+VERSION\s+\"?(?P<cmake>\d+\.\d+(?:\.\d+)*)\b"
    r"|^\s*#\s*define\s+\w*VERSION(?:_STR(?:ING)?)?\s+\"v?(?P<header>\d+\.\d+(?:\.\d+)?\S*)\""
)
_FILES = lazy_pattern(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|Cargo\.toml|__init__\.py"
    r"|__version__\.py|_version\.py|version\.py|version\.rb|VERSION|version\.txt"
    r"|composer\.json|pubspec\.yaml|Chart\.yaml|build\.gradle(?:\.kts)?|gradle\.properties"
    r"|[\w-]+\.gemspec|version\.go|version\.ts|version\.js|manifest\.json|plugin\.json|mix\.exs"
    r"|package-lock\.json|Cargo\.lock|CITATION\.cff|CMakeLists\.txt|[\w.-]+\.h(?:pp|h)?)$"
)
_MANIFEST = lazy_pattern(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|composer\.json|mix\.exs"
    r"|pubspec\.yaml|Chart\.yaml|build\.gradle(?:\.kts)?|[\w-]+\.gemspec|manifest\.json"
    r"|plugin\.json"
    r"|CITATION\.cff)$"
)
_BARE = lazy_pattern(r"^v?(?P<number>\d+\.\d+(?:\.\d+)?\S*)$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change: the raised number, and the places that still have the old one."""
    raised = [found for file in sources.files if (found := _raised(file))]
    if not raised:
        return
    file, line, old, new = raised[0]
    changed = {each[0].path: each[3] for each in raised}
    others = [each for each in raised if _differ(each[3], new) and each[2] == old]
    if others:
        other, its_line, _old, theirs = others[0]
        title = f"two versions: {new} in {file.path}, {theirs} in {other.path}"
        yield put(_RULE, other, its_line, title, quoted(old))
        return
    left = [*_left_behind(sources, old, changed)]
    if left:
        title = f"the version is {new} here and still {old} in {left[0].path}"
        yield with_places(put(_RULE, file, line, title, quoted(old)), left)


def _differ(one: str, other: str) -> bool:
    """Neither is the other, or a stage before it."""
    first, second = sorted(map(_bare, (one, other)))
    return not re.fullmatch(rf"{re.escape(first)}(?:[-.+]?[a-z].*)?", second)


def _bare(number: str) -> str:
    """One version as Python and as npm write it: 1.0a0, 1.0-alpha.0.
    https://packaging.python.org/en/latest/specifications/version-specifiers/#pre-releases"""
    short = number.lower().replace("alpha", "a").replace("beta", "b").replace("preview", "rc")
    return re.sub(r"(?<=\d)[-_.]+(?=[a-z])|(?<=[a-z])[-_.]+(?=\d)", "", short)


def _raised(file: ComparedFile) -> tuple[ComparedFile, Line, str, str] | None:
    """File, line, old and new number where the change replaces a version of the project's own."""
    if file.name == "Cargo.lock":
        return None  # it has those of all packages
    if not _FILES.search(file.path) or file.is_new or file.is_gone or file.is_test:
        return None
    for block in file.blocks:
        for old in block.removed:
            was = _number(file.name, old.text)
            for new in block.added:
                now = _number(file.name, new.text)
                if was and now and was != now and _is_own(file, new):
                    return file, new, was, now
    return None


def _number(name: str, text: str) -> str:
    if name in ("VERSION", "version.txt"):
        bare = _BARE.match(text.strip())
        return bare["number"] if bare else ""
    found = _VERSION.match(text)
    return found["number"] or found["cmake"] or found["header"] or "" if found else ""


def _is_own(file: ComparedFile, line: Line) -> bool:
    """It is the project's version, not that of a dependency: it stands where projects write it."""
    if file.name == "package-lock.json":
        return line.number <= 10
    if file.name.endswith(".toml"):
        above = file.head_rows[: line.number]
        table = next((row for row in reversed(above) if row.startswith("[")), "[project]")
        return table.strip() in ("[project]", "[package]", "[tool.poetry]", "[workspace.package]")
    return True


def _left_behind(sources: ComparisonInput, old: str, changed: dict[str, str]) -> Iterator[Place]:
    """Files beside the changed ones, of the same package, that name the old number as theirs."""
    folders = {path.rpartition("/")[0] for path in changed}
    top = {folder.split("/")[0] for folder in folders}
    for place in sources.find_words([old])[old]:
        folder = place.path.rpartition("/")[0]
        near = (
            folder in folders
            or ("" in folders and folder.count("/") <= 1)
            or (folder in ("",) and len(top) == 1)
        )
        if not near or not _may_say_it(place.path, changed):
            continue
        if folder not in folders and _is_another_package(place.path, changed):
            continue
        if _says(sources, place, old, changed) and not _is_nested(place, folders):
            yield place


def _may_say_it(path: str, changed: Collection[str]) -> bool:
    return path not in changed and not is_foreign(path) and _FILES.search(path) is not None


def _says(sources: ComparisonInput, place: Place, old: str, changed: Collection[str]) -> bool:
    """The line has the number as the project's own."""
    name = place.path.rpartition("/")[2]
    if name == "Cargo.lock":
        return _is_locked(sources, place, old, changed)
    own = name != "package-lock.json" or place.number <= 10
    return own and _number(name, place.text) == old


def _is_locked(sources: ComparisonInput, place: Place, old: str, changed: Collection[str]) -> bool:
    """The line is the old number of a raised package: `cargo build --locked` refuses it.
    https://doc.rust-lang.org/cargo/commands/cargo-build.html#manifest-options"""
    raised = [path for path in changed if path.endswith("Cargo.toml")]
    texts = sources.read_head([*raised, place.path])
    rows = texts.get(place.path, "").split("\n")
    named = (_CRATE.search(texts.get(path, "")) for path in raised)
    names = [f'name = "{found["name"]}"' for found in named if found]
    return place.text.strip() == f'version = "{old}"' and rows[place.number - 2] in names


_CRATE = lazy_pattern(r"(?m)^name\s*=\s*\"(?P<name>[^\"]+)\"")


def _is_another_package(path: str, changed: Collection[str]) -> bool:
    """A manifest of its own folder, while that of the raised version is another: the packages of a
    workspace have their own numbers."""
    return _MANIFEST.search(path) is not None and any(map(_MANIFEST.search, changed))


def _is_nested(place: Place, folders: set[str]) -> bool:
    """A package of its own in a folder of packages."""
    return (
        re.search(
            r"(?:^|/)(?:packages|crates|examples?|tests?|plugins|modules|apps|charts)/", place.path
        )
        is not None
        and place.path.rpartition("/")[0] not in folders
    )

"""A version number that is raised in one place and not in the others."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ...checks._paths import is_foreign, is_tests
from .._definitions import language_of
from .._remark import ComparisonRule, hint, put, quoted, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place
from ._artifacts import is_final, names_artifact

EVERY_FILE = True
_RULE = ComparisonRule(
    "version-mismatch",
    Priority.P2,
    "A release from this tree would carry two version numbers. Change them together, or derive one "
    "from the other.",
)
# npm publishes no such lockfile, and installs from it all the same: `npm help package-lock-json`
_OF_NPM = hint(
    replace(_RULE, advice="The next `npm install` will write the new one. Run it in this change.")
)
_VERSION = lazy_pattern(
    r"^\s*(?:export\s+)?(?:const\s+|let\s+|var\s+|public\s+|static\s+|final\s+|String\s+"
    r"|val\s+)*[\"']?(?P<key>__version__|[Vv]ersion|VERSION|projectVersion|appVersion"
    r"|\w+\.version|versionName)[\"']?\s*(?:[:=]|=>"
    r"|\s)\s*[\"']?v?(?P<number>\d+\.\d+(?:\.\d+)?(?:[-.+]?[A-Za-z][\w.]*)?)"
    r"[\"']?(?:\.freeze)?\s*(?:[,;]\s*)?(?:#.*)?$"
    # https://cmake.org/cmake/help/latest/command/project.html
    r"|^\s*project\(\s*[\w-]+\s+VERSION\s+\"?(?P<cmake>\d+\.\d+(?:\.\d+)*)\b"
    # https://learn.microsoft.com/nuget/reference/msbuild-targets#pack-target, https://maven.apache.org/pom.html
    r"|^\s*<(?:Version|VersionPrefix|version)>\s*(?P<element>\d+\.\d+\.\d+[\w.+-]*)\s*</"
    r"|^\s*#\s*define\s+\w*VERSION(?:_STR(?:ING)?)?\s+\"v?(?P<header>\d+\.\d+(?:\.\d+)?\S*)\""
)
_FILES = lazy_pattern(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|Cargo\.toml|__init__\.py"
    r"|__version__\.py|_version\.py|version\.py|version\.rb|VERSION|version\.txt"
    r"|composer\.json|pubspec\.yaml|Chart\.yaml|build\.gradle(?:\.kts)?|gradle\.properties"
    r"|[\w-]+\.gemspec|version\.go|version\.ts|version\.js|manifest\.json|plugin\.json|mix\.exs"
    r"|[\w-]+\.podspec|[\w.-]+\.[cf]sproj|Directory\.Build\.props|pom\.xml"
    r"|package-lock\.json|Cargo\.lock|CITATION\.cff|CMakeLists\.txt|[\w.-]+\.h(?:pp|h)?)$"
)
_MANIFEST = lazy_pattern(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|composer\.json|mix\.exs"
    r"|pubspec\.yaml|Chart\.yaml|build\.gradle(?:\.kts)?|[\w-]+\.gemspec|manifest\.json"
    r"|plugin\.json|[\w-]+\.podspec|[\w.-]+\.[cf]sproj|Directory\.Build\.props|pom\.xml"
    r"|CITATION\.cff)$"
)
# What code calls the version of its own program, and not that of a format or a protocol
_CONSTANT = lazy_pattern(
    r"(?i)^[\w\s:*&<>]*?(?<![\w.])(?-i:(?:module\.)?exports\.|[A-Z]\w*\.)?@?(?:k"
    r"|(?:app(?:lication)?|package|pkg|lib(?:rary)?|sdk|client|cli"
    r"|program|project|module)_?)?version(?:_?str(?:ing)?)?\b(?:\s*:\s*&?[\w' ]+)?(?:\[\])?"
    r"\s*(?::?=|\s)\s*[\"'](?P<number>\d+\.\d+\.\d+[\w.+-]*)[\"']\s*[;,]?\s*$"
)
# A manifest of a folder says that what lies below is a package of its own
_PACKAGE = lazy_pattern(
    r"(?:^|/)(?:package\.json|pyproject\.toml|Cargo\.toml|composer\.json|mix\.exs|pubspec\.yaml"
    r"|Chart\.yaml|[\w-]+\.(?:podspec|gemspec))$"
)
_BARE = lazy_pattern(r"^v?(?P<number>\d+\.\d+(?:\.\d+)?\S*)$")


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a change: the raised number, and the places that still have the old one."""
    raised = [found for file in sources.files if (found := _raised(file))]
    told = (found for each in raised for found in _elsewhere(sources, each, raised))
    yield from islice(told, 1)


Raised = tuple[ComparedFile, Line, str, str]


def _elsewhere(
    sources: ComparisonInput, each: Raised, raised: Sequence[Raised]
) -> Iterator[Finding]:
    """Where a raised number is another one, or still the old one."""
    file, line, old, new = each
    changed = {each[0].path: each[3] for each in raised}
    others = [each for each in raised if _differ(each[3], new) and each[2] == old]
    if others:
        other, its_line, _old, theirs = others[0]
        title = f"two versions: {new} in {file.path}, {theirs} in {other.path}"
        yield put(_RULE, other, its_line, title, quoted(old))
        return
    left = [*_left_behind(sources, each, changed)]
    if left:
        title = f"the version is {new} here and still {old} in {left[0].path}"
        only_npm = all(place.path.endswith("package-lock.json") for place in left)
        rule = _OF_NPM if only_npm else _RULE
        yield with_places(put(rule, file, line, title, quoted(old)), left)


def _differ(one: str, other: str) -> bool:
    """Neither is the other, or a stage before it."""
    first, second = sorted(map(_bare, (one, other)))
    return not re.fullmatch(rf"{re.escape(first)}(?:[-.+]?[a-z].*)?", second)


def _bare(number: str) -> str:
    """One version as Python and as npm write it: 1.0a0, 1.0-alpha.0.
    https://packaging.python.org/en/latest/specifications/version-specifiers/#pre-releases"""
    short = number.lower().replace("alpha", "a").replace("beta", "b").replace("preview", "rc")
    return re.sub(r"(?<=\d)[-_.]+(?=[a-z])|(?<=[a-z])[-_.]+(?=\d)", "", short)


def _raised(file: ComparedFile) -> Raised | None:
    """File, line, old and new number where the change replaces a version of the project's own."""
    if file.name == "Cargo.lock":
        return None  # it has those of all packages
    if not _says_versions(file.path) or file.is_new or file.is_gone or file.is_test:
        return None
    for block in file.blocks:
        numbers = (_number(file.path, line.text) for line in block.removed)
        old = [*dict.fromkeys(filter(None, numbers))]
        for new in block.added if old else ():
            now = _number(file.path, new.text)
            was = next((each for each in old if each != now), "") if now else ""
            if was and _is_own(file.path, file.head_rows, new.number):
                return file, new, was, now
    return None


def _says_versions(path: str) -> bool:
    return _FILES.search(path) is not None or language_of(path) != ""


def _number(path: str, text: str) -> str:
    name = path.rpartition("/")[2]
    if name in ("VERSION", "version.txt"):
        bare = _BARE.match(text.strip())
        return bare["number"] if bare else ""
    found = _VERSION.match(text) if _FILES.search(path) else None
    if found:
        return found["number"] or found["cmake"] or found["header"] or found["element"] or ""
    constant = _CONSTANT.match(text) if language_of(path) and name not in _DECLARES else None
    return constant["number"] if constant else ""


# Files that build, in which such a name is that of a dependency
_DECLARES = (
    "build.gradle", "build.gradle.kts", "settings.gradle", "setup.py", "mix.exs", "Package.swift",
    "conanfile.py", "Podfile", "Gemfile", "Rakefile",
)  # fmt: skip


def _is_own(path: str, rows: Sequence[str], number: int) -> bool:
    """It is the project's version, not that of a dependency: it stands where projects write it."""
    name = path.rpartition("/")[2]
    if name == "package-lock.json":
        return number <= 10
    if name == "pom.xml":
        depth = next((_depth(row) for row in rows if "<artifactId>" in row), 0)
        first = next((at for at, row in enumerate(rows, 1) if "<artifactId>" in row), 0)
        inside = any("<parent>" in row for row in rows[:first])
        top = next((_depth(row) for row in rows if "<modelVersion>" in row), depth)
        here = any(_depth(row) == top for row in rows[number - 1 : number])
        return here and not (inside and number < first)
    if name.endswith(".toml"):
        table = next((row for row in reversed(rows[:number]) if row.startswith("[")), "[project]")
        return table.strip() in ("[project]", "[package]", "[tool.poetry]", "[workspace.package]")
    return True


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _left_behind(
    sources: ComparisonInput, raised: Raised, changed: dict[str, str]
) -> Iterator[Place]:
    """Files beside the changed ones, of the same package, that name the old number as theirs."""
    file, _line, old, new = raised
    folders = {path.rpartition("/")[0] for path in changed}
    for place in sources.find_words([old])[old]:
        folder = place.path.rpartition("/")[0]
        if is_final(new) and names_artifact(file, place, old):
            yield place
        if not _may_say_it(place.path, changed):
            continue
        if _is_code(place.path) or _is_code(file.path):
            if _is_one_package(sources, file.path, place.path) and _says(
                sources, place, old, changed
            ):
                yield place
            continue
        if not _is_near(folder, folders):
            continue
        if folder not in folders and _is_another_package(place.path, changed):
            continue
        if _says(sources, place, old, changed) and not _is_nested(place, folders):
            yield place


def _is_near(folder: str, folders: Collection[str]) -> bool:
    """One of the folders, one right below the root, or the root above a single one."""
    top = {each.split("/")[0] for each in folders}
    below = "" in folders and folder.count("/") <= 1
    return folder in folders or below or (folder == "" and len(top) == 1)


def _may_say_it(path: str, changed: Collection[str]) -> bool:
    return path not in changed and not (is_foreign(path) or is_tests(path)) and _says_versions(path)


def _is_code(path: str) -> bool:
    """A file of the program, and none that projects keep for their version."""
    return _FILES.search(path) is None


def _is_one_package(sources: ComparisonInput, one: str, other: str) -> bool:
    """One of them is the manifest above the other, and no other manifest stands between."""
    code, manifest = (one, other) if _is_code(one) else (other, one)
    if _is_code(manifest):
        return False
    folder = manifest.rpartition("/")[0]
    between = code.removeprefix(f"{folder}/" if folder else "")
    if folder and between == code:
        return False
    found = {
        path.rpartition("/")[0]
        for path in sources.list_head()
        if _PACKAGE.search(path) and path != manifest
    }
    parts = between.split("/")[:-1]
    inner = ("/".join([folder, *parts[: at + 1]]).lstrip("/") for at in range(len(parts)))
    return found.isdisjoint(inner)


def _says(sources: ComparisonInput, place: Place, old: str, changed: Collection[str]) -> bool:
    """The line has the number as the project's own."""
    name = place.path.rpartition("/")[2]
    if name == "Cargo.lock":
        return _is_locked(sources, place, old, changed)
    if _number(place.path, place.text) != old:
        return False
    text = sources.read_head([place.path]).get(place.path, "")
    if _is_code(place.path) and _CHECKSUM.search(text):
        return False  # of an archive that is published already: a new one has no checksum yet
    return _is_own(place.path, text.split("\n"), place.number)


_CHECKSUM = lazy_pattern(r"(?i)\bsha_?(?:256|512)\b\W{1,9}[\da-f]{64}")


def _is_locked(sources: ComparisonInput, place: Place, old: str, changed: Collection[str]) -> bool:
    """The line is the old number of a raised package: `cargo build --locked` refuses it.
    https://doc.rust-lang.org/cargo/commands/cargo-build.html#manifest-options"""
    raised = [path for path in changed if path.endswith("Cargo.toml")]
    texts = sources.read_head([*raised, place.path])
    rows = texts.get(place.path, "").split("\n")
    named = (_CRATE.search(texts.get(path, "")) for path in raised)
    names = [f'name = "{found["name"]}"' for found in named if found]
    # A lockfile that is too large to be read has no such row
    above = rows[place.number - 2 : place.number - 1]
    below = rows[place.number : place.number + 1]
    # The project may depend on a published version of itself, which is an entry of its own
    if any(row.startswith("source = ") for row in below):
        return False
    return place.text.strip() == f'version = "{old}"' and any(row in names for row in above)


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

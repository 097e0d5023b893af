"""What packages of a lockfile must hash to: another hash of the same version is another package."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ....model.finding import Finding, Priority
from ....text.paths import glob_matcher
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from ...checks._paths import is_fixture, is_lock_file
from .._remark import ComparisonRule, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line
from ._lockfile_names import FILES, LOCK, UNCHECKED

EVERY_FILE = True
_INTEGRITY = ComparisonRule(
    "integrity-changed",
    Priority.P1,
    "The content of a published version does not change: a different hash means a different "
    "package. Compare it with the registry before you install it.",
)
_REVISION = ComparisonRule(
    _INTEGRITY.name,
    Priority.P2,
    "Either the tag of the version was moved, or the lockfile was edited: what is built is another "
    "package. Compare the commit with the tag before you build it.",
)
_ENTRY = lazy_pattern(
    r'^\s*"(?P<npm>[^"\n]+)": \{$|^(?P<yarn>"?[^\s#"][^\n]*):$|^name = "(?P<toml>[^"\n]+)"$'
    r"|^ {2}(?P<pnpm>/?\S+):$|^(?P<pip>[A-Za-z0-9][\w.-]*)==(?P<pipver>[\w.+!-]+)"
)
_VERSION = lazy_pattern(r'^\s*"?version"?\s*(?:[:=]\s*)?"?(?P<version>\d[^"\s,]*)"?,?$')
_HASH = lazy_pattern(
    r'(?:^|[\s{,])"?(?:integrity|checksum|hash|sha256'
    r'|shasum)"?\s*(?:[:=]\s*)?"?(?P<hash>(?:sha\d+[-:])?[\w+/=]{20,})"?'
    r"|--hash=(?P<pip>sha\d+:[0-9a-f]+)"
)
# All in one row: of Cargo until 2020, https://doc.rust-lang.org/cargo/reference/resolver.html,
# and of Go
_FORMER = lazy_pattern(r'"checksum (?P<name>\S+) (?P<version>\S+) [^"]*" = "(?P<hash>\w+)"')
_OF_GO = lazy_pattern(r"(?P<name>\S+) (?P<version>v\S+) h1:(?P<hash>\S+)$")
_OTHERS = lazy_pattern(r" h1:|\"revision\"")
_FILE = lazy_pattern(r'"resolved": "https?://[^"]*/(?P<name>[^"/]+\.tgz)"')
# https://pnpm.io/package-sources#local-file-system, `npm help install`
_OF_TREE = lazy_pattern(r"(?:^|[\s\"'@])file:[\w./~]")
_BUNDLED = lazy_pattern(r"\s*\"(?:bundled|inBundle)\": true\b")
_FEW = 3
_Hashes = dict[tuple[str, str], list[str]]


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a lockfile."""
    wanted = glob_matcher(FILES)
    for file in sources.files:
        if file.is_gone or file.is_new or not (wanted(file.name) and LOCK.search(file.name)):
            continue
        if file.diff.hunks and not is_fixture(file.path):
            yield from _hashes(sources, file)


def _hashes(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    if not any(_HASH.search(line.text) or _OTHERS.search(line.text) for line in file.removed):
        return
    swift = file.name == "Package.resolved"
    read, rule, what = (_revisions, _REVISION, "revision") if swift else (_read, _INTEGRITY, "hash")
    before, after = read(file.base), read(file.head)
    if _are_made_anew(before, after):
        return
    for key, old in before.items():
        new = after.get(key)
        if new is None or not old:
            continue
        if not new:
            # Where a source is gone, too, it comes from a folder of the tree now
            moved = any(re.match(r"\s*source\s*=", row.text) for row in file.removed)
            moved = moved or _are_elsewhere(sources, old)
            if not moved and _first_with(file.removed, old) and not _is_pinned(file, old):
                yield put(UNCHECKED, file, Line(0, ""), f"{key[0]} {key[1]} no longer has a hash")
                return
        elif _are_others(file, old, new):
            added = _first_with(file.added, set(new) - set(old))
            if added and not _is_built_apart(file, added, key[1]):
                title = f"{key[0]} {key[1]} has a different {what} for the same version"
                yield put(rule, file, added, title, quoted(old[0]))
                return


def _are_others(file: ComparedFile, old: Collection[str], new: Collection[str]) -> bool:
    """Hashes of the same kind, and not of the same files."""
    alike = {*map(_algorithm, old)} & {*map(_algorithm, new)}
    return bool(alike) and (not {*old} & {*new} or _one_is_replaced(file, old, new))


def _one_is_replaced(file: ComparedFile, old: Collection[str], new: Collection[str]) -> bool:
    """Of the files of one version, which are published once, one has another hash; files that are
    published later come on top. https://pip.pypa.io/en/stable/topics/secure-installs/"""
    return file.name.endswith(".txt") and len(old) == len(new) and set(old) != set(new)


def _are_elsewhere(sources: ComparisonInput, hashes: Collection[str]) -> bool:
    """Another lockfile of the change begins to hold them."""
    digests = [each.rpartition(":")[2] for each in hashes]
    added = (line.text for file in sources.files if is_lock_file(file.path) for line in file.added)
    return any(digest in text for text in added for digest in digests)


def _is_built_apart(file: ComparedFile, line: Line, version: str) -> bool:
    """The name of its file says that it is another build of this version, and that of the base was
    none. https://packaging.python.org/en/latest/specifications/version-specifiers/"""
    local = f"-{version}+"
    return local in line.text and local not in file.base


def _is_pinned(file: ComparedFile, hashes: Collection[str]) -> bool:
    """In place of its hashes stands the full id of a commit, which says as much of what is fetched:
    https://python-poetry.org/docs/dependency-specification/#git-dependencies"""
    return any(
        _COMMIT.search(new.text)
        for block in file.blocks
        if _first_with(block.removed, hashes)
        for new in block.added
    )


_COMMIT = lazy_pattern(r"(?:#|reference\"? ?[=:] ?\")[0-9a-f]{40}\b")


def _first_with(lines: Iterable[Line], hashes: Collection[str]) -> Line | None:
    return next((line for line in lines if any(each in line.text for each in hashes)), None)


def _algorithm(digest: str) -> str:
    """Its name or the number of its format where it is said; one that is replaced by a stronger one
    is no other package. It is in `.yarnrc.yml`: checksumBehavior."""
    found = re.match(r"sha\d+(?=[-:])|\w{1,4}(?=/)", digest)
    return found[0] if found else ""


def _are_made_anew(before: _Hashes, after: _Hashes) -> bool:
    """Most packages have another hash: the lockfile is written in another way."""
    both = [key for key in before if before[key] and after.get(key)]
    other = sum(not {*before[key]} & {*after[key]} for key in both)
    return other > _FEW and 2 * other > len(both)


def _read(text: str) -> _Hashes:
    """Hashes by package and version."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    package = "", ""
    for row in text.split("\n"):
        if whole := _FORMER.match(row) or _OF_GO.match(row):
            found[whole["name"], whole["version"]].append(whole["hash"])
        elif _BUNDLED.match(row) and not found.get(package, ["other"]):
            del found[package]  # its bytes are those of the package around it
            package = "", package[1]
        else:
            package = _package_from(row, *package)
            if all(package):
                digest = _HASH.search(row)
                found[package] += [digest["hash"] or digest["pip"]] if digest else []
    return found


def _revisions(text: str) -> _Hashes:
    """SwiftPM: the commits of versions, by the repository. The first format has the pins in an
    object. https://docs.swift.org/swiftpm/documentation/packagemanagerdocs/packageresolution"""
    try:
        top: Any = load_loose_json(text)
        pins = top.get("pins") or top["object"]["pins"]
        every = [(p.get("location") or p.get("repositoryURL") or "", p["state"]) for p in pins]
        return {
            (_REPOSITORY.sub("", at), state["version"]): [state["revision"]]
            for at, state in every
            if state.get("version") and state.get("revision")
        }
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
        return {}


_REPOSITORY = lazy_pattern(r"^(?:\w+://)?[^/:]*[/:]|(?:\.git)?/?$")


def _package_from(row: str, name: str, version: str) -> tuple[str, str]:
    """The package and its version that a row is about, by those of the row before it; "" where it
    tells neither."""
    if _OF_TREE.search(row) or row.startswith("["):
        return "", ""  # an archive of this tree, which nobody has published; another table
    if entry := _ENTRY.match(row):
        name = _name_of(entry.groupdict())
        version = entry["pipver"] or _own_version(name)
    elif name and (named := _VERSION.match(row)):
        version = named["version"]
    if (file := _FILE.search(row)) and version and version not in file["name"]:
        name = ""  # an entry that disagrees with itself is put right, or was edited
    return name, version


def _name_of(groups: Mapping[str, str]) -> str:
    return next((v for k, v in groups.items() if v and k != "pipver"), "")


def _own_version(name: str) -> str:
    """Keys of pnpm hold it; those of yarn hold a range."""
    found = re.search(r".@(\d[^:()]*)", name)
    return found[1] if found and not re.search(r"npm:|[\^~]", name) else ""

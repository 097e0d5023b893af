"""A lockfile that says more than its manifest, or something else."""

import re
from collections.abc import Collection, Iterator
from itertools import chain, islice

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from ...checks._paths import is_lock_file
from .._manifests import LOCKFILES, read_dependencies
from .._remark import ComparisonRule, put, quoted
from .._sources import ComparedFile, ComparisonInput, Line, has_word
from ._locked import Locked, read_lock, spelt

EVERY_FILE = True
_ALONE = ComparisonRule(
    "lockfile-without-manifest",
    Priority.P3,
    "It was not generated from this manifest, and may have been edited by hand. Regenerate it with "
    "the package manager.",
)
# A pattern of the manifests of each, by their base names
_MANIFESTS = {
    **{lock: re.escape(name) for name, locks in LOCKFILES.items() for lock in locks},
    "Gemfile.lock": r"Gemfile|[\w.-]+\.gemspec", "Podfile.lock": r"Podfile|[\w.-]+\.podspec",
    "packages.lock.json": r"[\w.-]+\.[cfv][sb]proj|Directory\.[\w.]+\.(?:props|targets)",
}  # fmt: skip
_NAMED = lazy_pattern(
    r'^\s+"(?:node_modules/)?(?P<npm>(?:@[\w.-]+/)?[\w.-]+)": \{$'
    r'|^"?(?P<yarn>(?:@[\w.-]+/)?[\w.-]+)@\S.*:$'
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a lockfile, where its manifests stay as they are."""
    for file in sources.files:
        if file.name not in _MANIFESTS or file.name == "requirements.txt" or not file.diff.hunks:
            continue
        own = re.compile(_MANIFESTS[file.name])
        edited = any(own.fullmatch(each.path.rpartition("/")[2]) for each in sources.change.files)
        if not edited and not file.is_new and not file.is_gone:
            after = read_lock(file.name, file.head)
            before = read_lock(file.name, file.base)
            if after is None or before is None:
                yield from _alone(sources, file)
            else:
                yield from islice(
                    chain(
                        _unasked(sources, file, before, after), _moved(sources, file, before, after)
                    ),
                    1,
                )


def _unasked(
    sources: ComparisonInput, file: ComparedFile, before: Locked, after: Locked
) -> Iterator[Finding]:
    """A new package that no other one asks for, and no manifest."""
    new = [name for name in after.versions if name not in before.versions]
    if after.asked is None and (len(new) > _MOST_NEW or _is_updated(file, before, after)):
        return
    manifests = _manifests(sources, file)
    for name in new if manifests else ():
        if after.asked is not None and spelt(name) in after.asked:
            continue
        # Where the manifests do not name the others either, they are declared elsewhere
        if _is_named(manifests, name) or not _accounts_for(manifests, before):
            continue
        line = next((line for line in file.added if name in line.text), None)
        if line is not None and not _is_locked_elsewhere(sources, file, name, line):
            title = f"the lockfile gains a package that nothing asks for: {name}"
            yield put(_ALONE, file, line, title, "no manifest is changed")
            return


def _is_locked_elsewhere(
    sources: ComparisonInput, file: ComparedFile, name: str, line: Line
) -> bool:
    """Another lockfile of the project has the same line: a module of the tree asks for it."""
    return any(
        place.path != file.path
        and is_lock_file(place.path)
        and place.text.strip() == line.text.strip()
        for place in sources.find_words([name])[name]
    )


_MOST_NEW = 3  # a run of the package manager may bring more at once


def _is_updated(file: ComparedFile, before: Locked, after: Locked) -> bool:
    """Another version of a package comes as well, which may bring new ones: so nothing is removed
    but what the new ones stand between."""
    if any(after.versions.get(name) != version for name, version in before.versions.items()):
        return True
    return any(re.search(r"\w{3}", line.text) for line in file.removed)


def _accounts_for(manifests: Collection[str], before: Locked) -> bool:
    if before.asked is None:
        return True
    own = [name for name in before.versions if spelt(name) not in before.asked]
    return all(_is_named(manifests, name) for name in own)


def _is_named(manifests: Collection[str], name: str) -> bool:
    pattern = re.compile(
        rf"(?i)(?<![\w-]){'[-_.]+'.join(map(re.escape, re.split(r'[-_.]+', name)))}(?![\w-])"
    )
    return any(pattern.search(text) for text in manifests)


def _manifests(sources: ComparisonInput, file: ComparedFile) -> list[str]:
    """The manifests in the lockfile's folder and below, or above it where none is there."""
    own = re.compile(_MANIFESTS[file.name])
    every = [path for path in sources.list_head() if own.fullmatch(path.rpartition("/")[2])]
    below = [path for path in every if path.startswith(file.folder)]
    if file.name == "packages.lock.json":
        below = every  # versions are said once for all projects
    return (
        [*sources.read_head(sorted(below)[:_MOST_READ]).values()]
        if len(below) <= _MOST_READ
        else []
    )


_MOST_READ = 200


def _moved(
    sources: ComparisonInput, file: ComparedFile, before: Locked, after: Locked
) -> Iterator[Finding]:
    """A package in another version than the one that the manifest asks for."""
    name = next((name for name, locks in LOCKFILES.items() if file.name in locks), "")
    path = file.folder + name
    text = sources.read_head([path]).get(path, "") if name else ""
    was, now = (
        {spelt(key): each for key, each in side.versions.items()} for side in (before, after)
    )
    for each in read_dependencies(name, text).values():
        pin = each.spec.strip().lstrip("=v ") if each.is_exact else ""
        key = spelt(each.name)
        others = now.get(key, frozenset())
        if pin and others and pin in was.get(key, ()) and pin not in others:
            version = min(others)
            line = next((line for line in file.added if version in line.text), None)
            if line is not None:
                title = f"the lockfile has {each.name} {version}, the manifest asks for {pin}"
                yield put(_ALONE, file, line, title, quoted(f"{each.name} {pin}"))
                return


def _alone(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """A package that nobody asks for, or a list of the root's own that disagrees."""
    path = file.folder + "package.json"
    if file.name in ("package-lock.json", "npm-shrinkwrap.json") and (
        line := _root_line(file, sources.read_head([path]).get(path, ""))
    ):
        yield put(_ALONE, file, line, f"the dependencies in the lockfile are not those of {path}")
        return
    named = {name: line for line in file.added if (name := _package(line.text))}
    old = {name for line in file.removed if (name := _package(line.text))}
    for name, line in named.items():
        if name in old or has_word(file.base, name) or _is_asked_for(file, name):
            continue
        if path in sources.list_head() and not has_word(
            sources.read_head([path]).get(path, ""), name
        ):
            title = f"the lockfile gains a package that nothing asks for: {name}"
            yield put(_ALONE, file, line, title, f"{path} is unchanged")
            return


def _package(text: str) -> str:
    found = _NAMED.match(text)
    return next((each for each in found.groups() if each), "") if found else ""


def _is_asked_for(file: ComparedFile, name: str) -> bool:
    """Another package of the lockfile names it: it stands there beside its own entries."""
    own = (f'"node_modules/{name}"', f"/{name}/-/", f"{name}@")
    rows = [
        row
        for row in file.head_rows
        if name in row and has_word(row, name) and not _OF_ITSELF.search(row)
    ]
    return any(
        not any(mark in row for mark in own) and not row.startswith("resolved") for row in rows
    )


# Its archives, and what it says of itself
_OF_ITSELF = lazy_pattern(
    r"\bfile\s*[:=]|\burl\s*[:=]|\bresolved\b|\bresolution:|\btarball:|\bdescription\s*[:=]"
)


def _plain(spec: object) -> object:
    """npm writes one for the other."""
    return "*" if spec in ("latest", "") else spec


def _root_line(file: ComparedFile, manifest: str) -> Line | None:
    """The added line of the lockfile's root entry that the manifest does not have."""
    try:
        root = load_loose_json(file.head).get("packages", {}).get("", {})
        declared = load_loose_json(manifest)
    except (ValueError, RecursionError, AttributeError):
        return None
    if not root:
        return None  # of the first format, which has no entry of the root
    for table in ("dependencies", "devDependencies", "optionalDependencies"):
        ours, theirs = root.get(table) or {}, declared.get(table) or {}
        for name in sorted({*ours, *theirs}):
            if _plain(ours.get(name)) == _plain(theirs.get(name)):
                continue
            for line in file.added:
                if f'"{name}"' in line.text:
                    return line
    return None

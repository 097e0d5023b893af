"""A manifest whose lockfile stays behind, or goes."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from ....text.strict import load_loose_json
from .._ignored import is_ignored
from .._manifests import LOCKFILES, Dependency, lockfiles_of, read_dependencies
from .._remark import WHOLE_FILE, ComparisonRule, hint, put
from .._sources import ComparedFile, ComparisonInput, has_word
from ._locked import read_lock, repository
from ._requirements import numbers, takes

EVERY_FILE = True
_STALE = ComparisonRule(
    "lockfile-stale",
    Priority.P3,
    "Installing from the lockfile fails, or gives other packages than the manifest asks for. "
    "Update the lockfile in the same change.",
)
_LACKING = replace(_STALE, priority=Priority.P2)  # what is asked for
_OWN_NAME = lazy_pattern(r"(?m)^\s*\"?name\"?\s*[:=]\s*\"([^\"]+)\"|^module\s+(\S+)")
_NEAR = 80  # characters behind a name in which a lockfile says its version
_LOCKS = {lock: manifest for manifest, locks in LOCKFILES.items() for lock in locks}


class _Lock(NamedTuple):
    """A lockfile of the head."""

    path: str
    text: str


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding for all manifests whose lockfiles stay behind, and one for each lockfile that is
    gone."""
    changed = {file.path for file in sources.files} | {f.path for f in sources.change.files}
    stale: list[Finding] = []
    own = {name for file in sources.files if (name := _own_name(file))}
    for file in sources.files:
        if file.is_gone:
            yield from _gone(sources, file)
            continue
        if not file.diff.hunks:
            continue
        if lockfiles_of(file.name) and not file.is_new:
            stale += _stale(sources, file, changed, own)
    if stale:
        yield replace(stale[0], places=tuple(each.location for each in stale[1:]))


def _gone(sources: ComparisonInput, file: ComparedFile) -> Iterator[Finding]:
    """The lockfile is gone, its manifest stays, and no other lockfile takes its place."""
    manifest = _LOCKS.get(file.name, "")
    head = sources.list_head()
    if not manifest or manifest == file.name or file.folder + manifest not in head:
        return
    others = {*LOCKFILES[manifest], *_OTHER_LOCKS.get(manifest, ())}
    if any(lock in head for lock in _near(file, sorted(others))) or file.is_test:
        return
    rule = hint(_NO_LOCK) if is_ignored(sources, file) else _NO_LOCK
    title = f"{file.name} is removed, but {manifest} stays"
    yield put(rule, file, WHOLE_FILE, title, "the file existed")


_NO_LOCK = replace(
    _STALE,
    name="lockfile-removed",
    priority=Priority.P2,
    advice=(
        "Each installation takes whatever is newest at the time, and nothing compares it with a "
        "hash. Restore the lockfile, or say why the project does without one."
    ),
)
_OTHER_LOCKS = {"package.json": ("bun.lockb", "deno.lock"), "pyproject.toml": ("pylock.toml",)}


def _own_name(file: ComparedFile) -> str:
    """What the package of a changed manifest is called: others of the tree may depend on it."""
    if file.name not in LOCKFILES or file.is_gone:
        return ""
    found = _OWN_NAME.search(file.head)
    return next((name for name in found.groups() if name), "") if found else ""


def _stale(
    sources: ComparisonInput, file: ComparedFile, changed: Collection[str], own: Collection[str]
) -> Iterator[Finding]:
    before, after = (read_dependencies(file.name, text) for text in (file.base, file.head))
    changes = (each for name, each in after.items() if before.get(name) != each)
    new = [each for each in changes if each.name not in own and _may_lack(file, each, after)]
    # What nobody needs may stay in go.sum: https://go.dev/ref/mod#go-sum-files
    gone = [each for name, each in before.items() if name not in after and _says_roots(each)]
    lock = _left_alone(sources, file, changed) if new or gone else None
    if lock is None:
        return
    if lock.text:  # what it has no entry of, though it was asked for, lies in the tree
        new = [each for each in new if each.name not in before or _is_held(lock, each)]
    if new and all(_is_satisfied(lock, each) for each in new):
        return
    named = _first_left(lock, new, gone)
    if not named:
        return
    told = (line for line in file.added if not line.text.lstrip().startswith(("#", "//")))
    line = next((line for line in told if named in line.text), WHOLE_FILE)
    what = "a dependency changes" if new else "a dependency is removed"
    title = f"{what}, {lock.path} does not: {named}"
    yield put(_weigh(file, lock, before, new), file, line, title, f"{lock.path} is unchanged")


def _first_left(lock: _Lock, new: Sequence[Dependency], gone: Sequence[Dependency]) -> str:
    """What is asked for anew; else what is gone, and still there for nobody."""
    left = (each for each in gone if _is_held(lock, each) and not _is_needed(lock, each))
    first = new[0] if new else next(left, None)
    return first.name if first else ""


def _may_lack(file: ComparedFile, each: Dependency, every: Mapping[str, Dependency]) -> bool:
    """A lockfile has such: no package of this tree, no peer, nothing in the place of a module that
    is not asked for; plug-ins of Gradle and variables of its build files stand in none."""
    if _is_local(each, every) or _is_peer(file, each.name):
        return False
    if each.name.endswith(" =>") and each.name.removesuffix(" =>") not in every:
        return False
    return each.kind != "gradle" or ":" in each.name


def _says_roots(each: Dependency) -> bool:
    """The lockfile has only what is needed, and nothing else may need it."""
    return each.kind not in ("go", "gradle", "terraform")


def _is_peer(file: ComparedFile, name: str) -> bool:
    """Only whoever uses the package has to install it: `npm help package-json`."""
    if file.name != "package.json" or "peerDependencies" not in file.head:
        return False
    try:
        tables = load_loose_json(file.head)
        others = [tables.get(each, {}) for each in _OWN_TABLES]
        return name in tables.get("peerDependencies", {}) and not any(
            name in each for each in others
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False


_OWN_TABLES = ("dependencies", "devDependencies", "optionalDependencies")


def _weigh(
    file: ComparedFile, lock: _Lock, before: Mapping[str, Dependency], new: Sequence[Dependency]
) -> ComparisonRule:
    """A P2 where the lockfile, which was up to date, surely lacks something of what is new."""
    sure = any(_is_certain(file, lock, each, before.get(each.name)) for each in new)
    return _LACKING if sure and not _was_behind(file, lock, before) else _STALE


def _is_needed(lock: _Lock, each: Dependency) -> bool:
    """Another package needs it, in a lockfile that does not say what the project itself asks for.
    https://hexdocs.pm/mix/Mix.Tasks.Deps.html, `npm help package-lock-json` (the first version),
    `yarn help install` (the first version)"""
    name = re.escape(each.name)
    match lock.path.rpartition("/")[2]:
        case "mix.lock":
            return f"{{:{each.name}," in lock.text
        case "package-lock.json" | "npm-shrinkwrap.json" if '"packages": {' not in lock.text:
            return re.search(rf'"{name}": "', lock.text) is not None
        case "yarn.lock" if "__metadata:" not in lock.text:
            return re.search(rf'(?m)^    "?{name}"? \S', lock.text) is not None
    return False


def _is_held(lock: _Lock, each: Dependency) -> bool:
    return re.search(rf"(?i)(?<!\w){_spellings(each)}(?!\w)", lock.text) is not None


def _left_alone(
    sources: ComparisonInput, file: ComparedFile, changed: Collection[str]
) -> _Lock | None:
    """The lockfile that holds what the manifest asks for, where the change leaves all alone that
    may do so."""
    head = sources.list_head()
    locks = [lock for lock in _near(file, lockfiles_of(file.name)) if lock in head]
    if not locks or {*locks} & {*changed} or not _holds(sources, locks[0], file):
        return None
    return _Lock(locks[0], sources.read_head([locks[0]]).get(locks[0], ""))


def _is_certain(file: ComparedFile, lock: _Lock, each: Dependency, old: Dependency | None) -> bool:
    """The lockfile lacks what the manifest asks for: the package, or any version of it that fits
    what is as easy to read as `^1.2`."""
    if not _is_locked(file, each) or each.from_url:
        return False
    if not re.search(rf"(?i)(?<![\w-]){_spellings(each)}(?![\w-])", lock.text):
        return old is None
    return _SIMPLE.match(each.spec) is not None and not _is_satisfied(lock, each)


def _was_behind(file: ComparedFile, lock: _Lock, before: Mapping[str, Dependency]) -> bool:
    """The lockfile had a version too old for the manifest before: a project that keeps it so, or
    a gap of another change."""
    return any(
        _is_certain(file, lock, each, each)
        for each in before.values()
        if not _is_local(each, before)
    )


def _spellings(each: Dependency) -> str:
    """A pattern of the name, as a lockfile may write it: https://peps.python.org/pep-0503/"""
    if each.kind == "pypi":
        return "[-_.]+".join(map(re.escape, re.split(r"[-_.]+", each.name)))
    return re.escape(each.name.removesuffix(" =>"))


def _is_locked(file: ComparedFile, each: Dependency) -> bool:
    """A table whose packages the lockfile has all of: what npm calls peers need not be there."""
    if file.name != "package.json":
        return True
    top = load_loose_json(file.head)
    return any(each.name in (top.get(table) or {}) for table in _LOCKED)


_LOCKED = ("dependencies", "devDependencies", "optionalDependencies")
_SIMPLE = lazy_pattern(r"\s*(?:[\^~=]|>=|~>|==|~=)?\s*v?\d+(?:\.\d+)*\s*$")


def _is_local(each: Dependency, declared: Mapping[str, Dependency]) -> bool:
    """A folder of the tree stands for it."""
    replaced = declared.get(f"{each.name.removesuffix(' =>')} =>")
    return each.is_local or (replaced is not None and replaced.spec.startswith("."))


def _holds(sources: ComparisonInput, lock: str, file: ComparedFile) -> bool:
    """The lockfile lies beside the manifest, or names its folder or its package."""
    if file.folder == lock.rpartition("/")[0] + "/" * ("/" in lock):
        return True
    text = sources.read_head([lock]).get(lock, "")
    own = _own_name(file)
    return has_word(text, file.folder.rstrip("/")) or (own != "" and has_word(text, own))


def _near(file: ComparedFile, names: Collection[str]) -> Iterator[str]:
    """Lockfiles of these names in the file's folder and those above it, the nearest first."""
    folder = file.folder
    while True:
        for name in names:
            yield folder + name
        if not folder:
            return
        folder = folder.rstrip("/").rpartition("/")[0]
        folder = folder + "/" if folder else ""


def _is_satisfied(lock: _Lock, each: Dependency) -> bool:
    """The lockfile has it already, in a version that fits."""
    text = lock.text
    name, flags = _spellings(each), re.IGNORECASE if each.kind in ("pypi", "nuget") else 0
    if not numbers(each.spec) or each.kind == "pod":
        return re.search(rf"(?<!\w){name}(?!\w)", text, flags) is not None
    if each.kind in _APART:
        held = read_lock(lock.path.rpartition("/")[2], text)
        key = repository(each.name) if each.kind == "swift" else each.name
        locked = [*map(numbers, held.versions.get(key, ()) if held else ())]
        if not locked:  # of the project itself, or of one that another package needs
            return _is_held(lock, each)
        return any(not version or takes(each, version) for version in locked)
    found = re.finditer(rf"(?<![\w@/-]){name}(?![\w-])", text, flags)
    near = (numbers(text[one.end() : one.end() + _NEAR]) for one in found)
    return any(locked and takes(each, locked) for locked in near)


# Their lockfiles have other numbers between a name and its version
_APART = ("pub", "terraform", "swift")

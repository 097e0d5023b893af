"""Which changed files are left out by name (`policy.exclude`): none of those that a machine
executes, or that a pipeline names."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname, join, normpath

from ..git import Git
from ..git.objects import EXECUTABLE_MODE, list_paths, read_blobs, read_files
from ..model.change import Change
from ..model.languages import detect_language, is_executed, language_by_path
from ..text.paths import matching_paths
from ..text.patterns import lazy_pattern
from ..text.strict import load_loose_json

# https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
_ACTIONS = ("action.yml", "action.yaml")
_ENTRY = lazy_pattern(
    r"^\s*[\"']?(?:main|pre|post|image)[\"']?\s*:\s*[\"']?([^\s\"'#]+)", re.MULTILINE
)
# "bin" in package.json: npm help package.json
_PACKAGE = "package.json"
# A path in a command of a pipeline
_PATH = lazy_pattern(r"[\w.@+-]*(?:/[\w.@+-]+)+")
_SUFFIXES = ("", ".js", "/index.js")  # what Node.js adds to a name


def excluded_paths(change: Change, patterns: Sequence[str], git: Git) -> frozenset[str]:
    """The changed paths that the patterns leave out."""
    files = {file.path: (file.mode, file.oid) for file in change.files}
    return _left_out(files, patterns, change.head, git)


def excluded_before(
    change: Change, patterns: Sequence[str], excluded: frozenset[str], git: Git
) -> frozenset[str]:
    """The changed paths that are read now, and that the patterns left out on the base: they had
    another name, were no programs, or nothing started them. Nobody has read what they held."""
    was = {
        file.old_path: (file.old_mode, file.old_oid)
        for file in change.files
        if file.status != "A" and file.path not in excluded
    }
    before = _left_out(was, patterns, change.base, git)
    return frozenset(file.path for file in change.files if file.old_path in before) - excluded


def newly_excluded(
    change: Change, patterns: Sequence[str], excluded: Collection[str], git: Git
) -> frozenset[str]:
    """The changed paths that are left out now, and were read on the base under another name."""
    moved = [file for file in change.files if file.status == "R" and file.path in excluded]
    was = {file.old_path: (file.old_mode, file.old_oid) for file in moved}
    before = _left_out(was, patterns, change.base, git) if was else frozenset[str]()
    return frozenset(file.path for file in moved if file.old_path not in before)


def _left_out(
    files: Mapping[str, tuple[str, str]], patterns: Sequence[str], commit: str, git: Git
) -> frozenset[str]:
    """Of paths with mode and object id in this commit those that the patterns leave out."""
    named = matching_paths(files, patterns)
    if not named:
        return named
    programs = {path: files[path][1] for path in named if files[path][0] == EXECUTABLE_MODE}
    blobs = read_blobs(git, programs.values())
    heads = {path: blobs.get(oid, b"") for path, oid in programs.items()}
    left_out = frozenset(
        path for path in named if not is_executed(path, files[path][0], heads.get(path, b""))
    )
    return left_out.difference(_entry_points(left_out, commit, git))


def excluded_by_name(paths: Collection[str], patterns: Iterable[str]) -> frozenset[str]:
    """The same where only names are known."""
    return frozenset(
        path for path in matching_paths(paths, tuple(patterns)) if not is_executed(path, "", b"")
    )


def _entry_points(paths: Collection[str], head: str, git: Git) -> Iterator[str]:
    """What the pipelines, the actions and the packages of the head start, if one of these paths may
    be such a program."""
    if not any(detect_language(path, "", b"") for path in paths):
        return
    declaring = [path for path in list_paths(git, head) if _declares(path)]
    for place, data in read_files(git, head, declaring).items():
        yield from _started(place, data)


def _started(place: str, data: bytes) -> Iterator[str]:
    """The paths that a manifest or pipeline may mean, some of which are there."""
    text = data.decode("utf-8", "surrogateescape")
    if language_by_path(place):
        named = (normpath(name.lstrip("/")) for name in _PATH.findall(text))
        yield from (name for name in named if detect_language(name, "", b""))
        if not place.endswith(_ACTIONS):
            return
    for name in _bins(text) if place.endswith(_PACKAGE) else _ENTRY.findall(text):
        yield from (normpath(join(dirname(place), name)) + suffix for suffix in _SUFFIXES)


def newly_started(change: Change, patterns: Sequence[str], git: Git) -> Mapping[str, str]:
    """By changed manifest, a file that it starts now and did not before, which the change leaves
    alone and the patterns leave out: nobody has ever read it."""
    manifests = {f.path: f.old_path for f in change.files if f.is_text_file and _declares(f.path)}
    if not manifests:
        return {}
    changed = {file.path for file in change.files}
    before = read_files(git, change.base, manifests.values())
    found: dict[str, str] = {}
    for path, data in read_files(git, change.head, manifests).items():
        old = set(_started(path, before.get(manifests[path], b"")))
        names = {name for name in _started(path, data) if name not in old | changed}
        if there := read_files(git, change.head, excluded_by_name(names, patterns)):
            found[path] = min(there)
    return found


def _declares(path: str) -> bool:
    """It is a pipeline, an action or a package of this repository's own."""
    *folders, name = path.split("/")
    starts = name in (*_ACTIONS, _PACKAGE) or bool(language_by_path(path))
    return starts and "node_modules" not in folders


def _bins(text: str) -> list[str]:
    """The programs of a package; none of one that is not JSON."""
    try:
        top = load_loose_json(text)
    except (ValueError, RecursionError):
        return []
    found = top.get("bin") if isinstance(top, dict) else None
    values = found.values() if isinstance(found, dict) else [found]
    return [value for value in values if isinstance(value, str)]

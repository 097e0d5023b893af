"""Paths matched against globs and gitignore patterns: which changed files linters and models do not
read."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache

from ..model.change import FileDiff
from .patterns import lazy_pattern

_START = lazy_pattern(r"[*?\[]")


def glob_matcher(globs: Iterable[str]) -> Callable[[str], bool]:
    """Whether a name fits one of the globs.

    Plain names and endings (`*.py`) are looked up: a pattern of dozens takes long to compile.
    """
    return _any_of(frozenset(globs))


@lru_cache(256)
def _any_of(every: frozenset[str]) -> Callable[[str], bool]:
    globs = {glob for glob in every if _START.search(glob)}
    plain = every.difference(globs)
    ends = [glob for glob in globs if glob[0] == "*" and not _START.search(glob, 1)]
    endings = tuple(glob[1:] for glob in ends)
    wild = sorted(globs.difference(ends))
    if not wild:
        return lambda name: name in plain or name.endswith(endings)
    pattern = re.compile("|".join(translate(glob) for glob in wild))
    starts = tuple(_START.split(glob, 1)[0] for glob in wild)
    return lambda name: (
        name in plain
        or name.endswith(endings)
        or (name.startswith(starts) and pattern.match(name) is not None)
    )


# https://github.com/git/git/blob/master/read-cache.c (verify_path)
_REFUSED = ("", ".", "..", ".git")


def is_checked_out(path: str) -> bool:
    """git puts a file of that path into a work tree: it stays below its folder, and is none of
    git's own."""
    return not any(part.lower() in _REFUSED for part in path.split("/"))


_NAMED = 5
_NOT_SIMPLE = lazy_pattern(r"[!\\#/\s]|\*\*")


def matching_paths(paths: Iterable[str], patterns: Sequence[str]) -> frozenset[str]:
    """The paths that gitignore patterns name.

    Patterns that are one plain name or glob (with or without a slash at the end) are matched here
    against the parts of a path, which is many times faster than the library that all the others go
    to.
    """
    if not _simple(patterns):
        return _by_library(paths, patterns)
    anywhere = glob_matcher(pattern for pattern in patterns if not pattern.endswith("/"))
    folders = glob_matcher(
        pattern.removesuffix("/") for pattern in patterns if pattern.endswith("/")
    )
    return frozenset(path for path in paths if _named(path.split("/"), anywhere, folders))


def denied_files(files: Collection[FileDiff], denied: Sequence[str]) -> frozenset[str]:
    """The files that no model is sent; one that is moved out of a denied place brings its content
    along."""
    hidden = matching_paths((path for file in files for path in (file.path, file.old_path)), denied)
    return frozenset(file.path for file in files if hidden.intersection((file.path, file.old_path)))


def invalid_pattern(patterns: Sequence[str]) -> int | None:
    """The place of the first pattern that is none, where there is one."""
    if _simple(patterns):
        return None
    for place, pattern in enumerate(patterns):
        try:
            _by_library((), (pattern,))
        except (ValueError, re.error):
            return place
    return None


def exclusion_notices(paths: Collection[str]) -> tuple[str, ...]:
    """What to say about the files that were left out; nothing where there are none."""
    return (
        (f"policy.exclude: checked only for secrets and hidden text: {_some(paths)}",)
        if paths
        else ()
    )


def oversize_notices(sizes: Mapping[str, int], most: int) -> tuple[str, ...]:
    """What to say about those of the files (bytes by path) that have too many bytes to be reviewed;
    nothing where none has."""
    large = [path for path, size in sizes.items() if size > most]
    return (
        (f"policy.max_file_bytes: larger than {most:,} bytes, so not reviewed: {_some(large)}",)
        if large
        else ()
    )


def _some(paths: Collection[str]) -> str:
    return ", ".join(sorted(paths)[:_NAMED]) + (
        f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    )


def _simple(patterns: Iterable[str]) -> bool:
    return not any(_NOT_SIMPLE.search(pattern.removesuffix("/")) for pattern in patterns)


def _named(
    parts: list[str], anywhere: Callable[[str], bool], folders: Callable[[str], bool]
) -> bool:
    return anywhere(parts[-1]) or any(folders(part) or anywhere(part) for part in parts[:-1])


def _by_library(paths: Iterable[str], patterns: Sequence[str]) -> frozenset[str]:
    from pathspec import GitIgnoreSpec

    spec = GitIgnoreSpec.from_lines(patterns)
    return frozenset(path for path in paths if spec.match_file(path))

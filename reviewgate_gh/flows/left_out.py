"""Which changed files linters and models do not read: those that policy.exclude names, but nothing that a machine executes as it is."""

from collections.abc import Collection, Iterable, Sequence

from ..model.change import FileDiff
from ..steps.exclude import excluded
from ..system.git import Git
from ..system.git.objects import PROGRAM, read_blobs


def left_out_of(files: Sequence[FileDiff], patterns: Sequence[str], git: Git) -> frozenset[str]:
    """The paths that are left out."""
    named = excluded((file.path for file in files), patterns)
    if not named:
        return named
    from ..steps.languages import is_executed

    modes = {file.path: file.mode for file in files if file.path in named}
    programs = {file.path: file.oid for file in files if file.path in named and file.mode == PROGRAM}
    blobs = read_blobs(git, programs.values())
    heads = {path: blobs.get(oid, b"") for path, oid in programs.items()}
    return frozenset(path for path in named if not is_executed(path, modes[path], heads.get(path, b"")))


def left_out_by_name(paths: Collection[str], patterns: Iterable[str]) -> frozenset[str]:
    """The same where only names are known."""
    from ..steps.languages import is_executed

    return frozenset(path for path in excluded(paths, tuple(patterns)) if not is_executed(path, "", b""))

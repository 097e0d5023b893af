"""The hunks of text files that git treats as binary."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..model.change import FileDiff
from ..steps.diff import parse
from ..steps.masked import is_text, must_be_sniffed
from ..system.git import Git
from ..system.git.diff import diff_trees
from ..system.git.objects import read_blobs, read_sizes

_BATCH = 200
_MOST_SNIFFED = 5_000_000  # bytes
_MOST_COMPARED = 512 * 1024 * 1024  # bytes: git holds both sides and its patch in memory, and by itself compares no larger ones


def unmask(git: Git, base: str, head: str, files: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """The files, those among the binary ones that are text with their lines.

    Text that is too large for that stays without any: see `FileDiff.is_uncompared`.
    """
    doubted = [file for file in files if file.binary and file.mode.startswith("100")]
    if not doubted:
        return tuple(files)
    heads = _heads(git, doubted)
    masked = [file for file in doubted if is_text(file.path, heads.get(file.path))]
    large = _too_large(git, masked)
    compared = _batches([file for file in masked if file.path not in large])
    patches = (diff_trees(git, base, head, paths=_paths(batch), text=True) for batch in compared)
    shown = {file.path: file.hunks for patch in patches for file in parse(patch)} | dict.fromkeys(large, ())
    wanted = {file.path for file in masked}
    return tuple(replace(f, binary=False, hunks=shown[f.path]) if f.path in wanted and f.path in shown else f for f in files)


def _too_large(git: Git, files: Iterable[FileDiff]) -> list[str]:
    sides = {file.path: (file.old_oid, file.oid) for file in files}
    sizes = read_sizes(git, (oid for pair in sides.values() for oid in pair))
    return [path for path, pair in sides.items() if max(sizes.get(oid, 0) for oid in pair) > _MOST_COMPARED]


def _heads(git: Git, files: Iterable[FileDiff]) -> Mapping[str, bytes]:
    """The content of files whose name says too little; of all where an attribute of this clone may have called them binary."""
    attributes = git.common / "info" / "attributes"
    named = attributes.exists() and attributes.stat().st_size > 0
    oids = {file.path: file.oid for file in files if named or must_be_sniffed(file.path)}
    sizes = read_sizes(git, oids.values())
    blobs = read_blobs(git, (oid for oid in oids.values() if sizes.get(oid, _MOST_SNIFFED) < _MOST_SNIFFED))
    return {path: blobs[oid] for path, oid in oids.items() if oid in blobs}


def _batches(files: Sequence[FileDiff]) -> Iterator[Sequence[FileDiff]]:
    return (files[at : at + _BATCH] for at in range(0, len(files), _BATCH))


def _paths(files: Iterable[FileDiff]) -> list[str]:
    return sorted({path for file in files for path in (file.old_path, file.path)})

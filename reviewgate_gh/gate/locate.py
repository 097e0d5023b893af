"""The definition and the statement that each finding is about, read from git's objects: identity
does not depend on what a diff happens to show."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ..findings.identity import locate_in_code
from ..findings.source_text import SourceText
from ..git import Git
from ..git.objects import read_object_sizes, read_objects
from ..model.change import Change
from ..model.finding import Finding

_AT_ONCE = 200  # files in memory
_MOST_BYTES = 5_000_000  # of a file; in a larger one the quoted lines alone count

_Side = tuple[str, str]  # path and side


def locate_findings(findings: Iterable[Finding], change: Change, git: Git) -> tuple[Finding, ...]:
    """The findings, in their order, with unit and statement; those without a line, or whose file
    cannot be read, stay as they are."""
    done = list(findings)
    places: dict[_Side, list[int]] = defaultdict(list)
    for number, finding in enumerate(done):
        if finding.line_start and "\n" not in finding.path:
            places[finding.path, finding.side].append(number)
    for side, text in _texts([*places], change, git):
        located = locate_in_code((done[number] for number in places[side]), text)
        for number, finding in zip(places[side], located, strict=True):
            done[number] = finding
    return tuple(done)


def _texts(sides: Sequence[_Side], change: Change, git: Git) -> Iterator[tuple[_Side, SourceText]]:
    """The files that are there, a few at a time."""
    files = {file.path: file for file in change.files}
    for start in range(0, len(sides), _AT_ONCE):
        part = sides[start : start + _AT_ONCE]
        names = [
            (file.old_oid if side == "LEFT" else file.oid)
            if (file := files.get(path))
            else f"{change.base if side == 'LEFT' else change.head}:{path}"
            for path, side in part
        ]
        sizes = read_object_sizes(git, names)
        read = [
            (side, name)
            for side, name, known in zip(part, names, sizes, strict=True)
            if known and known.kind == "blob" and known.size <= _MOST_BYTES
        ]
        blobs = read_objects(git, [name for _side, name in read])
        for (side, _name), blob in zip(read, blobs, strict=True):
            if blob:
                yield side, SourceText(side[0], blob.data)

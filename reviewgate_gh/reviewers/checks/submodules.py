"""Submodules that are added or moved: code that this diff does not show."""

from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ._sources import CheckInput

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_DIGITS = 12
_GITLINK = "160000"


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a gitlink whose commit is new."""
    for file in sources.change.files:
        if file.is_submodule and file.oid != file.old_oid and not sources.change.whole_tree:
            yield _finding(file)


def _finding(file: FileDiff) -> Finding:
    new = file.oid[:_DIGITS]
    moved = file.old_mode == _GITLINK
    title = (
        f"submodule moved {file.old_oid[:_DIGITS]}..{new}" if moved else f"submodule added at {new}"
    )
    body = "This review does not cover the submodule's commits: review them in its own repository."
    return Finding(Priority.P3, "submodule", "builtin/submodule", file.path, 1, 1, title, body)

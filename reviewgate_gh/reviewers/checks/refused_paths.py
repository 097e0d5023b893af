"""Paths that git puts into no work tree: only a tool that was made for it writes them."""

from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.paths import is_checked_out
from ._sources import CheckInput

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_BODY = (
    "A program that follows it reads or writes outside the work tree, or in git's own folder, and "
    "nothing reviews the file. Rebuild the commit without it: git fsck names the tree."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a path that is new."""
    for file in sources.change.files:
        if file.status != "D" and not is_checked_out(file.path):
            yield Finding(
                Priority.P0,
                "hygiene",
                "builtin/refused-path",
                file.path,
                0,
                0,
                "git refuses to check out this path",
                _BODY,
            )

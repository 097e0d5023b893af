"""Where a comment may stand: the lines of a patch's hunks, and where a line of one version is in
the next."""

import re
from dataclasses import dataclass

from .git import Git

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a patch: its number on the left and on the right (0: not there), its hunk, and how
    far down it is."""

    left: int
    right: int
    hunk: int
    position: int
    text: str

    def on(self, side: str) -> int:
        """Its line number on LEFT or RIGHT, 0 when it is not there."""
        return self.left if side == "LEFT" else self.right


def spots(patch: str) -> list[Spot]:
    """Every line of a patch that a comment may name, in order."""
    found, left, right, hunk = [], 0, 0, -1
    for position, line in enumerate(patch.split("\n") if patch else []):
        if header := _HEADER.match(line):
            left, right, hunk = int(header[1]), int(header[3]), hunk + 1
        elif line[:1] in (" ", "+", "-"):
            found.append(
                Spot(
                    0 if line[0] == "+" else left,
                    0 if line[0] == "-" else right,
                    hunk,
                    position,
                    line,
                )
            )
            left, right = left + (line[0] != "+"), right + (line[0] != "-")
    return found


def at(patch: str, side: str, line: int) -> Spot | None:
    """The place of a line on a side, or None when the patch does not show it."""
    return next((spot for spot in spots(patch) if line and spot.on(side) == line), None)


def shown(patch: str, spot: Spot) -> str:
    """A comment's `diff_hunk`: its hunk from the header down to the line."""
    lines = patch.split("\n")[: spot.position + 1]
    start = max(index for index, line in enumerate(lines) if _HEADER.match(line))
    return "\n".join(lines[start:])


def moved(git: Git, old: str, new: str, path: str, line: int) -> int:
    """The number that an unchanged line of `path` at commit `old` has at `new`, or 0 when it was
    changed or removed."""
    if old == new:
        return line
    file = next((file for file in git.files(old, new) if file.old_path == path), None)
    if file is None:
        return line
    if file.path != path or file.status == "removed":
        return 0
    return _carried(file.patch, line)


def _carried(patch: str, line: int) -> int:
    if found := at(patch, "LEFT", line):
        return found.right
    headers = [header for text in patch.split("\n") if (header := _HEADER.match(text))]
    return line + sum(
        int(header[4] or 1) - int(header[2] or 1) for header in headers if int(header[1]) <= line
    )

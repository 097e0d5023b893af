"""Suggestions of the last review into the work tree, a file at a time, each after a yes. The one place where the gate asks and edits."""

from collections.abc import Callable
from pathlib import Path

from ..model.errors import UsageError
from ..model.values import dataclass
from ..steps.fixing import Fixed, fixable, fixed, shown_difference
from ..system import tree_file
from ..system.git import Git
from .publish_kept import read_report


@dataclass(frozen=True, slots=True)
class Offer:
    """One file: what would change in it, as a difference for people."""

    path: str
    fixed: Fixed
    difference: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many suggestions were applied in how many files, and what was left with the reasons."""

    applied: int
    files: int
    left: tuple[str, ...]


def fix(report: Path | None, git: Git, agree: Callable[[Offer], bool]) -> Outcome:
    """Offer each file's suggestions and write those that are agreed to. Nothing is committed, posted or approved.

    Raises:
        UsageError: there is no report or no work tree, or a file cannot be written.
    """
    applied, files, left = 0, 0, []
    for path, findings in fixable(read_report(report, git).findings).items():
        place = tree_file.place(git, path)
        data = _content(place, path, git)
        if data is None:
            left += [f"{each.location}: the file is not there, or no file of the work tree" for each in findings]
            continue
        made = fixed(data, findings)
        left += [f"{finding.location}: {why}" for finding, why in made.left]
        if not made.applied:
            continue
        if not agree(Offer(path, made, shown_difference(path, data, made.data))):
            left += [f"{finding.location}: declined" for finding in made.applied]
        elif _content(place, path, git) != data:
            raise UsageError(f"{path} has changed meanwhile", "nothing was written to it: run this again")
        else:
            tree_file.write(place, made.data)
            applied, files = applied + len(made.applied), files + 1
    return Outcome(applied, files, tuple(left))


def _content(place: Path, path: str, git: Git) -> bytes | None:
    """The file as it lies in the work tree; None for what leads out of it, or into git's own files."""
    tree = (git.tree or place.parent).resolve()
    inside = place.resolve() == tree / path and ".git" not in path.lower().split("/")
    return tree_file.read(place) if inside and place.is_file() else None

"""Apply suggestions of the last review to the work tree, file by file, after a confirmation. Only here does the gate prompt and edit."""

from collections.abc import Callable
from pathlib import Path

from ..model.errors import UsageError
from ..model.values import dataclass
from ..reporters._words import listed
from ..steps.fixing import Fixed, fixable, fixed, shown_difference
from ..system import tree_file
from ..system.git import Git
from ..system.git.uncommitted import uncommitted, watched
from .publish_kept import read_report

_NAMED = 5


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
        UsageError: there is no report or no work tree, it holds work that is not committed, or a file cannot be written.
    """
    found, tree = fixable(read_report(report, git).findings), tree_file.top(git)
    _check_clean(git)
    applied, files, left, tracked = 0, 0, [], watched(git)
    for path, findings in found.items():
        data = _content(tree, path) if path in tracked else None
        if data is None:
            left += [f"{each.location}: the file is missing, or git does not track it in the work tree" for each in findings]
            continue
        made = fixed(data, findings)
        left += [f"{finding.location}: {why}" for finding, why in made.left]
        if not made.applied:
            continue
        if not agree(Offer(path, made, shown_difference(path, data, made.data))):
            left += [f"{finding.location}: declined" for finding in made.applied]
        elif _content(tree, path) != data:
            left += [f"{finding.location}: the file has changed in the meantime" for finding in made.applied]
        else:
            tree_file.write(tree / path, made.data)
            applied, files = applied + len(made.applied), files + 1
    return Outcome(applied, files, tuple(left))


def _check_clean(git: Git) -> None:
    """Once, before the first question: files written after a yes must not block the next one.

    Raises:
        UsageError: otherwise our changes would mix with the user's own and could not be undone separately.
    """
    if changed := uncommitted(git):
        hint = "nothing was written; commit or stash these files, then run this again"
        raise UsageError(f"the work tree is not clean: {listed(changed, _NAMED)}", hint)


def _content(tree: Path, path: str) -> bytes | None:
    """The file in the work tree; None for a path that leads out of it, or into git's own files."""
    place = tree / path
    inside = place.resolve() == tree.resolve() / path and ".git" not in path.lower().split("/")
    return tree_file.read(place) if inside and place.is_file() else None

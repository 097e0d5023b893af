"""Which executable a name stands for: a linter's, or a coding agent's."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..model.errors import GateError
from ..system.git import Git, open_repository
from ..system.kit import Seat
from ..system.search_path import find, folders

_LOCAL_BINS = (".venv/bin", "venv/bin", "node_modules/.bin")
_OURS = str(Path(sys.executable).parent)


def find_program(name: str, git: Git, trusted: bool, path: str) -> str | None:
    """For a trusted change the project's own tool, then PATH, then the one installed beside us.

    For others ours first, then PATH, and none that lies in the work tree: the change may have brought it.
    """
    if trusted:
        return _own(name, git) or find(name, [*folders(path), _OURS])
    return find(name, [_OURS, *(folder for folder in folders(path) if not git.tree or not _within(Path(folder, name), git.tree))])


def installed(name: str, path: str) -> bool:
    """It is there, wherever."""
    return find(name, [_OURS, *folders(path)]) is not None


def _own(name: str, git: Git) -> str | None:
    """The tool that the user installed in the work tree. What git tracks there may be somebody else's, so it is not taken."""
    if git.tree is None:
        return None
    for folder in _LOCAL_BINS:
        found = find(name, [str(git.tree / folder)])
        if found and not _tracked(git, git.tree, folder.partition("/")[0], Path(found).resolve()):
            return found
    return None


def _tracked(git: Git, tree: Path, top: str, program: Path) -> bool:
    """git tracks something in this folder of the work tree, the folder itself (a link), or the file that the name leads to.

    Of a repository or a second work tree that lies there it does not say what that tracks.
    """
    if _another_repository(tree, program) or os.path.lexists(tree / top / ".git"):
        return True
    names = [top, str(program.relative_to(tree))] if program.is_relative_to(tree) else [top]
    return git.run("ls-files", "-z", "--", *names, in_tree=True, env={"GIT_LITERAL_PATHSPECS": "1"}) != b""


def _another_repository(tree: Path, program: Path) -> bool:
    """One of the folders between the work tree and the program is a work tree of its own."""
    inside = (folder for folder in program.parents if folder != tree and folder.is_relative_to(tree))
    return any(os.path.lexists(folder / ".git") for folder in inside)


def find_agent(name: str, given: str, seat: Seat) -> str | None:
    """The program at the given path, or else of the given or its own name on PATH; never one that git tracks in the reviewed work tree.

    For a change of somebody else's it is none at all from within that tree.
    """
    if os.path.basename(given) != given:
        path = os.path.expanduser(given)
        return shutil.which(path) if not _of_the_change(Path(path), seat) else None
    found = (find(given or name, [folder]) for folder in folders(seat.world.env.get("PATH", "")))
    return next((program for program in found if program and not _of_the_change(Path(program), seat)), None)


def outside(env: Mapping[str, str], tree: Path | None, program: str) -> str:
    """PATH without relative folders and without those of the work tree; the program's own folder comes last."""
    named = (*folders(env.get("PATH", "")), str(Path(program).parent))
    return os.pathsep.join(dict.fromkeys(folder for folder in named if not tree or not _within(Path(folder), tree)))


def _within(path: Path, tree: Path) -> bool:
    return any(place.is_relative_to(top) for place in (path, path.resolve()) for top in (tree, tree.resolve()))


def _of_the_change(program: Path, seat: Seat) -> bool:
    """Somebody else may have put it there."""
    tree = seat.tree
    if tree is None or not _within(program, tree):
        return False
    if not seat.trusted:
        return True
    try:
        git = open_repository(tree, seat.world.env)
        return any(_tracked(git, top, rest.parts[0], program.resolve()) for top, rest in _inner(program, tree))
    except GateError:
        return True


def _inner(program: Path, tree: Path) -> Iterator[tuple[Path, Path]]:
    for top in dict.fromkeys((tree, tree.resolve())):
        yield from ((top, place.relative_to(top)) for place in (program, program.resolve()) if place.is_relative_to(top))

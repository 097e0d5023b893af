"""Which executable a name stands for, and which version of it would run."""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..git import Git, open_repository
from ..model.errors import GateError
from ..system import process
from ..system.credentials import read_small
from ..system.fresh_home import program_folders
from ..system.parallel import BackgroundCall
from ..system.search_path import absolute_folders, find_in_folders
from ..text.patterns import lazy_pattern
from ._context import ModelContext

_LOCAL_BINS = (".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin")
_OURS = str(Path(sys.executable).parent)


def find_program(name: str, git: Git, trusted: bool, path: str) -> str | None:
    """For a trusted change the project's own tool, then PATH, then the one installed beside us.

    For others ours first, then PATH, and none that lies in the work tree: the change may have
    brought it. What git tracks there is never taken.
    """
    folders = absolute_folders(path)
    if trusted:
        allowed = (folder for folder in folders if not _is_tracked_in(folder, name, git))
        return _own(name, git) or find_in_folders(name, [*allowed, _OURS])
    outside = (f for f in folders if not git.tree or not _within(Path(f, name), git.tree))
    return find_in_folders(name, [_OURS, *outside])


def _is_tracked_in(folder: str, name: str, git: Git) -> bool:
    """The folder lies in the work tree and has a program of that name that git tracks."""
    if git.tree is None or not _within(Path(folder, name), git.tree):
        return False
    program, tree = Path(folder, name).resolve(), git.tree.resolve()
    return program.is_relative_to(tree) and _tracked(
        git, tree, str(program.relative_to(tree)), program
    )


def is_program_installed(name: str, path: str) -> bool:
    """It is there, wherever."""
    return find_in_folders(name, [_OURS, *absolute_folders(path)]) is not None


def _own(name: str, git: Git) -> str | None:
    """The tool that the user installed in the work tree. What git tracks there may be somebody
    else's, so it is not taken."""
    if git.tree is None:
        return None
    for folder in _LOCAL_BINS:
        found = find_in_folders(name, [str(git.tree / folder)])
        if found and not _tracked(git, git.tree, folder.partition("/")[0], Path(found).resolve()):
            return found
    return None


def _tracked(git: Git, tree: Path, top: str, program: Path) -> bool:
    """git tracks something in this folder of the work tree, the folder itself (a link), or the file
    that the name leads to.

    Of a repository or a second work tree that lies there it does not say what that tracks.
    """
    if _another_repository(tree, program) or os.path.lexists(tree / top / ".git"):
        return True
    names = [top, str(program.relative_to(tree))] if program.is_relative_to(tree) else [top]
    return (
        git.run("ls-files", "-z", "--", *names, in_tree=True, env={"GIT_LITERAL_PATHSPECS": "1"})
        != b""
    )


def _another_repository(tree: Path, program: Path) -> bool:
    """One of the folders between the work tree and the program is a work tree of its own."""
    inside = (
        folder for folder in program.parents if folder != tree and folder.is_relative_to(tree)
    )
    return any(os.path.lexists(folder / ".git") for folder in inside)


def find_agent_program(name: str, given: str, context: ModelContext) -> str | None:
    """The program at the given path, or else of the given or its own name on PATH; never one that
    git tracks in the reviewed work tree.

    For a change of somebody else's it is none at all from within that tree.
    """
    if os.path.basename(given) != given:
        path = os.path.expanduser(given)
        return shutil.which(path) if not _of_the_change(Path(path), context) else None
    found = (
        find_in_folders(given or name, [folder])
        for folder in absolute_folders(context.environment.variables.get("PATH", ""))
    )
    return next(
        (program for program in found if program and not _of_the_change(Path(program), context)),
        None,
    )


def path_outside_tree(env: Mapping[str, str], tree: Path | None, program: str) -> str:
    """PATH without relative folders and without those of the work tree; the program's own folder
    comes last."""
    named = (*absolute_folders(env.get("PATH", "")), str(Path(program).parent))
    return os.pathsep.join(
        dict.fromkeys(folder for folder in named if not tree or not _within(Path(folder), tree))
    )


def _within(path: Path, tree: Path) -> bool:
    return any(
        place.is_relative_to(top)
        for place in (path, path.resolve())
        for top in (tree, tree.resolve())
    )


def _of_the_change(program: Path, context: ModelContext) -> bool:
    """Somebody else may have put it there."""
    tree = context.work_tree
    if tree is None or not _within(program, tree):
        return False
    if not context.trusted:
        return True
    try:
        git = open_repository(tree, context.environment.variables)
        return any(
            _tracked(git, top, rest.parts[0], program.resolve())
            for top, rest in _inner(program, tree)
        )
    except GateError:
        return True


def _inner(program: Path, tree: Path) -> Iterator[tuple[Path, Path]]:
    for top in dict.fromkeys((tree, tree.resolve())):
        yield from (
            (top, place.relative_to(top))
            for place in (program, program.resolve())
            if place.is_relative_to(top)
        )


VERSION_SECONDS = 30.0  # Python and Node programs need several on a busy machine
_CAP = process.MEGABYTE
_LEVELS = 4  # folders above a program's file in which its package.json may lie
# Go's own is go1.26.8, but not the one in "built with go1.26.8"
_NUMBER = lazy_pattern(rb"(?:\bgo version go|(?<![\w.])v?)(\d+\.\d[\w.+-]*)")
UNNUMBERED = "unnumbered build"


class ProgramVersion(Struct, frozen=True):
    """The number, or why the program did not say it."""

    number: str = ""
    error: str = ""


@cache
def program_version(argv: tuple[str, ...], path: str) -> BackgroundCall[ProgramVersion]:
    """What the program says of itself, asked for once a run; npm has written it down for those that
    need seconds to say it."""
    return BackgroundCall(lambda: _packaged(Path(argv[0])) or _said(argv, path))


def _packaged(program: Path) -> ProgramVersion | None:
    """The version of the npm package whose command this very file is."""
    file = _real(program)
    for folder in file.parents[:_LEVELS]:
        package = _object(folder / "package.json")
        number = package.get("version")
        if isinstance(number, str) and number and file in _commands(folder, package.get("bin")):
            return ProgramVersion(number)
    return None


def _object(path: Path) -> dict[str, object]:
    """What a file of JSON holds; nothing where it is no such file. Any folder may have one, of any
    origin."""
    try:
        plain = json.loads(read_small(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return plain if isinstance(plain, dict) else {}


def _commands(folder: Path, entry: object) -> set[Path]:
    """The files that a package's `bin` names: one, or one a command."""
    found = set()
    for name in entry.values() if isinstance(entry, dict) else [entry]:
        if isinstance(name, str):
            with suppress(OSError, ValueError):  # no name that a file can have
                found.add(_real(folder / name))
    return found


def _real(path: Path) -> Path:
    """Where the links lead; Path.resolve raises where one leads to itself
    (https://docs.python.org/3.11/library/pathlib.html)."""
    return Path(os.path.realpath(path))


def _said(argv: tuple[str, ...], path: str) -> ProgramVersion:
    try:
        with program_folders({}) as place:
            return ask_version(
                argv,
                cwd=place.work,
                env={"PATH": path, "HOME": str(place.home), "TMPDIR": str(place.temporary)},
            )
    except OSError as error:
        return ProgramVersion(error=f"cannot create a folder for it to run in: {error.strerror}")


def linter_version(
    program: str, tool: Any, env: Mapping[str, str], seconds: float = VERSION_SECONDS
) -> ProgramVersion:
    """What a linter says of itself, from a folder that holds nothing of the change."""
    argv = [program, *getattr(tool, "VERSION", ("--version",))]
    return ask_version(
        argv, cwd=Path("/"), env=env, seconds=seconds, unnumbered=getattr(tool, "UNNUMBERED", None)
    )


def ask_version(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float = VERSION_SECONDS,
    unnumbered: str | None = None,
) -> ProgramVersion:
    """What the command prints; `unnumbered` stands in the answer of a build that nobody gave a
    number."""
    try:
        done = process.run_process(argv, cwd=cwd, env=env, deadline=seconds, cap=_CAP)
    except process.ToolMissing as error:
        return ProgramVersion(error=error.message)
    try:
        why = (
            f"stopped after {done.seconds:.0f} s: {done.killed_reason}"
            if done.killed_reason
            else f"exit code {done.code}"
            if done.code
            else ""
        )
        if why:
            return ProgramVersion(error=f"--version gave no answer: {why}")
        if found := _NUMBER.search(done.out):
            return ProgramVersion(found[1].decode())
        if unnumbered and unnumbered.encode() in done.out:
            return ProgramVersion(UNNUMBERED)
        return ProgramVersion(error="--version printed no version")
    finally:
        done.close()

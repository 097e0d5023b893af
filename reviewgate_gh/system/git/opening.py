"""Finding the repository that holds a folder: the one question that git is asked before it is known where."""

import os
from collections.abc import Mapping
from pathlib import Path

from ...model.errors import UsageError
from .. import process
from .door import PINS, Git, git_environment, user_config

_DEADLINE = 30  # seconds
_NONE = "not a git repository"


def open_repository(start: Path, source: Mapping[str, str], itself: bool = False) -> Git:
    """The repository that holds `start`; with `itself` the git directory `start`, which git was told by name and does not question.

    Raises:
        UsageError: there is none, it is itself a file of another one, or git is missing.
    """
    if not start.is_dir():
        raise UsageError(f"{start} is not a folder", "name a folder in a git repository with --repo")
    env = git_environment(source)
    asked = ("--absolute-git-dir", "--git-common-dir", "--is-inside-work-tree", "--show-object-format", "--show-cdup")
    named = (f"--git-dir={start.absolute()}", "-c", "core.bare=true") if itself else ()
    try:
        # Whom the user trusts (safe.directory) may stand in the environment alone.
        answer = process.run(["git", *named, "rev-parse", *asked], cwd=start, env=env | user_config(source), deadline=_DEADLINE)
    except process.ToolMissing as error:
        raise UsageError(error.message, "install git 2.39 or newer, and run this inside a repository") from None
    if answer.code != 0:
        raise _why_not(start, answer.err)
    directory, common, inside, name, *up = os.fsdecode(answer.out).removesuffix("\n").split("\n")
    if len(up) > 1:
        raise UsageError("the path of the repository contains a line break", "rename the folder")
    if start.resolve().is_relative_to(Path(directory).resolve()):
        _refuse_planted(Path(directory), env)
    tree = (start / "".join(up)).resolve() if inside == "true" else None
    return Git(Path(directory), (start / common).resolve(), tree, env, hash=name, index=_index_in(Path(directory), start, source))


def _refuse_planted(directory: Path, env: dict[str, str]) -> None:
    """A folder of somebody's branch can pose as a git directory: its settings, reflogs and so whom to trust would be theirs.

    Raises:
        UsageError: a repository around this one tracks it, or cannot be asked.
    """
    if ".git" in directory.parts:  # git tracks nothing of that name
        return
    argv = ["git", *PINS, "ls-files", "-z", "--", str(directory)]
    around = process.run(argv, cwd=directory.parent, env=env | {"GIT_LITERAL_PATHSPECS": "1"}, deadline=_DEADLINE)
    if around.out or (around.code != 0 and _NONE not in around.err):
        raise UsageError(
            f"{directory} looks like a git repository, but is part of another one", "run this in the top folder of the outer repository"
        )


def _index_in(directory: Path, start: Path, source: Mapping[str, str]) -> Path | None:
    """The index that git names for a hook (`git commit FILE` makes one of its own), never one of another repository."""
    named = (start / source.get("GIT_INDEX_FILE", "")).resolve()
    return named if named.is_relative_to(directory.resolve()) and named.is_file() else None


def _why_not(start: Path, said: str) -> UsageError:
    """git's own words (another owner, a broken config), which say what to do, unless there simply is not a repository."""
    words = " ".join(said.split()).removeprefix("fatal: ")
    if words and _NONE not in words:
        return UsageError(words)
    return UsageError(f"{start} is not in a git repository", "run this inside a git repository, or name one with --repo")

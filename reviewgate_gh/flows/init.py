"""Setting a repository up: a plan that can be shown, and then done. Nothing that exists is overwritten."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .. import __version__
from ..model.errors import UsageError
from ..model.values import dataclass
from ..steps.starter import config_text, workflow_text
from ..system import tree_file
from ..system.approvals import approve_content, load_approvals
from ..system.git import Git
from ..system.hooks import Place, find_place, install, refusal, up_to_date
from ..system.settings import CONFIG_FILE
from ..system.world import World
from .trust import record_branch

WORKFLOW_FILE = ".github/workflows/reviewgate.yml"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: what it is in words, and the deed, which says what it did; None where there is nothing to do, or where it is
    left to the user, for a reason."""

    words: str
    do: Callable[[], tuple[str, ...]] | None
    left: UsageError | None = None


def plan(git: Git, world: World, workflow: bool, hook: bool) -> tuple[Step, ...]:
    """What `init` would do here.

    Raises:
        UsageError: there is no work tree, or git runs no hooks here.
    """
    steps = [_file(git, CONFIG_FILE, config_text(), "the configuration, with every default as a comment")]
    if workflow:
        steps.append(_file(git, WORKFLOW_FILE, workflow_text(__version__), "a workflow that reviews pull requests and the merge queue"))
    if hook:
        steps.append(_hook(git, world))
    return tuple(steps)


def _file(git: Git, name: str, text: str, what: str) -> Step:
    path = tree_file.place(git, name)
    if os.path.lexists(path):
        return Step(f"kept     {name}: it already exists", None)
    if left := _no_folder(git, path):
        return Step(f"left     for you to do: {left.message}; {left.hint}", None, left)
    return Step(f"write    {name}: {what}", lambda: _written(git, path, name, text))


def _no_folder(git: Git, path: Path) -> UsageError | None:
    """Why a file cannot lie there: a link may lead out of the repository, and git takes no file from behind one."""
    top = tree_file.top(git)
    for folder in path.parents[: len(path.relative_to(top).parts) - 1]:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            what = "a symbolic link" if folder.is_symlink() else "not a folder"
            return UsageError(f"{folder.relative_to(top)} is {what}", "make it a folder, or use --no-workflow")
    return None


def _written(git: Git, path: Path, name: str, text: str) -> tuple[str, ...]:
    """Write the file. The user asked for this very content, so it counts without another approval."""
    tree_file.write(path, text.encode())
    approve_content(git, [(name, text.encode())])
    return (f"written: {name} (commit it)",)


def _hook(git: Git, world: World) -> Step:
    place = find_place(git, world.env)
    if place.caller and not place.installed:
        return Step(f"kept     {place.caller}: it already calls reviewgate-gh", None)
    if up_to_date(place, sys.executable):
        return Step(f"kept     {place.hook}: it is already installed", None)
    if not place.installed and (left := refusal(git, place)):
        return Step(f"left     for you to do: {left.message}; {left.hint}", None, left)
    verb = "renew   " if place.installed else "install "
    before = "; the existing hook runs first" if not place.installed and os.path.lexists(place.hook) else ""
    return Step(f"{verb} {place.hook}: it reviews every push{before}", lambda: install_hook(git, place))


def install_hook(git: Git, place: Place) -> tuple[str, ...]:
    """Install the hook, and record the branch whose settings count from now on; what was done, a line each."""
    said, known = install(git, place, sys.executable), load_approvals(git).branch
    branch = record_branch(git)
    where = branch.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    return (*said, f"changes that are not approved use the settings of {where}") if branch != known else said

"""Which executable a linter's name stands for."""

import shutil
import sys
from pathlib import Path

from ..system.git import Git

_LOCAL_BINS = (".venv/bin", "venv/bin", "node_modules/.bin")


def find_program(name: str, git: Git | None, path: str) -> str | None:
    """For a trusted change (`git` given) the project's own tool, then PATH, then the one installed beside us; for others ours first."""
    absolute = [folder for folder in path.split(":") if folder.startswith("/")]
    ours = str(Path(sys.executable).parent)
    if git is None:
        return shutil.which(name, path=":".join([ours, *absolute]))
    return _own(name, git) or shutil.which(name, path=":".join([*absolute, ours]))


def _own(name: str, git: Git) -> str | None:
    """The tool that the user installed in the work tree. What git tracks there may be somebody else's, so it is not taken."""
    if git.tree is None:
        return None
    for folder in _LOCAL_BINS:
        found = shutil.which(name, path=str(git.tree / folder))
        if found and not _tracked(git, git.tree, folder.partition("/")[0], Path(found).resolve()):
            return found
    return None


def _tracked(git: Git, tree: Path, top: str, program: Path) -> bool:
    """git tracks something in this folder of the work tree, the folder itself (a link), or the file that the name leads to."""
    names = [top, str(program.relative_to(tree))] if program.is_relative_to(tree) else [top]
    return git.run("ls-files", "-z", "--", *names, in_tree=True, env={"GIT_LITERAL_PATHSPECS": "1"}) != b""

"""`pull_request_target` and `issue_comment` hold secrets: the code of an untrusted pull request
must not lie beside them, wherever in the workspace it was checked out.

https://docs.github.com/en/actions/reference/security/secure-use
"""

import os
from collections.abc import Iterator
from pathlib import Path

from ..git import Git
from ..git.diff import diff_trees, parse_raw
from ..github.runner import GitHubEvent, read_flag
from ..model.change import EMPTY_BLOBS
from ..model.errors import UsageError
from ..reviewers._checkout import WorkTreeFiles
from ..system.environment import Environment
from ..text.patterns import lazy_pattern

_PARENT = lazy_pattern(rb"(?m)^parent ([0-9a-f]+)$")
_MOST_FILES = 1_000  # of the change that are looked for
_MOST_FOLDERS = 20_000
_MOST_TEXT = 10_000_000
_DEPTH = 4  # below the workspace
_WHY = "their code would have access to your secrets"
_HINT = "use on: pull_request, or check out the base and fetch the head without checking it out"


def refuse_foreign_code(event: GitHubEvent, git: Git, environment: Environment) -> None:
    """Nothing where the workspace holds the base alone, or the workflow takes the risk.

    Raises:
        UsageError: commits or files of the pull request are checked out.
    """
    if not event.foreign_code_is_danger or read_flag(environment, "i-understand"):
        return
    where = ""
    if _holds_commits(event, git, environment.variables.get("GITHUB_SHA", "")):
        where = "the pull request's own commits checked out"
    elif path := next(_copied_files(event, git), ""):
        where = f"a file of the pull request in the workspace ({path})"
    elif folder := next(_clones(event, git, environment), None):
        where = f"the pull request's own commits checked out in {folder}"
    if where:
        raise UsageError(f"refusing {event.name} with {where}: {_WHY}", _HINT)


def _holds_commits(event: GitHubEvent, git: Git, sha: str) -> bool:
    """HEAD is the pull request's head or a merge of it, or has any other of its commits; `sha` is
    what GitHub would check out itself."""
    here = git.resolve("HEAD")
    if not here:
        return False
    # From the commit's own words: a shallow clone shows it without its parents.
    parents = _PARENT.findall(git.run("cat-file", "commit", here).split(b"\n\n", 1)[0])
    if event.head in (here, *(parent.decode() for parent in parents)):
        return True
    base, head = git.resolve(event.base), git.resolve(event.head)
    if here == sha or not base or not head:
        return False
    new = ("rev-list", "--count", head, "--not", base)
    return git.text(*new) != git.text(*new, here)


def _copied_files(event: GitHubEvent, git: Git) -> Iterator[str]:
    """Files that lie in the work tree as the pull request's head has them, and its base has not."""
    here, head = git.resolve("HEAD"), git.resolve(event.head)
    if not (here and head and git.tree):
        return
    disk = WorkTreeFiles(git.tree)
    changed, _rest = parse_raw(diff_trees(git, here, head, patch=False))
    for file in changed[:_MOST_FILES]:
        if (
            file.is_text_file
            and file.oid not in EMPTY_BLOBS
            and disk.has_content(file.path, file.oid)
        ):
            yield file.path


def _clones(event: GitHubEvent, git: Git, environment: Environment) -> Iterator[Path]:
    """Folders below the workspace, or below this clone, where another clone has the pull request's
    head, or its merge, checked out."""
    places = {git.tree, environment.cwd, Path(environment.variables.get("GITHUB_WORKSPACE") or ".")}
    for place in {found.resolve() for found in places if found}:
        for folder in _folders(place):
            inside = folder / ".git"
            if folder != git.tree and inside.exists() and _is_foreign(inside, event):
                yield folder


def _folders(top: Path) -> Iterator[Path]:
    waiting, seen = [(top, 0)], 0
    while waiting and seen < _MOST_FOLDERS:
        folder, depth = waiting.pop()
        seen += 1
        yield folder
        if depth < _DEPTH:
            try:
                with os.scandir(folder) as entries:
                    waiting += [
                        (Path(entry.path), depth + 1)
                        for entry in entries
                        if entry.name != ".git" and entry.is_dir(follow_symlinks=False)
                    ]
            except OSError:
                continue


def _is_foreign(directory: Path, event: GitHubEvent) -> bool:
    """A clone's own folder whose HEAD is the head, or the ref of a pull request: read as text,
    since no program should trust its configuration."""
    here = _text(directory / "HEAD").strip()
    if here.startswith("ref:"):
        name = here.removeprefix("ref:").strip()
        packed = (row.partition(" ") for row in _text(directory / "packed-refs").splitlines())
        known = {ref: oid for oid, _space, ref in packed}
        here = _text(directory / name).strip() or known.get(name, "")
    pulls = (directory / "refs" / "remotes" / "pull").glob("*/*")
    return bool(here) and here in {event.head, *(_text(ref).strip() for ref in pulls)}


def _text(path: Path) -> str:
    try:
        with path.open("r", encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_TEXT)
    except OSError:
        return ""

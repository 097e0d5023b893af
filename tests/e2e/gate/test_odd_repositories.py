"""`review` in a repository that is in no ordinary state: a range that it names, or one line with
what to do, and exit 64."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ...support import Repo


class Odd:
    """A repository whose topic branch has one commit that origin/main lacks, and main has one that
    topic lacks."""

    def __init__(self, make_repo: Callable[..., Repo], folder: Path) -> None:
        self.make_repo, self.folder = make_repo, folder
        self.repo = make_repo()
        self.root = self.repo.commit({"a.txt": "1\n"})
        self.parted = self.repo.commit({"a.txt": "2\n"})
        self.repo.bare_remote(folder / "origin.git")
        self.repo.branch("topic")
        self.tip = self.repo.commit({"topic.txt": "1\n", "a.txt": "topic\n"})
        self.repo.switch("main")
        self.repo.commit({"a.txt": "3\n"})
        self.repo.git("push", "--quiet", "-u", "origin", "main")
        self.repo.switch("topic")

    def shallow(self, depth: int) -> Repo:
        """A clone of topic with so many commits of each branch."""
        self.repo.git("push", "--quiet", "origin", "topic")
        return Repo(self.folder / "origin.git").clone(
            self.folder / "shallow", f"--depth={depth}", "--no-single-branch", "--branch=topic"
        )


def detached(odd: Odd) -> Repo:
    odd.repo.git("checkout", "--quiet", "--detach")
    return odd.repo


def rebasing(odd: Odd) -> Repo:
    assert odd.repo.ran("rebase", "--quiet", "main").code != 0
    return odd.repo


def merging(odd: Odd) -> Repo:
    assert odd.repo.ran("merge", "--quiet", "main").code != 0
    return odd.repo


def linked(odd: Odd) -> Repo:
    odd.repo.git("worktree", "add", "--quiet", "-b", "beside", odd.folder / "linked", "topic")
    return Repo(odd.folder / "linked")


def folder_inside(odd: Odd) -> Repo:
    odd.repo.write({"deep/x.txt": "untracked\n"})
    return Repo(odd.repo.path / "deep")


def unborn(odd: Odd) -> Repo:
    return odd.make_repo("unborn")


def no_remote(odd: Odd) -> Repo:
    odd.repo.git("remote", "remove", "origin")
    return odd.repo


def one_commit(odd: Odd) -> Repo:
    repo = odd.make_repo("one")
    odd.root = repo.commit({"a.txt": "1\n"})
    return repo


def unrelated(odd: Odd) -> Repo:
    odd.repo.git("checkout", "--quiet", "--orphan", "other")
    odd.tip = odd.repo.commit({"o.txt": "1\n"})
    return odd.repo


def bare(odd: Odd) -> Repo:
    return odd.repo.clone(odd.folder / "bare.git", "--bare")


def none(odd: Odd) -> Repo:
    (odd.folder / "none").mkdir()
    return Repo(odd.folder / "none")


def as_it_is(odd: Odd) -> Repo:
    return odd.repo


RANGES: dict[str, tuple[Callable[[Odd], Repo], str, str, str]] = {
    "detached": (detached, "", "parted", "tip"),
    "mid-rebase": (rebasing, "", "", ""),
    "mid-merge": (merging, "", "parted", "tip"),
    "linked worktree": (linked, "", "parted", "tip"),
    "subfolder": (folder_inside, "", "parted", "tip"),
    "bare, named": (bare, "--range main~..topic", "parted", "tip"),
    "deep enough": (lambda odd: odd.shallow(3), "--base origin/main", "parted", "tip"),
    "root commit": (one_commit, "--commit HEAD", "empty", "root"),
    "unrelated, as a range": (unrelated, "--range topic..HEAD", "", "tip"),
    "no remote": (no_remote, "", "empty", "tip"),
    "empty range": (as_it_is, "--range HEAD..HEAD", "", ""),
}
REFUSED: dict[str, tuple[Callable[[Odd], Repo], str, str]] = {
    "shallow": (lambda odd: odd.shallow(1), "--base origin/main", "git fetch --unshallow"),
    "shallow, one commit": (lambda odd: odd.shallow(1), "--commit HEAD", "git fetch --deepen=1"),
    "unborn": (unborn, "", "no commit yet"),
    "unborn, everything": (unborn, "--all-files", "no commit"),
    "unrelated": (unrelated, "--base main", "no common ancestor"),
    "mid-merge, staged": (merging, "--staged", "unresolved conflicts"),
    "bare, uncommitted": (bare, "--uncommitted", "bare repository"),
    "no repository": (none, "", "not in a git repository"),
    "no such name": (as_it_is, "--base nowhere", "is not a commit here"),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_is_found_and_named(
    make_repo: Callable[..., Repo], tmp_path: Path, name: str
) -> None:
    make, args, base, head = RANGES[name]
    odd = Odd(make_repo, tmp_path)
    repo = make(odd)
    done = repo.cli("review", *args.split(), "--output", "json")
    assert done.code == 0, done.output
    change = json.loads(done.stdout)["change"]
    empty = repo.git("hash-object", "-t", "tree", "--stdin")
    if head:
        assert change["head"] == getattr(odd, head)
    else:  # HEAD is where the rebase has come to, or there is nothing
        assert change["base"] == change["head"] == repo.head and change["files"] == []
    if base:
        assert change["base"] == (empty if base == "empty" else getattr(odd, base))


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_range_is_one_line_with_what_to_do(
    make_repo: Callable[..., Repo], tmp_path: Path, name: str
) -> None:
    make, args, words = REFUSED[name]
    done = make(Odd(make_repo, tmp_path)).cli("review", *args.split())
    assert (done.code, done.stdout) == (64, ""), done.output
    assert (
        words in done.stderr
        and len(done.stderr.splitlines()) <= 2
        and done.stderr.startswith("reviewgate-gh: ")
    ), done.output

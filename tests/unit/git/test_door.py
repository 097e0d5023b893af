"""The door to git: how long it waits, and what it makes of a git that says nothing."""

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from reviewgate_gh.git import Git, GitFailed, open_repository
from tests.support import Repo


def slow(repo: Repo, folder: Path, body: str) -> Git:
    """An open repository whose git then hangs."""
    (folder / "bin").mkdir()
    fake = folder / "bin/git"
    fake.write_text(f"#!/bin/sh\n{body}\n")
    fake.chmod(0o755)
    git = open_repository(repo.path, os.environ)
    return replace(git, deadline=1, env={**git.env, "PATH": f"{fake.parent}:{os.environ['PATH']}"})


def alive(group: int) -> list[str]:
    """The processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += [path.parent.name] if int(words[2]) == group and words[0] not in "ZX" else []
    return found


@pytest.mark.contract(plain=["hangs"])
@pytest.mark.parametrize("words", ["exec sleep 600", "trap '' TERM\nsleep 600 &\nwait",
    ("while :; do echo x; sleep "
".1; done")],
                         ids=["hangs", "does not listen", "never ends"])  # fmt: skip
def test_a_git_that_does_not_end_is_stopped_with_all_that_it_started(
    repo: Repo, tmp_path: Path, words: str
) -> None:
    git = slow(repo, tmp_path, f'echo $$ > "{tmp_path}/group"\n{words}')
    with pytest.raises(GitFailed, match="stopped: deadline"):
        git.run("status", in_tree=True)
    group, tries = int((tmp_path / "group").read_text()), 200
    while alive(group) and tries:  # what was killed takes a moment to end
        tries -= 1
        time.sleep(0.05)
    assert alive(group) == []


def test_no_answer_is_not_taken_for_there_is_none(repo: Repo, tmp_path: Path) -> None:
    """git's own codes for a name that it does not know are no failure; a deadline is one."""
    git = slow(repo, tmp_path, f'sleep 5\nexec {shutil.which("git")} "$@"')
    with pytest.raises(GitFailed, match="stopped: deadline"):
        git.resolve("HEAD")


def test_one_that_answers_in_time_is_heard(repo: Repo, tmp_path: Path) -> None:
    git = slow(repo, tmp_path, f'sleep .1\nexec {shutil.which("git")} "$@"')
    assert git.resolve("HEAD") == repo.head

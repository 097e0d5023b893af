"""The proof that the hook fires, and that proving it changes nothing."""

from pathlib import Path

import pytest

from reviewgate_gh.hook.script import CHAINED_NAME, hook_text

from ...support import Ran, Repo, run, tool
from ..pushing import BAD, ENV, Pushing, executable, hook, state


@pytest.fixture
def it(tmp_path: Path) -> Pushing:
    return Pushing.make(tmp_path, install=False)


def objects(repo: Repo) -> Ran:
    """All objects and refs of a repository."""
    return run(
        [
            "sh",
            "-c",
            (
                "git cat-file --batch-all-objects --batch-check; git for-each-ref; git reflog "
                "--all; "
                "git status"
            ),
        ],
        repo.path,
    )


@pytest.mark.contract(plain=["sha1"])
@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_status_proves_it_and_changes_nothing(tmp_path: Path, form: str) -> None:
    it = Pushing.make(tmp_path, f"--object-format={form}", install=False)
    executable(hook(it.repo), "touch ran; exit 1")
    absent = it.repo.cli("hook", "status")
    assert absent.code == 1 and "install it: reviewgate-gh hook install" in absent.stdout
    it.repo.cli("hook", "install")
    before, files = objects(it.repo), state(it.repo.path / ".git")
    there = it.repo.cli("hook", "status")
    assert there.code == 0, there.output
    assert there.stdout.splitlines() == [
        f"installed: {hook(it.repo)}",
        f"runs first: {hook(it.repo).with_name(CHAINED_NAME)}",
        "fires: a test push to a throw-away repository reached the hook, which refused it as asked",
    ]
    assert objects(it.repo) == before and state(it.repo.path / ".git") == files
    assert not it.repo.file("ran").exists() and it.reports() == []


def test_status_does_not_believe_the_file(it: Pushing) -> None:
    it.repo.cli("hook", "install")
    hook(it.repo).chmod(0o644)
    ignored = it.repo.cli("hook", "status")
    assert ignored.code == 1 and "DOES NOT FIRE" in ignored.stdout
    it.repo.cli("hook", "install")
    assert it.repo.cli("hook", "status").code == 0
    hook(it.repo).write_text(hook_text("/gone/python"))
    assert it.repo.cli("hook", "status").code == 1


def test_status_needs_no_commit_and_no_work_tree_of_its_own(tmp_path: Path) -> None:
    unborn = Repo.init(tmp_path / "unborn", env=ENV)
    unborn.cli("hook", "install")
    assert unborn.cli("hook", "status").code == 0
    it = Pushing.make(tmp_path)
    it.repo.git("worktree", "add", "-q", tmp_path / "linked")
    assert Repo(tmp_path / "linked", ENV).cli("hook", "status").code == 0
    bare = it.repo.clone(tmp_path / "bare.git", "--bare")
    assert bare.cli("hook", "install").code == 0
    assert bare.cli("hook", "status").code == 0


def test_status_goes_by_the_configuration_of_a_push_from_here(it: Pushing, tmp_path: Path) -> None:
    """What is set in the environment counts for the user's push, so it counts for the proof; PATH
    need not hold us."""
    it.repo.cli("hook", "install")
    elsewhere = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(tmp_path / "none"),
    }
    it.repo.commit({"a.txt": BAD})
    assert it.push("--dry-run", "origin", "main").code != 0
    assert it.push("--dry-run", "origin", "main", env=elsewhere).code == 0
    assert it.repo.cli("hook", "status", env={"PATH": f"{Path(tool('git')).parent}:/bin"}).code == 0
    past = it.repo.cli("hook", "status", env=elsewhere)
    assert (past.code, "not installed" in past.stdout) == (1, True), past.output

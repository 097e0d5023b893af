"""The gate as a hook of the pre-commit framework, with the framework itself and real pushes."""

import sys
from pathlib import Path

import pytest
import yaml

from reviewgate_gh.hook.script import CHAINED_NAME

from ...support import ROOT, Repo, run, tool
from ..pushing import BAD, ENV, GOOD, Pushing, executable, hook


def config() -> str:
    """The hooks of .pre-commit-hooks.yaml, which the framework starts from this folder."""
    ours = f"{sys.executable} -P -m reviewgate_gh "
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    for each in hooks:
        del each["additional_dependencies"]
        each |= {"language": "system", "entry": each["entry"].replace("reviewgate-gh ", ours, 1)}
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]})


ONE_REF = (
    "reviewing only refs/heads/{}: the pre-commit framework passes only the first ref of a push"
)


@pytest.fixture
def it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pushing:
    program = tool("pre-commit")
    if not program:
        pytest.skip("no pre-commit: pip install pre-commit")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    made = Pushing.make(tmp_path, install=False)
    made.repo.write({".pre-commit-config.yaml": config()})
    made.repo.git("add", "--all")
    made.repo.git("commit", "-q", "-m", "config")
    assert made.push("-q", "origin", "main").code == 0
    done = run([program, "install", "-t", "pre-push", "-t", "pre-commit"], made.repo.path)
    assert done.code == 0, done.output
    return made


def test_the_first_ref_is_checked_and_the_limit_is_said(it: Pushing) -> None:
    base = it.repo.head
    it.repo.branch("one")
    good = it.repo.commit({"a.txt": GOOD})
    it.repo.branch("two", base)
    it.repo.write({"a.txt": BAD})
    it.repo.git("add", "--all")
    it.repo.git("commit", "-q", "--no-verify", "-m", "bad")
    done = it.push("origin", "one", "two")
    assert done.code == 0, done.output
    assert ONE_REF.format("one") in done.output
    assert (base, good) in it.reviewed()
    assert (base, it.repo.head) not in it.reviewed()


def test_a_defect_is_refused(it: Pushing) -> None:
    base = it.repo.head
    it.repo.branch("x")
    it.repo.write({"a.txt": BAD})
    it.repo.git("add", "--all")
    it.repo.git("commit", "-q", "--no-verify", "-m", "bad")
    done = it.push("origin", "x")
    assert done.code != 0
    assert "a.txt" in done.output and "reviewing only" not in done.output  # there is no other ref
    assert (base, it.repo.head) in it.reviewed()


def test_what_another_remote_has_counts_for_that_remote_alone(it: Pushing, tmp_path: Path) -> None:
    """The second ref of this push is on origin, and new to the one that it goes to."""
    it.repo.branch("two")
    it.repo.commit({"b.txt": GOOD})
    assert it.push("-q", "origin", "two").code == 0
    it.repo.bare_remote(tmp_path / "fork.git", "fork")
    done = it.push("fork", "main", "two")
    assert "reviewing only" in done.output, done.output


def test_a_first_push_of_a_new_history_is_reviewed_whole(it: Pushing) -> None:
    it.repo.git("switch", "-q", "--orphan", "x")
    it.repo.write({".pre-commit-config.yaml": config(), "a.txt": BAD})
    it.repo.git("add", "--all")
    it.repo.git("commit", "-q", "--no-verify", "-m", "bad")
    done = it.push("origin", "x")
    assert done.code != 0, done.output
    assert (it.repo.git("hash-object", "-t", "tree", "/dev/null"), it.repo.head) in it.reviewed()


def test_an_amended_commit_is_compared_with_its_parent(it: Pushing) -> None:
    base = it.repo.head
    it.repo.branch("x")
    it.repo.commit({"a.txt": GOOD})
    assert it.push("-q", "origin", "x").code == 0
    it.repo.write({"b.txt": BAD})
    it.repo.git("add", "--all")
    it.repo.git("commit", "-q", "--no-verify", "--amend", "-m", "again")
    assert it.push("--force", "origin", "x").code != 0
    assert (base, it.repo.head) in it.reviewed()


def test_what_is_staged_is_reviewed_before_the_commit(it: Pushing) -> None:
    it.repo.write({"a.txt": BAD})
    it.repo.git("add", "a.txt")
    it.repo.write({"a.txt": GOOD})
    done = it.repo.ran("commit", "-m", "bad")
    assert done.code != 0 and "a.txt" in done.output


def test_what_does_not_stop_a_commit_is_shown_all_the_same(it: Pushing) -> None:
    it.repo.write({"CLAUDE.md": "Be kind.\n"})
    it.repo.git("add", "--all")
    done = it.repo.ran("commit", "-m", "concerns")
    assert (
        done.code == 0
        and "P3  CLAUDE.md" in done.stderr
        and "reviewgate-gh: concerns" in done.stderr
    ), done.output


def test_a_commit_of_one_file_is_reviewed_as_that(it: Pushing) -> None:
    it.repo.commit({"a.txt": GOOD, "b.txt": GOOD})
    it.repo.write({"a.txt": BAD, "b.txt": GOOD + "more\n"})
    it.repo.git("add", "a.txt")
    before = it.repo.ran("diff", "--cached")
    done = it.repo.ran("commit", "-m", "b alone", "b.txt")
    assert done.code == 0, done.output
    assert it.repo.ran("diff", "--cached") == before
    assert it.repo.ran("commit", "-m", "a alone", "a.txt").code != 0


def test_outside_a_push_it_reviews_what_is_not_on_the_upstream(it: Pushing) -> None:
    base, tip = it.repo.head, it.repo.commit({"a.txt": GOOD})
    done = run(
        [tool("pre-commit"), "run", "reviewgate-gh", "--hook-stage", "pre-push"], it.repo.path, ENV
    )
    assert done.code == 0, done.output
    assert "no push in progress" in done.output
    assert (base, tip) in it.reviewed()


def test_status_sees_the_framework(it: Pushing) -> None:
    done = it.repo.cli("hook", "status")
    assert done.code == 0, done.output
    assert f"called from: {it.repo.file('.pre-commit-config.yaml')}" in done.stdout


def test_the_framework_installed_after_us_keeps_both_hooks(tmp_path: Path, it: Pushing) -> None:
    program = tool("pre-commit")
    run([program, "uninstall", "-t", "pre-push", "-t", "pre-commit"], it.repo.path)
    it.repo.commit({".pre-commit-config.yaml": "repos: []\n"})
    executable(hook(it.repo), f"touch {tmp_path}/ran")
    it.repo.cli("hook", "install")
    run([program, "install", "-t", "pre-push"], it.repo.path)
    assert hook(it.repo).with_name(CHAINED_NAME).exists()
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main").code != 0
    assert (tmp_path / "ran").exists() and len(it.reports()) == 1
    again = Repo(it.repo.path, ENV).cli("hook", "install")
    assert again.code == 0 and "nothing to do" in again.stdout, again.output

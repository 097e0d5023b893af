"""`cleanup`: what a review of a pull request left is removed and named, once; nothing else is
touched."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.forge import Forge
from tests.support import ROOT, Repo


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A TMPDIR without what other tests' killed runs left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def forge(make_repo, tmp_path) -> Forge:
    return Forge(make_repo, tmp_path)


def ours(repo: Repo) -> list[str]:
    return repo.git("for-each-ref", "--format=%(refname)", "refs/reviewgate-gh").splitlines()


def intent(repo: Repo, name: str):
    """What an interrupted `publish` leaves."""
    path = repo.path / ".git/reviewgate-gh/outbox" / name / "0123.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"digest": "0123"}))
    return path.parent


@pytest.mark.contract(plain=["cleanup"])
@pytest.mark.req("R003-034", "R003-062", "R003-063", "R003-064")
@pytest.mark.parametrize("spelling", [("cleanup",), ("review", "cleanup")], ids=" ".join)
def test_one_target_goes_and_the_others_stay(forge, spelling):
    for number in (1, 11):
        forge.pull({f"a{number}.txt": "x\n"}, number, f"topic{number}")
        assert forge.review(str(number))[0].code == 0
    forge.clone.git("update-ref", "refs/reviewgate-gh/mine", "HEAD")
    mine, other = intent(forge.clone, "octo-repo-1"), intent(forge.clone, "octo-repo-11")
    state = forge.clone.path / ".git/reviewgate-gh"
    kept = sorted((state / "reviews").iterdir())
    done = forge.clone.cli(*spelling, "pr-1")
    assert done.code == 0 and done.stdout.splitlines() == [
        "removed the ref refs/reviewgate-gh/pr-1",
        "removed the ref refs/reviewgate-gh/pr-1-base",
        f"removed {state / 'tmp/pr-1'}",
        f"removed {mine}",
    ], done.output
    assert ours(forge.clone) == [
        "refs/reviewgate-gh/mine",
        "refs/reviewgate-gh/pr-11",
        "refs/reviewgate-gh/pr-11-base",
    ]
    assert (
        (state / "tmp/pr-11/report.json").exists()
        and other.exists()
        and sorted((state / "reviews").iterdir()) == kept
    )
    again = forge.clone.cli(*spelling, "pr-1")
    assert (again.code, again.stdout) == (0, "nothing to clean up\n"), again.output


@pytest.mark.contract(plain=["local"])
@pytest.mark.parametrize("target", ["local", "pr-7", "src-app.py"])
def test_there_may_be_nothing(repo, target):
    done = repo.cli("cleanup", target)
    assert (done.code, done.stdout, done.stderr) == (0, "nothing to clean up\n", "")


@pytest.mark.req("R003-062")
def test_of_local_reviews_the_kept_answers_go_and_the_reports_stay(repo):
    state = repo.path / ".git/reviewgate-gh"
    repo.write(
        {
            ".git/reviewgate-gh/cache/answers/x.json": "{}",
            ".git/reviewgate-gh/reviews/x/report.json": "{}",
        }
    )
    assert repo.cli("cleanup", "pr-1").stdout == "nothing to clean up\n"
    assert (
        repo.cli("cleanup", "local").stdout == f"removed {state / 'cache'}\n"
        and (state / "reviews/x/report.json").exists()
    )
    assert repo.cli("cleanup", "local").stdout == "nothing to clean up\n"


def killed_in_the_middle(repo: Repo, temporary: Path):
    """A review that is under way, with copies of the reviewed files on disk, and its end by `kill
    -9`."""
    script = temporary.parent / "slow.py"
    script.write_text(
        "import pathlib, sys, time\npathlib.Path(sys.argv[1]).touch()\ntime.sleep(20)\n"
    )
    begun = temporary.parent / "begun"
    slow = {
        "type": "command",
        "options": {"argv": [sys.executable, str(script), str(begun)], "format": "rdjson"},
    }
    repo.commit(
        {
            ".reviewgate-gh.yaml": json.dumps(
                {
                    "version": 1,
                    "reviewers": {
                        "linters": False,
                        "change": False,
                        "callers": False,
                        "builtin": False,
                        "slow": slow,
                    },
                }
            ),
            "a.py": "x = 1\n",
        }
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--base", "HEAD~1"]
    process = subprocess.Popen(
        argv, cwd=repo.path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not begun.exists() and process.poll() is None:
        time.sleep(0.02)
    assert process.poll() is None
    return process


@pytest.mark.req("R003-031", "R003-032")
@pytest.mark.parametrize("by", ["cleanup", "the next review"])
def test_what_a_killed_run_left_goes_and_nothing_before_it_is_dead(repo, temporary, by):
    process = killed_in_the_middle(repo, temporary)
    with process:
        there = sorted(temporary.iterdir())
        assert (
            there
            and repo.cli("cleanup", "local").stdout == "nothing to clean up\n"
            and sorted(temporary.iterdir()) == there
        )
        process.kill()
    if by == "cleanup":
        said = repo.cli("cleanup", "pr-7").stdout.splitlines()
        assert said == [f"removed {path}, left behind by a killed run" for path in there]
        assert repo.cli("cleanup", "pr-7").stdout == "nothing to clean up\n"
    else:
        repo.commit({".reviewgate-gh.yaml": "version: 1\n"})
        assert repo.cli("review", "--base", "HEAD~1").code == 0
    assert not [*temporary.iterdir()] and repo.git("worktree", "list").count("\n") == 0


@pytest.mark.req("R003-031")
def test_worktrees_are_the_users_and_stay(repo):
    repo.git("worktree", "add", "--quiet", "--detach", repo.path.parent / "pr-1")
    assert repo.cli("cleanup", "pr-1").stdout == "nothing to clean up\n"
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 2


@pytest.mark.parametrize(
    "target",
    ["", "..", "../reviews", "a/b", "-x", "x.lock", "pr-1\n", "a..b", ".hidden", "heads/main", "*"],
)
def test_a_name_that_leads_elsewhere_is_none(repo, target):
    (repo.path / ".git/reviewgate-gh/reviews/x").mkdir(parents=True)
    done = repo.cli("cleanup", "--", target)
    assert done.code == 64 and "not a target" in done.stderr, done.output
    assert (repo.path / ".git/reviewgate-gh/reviews/x").exists()


def test_a_link_in_the_place_of_a_folder_is_not_followed(repo, tmp_path):
    (tmp_path / "treasure").mkdir()
    for name in ("tmp/pr-1", "outbox/octo-repo-1"):
        link = repo.path / ".git/reviewgate-gh" / name
        link.parent.mkdir(parents=True)
        link.symlink_to(tmp_path / "treasure")
    assert (
        repo.cli("cleanup", "pr-1").stdout == "nothing to clean up\n"
        and (tmp_path / "treasure").exists()
    )

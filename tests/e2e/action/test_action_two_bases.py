"""One branch with two pull requests, to different branches: each run's report is posted on the one
that it is about."""

from pathlib import Path

import pytest

from tests.github import REPOSITORY, step
from tests.support import Repo

EVIL = "def f(x):\n    return evil(x)\n"


@pytest.mark.parametrize("first", ["main", "release/1.0"])
def test_the_report_s_own_base_tells_which_is_meant(github, repo: Repo, tmp_path: Path, first: str):
    repo.branch("release/1.0")
    repo.switch("main")
    repo.commit({"on-main.py": "x = 1\n"})
    repo.branch("topic")
    repo.commit({"a.py": EVIL})
    hosted, token = github.repository(repo.path), github.token()
    pulls = {base: hosted.pull("topic", base, fork="eve/repo") for base in ("main", "release/1.0")}
    finished = {
        "event": "pull_request",
        "head_sha": repo.head,
        "head_branch": "topic",
        "head_repository": {"full_name": "eve/repo"},
    }
    event = {"action": "completed", "workflow_run": finished, "repository": REPOSITORY}
    for base in sorted(pulls, key=lambda base: base != first):
        report = tmp_path / "report.json"
        assert (
            repo.cli("review", "--base", base, "--output", "json", "--output-path", report).code
            == 1
        )
        done = step(
            repo,
            "workflow_run",
            event,
            tmp_path / "step",
            env=github.env(),
            token=token,
            report=str(report),
        )
        assert done.ran.code == 0 and len(pulls[base].inline) == 1, done.ran.output
        assert base != first or sum(len(each.inline) for each in pulls.values()) == 1

"""A reviewer of another package joins by its entry point; one that miscounts ends the run, since a
finding may be lost."""

import json
from pathlib import Path

import pytest

from ...github import pull_request, step
from ...support import Repo
from ..pushing import ENV, Pushing

PACKAGE = """
from dataclasses import dataclass

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.model.review import Review
from reviewgate_gh.text.strict import tool_finding


@dataclass(frozen=True, slots=True)
class Options:
    lost: int = 0
    __pydantic_config__ = {"extra": "forbid", "strict": True}


def parts(change, options, kit):
    return ("",)


def review(request, options, kit):
    paths = tuple(file.path for file in request.change.files)
    findings = tuple(
        tool_finding("keen", "word", Priority.P1, path, (1, 1), f"found in {path}")
        for path in paths
    )
    return Review("keen", findings=findings, found=len(findings) + options.lost, covered=paths)
"""
SAID = "2 findings were reported, 1 are in the report and 0 on unchanged lines"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """The package is installed."""
    info = tmp_path / "site/keen-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: keen\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[reviewgate_gh.reviewers]\nkeen = keen_reviewer\n")
    (tmp_path / "site/keen_reviewer.py").write_text(PACKAGE)
    return {"PYTHONPATH": f"{tmp_path / 'site'}:{ENV['PYTHONPATH']}"}


def changed(repo: Repo, env: dict[str, str], lost: int) -> Repo:
    repo.commit(
        {
            ".reviewgate-gh.yaml": (
                f"reviewers: {{linters: off, change: off, callers: off, builtin: off, "
                f"keen: {{type: keen, options: {{lost: {lost}}}}}}}\n"
            )
        },
        approve=False,
    )
    assert repo.cli("trust", env=env).code == 0
    repo.commit({"a.txt": "words\n"})
    return repo


@pytest.mark.contract(plain=False)
def test_it_is_asked_like_our_own(repo: Repo, env: dict[str, str]) -> None:
    done = changed(repo, env, 0).cli("review", "--commit", "HEAD", "--output", "json", env=env)
    assert done.code == 1, done.output
    [found] = json.loads(done.stdout)["findings"]
    assert (found["rule"], found["path"], found["sources"], found["state"]) == (
        "keen/word",
        "a.txt",
        ["keen"],
        "open",
    )
    assert repo.cli("review", "--commit", "HEAD").code == 78, (
        "without the package there is no such reviewer"
    )


def test_a_finding_that_is_not_in_the_report_ends_the_command(
    repo: Repo, env: dict[str, str]
) -> None:
    done = changed(repo, env, 1).cli("review", "--commit", "HEAD", "--exit-zero", env=env)
    assert done.code == 5 and SAID in done.stderr and done.stdout == "", done.output


def test_and_the_push(tmp_path: Path, env: dict[str, str]) -> None:
    it = Pushing.make(tmp_path)
    changed(it.repo, env, 1)
    assert it.push("-q", "--no-verify", "origin", "HEAD~:main").code == 0
    done = it.push("origin", "main", env=env)
    assert done.code != 0 and SAID in done.stderr and it.reports() == [], done.output
    assert it.refs()["refs/heads/main"] == it.repo.rev("HEAD~")


def test_and_the_action(repo: Repo, tmp_path: Path, env: dict[str, str]) -> None:
    changed(repo, env, 1)
    done = step(
        repo,
        "pull_request",
        pull_request(repo.rev("HEAD~"), repo.head),
        tmp_path / "runner",
        env=env,
        fail_on="never",
    )
    assert done.ran.code == 5 and SAID in done.ran.output

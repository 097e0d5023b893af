"""What somebody forges for the second workflow: where everything else would allow it, the report
still decides nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.github import REPOSITORY, Step, step
from tests.support import Ran, Repo

EVIL = "def f(x):\n    return evil(x)\n"
ALLOWING = {"version": 1, "publish": {"approve": True, "request_changes": True}}
SECRET = "the-token-of-somebody-else"


class Forged:
    """A fork's pull request in a repository that allows approving, with green CI and a token that
    may approve."""

    def __init__(self, github, repo: Repo) -> None:
        self.github, self.repo = github, repo
        repo.commit({".reviewgate-gh.yaml": json.dumps(ALLOWING)})
        repo.branch("topic")
        self.head = repo.commit({"a.py": EVIL, "src/b.py": EVIL.replace("eval", "exec")})
        stored = github.repository(repo.path)
        self.pull, self.token = stored.pull("topic", fork="eve/repo"), github.token("grace")
        stored.check(self.head, "build", run=stored.workflow_run("CI", self.head).id)
        self.artifact = repo.path.parent / "artifact"
        self.artifact.mkdir()
        path = self.artifact / "honest"
        done = repo.cli("review", "--base", "main", "--output", "json", "--output-path", str(path))
        assert done.code == 1, done.output
        self.honest: dict[str, Any] = json.loads(path.read_text())
        self.clone = repo.clone(repo.path.parent / "clone")
        self.clone.git("checkout", "--quiet", repo.rev("main"))

    @property
    def clean(self) -> dict[str, Any]:
        """The same review as if it had found nothing."""
        verdict = {
            **self.honest["verdict"],
            "outcome": "pass",
            "reasons": [],
            "counts": {},
            "not_reviewed": [],
        }
        return {**self.honest, "findings": [], "verdict": verdict}

    def write(self, report: Any) -> Path:
        path = self.artifact / "report"
        path.write_text(json.dumps(report))
        return path

    def second(self, path: Path) -> Step:
        """The run that has rights gets this file."""
        finished = {
            "event": "pull_request",
            "head_sha": self.head,
            "head_branch": "topic",
            "head_repository": {"full_name": "eve/repo"},
        }
        event = {"action": "completed", "workflow_run": finished, "repository": REPOSITORY}
        env = self.github.env(repo="octo/repo")
        return step(
            self.clone,
            "workflow_run",
            event,
            self.repo.path.parent / "step",
            env=env,
            token=self.token,
            report=str(path),
        )

    def by_hand(self, report: Any) -> Ran:
        """The same report where somebody vouches for it."""
        return self.repo.cli(
            "publish", "1", "--report", str(self.write(report)), env=self.github.env(self.token)
        )

    def states(self) -> list[str]:
        return [each.state for each in self.pull.reviews]

    def hidden(self) -> list[str]:
        return [each.minimized for each in self.pull.inline]


@pytest.fixture
def forged(github, repo: Repo) -> Forged:
    return Forged(github, repo)


def test_a_clean_one_approves_nothing_where_all_else_would(forged: Forged):
    done = forged.second(forged.write(forged.clean)).ran
    assert done.code == 0 and not forged.pull.reviews, done.output
    assert forged.by_hand(forged.clean).code == 0 and forged.states() == ["APPROVED"], (
        "nothing but the door has kept it from approving"
    )


def test_a_bad_one_requests_no_changes_and_links_to_no_page_of_its_own(forged: Forged):
    evil = "https://evil.example/login"
    rows = [{**row, "body": evil, "rule_page": evil} for row in forged.honest["findings"]]
    done = forged.second(forged.write({**forged.honest, "findings": rows})).ran
    said = [each.body for each in (*forged.pull.reviews, *forged.pull.inline)]
    assert f"`{evil}`" in "".join(said) and f"]({evil})" not in "".join(said)
    assert done.code == 0 and forged.states() == ["COMMENTED"] and len(forged.pull.inline) == 2, (
        done.output
    )
    assert forged.by_hand(forged.honest).code == 0 and forged.states() == [
        "COMMENTED",
        "CHANGES_REQUESTED",
    ]


def test_a_clean_one_takes_nothing_back(forged: Forged):
    assert forged.by_hand(forged.honest).code == 0 and forged.states() == ["CHANGES_REQUESTED"]
    done = forged.second(forged.write(forged.clean)).ran
    assert (
        done.code == 0 and forged.states() == ["CHANGES_REQUESTED"] and not any(forged.hidden())
    ), done.output
    assert (
        forged.by_hand(forged.clean).code == 0
        and forged.states() == ["DISMISSED", "APPROVED"]
        and all(forged.hidden())
    )


@pytest.mark.parametrize(
    "kind", ["a link", "a link to a report", "a link to nothing", "a folder", "a pipe"]
)
def test_what_is_no_file_is_not_read(forged: Forged, kind: str):
    path = forged.artifact / "report"
    (forged.artifact / "treasure").write_text(SECRET)
    if kind.startswith("a link"):
        path.symlink_to({"a link": "treasure", "a link to a report": "honest"}.get(kind, "missing"))
    elif kind == "a folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    done = forged.second(path).ran
    assert done.code == 64 and "not a regular file" in done.stderr and SECRET not in done.output, (
        done.output
    )
    assert not forged.pull.reviews


def test_half_a_character_makes_it_no_report(forged: Forged):
    first, second = forged.honest["findings"]
    done = forged.second(
        forged.write({**forged.honest, "findings": [{**first, "path": "\ud800.py"}, second]})
    )
    assert (
        done.ran.code == 64
        and "an unpaired surrogate" in done.ran.stderr
        and not forged.pull.reviews
    ), done.ran.output


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "src/../../outside.py",
        ".git/config",
        "a.py\0.txt",
        "x/" * 5_000 + "x.py",
        "a.py\n::error::x",
        "",
        "\udcff.py",
    ],
    ids=["absolute", "upwards", "git's own", "NUL", "long", "a command", "none", "no UTF-8"],
)
def test_a_path_that_leads_elsewhere_is_text_and_nothing_more(forged: Forged, name: str):
    """The other finding is posted at its line all the same."""
    before = sorted(path for path in forged.repo.path.parent.rglob("*") if ".git" not in path.parts)
    first, second = forged.honest["findings"]
    done = forged.second(
        forged.write({**forged.honest, "findings": [{**first, "path": name}, second]})
    )
    assert done.ran.code == 0 and forged.states() == ["COMMENTED"], done.ran.output
    assert [each.origin.path for each in forged.pull.inline] == ["src/b.py"], done.ran.output
    [review] = forged.pull.reviews
    assert "1 finding without a comment of its own" in review.body
    assert (
        len(review.body) < 60_000
        and "\0" not in review.body
        and "\n::" not in done.ran.stdout + review.body
    )
    left = {forged.artifact / "report", forged.repo.path.parent / "step"}
    after = sorted(
        path
        for path in forged.repo.path.parent.rglob("*")
        if ".git" not in path.parts and not {path, *path.parents} & left
    )
    assert after == before

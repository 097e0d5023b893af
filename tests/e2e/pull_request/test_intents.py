"""What is about to be made at GitHub is noted on disk before its request arrives there, whichever
way it is sent; then the note goes."""

import json
from pathlib import Path

import pytest

from tests.github import REPOSITORY, pull_request, step
from tests.peers.github.handle import GATE
from tests.support import Repo

RIGHTS = {**GATE, "checks": "write", "issues": "write"}
MADE = {
    "review": "/repos/*/pulls/*/reviews",
    "check run": "/repos/*/check-runs",
    "issue": "/repos/*/issues",
}
EVIL = "def f(x):\n    return evil(x)\n"


class Watched:
    """A pull request whose run makes a review, a check run and an issue; what lies on disk when
    each of them arrives."""

    def __init__(self, github, repo: Repo) -> None:
        repo.commit(
            {
                ".reviewgate-gh.yaml": json.dumps(
                    {"version": 1, "publish": {"check_run": True}, "tracker": {"type": "github"}}
                )
            }
        )
        repo.branch("topic")
        self.head = repo.commit({"a.py": EVIL})
        self.github, self.repo = github, repo
        hosted = github.repository(repo.path)
        hosted.stored.collaborators["ada"] = "write"
        self.pull = hosted.pull("topic")
        self.env = github.env(github.token(**RIGHTS))
        self.seen: dict[str, list[dict[str, str]]] = {}
        for what, path in MADE.items():
            github.faults.on(
                "POST", path, before=lambda what=what: self.seen.update({what: self.notes()})
            )

    @property
    def outbox(self) -> Path:
        return self.repo.file(".git/reviewgate-gh/outbox")

    def notes(self) -> list[dict[str, str]]:
        return [
            json.loads(path.read_text()) for path in sorted(self.outbox.glob("octo-repo-*/*.json"))
        ]

    def review(self) -> str:
        path = self.repo.path.parent / "report.json"
        self.repo.cli("review", "--base", "main", "--output", "json", "--output-path", str(path))
        return str(path)

    def over(self) -> bool:
        return not [path for path in self.outbox.rglob("*") if path.is_file()]


@pytest.fixture
def watched(github, repo: Repo) -> Watched:
    return Watched(github, repo)


def test_publish_notes_each_of_them(watched: Watched):
    done = watched.repo.cli("publish", "1", "--report", watched.review(), env=watched.env)
    assert done.code == 0 and {
        what: len(notes) for what, notes in watched.seen.items()
    } == dict.fromkeys(MADE, 1), done.output
    assert (
        watched.seen["review"][0]["commit"]
        == watched.seen["check run"][0]["commit"]
        == watched.head
    )
    assert len({notes[0]["digest"] for notes in watched.seen.values()}) == 3 and watched.over()


def test_so_does_the_action(watched: Watched):
    event = pull_request(watched.repo.rev("main"), watched.head)
    done = step(
        watched.repo,
        "pull_request",
        event,
        watched.repo.path.parent / "step",
        env=watched.env,
        token=watched.env["GITHUB_TOKEN"],
    )
    assert done.ran.code == 1 and {
        what: len(notes) for what, notes in watched.seen.items()
    } == dict.fromkeys(MADE, 1), done.ran.output
    assert watched.over()


def test_so_does_the_second_of_two_workflows(watched: Watched):
    run = {
        "event": "pull_request",
        "head_sha": watched.head,
        "head_branch": "topic",
        "head_repository": {"full_name": "octo/repo"},
    }
    event = {"action": "completed", "workflow_run": run, "repository": REPOSITORY}
    options = {"token": watched.env["GITHUB_TOKEN"], "report": watched.review()}
    done = step(
        watched.repo,
        "workflow_run",
        event,
        watched.repo.path.parent / "step",
        env=watched.env,
        **options,
    )
    assert done.ran.code == 0 and {what: len(notes) for what, notes in watched.seen.items()} == {
        "review": 1
    }, done.ran.output
    assert watched.over()


@pytest.mark.parametrize("what", MADE)
def test_a_note_of_what_was_lost_stays_until_the_next_run_has_looked(watched: Watched, what: str):
    """Neither arrives, nor can be looked for: the note is all that a person has."""
    report = watched.review()
    watched.github.fault("502", "POST", MADE[what], times=9)
    first = watched.repo.cli("publish", "1", "--report", report, env=watched.env)
    left = [each["digest"] for each in watched.notes()]
    assert len(left) == 1 and left == [each["digest"] for each in watched.seen[what]], first.output
    watched.github.faults.planned.clear()
    second = watched.repo.cli("publish", "1", "--report", report, env=watched.env)
    assert second.code == 0 and watched.over() and not watched.github.duplicates(), second.output
    assert "1 request(s) of an interrupted run were looked for" in second.stderr

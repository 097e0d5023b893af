"""Issues where a review could not be posted: what people dismissed becomes none, and where that is
not known everything waits."""

import json

import pytest

from tests.github import pull_request, step
from tests.peers.github.handle import GATE, READ_ONLY
from tests.support import Repo

from ..publishing import evil

UNREAD = "the dismissals on the pull request could not be read"


class Dismissed:
    """A pull request with a finding at a.py:2, which grace has dismissed, and then another one in
    c.py."""

    def __init__(self, github, repo: Repo, tracker: str) -> None:
        repo.commit(
            {".reviewgate-gh.yaml": json.dumps({"version": 1, "tracker": {"type": tracker}})}
        )
        repo.branch("topic")
        repo.commit(evil("a.py"))
        self.github, self.repo = github, repo
        hosted = github.repository(repo.path)
        hosted.stored.collaborators |= {"ada": "write", "grace": "write"}
        self.stored, self.pull = hosted.stored, hosted.pull("topic", author="ada")
        self.good, self.poor = (
            github.token(**GATE, issues="write"),
            github.token(**{**READ_ONLY, "issues": "write"}),
        )
        assert self.publish(self.github.token(), CI="true").code == 0 and not self.issues
        [comment] = self.pull.inline
        self.pull.reply(comment, "grace", "/reviewgate-gh dismiss x is a constant")
        repo.commit(evil("c.py"))
        self.pull.push()

    def run(self, token: str, *args: str, **env: str):
        return self.repo.cli(*args, env={**self.github.env(token), **env})

    def publish(self, token: str, **env: str):
        report = str(self.repo.path.parent / "report.json")
        done = self.repo.cli(
            "review", "--base", "main", "--output", "json", "--output-path", report
        )
        assert done.code == 1, done.output
        return self.run(token, "publish", "1", "--report", report, **env)

    def listed(self) -> list[tuple[str, str]]:
        rows = json.loads(self.run("", "findings", "list", "--output", "json").stdout)
        return sorted((row["path"], row["status"]) for row in rows)

    @property
    def issues(self) -> list[str]:
        return [
            each.title
            for each in self.stored.issues.values()
            if each.number not in self.stored.pulls
        ]


@pytest.fixture
def dismissed(github_plain, repo: Repo):
    return lambda tracker="local": Dismissed(github_plain, repo, tracker)


@pytest.mark.parametrize("token", ["good", "poor"])
def test_what_people_dismissed_becomes_no_issue_whether_posted_or_refused(dismissed, token):
    scene = dismissed()
    done = scene.publish(getattr(scene, token))
    assert done.code == (0 if token == "good" else 69) and "issues (local): 1 new" in done.stderr, (
        done.output
    )
    assert scene.listed() == [("c.py", "open")]


def test_a_review_whose_posting_is_refused_tells_of_the_dismissal_and_makes_no_issue_of_it(
    dismissed,
):
    scene = dismissed("github")
    scene.repo.git("update-ref", "refs/pull/1/head", "topic")
    scene.repo.git("remote", "add", "origin", str(scene.repo.path))
    done = scene.run(scene.poor, "review", "--pr", "1", "--publish", "--output", "json")
    report = json.loads(done.stdout)
    assert {each["path"]: each["state"] for each in report["findings"]} == {
        "a.py": "dismissed",
        "c.py": "open",
    }, done.output
    assert done.code == 1 and "nothing more was posted" in str(report["notices"])
    assert [title for title in scene.issues if "(c.py)" in title] == scene.issues != []


def test_the_action_whose_posting_is_refused_makes_no_issue_of_what_was_dismissed(
    dismissed, tmp_path
):
    scene = dismissed("github")
    payload = pull_request(scene.repo.rev("main"), scene.repo.rev("topic"))
    done = step(
        scene.repo,
        "pull_request",
        payload,
        tmp_path / "step",
        env=scene.github.env(),
        token=scene.poor,
    )
    assert {each["path"]: each["state"] for each in done.report()["findings"]} == {
        "a.py": "dismissed",
        "c.py": "open",
    }, done.ran.output
    assert "nothing more was posted" in str(done.report()["notices"])
    assert [title for title in scene.issues if "(c.py)" in title] == scene.issues != []


@pytest.mark.parametrize(
    "unread", ["pulls/1", "collaborators/*"], ids=["the pull request", "who may write"]
)
def test_while_the_dismissals_cannot_be_read_the_findings_wait_for_a_run_that_reads_them(
    dismissed, unread
):
    scene = dismissed()
    scene.github.fault("bad-json", "GET", f"/repos/*/{unread}", times=99)
    for _ in range(2):
        done = scene.publish(scene.good)
        assert done.code == 69 and UNREAD in done.stderr and "2 findings saved" in done.stderr, (
            done.output
        )
        assert scene.listed() == [("a.py", "waiting"), ("c.py", "waiting")]
    scene.github.faults.planned.clear()
    done = scene.publish(scene.good)
    assert done.code == 0 and "issues (local): 1 new" in done.stderr, done.output
    assert scene.listed() == [("c.py", "open")]


def test_findings_of_an_author_who_cannot_be_looked_up_do_not_wait(dismissed):
    scene = dismissed("github")
    scene.github.fault("403", "GET", "/repos/*/pulls/1", times=99)
    done = scene.publish(scene.good)
    assert (
        done.code == 69 and "could not check whether the author has write access" in done.stderr
    ), done.output
    assert not scene.issues and not [
        *scene.repo.file(".git/reviewgate-gh/outbox/tracker").glob("pull-*")
    ]

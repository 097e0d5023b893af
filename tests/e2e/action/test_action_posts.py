"""The Action posting on a pull request, under act: a real runner, real git, GitHub's own
description between."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.github import REPOSITORY, pull_request
from tests.peers.github.handle import READ_ONLY
from tests.support import Repo

from ..acting import Acted, act

EVIL = "def f(x):\n    return evil(x)\n"
FINE = "def f(x):\n    return x\n"


@dataclass
class Story:
    """A pull request that lives on; each run is another workflow run in a new clone."""

    repo: Repo
    github: Any
    stored: Any
    pull: Any
    runs: int = 0

    def run(self, token: str = "", fork: bool = False, **inputs: str) -> Acted:
        self.runs += 1
        folder = self.repo.path.parent / f"run{self.runs}"
        clone = self.repo.clone(folder / "clone")
        head = self.repo.rev("topic")
        clone.git("checkout", "--quiet", head)
        env = self.github.env(repo="octo/repo")
        options = [word for name, value in env.items() for word in ("--env", f"{name}={value}")]
        event = pull_request(self.repo.rev("main"), head, fork=fork)
        return act(
            clone,
            "pull_request",
            event,
            folder / "act",
            tuple(options),
            token=token or self.github.token(),
            **inputs,
        )

    def written(self) -> int:
        return len(self.github.journal.created)


@pytest.fixture
def story(github, repo: Repo) -> Story:
    repo.branch("topic")
    repo.commit({"a.py": EVIL})
    stored = github.repository(repo.path)
    return Story(repo, github, stored, stored.pull("topic"))


def places(comments: Any) -> list[tuple[str, int]]:
    return [(each.origin.path, each.origin.line) for each in comments]


def test_a_pull_request_from_its_first_run_to_its_last(story):
    first = story.run()
    assert first.codes == {1} and first.outputs["verdict"] == "block", first.ran.output
    assert places(story.pull.inline) == [("a.py", 2)] and [
        each.state for each in story.pull.reviews
    ] == ["COMMENTED"]
    written = story.written()
    again = story.run()
    assert again.codes == {1} and story.written() == written, "an unchanged run says nothing"
    story.repo.commit({"a.py": FINE, "b.py": EVIL})
    story.pull.push()
    story.run()
    assert (
        places(story.pull.inline) == [("a.py", 2), ("b.py", 2)] and story.pull.inline[0].minimized
    )
    story.repo.git("reset", "--quiet", "--hard", "main")
    story.repo.commit({"b.py": EVIL, "c.py": FINE})
    story.pull.push()
    written = story.written()
    forced = story.run()
    assert forced.codes == {1} and story.written() == written, (
        "after a force-push nothing is said twice"
    )
    story.repo.commit({"b.py": FINE})
    story.pull.push()
    last = story.run()
    assert not last.codes and last.outputs["verdict"] == "pass", last.ran.output
    assert all(each.minimized for each in story.pull.inline) and not story.github.duplicates()


def test_without_a_token_nothing_is_asked_and_nothing_posted(story):
    clone = story.repo.clone(story.repo.path.parent / "clone")
    clone.git("checkout", "--quiet", story.repo.rev("topic"))
    done = act(
        clone,
        "pull_request",
        pull_request(story.repo.rev("main"), story.repo.rev("topic")),
        story.repo.path.parent / "act",
    )
    assert (
        done.codes == {1}
        and not story.github.journal.entries
        and "the input token is empty" in done.log
    )


def test_a_forks_token_may_only_read_and_the_verdict_is_real_all_the_same(story):
    done = story.run(token=story.github.token(**READ_ONLY), fork=True)
    assert done.codes == {1} and done.outputs["verdict"] == "block", done.ran.output
    assert not story.pull.reviews and "the token is read-only" in done.summary and done.annotations


def test_a_token_that_lacks_the_permission_fails_a_step_that_would_have_passed(story):
    story.repo.commit({"a.py": FINE, "CLAUDE.md": "Be kind.\n"})
    story.pull.push()
    first = story.run()
    assert not first.codes, first.ran.output
    story.repo.commit({"a.py": EVIL})
    story.pull.push()
    done = story.run(token=story.github.token(**READ_ONLY), fail_on="block")
    assert done.codes == {1} and "pull-requests: write" in done.summary.replace(
        "pull_requests", "pull-requests"
    ), done.summary


def test_a_github_that_is_down_is_no_green_check(story):
    story.repo.commit({"a.py": FINE})
    story.pull.push()
    story.github.fault("404", "GET", "/repos/*/pulls/1", times=9)
    done = story.run()
    assert done.codes == {69} and done.outputs["verdict"] == "pass", done.ran.output


@dataclass
class Halves:
    """A fork's pull request: one run without rights writes a report, another one posts it."""

    story: Story
    head: str = ""

    def first(self) -> Acted:
        return self.story.run(token=self.story.github.token(**READ_ONLY), fork=True)

    def second(self, report: Any, **more: Any) -> Acted:
        self.story.runs += 1
        folder = self.story.repo.path.parent / f"run{self.story.runs}"
        clone = self.story.repo.clone(folder / "clone")
        (folder / "act").mkdir(parents=True)
        path = folder / "act" / "artifact.json"
        path.write_text(report if isinstance(report, str) else json.dumps(report))
        run = {"event": "pull_request", "head_sha": self.story.repo.rev("topic"),
            "head_branch": "topic",
               "head_repository": {"full_name": "eve/repo"}, "conclusion": "failure",
               **more}  # fmt: skip
        env = self.story.github.env(repo="octo/repo")
        options = tuple(
            word for name, value in env.items() for word in ("--env", f"{name}={value}")
        )
        event = {"action": "completed", "workflow_run": run, "repository": REPOSITORY}
        return act(
            clone,
            "workflow_run",
            event,
            folder / "act",
            options,
            token=self.story.github.token(),
            report=str(path),
        )


@pytest.fixture
def halves(github, repo: Repo) -> Halves:
    repo.branch("topic")
    repo.commit({"a.py": EVIL})
    stored = github.repository(repo.path)
    return Halves(Story(repo, github, stored, stored.pull("topic", fork="eve/repo")))


def test_two_workflows_post_a_forks_findings(halves):
    report = halves.first().report()
    assert not halves.story.pull.reviews
    done = halves.second(report)
    assert not done.codes and places(halves.story.pull.inline) == [("a.py", 2)], done.ran.output
    written = halves.story.written()
    assert not halves.second(report).codes and halves.story.written() == written


LIES = ("another head", "another repository", "no pull request", "not JSON", "huge", "clean")


def told(report: dict[str, Any], lie: str) -> tuple[Any, dict[str, Any]]:
    """The report, and more of the event, with a lie in one of them."""
    match lie:
        case "another head":
            return {**report, "change": {**report["change"], "head": "0" * 40}}, {}
        case "another repository":
            return report, {"head_repository": {"full_name": "mallory/repo"}}
        case "no pull request":
            return report, {"event": "push"}
        case "not JSON":
            return "[]", {}
        case "huge":
            return json.dumps({**report, "actor": "x" * 21_000_000}), {}
    return {
        **report,
        "findings": [],
        "verdict": {**report["verdict"], "outcome": "pass", "not_reviewed": []},
    }, {}


def test_a_forged_report_does_nothing_but_comment(halves):
    def standing():
        pull = halves.story.pull
        return [(each.state, each.minimized) for each in pull.reviews], [
            each.minimized for each in pull.inline
        ]

    report = halves.first().report()
    halves.second(report)
    before = standing()
    for lie in LIES:
        forged, more = told(report, lie)
        done = halves.second(forged, **more)
        assert done.codes == (
            {64} if lie in ("another head", "no pull request", "not JSON", "huge") else set()
        ), (lie, done.ran.output)
        assert ("no open pull request has" in done.log) == (lie == "another repository"), (
            lie,
            done.log,
        )
        assert standing() == before, lie

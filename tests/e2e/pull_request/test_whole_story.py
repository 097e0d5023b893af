"""One pull request from its first run to its last, under act: what GitHub holds after each chapter,
for people to read.

`pytest -n0 -s tests/e2e/pull_request/test_whole_story.py` prints the story; the assertions are
about what must not change in it.
"""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.github import pull_request
from tests.peers.github.handle import READ_ONLY, GitHub
from tests.peers.github.handle_repo import Pull
from tests.peers.github.handle_repo import Repo as Hosted
from tests.support import Repo

from ..acting import Acted, act

EVAL = "def f(x):\n    return evil(x)\n"
EXEC = "def g(x):\n    viel(x)\n"
FINE = "def f(x):\n    return x\n"
CONFIG = json.dumps({"version": 1, "publish": {"approve": True}})
OURS = re.compile(r"^reviewgate-gh: (.*)$", re.MULTILINE)


@dataclass
class Story:
    """The repository, GitHub, and what was told so far."""

    repo: Repo
    github: GitHub
    hosted: Hosted
    pull: Pull
    token: str
    runs: int = 0
    told: list[str] = field(default_factory=list)

    def run(self, token: str = "", fork: bool = False) -> Acted:
        """The workflow once more, in a new clone."""
        self.runs += 1
        folder = self.repo.path.parent / f"run{self.runs}"
        clone = self.repo.clone(folder / "clone")
        head = self.pull.stored.head_sha
        clone.git("fetch", "--quiet", "origin", head)
        clone.git("checkout", "--quiet", head)
        options = [
            word
            for name, value in self.github.env(repo="octo/repo").items()
            for word in ("--env", f"{name}={value}")
        ]
        event = pull_request(self.repo.rev("main"), head, fork=fork)
        event["number"] = event["pull_request"]["number"] = self.pull.number
        return act(
            clone, "pull_request", event, folder / "act", tuple(options), token=token or self.token
        )

    def change(self, files: dict[str, str | None], forced: bool = False) -> None:
        """A push; a forced one starts again at the base."""
        if forced:
            self.repo.git("reset", "--quiet", "--hard", "main")
        self.repo.commit(files)
        self.pull.push()

    def chapter(self, title: str, *runs: Callable[[], Acted]) -> list[Acted]:
        """Play it (several runs at once), and tell how it ended, what it cost, and what GitHub
        holds."""
        journal = self.github.journal
        journal.entries.clear()
        ended: list[Acted] = []
        threads = [
            threading.Thread(target=lambda run=run: ended.append(run()))
            for run in runs or (self.run,)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.told.append(f"\n## {title}")
        for done in ended:
            self.told.append(
                f"step: exit {next(iter(done.codes), 0)}, verdict {done.outputs['verdict']}"
            )
            self.told += [
                f"  said: {text}" for text in OURS.findall(done.log) if " to GitHub" not in text
            ]
        self.told.append(
            f"cost: {len(journal.entries)} requests, {len(journal.created)} things created"
        )
        self.told += self.stored()
        return ended

    def stored(self) -> list[str]:
        """The pull request's reviews and comments."""
        rows = [
            f"review {number}: {each.state} by {each.author.login} on "
            f"{each.commit_id[:7]}{' (hidden)' if each.minimized else ''}"
            f"{': ' + each.dismissed_with if each.dismissed_with else ''}"
            for number, each in enumerate(self.pull.reviews, 1)
        ]
        return rows + [
            f"comment at {each.origin.path}:{each.origin.line} by {each.author.login}"
            f"{f' (hidden: {each.minimized})' if each.minimized else ''}: "
            f"{each.body.splitlines()[0]}"
            for each in self.pull.inline
        ]

    @property
    def states(self) -> list[str]:
        """Of all reviews."""
        return [each.state for each in self.pull.reviews]

    def shown(self) -> list[tuple[str, int]]:
        """Where comments of ours stand that are not hidden."""
        return [
            (each.origin.path, each.origin.line)
            for each in self.pull.inline
            if not each.minimized and not each.reply_to
        ]


@pytest.fixture
def story(github: GitHub, repo: Repo) -> Story:
    repo.commit({".reviewgate-gh.yaml": CONFIG})
    repo.branch("topic")
    repo.commit({"a.py": EVAL})
    hosted = github.repository(repo.path)
    hosted.stored.collaborators["grace"] = "write"
    return Story(repo, github, hosted, hosted.pull("topic"), github.token("grace"))


def test_the_whole_story(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        _play(story)
    finally:
        with capsys.disabled():
            print("\n".join(story.told))


def _play(story: Story) -> None:
    story.chapter("The first run")
    assert story.shown() == [("a.py", 2)] and story.states == ["COMMENTED"]

    story.chapter("The same again: nothing changed")
    assert not story.github.journal.created

    story.change({"a.py": FINE, "b.py": EXEC})
    story.chapter("A push with one fix and one new defect")
    assert story.shown() == [("b.py", 2)] and len(story.states) == 2

    story.change({"b.py": EXEC, "c.py": FINE}, forced=True)
    story.chapter("A force-push that keeps the second defect")
    assert not story.github.journal.created and story.shown() == [("b.py", 2)]

    story.pull.reply(
        next(each for each in story.pull.inline if not each.minimized),
        "grace",
        "/reviewgate-gh dismiss x is a constant",
    )
    _ci(story, "failure")
    [done] = story.chapter("A dismissal by somebody who may write, while CI is red")
    assert done.outputs["verdict"] == "pass" and "APPROVED" not in story.states
    [why] = [text for text in OURS.findall(done.log) if text.startswith("no APPROVE")]
    assert "build" in why and why in done.summary.replace("`", ""), done.summary
    assert "Posted as a comment only: CI is failing: build." in story.pull.reviews[0].body

    _ci(story, None)
    story.chapter("CI is pending")
    assert (
        "APPROVED" not in story.states
        and "Posted as a comment only: CI is still running: build." in story.pull.reviews[0].body
    )

    _ci(story, "success")
    story.chapter("CI is green")
    assert (
        story.states[-1] == "APPROVED"
        and "dismissed by grace: x is a constant" in story.pull.reviews[0].body
    )

    story.change({"d.py": EVAL, "e.py": "import os\n\n\ndef g(x):\n    vile(os, x)\n"})
    gate = threading.Barrier(2, timeout=60)
    story.github.faults.on("POST", "/repos/*/pulls/1/reviews", times=2, before=gate.wait)
    story.chapter("Two new defects, and two runs at once", story.run, story.run)
    assert "APPROVED" not in story.states and story.shown() == [
        ("b.py", 2),
        ("d.py", 2),
        ("e.py", 5),
    ]

    first, story.pull = story.pull, _own(story)
    story.chapter("Our own pull request, with green CI: nobody approves their own")
    assert (
        story.states == ["COMMENTED"]
        and "The posting account is the author" in story.pull.reviews[0].body
    )

    story.pull = story.hosted.pull(first.stored.head_ref, fork="eve/repo", author="eve")
    token = story.github.token(**READ_ONLY)
    [done] = story.chapter(
        "The same from a fork, whose token may only read", lambda: story.run(token, fork=True)
    )
    assert done.codes == {1} and not story.pull.reviews and "the token is read-only" in done.summary
    story.told += [
        f"annotation: {level} {where.get('file')}:{where.get('line')}"
        for level, where, _ in done.annotations
    ]


def _own(story: Story) -> Pull:
    story.repo.branch("mine", "main")
    story.repo.commit({"mine.py": FINE})
    pull = story.hosted.pull("mine", author="grace")
    story.hosted.check(pull.stored.head_sha, "build")
    return pull


def _ci(story: Story, conclusion: str | None) -> None:
    story.hosted.check(story.pull.stored.head_sha, "build", conclusion)

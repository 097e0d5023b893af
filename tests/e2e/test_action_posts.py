"""The Action posting on a pull request, under act: a real runner, real git, GitHub's own description between."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.github import pull_request
from tests.peers.github.handle import READ_ONLY
from tests.support import Repo

from .acting import Acted, act

pytestmark = pytest.mark.peer
EVIL = "def f(x):\n    return eval(x)\n"
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
        return act(clone, "pull_request", event, folder / "act", tuple(options), token=token or self.github.token(), **inputs)

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
    assert places(story.pull.inline) == [("a.py", 2)] and [each.state for each in story.pull.reviews] == ["COMMENTED"]
    written = story.written()
    again = story.run()
    assert again.codes == {1} and story.written() == written, "an unchanged run says nothing"
    story.repo.commit({"a.py": FINE, "b.py": EVIL})
    story.pull.push()
    story.run()
    assert places(story.pull.inline) == [("a.py", 2), ("b.py", 2)] and story.pull.inline[0].minimized
    story.repo.git("reset", "--quiet", "--hard", "main")
    story.repo.commit({"b.py": EVIL, "c.py": FINE})
    story.pull.push()
    written = story.written()
    forced = story.run()
    assert forced.codes == {1} and story.written() == written, "after a force-push nothing is said twice"
    story.repo.commit({"b.py": FINE})
    story.pull.push()
    last = story.run()
    assert not last.codes and last.outputs["verdict"] == "pass", last.ran.output
    assert all(each.minimized for each in story.pull.inline) and not story.github.duplicates()


def test_without_a_token_nothing_is_asked_and_nothing_posted(story):
    clone = story.repo.clone(story.repo.path.parent / "clone")
    clone.git("checkout", "--quiet", story.repo.rev("topic"))
    done = act(clone, "pull_request", pull_request(story.repo.rev("main"), story.repo.rev("topic")), story.repo.path.parent / "act")
    assert done.codes == {1} and not story.github.journal.entries


def test_a_forks_token_may_only_read_and_the_verdict_is_real_all_the_same(story):
    done = story.run(token=story.github.token(**READ_ONLY), fork=True)
    assert done.codes == {1} and done.outputs["verdict"] == "block", done.ran.output
    assert not story.pull.reviews and "may only read" in done.summary and done.annotations


def test_a_token_that_lacks_the_permission_fails_a_step_that_would_have_passed(story):
    story.repo.commit({"a.py": FINE, "CLAUDE.md": "Be kind.\n"})
    story.pull.push()
    first = story.run()
    assert not first.codes, first.ran.output
    story.repo.commit({"a.py": EVIL})
    story.pull.push()
    done = story.run(token=story.github.token(**READ_ONLY), fail_on="block")
    assert done.codes == {1} and "pull-requests: write" in done.summary.replace("pull_requests", "pull-requests"), done.summary


def test_a_github_that_is_down_is_no_green_check(story):
    story.repo.commit({"a.py": FINE})
    story.pull.push()
    story.github.fault("404", "GET", "/repos/*/pulls/1", times=9)
    done = story.run()
    assert done.codes == {69} and done.outputs["verdict"] == "pass", done.ran.output

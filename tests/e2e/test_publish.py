"""A report onto a pull request: said once, about the commit that was read, and nothing lost."""

import json

import pytest

from tests.support import Repo

EVIL = "def f(x):\n    return eval(x)\n"
OTHER = "import os\n\n\ndef g(x):\n    os.system(x)\n    return undefined_name\n"


@pytest.fixture
def pulled(github, repo: Repo):
    """A repository with a pull request that brings a defect; we are the workflow's own token."""

    class Pulled:
        def __init__(self) -> None:
            repo.branch("topic")
            repo.commit({"a.py": EVIL})
            self.repo, self.github = repo, github
            self.stored = github.repository(repo.path)
            self.pull = self.stored.pull("topic")
            self.token = github.token()

        def run(self, *args: str, token: str = "", **env: str):
            return repo.cli(*args, env={**github.env(token or self.token), **env})

        def review(self) -> str:
            path = repo.path.parent / "report.json"
            done = repo.cli("review", "--base", "main", "--output", "json", "--output-path", str(path))
            assert path.exists(), done.output
            return str(path)

        def publish(self, *args: str, token: str = "", **env: str):
            return self.run("publish", "1", "--report", self.review(), *args, token=token, **env)

        def written(self) -> int:
            return len([e for e in github.journal.entries if e.created])

    return Pulled()


def test_a_finding_is_said_once_at_its_line(pulled):
    done = pulled.publish()
    assert done.code == 0, done.output
    [review], [comment] = pulled.pull.reviews, pulled.pull.inline
    assert (review.state, review.commit_id) == ("COMMENTED", pulled.repo.rev("topic"))
    assert (comment.path, comment.line) == ("a.py", 2) and comment.body.startswith("**P1** ")
    before = pulled.written()
    again = pulled.publish()
    assert again.code == 0 and pulled.written() == before, again.output

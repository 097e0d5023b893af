"""The last steps of a branch."""

import os

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.history import last_first_parents
from reviewgate_gh.model.change import Commit
from tests.support import Repo


def test_changes_merges_and_commits_of_the_first_parents(repo: Repo) -> None:
    first = repo.head
    repo.branch("side")
    repo.commit({"s.txt": "1\n"}, "on the side")
    repo.switch("main")
    second = repo.commit({"m.txt": "1\n"}, "caf\u00e9: a \x1b[1m subject")
    repo.git("merge", "--quiet", "--no-ff", "--message=merge side", "side")
    git = open_repository(repo.path, dict(os.environ))
    merge = Commit(repo.head, "merge side")
    assert last_first_parents(git, repo.head, 5, "changes") == (
        merge,
        Commit(second, "café: a \x1b[1m subject"),
        Commit(first, "first"),
    )
    assert last_first_parents(git, repo.head, 5, "merges") == (merge,)
    assert last_first_parents(git, repo.head, 5, "commits") == (
        Commit(second, "café: a \x1b[1m subject"),
        Commit(first, "first"),
    )
    assert last_first_parents(git, repo.head, 1, "commits") == (
        Commit(second, "café: a \x1b[1m subject"),
    )

"""No code of a pull request beside the secrets of `pull_request_target`."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewgate_gh.action.target_guard import refuse_foreign_code
from reviewgate_gh.git import open_repository
from reviewgate_gh.github.runner import GitHubEvent
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.system.environment import Environment
from tests.support import Repo


def guard(repo: Repo, base: str, head: str, **inputs: str) -> None:
    env = {**os.environ, "GITHUB_SHA": base, "GITHUB_WORKSPACE": str(repo.path), **inputs}
    environment = Environment(env, repo.path)
    event = GitHubEvent("pull_request_target", base, head, number=1, fork=True)
    refuse_foreign_code(event, open_repository(repo.path, env), environment)


@pytest.fixture
def fetched(repo: Repo) -> tuple[Repo, str, str]:
    """The base checked out, and the head there as objects alone."""
    base = repo.commit({"a.py": "x = 1\n", "lib/b.py": "y = 1\n"})
    repo.branch("topic")
    head = repo.commit({"lib/b.py": "y = 2\n", "c.py": "z = 1\n", "empty.py": ""})
    repo.git("switch", "--quiet", "--detach", base)
    return repo, base, head


def test_the_base_with_the_head_fetched_is_fine(fetched: tuple[Repo, str, str]) -> None:
    repo, base, head = fetched
    repo.write({"empty.py": "", "built/out.py": "own = 1\n"})
    repo.clone(repo.path / "tools").git("switch", "--quiet", "--detach", base)
    guard(repo, base, head)


def _over_the_files(repo: Repo, head: str) -> None:
    repo.git("checkout", head, "--", "lib/b.py")


def _a_new_file(repo: Repo, head: str) -> None:
    repo.write({"c.py": "z = 1\n"})


def _in_a_folder(repo: Repo, head: str) -> None:
    clone = repo.clone(repo.path / "pr" / "code")
    clone.git("switch", "--quiet", "--detach", head)


def _on_a_branch_of_a_folder(repo: Repo, head: str) -> None:
    clone = repo.clone(repo.path / "pr")
    clone.git("switch", "--quiet", "-c", "theirs", head)
    clone.git("pack-refs", "--all")


def _its_merge_in_a_folder(repo: Repo, head: str) -> None:
    clone = repo.clone(repo.path / "merged")
    clone.git("switch", "--quiet", "--detach", head)
    clone.git("commit", "--quiet", "--allow-empty", "--message=merge")
    clone.git("update-ref", "refs/remotes/pull/1/merge", "HEAD")


@pytest.mark.parametrize(
    "way",
    [
        _over_the_files,
        _a_new_file,
        _in_a_folder,
        _on_a_branch_of_a_folder,
        _its_merge_in_a_folder,
    ],
)
@pytest.mark.req("R008-009")
def test_the_head_in_any_place_is_refused(
    fetched: tuple[Repo, str, str], way: Callable[[Repo, str], None]
) -> None:
    repo, base, head = fetched
    way(repo, head)
    with pytest.raises(UsageError, match="would have access to your secrets"):
        guard(repo, base, head)
    guard(repo, base, head, REVIEWGATE_GH_INPUT_I_UNDERSTAND="true")


def test_links_are_not_followed(fetched: tuple[Repo, str, str], tmp_path: Path) -> None:
    repo, base, head = fetched
    (repo.path / "loop").symlink_to(tmp_path)
    guard(repo, base, head)

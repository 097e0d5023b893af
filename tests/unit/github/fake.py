"""A pull request at the fake GitHub, and the product's client for it."""

import shutil
from functools import cache
from pathlib import Path

from reviewgate_gh.github import Client, open_github
from reviewgate_gh.system.environment import Environment
from tests.peers.github.handle import GitHub
from tests.peers.github.handle_repo import Pull
from tests.support import Repo, process_folder
from tests.unit.github.scripted import Clock

LINES = [f"line {number}\n" for number in range(1, 41)]
DRAFT_BODY = "This line is wrong."


def pull_of(github: GitHub, repo: Repo, **options) -> Pull:
    """Pull request 1 of ada's: line 10 of code.py changed, one added below 30, new.py added,
    gone.py removed. The repository becomes the one that holds this."""
    shutil.rmtree(repo.path)
    _changed().copy(repo.path)
    return github.repository(repo.path, **options.pop("repository", {})).pull("topic", **options)


@cache
def _changed() -> Repo:
    repo = Repo.init(process_folder() / "repo")
    repo.commit({"code.py": "".join(LINES), "gone.py": "old\n"}, "base")
    repo.branch("topic")
    changed = [*LINES]
    changed[9], changed[29] = "line ten\n", "line 30\nmore\n"
    repo.commit(
        {"code.py": "".join(changed), "gone.py": None, "new.py": "a\nb\n"}, "Change two places"
    )
    return repo


def client_of(
    github: GitHub, token: str | None = None, clock: Clock | None = None, **options
) -> Client:
    env = github.env(github.token() if token is None else token)
    return open_github(
        Environment(env, Path.cwd()), "octo/repo", timing=(clock or Clock()).timing, **options
    )

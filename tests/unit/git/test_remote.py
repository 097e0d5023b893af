"""Which repository of which server a clone comes from: never a namesake's on the server that
happens to be asked."""

import os

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.remote import github_repository
from reviewgate_gh.model.errors import UsageError
from tests.support import Repo

PUBLIC, ENTERPRISE = "api.github.com", "ghe.example.com"


@pytest.mark.parametrize(
    ("url", "api_host"),
    [
        ("https://github.com/octo/repo.git", PUBLIC),
        ("git@github.com:octo/repo.git", PUBLIC),
        ("ssh://git@ssh.github.com:443/octo/repo.git", PUBLIC),
        ("git@ghe.example.com:octo/repo", ENTERPRISE),
        ("gh:octo/repo", PUBLIC),
        ("git@github.com-work:octo/repo.git", None),
    ],
)
def test_its_own_server_is_asked(repo: Repo, url: str, api_host: str | None) -> None:
    repo.git("remote", "add", "origin", url)
    repo.git("config", "url.https://github.com/.insteadOf", "gh:")
    assert github_repository(open_repository(repo.path, os.environ), api_host) == "octo/repo"


@pytest.mark.parametrize(
    ("url", "api_host", "words"),
    [
        (
            "git@ghe.example.com:octo/repo.git",
            PUBLIC,
            "origin is on ghe.example.com, but the API is on api.github.com",
        ),
        ("https://gitlab.com/octo/repo.git", PUBLIC, "origin is on gitlab.com"),
        ("https://github.com/octo/repo.git", ENTERPRISE, "origin is on github.com"),
        ("https://gitlab.com/group/octo/repo.git", PUBLIC, "origin does not show"),
        ("/srv/octo/repo.git", PUBLIC, "origin does not show"),
        ("", PUBLIC, "origin does not show"),
    ],
)
def test_no_other_server_is(repo: Repo, url: str, api_host: str, words: str) -> None:
    if url:
        repo.git("remote", "add", "origin", url)
    with pytest.raises(UsageError, match=words) as caught:
        github_repository(open_repository(repo.path, os.environ), api_host)
    assert "GITHUB_REPOSITORY=OWNER/REPO" in caught.value.hint

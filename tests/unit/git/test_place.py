"""Which repository a remote's address names, and which API is its server's own: from the words
alone."""

import pytest

from reviewgate_gh.git.remote import RemoteRepository, parse_remote

REPO = RemoteRepository("github.com", "octo/repo")


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://github.com/octo/repo.git", REPO),
        ("https://github.com/octo/repo", REPO),
        ("https://github.com/octo/repo/", REPO),
        ("https://x-access-token:secret@github.com/octo/repo.git", REPO),
        ("git@github.com:octo/repo.git", REPO),
        ("github.com:octo/repo", REPO),
        ("ssh://git@github.com:22/octo/repo.git", REPO),
        ("ssh://git@ssh.github.com:443/octo/repo.git", REPO),
        ("git@ghe.example.com:o/r.js.git", RemoteRepository("ghe.example.com", "o/r.js")),
        ("/srv/git/repo.git", None),
        ("../origin.git", None),
        ("file:///srv/octo/repo.git", None),
        ("ext::sh -c x/octo/repo", None),
        ("https://gitlab.com/group/sub/repo.git", None),
        ("", None),
    ],
)
def test_remotes(url: str, found: RemoteRepository | None) -> None:
    assert parse_remote(url) == found


def test_names_know_no_case() -> None:
    assert REPO.same_as(RemoteRepository("github.com", "Octo/Repo")) and not REPO.same_as(
        RemoteRepository("ghe.example.com", "octo/repo")
    )
    assert not REPO.same_as(None)


@pytest.mark.parametrize(
    ("host", "api", "served"),
    [
        ("github.com", "api.github.com", True),
        ("ghe.example.com", "ghe.example.com", True),
        ("octo.ghe.com", "api.octo.ghe.com", True),
        ("github.com", "ghe.example.com", False),
        ("ghe.example.com", "api.github.com", False),
        ("evilgithub.com", "api.github.com", False),
    ],
)
def test_which_api_serves_a_place(host: str, api: str, served: bool) -> None:
    assert RemoteRepository(host, "octo/repo").uses_api_host(api) == served

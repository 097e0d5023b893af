"""Which pull request: from the words alone, and strictly."""

import pytest

from reviewgate_gh.git.remote import RemoteRepository
from reviewgate_gh.pull_request.review import PullAddress, parse_pull_address

REPO = RemoteRepository("github.com", "octo/repo")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", PullAddress(12)),
        ("#12", PullAddress(12)),
        ("https://github.com/octo/repo/pull/12", PullAddress(12, REPO)),
        ("https://GitHub.com/octo/repo/pull/12/", PullAddress(12, REPO)),
        ("https://github.com/octo/repo/pull/12/files?w=1#r5", PullAddress(12, REPO)),
        (
            "https://ghe.example.com:8443/o/r.js/pull/1",
            PullAddress(1, RemoteRepository("ghe.example.com", "o/r.js")),
        ),
        (
            "http://127.0.0.1:8080/octo/repo/pull/3",
            PullAddress(3, RemoteRepository("127.0.0.1", "octo/repo")),
        ),
    ],
)
@pytest.mark.req("R003-076")
def test_addresses(text: str, found: PullAddress) -> None:
    assert parse_pull_address(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "", "0", "-1", "012", "1 2", "１２", "9" * 13, "pr-1", "octo/repo#1",
        "github.com/octo/repo/pull/1", "https://github.com/octo/repo",
        "https://github.com/octo/repo/pulls/1", "https://github.com/octo/repo/issues/1",
        "https://github.com/octo/repo/pull/x",
        "https://github.com/octo/repo/pull/1x", "https://github.com/octo/repo/pull/1/../2",
        "https://github.com/a/b/c/pull/1",
        "https://github.com/../repo/pull/1", "https://github.com/octo/../pull/1",
        "https://github.com/octo/./pull/1",
        "https://github.com//repo/pull/1", "https://u:p@github.com/octo/repo/pull/1",
        "https://github.com@evil.example/octo/repo/pull/1",
        "https://-evil/octo/repo/pull/1", "https://evil-/octo/repo/pull/1",
        "http://github.com/octo/repo/pull/1", "ftp://github.com/o/r/pull/1",
        "https://github.com/octo/repo/pull/1\n", "https://github.com/octo/re po/pull/1",
        "https://github.com/octo%2Frepo/x/pull/1",
    ],
)  # fmt: skip
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="neither a number nor an address"):
        parse_pull_address(text)

"""Accounts, threads, checks and pull requests for tests of pure steps."""

from typing import Any

from msgspec.structs import replace

from reviewgate_gh.findings.markers import FindingMarker, with_marker
from reviewgate_gh.model.pull_request import Account, Check, PullRequest, Thread, ThreadReply

HEAD, OLD = "a" * 40, "0" * 40
ME = Account(41898282, "github-actions", "Bot")
ALICE = Account(1, "alice")
MALLORY = Account(666, "mallory")
GHOST = Account()
ONE, TWO, THREE = (digit * 16 for digit in "123")


def check(
    name: str = "build", status: str = "completed", conclusion: str = "success", **fields: Any
) -> Check:
    """A check run of GitHub Actions."""
    return replace(
        Check("check", name, status, conclusion, app="github-actions", workflow="CI"), **fields
    )


def commit_status(name: str, state: str, **fields: Any) -> Check:
    """A commit status: one word."""
    return replace(Check("status", name, state), **fields)


def reply(author: Account = ALICE, body: str = "fixed") -> ThreadReply:
    """An answer in a thread."""
    return ThreadReply(9, author, body)


def thread(
    fingerprint: str = ONE, sha: str = HEAD, line: int = 5, path: str = "a.py", **fields: Any
) -> Thread:
    """A thread of ours about a finding."""
    body = with_marker("**P1** Undefined name", FindingMarker(fingerprint, sha))
    return replace(Thread(7, path, line, body, ME, commit=HEAD, resolved=False), **fields)


def pull(**fields: Any) -> PullRequest:
    """A pull request of Alice's whose head is the reviewed commit."""
    return replace(PullRequest(12, "o/r", "b" * 40, HEAD, "main", ALICE), **fields)

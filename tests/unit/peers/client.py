"""A small client for the tests of the fake: requests with a token, and a pull request to talk
about."""

from dataclasses import dataclass
from typing import Any

import requests

from tests.peers.github.handle import GitHub
from tests.peers.github.handle_repo import Pull
from tests.support import Repo

LINES = [f"line {number}\n" for number in range(1, 41)]


@dataclass(frozen=True)
class Client:
    """Calls with one token."""

    github: GitHub
    token: str

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        """One request; `path` may be a whole address."""
        url = path if path.startswith("http") else self.github.url + path
        sent = {
            "authorization": f"Bearer {self.token}",
            "accept": "application/vnd.github+json",
            **headers,
        }
        return requests.request(
            method, url, json=body, headers=sent, timeout=20, allow_redirects=False
        )

    def get(self, path: str, **headers: str) -> requests.Response:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any) -> requests.Response:
        return self.call("POST", path, body)

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """A GraphQL document's answer."""
        return self.post("/graphql", {"query": query, "variables": variables}).json()


def opened(github: GitHub, repo: Repo, **options: Any) -> Pull:
    """Pull request 1: `code.py` with one line changed and one added far below, `gone.py`
    removed."""
    repo.commit({"code.py": "".join(LINES), "gone.py": "old\n"}, "base")
    repo.branch("topic")
    changed = [*LINES]
    changed[9], changed[29] = "line ten\n", "line 30\nmore\n"
    repo.commit({"code.py": "".join(changed), "gone.py": None}, "Change two places")
    return github.repository(repo.path).pull("topic", **options)


def review(
    pull: Pull, *comments: dict[str, Any], event: str = "COMMENT", body: str = "A review"
) -> dict[str, Any]:
    """The body of a review POST."""
    return {
        "commit_id": pull.stored.head_sha,
        "event": event,
        "body": body,
        "comments": list(comments),
    }

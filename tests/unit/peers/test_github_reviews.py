"""The fake GitHub takes a review whole or not at all, and keeps GitHub's rules about who may say
what."""

from typing import Any

import pytest

from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.peers.client import Client, opened, review

REVIEWS = "/repos/octo/repo/pulls/1/reviews"


def on(line: int, path: str = "code.py", side: str = "RIGHT", **more: Any) -> dict[str, Any]:
    return {"path": path, "line": line, "side": side, "body": "Look here", **more}


def test_a_comment_outside_the_diff_refuses_the_whole_review_and_is_not_named(
    github: GitHub, repo: Repo
) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    refused = client.post(REVIEWS, review(pull, on(10), on(20), on(31)))
    said = refused.json()
    assert refused.status_code == 422 and said["message"] == "Unprocessable Entity"
    assert "Pull request review thread line must be part of the diff" in said["errors"][0]
    assert "code.py" not in refused.text and "20" not in said["errors"][0]
    assert (pull.reviews, pull.inline) == ([], [])
    assert client.post(REVIEWS, review(pull, on(10), on(31))).status_code == 200
    assert [(each.now.line, each.diff_hunk.split("\n")[-1]) for each in pull.inline] == [
        (10, "+line ten"),
        (31, "+more"),
    ]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        (on(1, "gone.py", "LEFT"), ""),
        (on(10, side="LEFT"), ""),
        (on(13, start_line=7, start_side="RIGHT"), ""),
        (on(1, "gone.py"), "line must be part of the diff"),
        (on(31, side="LEFT"), ""),  # a context line: it has a number on both sides
        (on(20, side="LEFT"), "line must be part of the diff"),
        (on(1, "nowhere.py"), "path is invalid"),
        (on(30, start_line=10), "start line must be part of the same hunk as the line."),
        (on(10, start_line=10), "start line must precede the end line."),
    ],
    ids=lambda value: (
        value
        if isinstance(value, str)
        else f"{value['path']}:{value['side']}:{value.get('start_line', '')}-{value['line']}"
    ),
)
def test_where_a_comment_may_stand(
    github: GitHub, repo: Repo, comment: dict[str, Any], said: str
) -> None:
    pull = opened(github, repo)
    answer = Client(github, github.token()).post(REVIEWS, review(pull, comment))
    assert (answer.status_code, said in answer.text) == (422 if said else 200, True), answer.text
    assert len(pull.inline) == (0 if said else 1)


def test_one_pending_review_refuses_every_other_write_of_its_author(
    github: GitHub, repo: Repo
) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    draft = review(pull, on(10))
    del draft["event"]
    first = client.post(REVIEWS, draft).json()
    assert first["state"] == "PENDING" and "submitted_at" not in first
    for body in (draft, review(pull)):
        refused = client.post(REVIEWS, body)
        assert refused.json()["errors"] == [
            "User can only have one pending review per pull request"
        ]
    alone = client.post(
        "/repos/octo/repo/pulls/1/comments", {**on(10), "commit_id": pull.stored.head_sha}
    )
    assert (
        alone.json()["errors"][0]["message"]
        == "user_id can only have one pending review per pull request"
    )
    assert Client(github, github.token("bob")).get(REVIEWS).json() == []
    assert client.get("/repos/octo/repo/pulls/1/comments").json() == []
    assert client.call("DELETE", f"{REVIEWS}/{first['id']}").status_code == 200
    assert client.post(REVIEWS, review(pull)).status_code == 200


@pytest.mark.parametrize(
    ("login", "event", "said"),
    [
        ("ada", "APPROVE", "Can not approve your own pull request"),
        ("ada", "REQUEST_CHANGES", "Can not request changes on your own pull request"),
        ("ada", "COMMENT", ""),
        ("bob", "APPROVE", ""),
        (
            "github-actions[bot]",
            "APPROVE",
            "GitHub Actions is not permitted to approve pull requests.",
        ),
    ],
)
def test_who_may_approve(github: GitHub, repo: Repo, login: str, event: str, said: str) -> None:
    pull = opened(github, repo)
    answer = Client(github, github.token(login)).post(REVIEWS, review(pull, event=event))
    assert answer.json().get("errors", [""]) == [said]
    assert len(pull.reviews) == (not said)


def test_bodies_end_at_65536_characters(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    for body in (review(pull, body="é" * 65_537), review(pull, on(10, body="x" * 65_537))):
        assert "Body is too long" in client.post(REVIEWS, body).text
    assert client.post(REVIEWS, review(pull, body="é" * 65_536)).status_code == 200


def test_only_verdicts_are_dismissed(github: GitHub, repo: Repo) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    verdict, remark = (
        client.post(REVIEWS, review(pull, event=event)).json()["id"]
        for event in ("REQUEST_CHANGES", "COMMENT")
    )
    assert (
        client.call("PUT", f"{REVIEWS}/{verdict}/dismissals", {"message": "Fixed"}).json()["state"]
        == "DISMISSED"
    )
    assert (
        client.call("PUT", f"{REVIEWS}/{remark}/dismissals", {"message": "Fixed"}).status_code
        == 422
    )

"""Posting a review: whole or not at all, never pending, never twice; what is left over is
cleared."""

import pytest

from reviewgate_gh.github.identity import read_viewer
from reviewgate_gh.github.reading import Forbidden, UncertainWrite, Unprocessable
from reviewgate_gh.github.reviews import (
    delete_empty_pending,
    dismiss_review,
    post_review,
    read_reviews,
    reviews_by,
)
from reviewgate_gh.model.pull_request import Account, DraftComment
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Server

REVIEWS = "/repos/octo/repo/pulls/1/reviews"
SHA = "c" * 40
GOOD = {
    "id": 7,
    "node_id": "PRR_7",
    "user": {"id": 1, "login": "ada", "type": "User"},
    "state": "COMMENTED",
    "body": "b",
    "commit_id": SHA,
}


def test_what_is_sent(server: Server, client):
    server.rule = lambda seen: Say(200, GOOD)
    places = [
        DraftComment("a.py", 5, "x"),
        DraftComment("a.py", 5, "x", start_line=5),
        DraftComment("a.py", 5, "x", "LEFT", 3),
        DraftComment("a.py", 5, "x", start_line=9),
    ]
    post_review(client, 1, SHA, "APPROVE", "Body", places)
    plain = {"path": "a.py", "body": "x", "line": 5, "side": "RIGHT"}
    ranged = {
        "path": "a.py",
        "body": "x",
        "line": 5,
        "side": "LEFT",
        "start_line": 3,
        "start_side": "LEFT",
    }
    assert server.seen[0].json() == {
        "commit_id": SHA,
        "event": "APPROVE",
        "body": "Body",
        "comments": [plain, plain, ranged, plain],
    }


@pytest.mark.parametrize(
    "body",
    [
        {"unexpected": True},
        [],
        {**GOOD, "state": "PENDING"},
        {**GOOD, "id": None},
        {**GOOD, "commit_id": "x"},
    ],
)
def test_an_answer_that_cannot_be_read_leaves_it_open(server: Server, client, body):
    server.say(Say(200, body))
    with pytest.raises(UncertainWrite):
        post_review(client, 1, SHA, "COMMENT", "b")
    assert len(server.seen) == 1


@pytest.mark.contract(plain=["502-True", "reset-False", "cut-True"])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize(
    "mode", ["500", "502", "503", "reset", "cut", "html", "empty", "bad-json", "other-json"]
)
def test_a_lost_answer_is_never_a_second_review(github_plain: GitHub, repo: Repo, mode, stored):
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain)
    stored = stored or mode == "cut"  # what comes back in part was stored
    github_plain.fault(mode, "POST", REVIEWS, stored=stored)
    with pytest.raises(UncertainWrite):
        post_review(client, 1, repo.head, "COMMENT", "Once", [DraftComment("new.py", 1, "x")])
    found = reviews_by(read_reviews(client, 1), read_viewer(client))
    assert [each.body for each in found] == ["Once"] * stored and len(pull.reviews) == stored
    assert github_plain.journal.count("POST", REVIEWS) == 1


@pytest.mark.parametrize(
    ("who", "event", "drafts", "commit", "said"),
    [
        (
            "github-actions[bot]",
            "COMMENT",
            [DraftComment("new.py", 1, "good"), DraftComment("code.py", 25, "not in the diff")],
            "",
            "must be part of the diff",
        ),
        ("github-actions[bot]", "COMMENT", [DraftComment("nowhere.py", 1, "x")], "", "path"),
        ("github-actions[bot]", "APPROVE", [], "", "not permitted to approve"),
        ("ada", "APPROVE", [], "", "your own pull request"),
        ("ada", "REQUEST_CHANGES", [], "", "your own pull request"),
        ("github-actions[bot]", "COMMENT", [], "base", "not part of the pull request"),
        (
            "github-actions[bot]",
            "COMMENT",
            [DraftComment("new.py", 1, "x" * 65_537)],
            "",
            "too long",
        ),
    ],
)
def test_github_s_reasons_are_kept(
    github_plain: GitHub, repo: Repo, who, event, drafts, commit, said
):
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain, github_plain.token(who))
    with pytest.raises(Unprocessable) as caught:
        post_review(client, 1, repo.rev("main") if commit else repo.head, event, "Body", drafts)
    assert (
        said.lower() in f"{caught.value.reason} {caught.value.errors}".lower()
        and pull.reviews == []
        and pull.inline == []
    )


def test_a_token_that_may_only_read_is_told_what_it_lacks(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    client = client_of(
        github_plain, github_plain.token("gate[bot]", contents="read", pull_requests="read")
    )
    with pytest.raises(Forbidden) as caught:
        post_review(client, 1, repo.head, "COMMENT", "Body")
    assert caught.value.permission == "pull-requests: write" and pull.reviews == []


def test_all_reviews_are_listed_and_only_ours_are_ours(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    for number in range(101):
        pull.review("bob" if number % 2 else "github-actions[bot]", body=str(number))
    client = client_of(github_plain)
    reviews = read_reviews(client, 1)
    assert [each.body for each in reviews] == [str(number) for number in range(101)]
    assert [each.body for each in reviews_by(reviews, read_viewer(client))] == [
        str(number) for number in range(0, 101, 2)
    ]
    assert reviews_by(reviews, None) == ()


@pytest.mark.parametrize("me", [None, Account(5, "somebody", "User")])
def test_a_pending_review_that_is_not_known_to_be_ours_stays(github_plain: GitHub, repo: Repo, me):
    pull = pull_of(github_plain, repo)
    pull.review("github-actions[bot]", event="")
    client = client_of(github_plain)
    assert delete_empty_pending(client, 1, read_reviews(client, 1), me) is None
    assert len(pull.reviews) == 1 and github_plain.journal.count("DELETE") == 0


def test_a_pending_review_with_words_in_it_stays(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    pull.review("github-actions[bot]", event="", body="half a thought")
    client = client_of(github_plain)
    kept = delete_empty_pending(client, 1, read_reviews(client, 1), read_viewer(client))
    assert kept and kept.body == "half a thought" and len(pull.reviews) == 1


@pytest.mark.parametrize("stored", [True, False])
def test_deleting_it_survives_a_lost_answer_and_somebody_who_was_faster(
    github_plain: GitHub, repo: Repo, stored
):
    pull = pull_of(github_plain, repo)
    pull.review("github-actions[bot]", event="")
    client = client_of(github_plain)
    github_plain.fault("502", "DELETE", f"{REVIEWS}/*", stored=stored)
    assert delete_empty_pending(client, 1, read_reviews(client, 1), read_viewer(client)) is None
    assert pull.reviews == [] and github_plain.journal.count("DELETE") == 2


def test_what_cannot_be_dismissed_is_an_error(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    made = pull.review("github-actions[bot]", body="Posted as a comment only")
    with pytest.raises(Unprocessable, match="commented"):
        dismiss_review(client_of(github_plain), 1, made.id, "x")


@pytest.mark.parametrize("body", [{"unexpected": True}, GOOD])
def test_a_dismissal_that_github_does_not_confirm_is_open(server: Server, client, body):
    server.say(Say(200, body))
    with pytest.raises(UncertainWrite):
        dismiss_review(client, 1, 7, "x")

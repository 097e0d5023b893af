"""Between the product and the fake anything can go wrong, at the request that the test means."""

import json
import threading

import pytest
import requests

from tests.peers.github.faults import CHANGED, INSTEAD, MODES
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.peers.client import Client, opened, review

REVIEWS, COMMENTS = "/repos/octo/repo/pulls/1/reviews", "/repos/octo/repo/issues/1/comments"


def seen(client: Client, path: str) -> str:
    """What a careful client makes of a GET."""
    try:
        answer = client.get(path)
        return f"{answer.status_code} {type(answer.json()).__name__}"
    except (
        requests.ConnectionError,
        requests.exceptions.ChunkedEncodingError,
        requests.ReadTimeout,
    ) as error:
        return type(error).__name__
    except ValueError:
        return f"{answer.status_code} no JSON"


def test_there_are_more_than_twenty_modes() -> None:
    assert len(MODES) == len(set(MODES)) >= 20


@pytest.mark.parametrize(
    "mode",
    [mode for mode in MODES if mode not in ("drip", "stall", "stale", "duplicate-page", "huge")],
)
@pytest.mark.slow
def test_only_the_meant_request_is_hit(github_plain: GitHub, repo: Repo, mode: str) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    for number in range(3):
        pull.say("bob", str(number))
    path = f"{COMMENTS}?per_page=2"
    github_plain.fault(mode, "GET", COMMENTS, nth=2)
    good = client.get(path)
    expected = {
        "empty": "200 no JSON",
        "html": "200 no JSON",
        "bad-json": "200 no JSON",
        "other-json": "200 dict",
        "502": "502 no JSON",
    }
    expected |= {
        "redirect-away": "302 no JSON",
        "redirect": "301 dict",
        "reset": "ConnectionError",
        "cut": "ChunkedEncodingError",
    }
    usual = "200 list" if mode in CHANGED else f"{mode[:3]} dict"
    assert seen(client, path) == expected.get(mode, usual)
    assert client.get(path).content == good.content and good.links["next"]
    assert [entry.fault for entry in github_plain.journal.entries] == ["", mode, ""]


def test_a_review_can_be_stored_and_then_be_said_to_have_failed(
    github_plain: GitHub, repo: Repo
) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    github_plain.fault("502", "POST", REVIEWS, stored=True)
    github_plain.fault("502", "POST", REVIEWS, nth=2)
    assert [client.post(REVIEWS, review(pull)).status_code for _ in range(3)] == [502, 502, 200]
    assert [(entry.created, entry.status) for entry in github_plain.journal.entries] == [
        (True, 502),
        (False, 502),
        (True, 200),
    ]
    assert github_plain.duplicates() == [
        "octo/repo: 2 x ('review', 1, 'github-actions[bot]', 'A review')"
    ]


def test_limits_come_with_and_without_their_headers(github_plain: GitHub, repo: Repo) -> None:
    opened(github_plain, repo)
    github_plain.world.clock = lambda: 1000.0
    client = Client(github_plain, github_plain.token())
    names = ("403-retry-after", "403-primary", "403-secondary", "429", "429-reset", "429-bare")
    for nth, mode in enumerate(names, 1):
        github_plain.fault(mode, nth=nth, seconds=7)
    answers = {mode: client.get("/repos/octo/repo") for mode in names}
    assert [mode for mode in names if answers[mode].headers.get("retry-after") == "7"] == [
        "403-retry-after",
        "429",
    ]
    reset = [mode for mode in names if answers[mode].headers.get("x-ratelimit-remaining") == "0"]
    assert reset == ["403-primary", "429-reset"]
    assert answers["429-reset"].headers["x-ratelimit-reset"] == "1007"


def test_reads_can_lag_behind_a_write(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    github_plain.fault("stale", "GET", REVIEWS, nth=2)
    client.post(REVIEWS, review(pull))
    client.post(REVIEWS, review(pull))
    assert [len(client.get(REVIEWS).json()) for _ in range(3)] == [2, 1, 2]


def test_a_page_can_come_twice(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    for number in range(3):
        pull.say("bob", str(number))
    github_plain.fault("duplicate-page", "GET", COMMENTS, nth=2)
    assert [
        each["body"]
        for page in (1, 2, 2)
        for each in client.get(f"{COMMENTS}?per_page=2&page={page}").json()
    ] == [*"0101", "2"]


def test_slow_silent_and_endless_answers(github_plain: GitHub, repo: Repo) -> None:
    opened(github_plain, repo)
    client = Client(github_plain, github_plain.token())
    for nth, mode in enumerate(("stall", "drip", "huge"), 1):
        github_plain.fault(mode, nth=nth, size=3_000_000, pause=2)
    url, headers = (
        f"{github_plain.url}/repos/octo/repo",
        {"authorization": f"Bearer {client.token}"},
    )
    with pytest.raises(requests.ReadTimeout):
        requests.get(url, headers=headers, timeout=0.3)
    with requests.get(url, headers=headers, timeout=0.5, stream=True) as slow:
        bytes_read = slow.iter_content(1)
        assert next(bytes_read) == b"{"
        with pytest.raises(requests.ConnectionError, match="Read timed out"):
            next(bytes_read)
    huge = requests.get(url, headers=headers, timeout=20).content
    assert len(huge) > 3_000_000 and json.loads(huge)["full_name"] == "octo/repo"


def test_a_redirect_leads_to_the_same_repository_by_number(
    github_plain: GitHub, repo: Repo
) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    github_plain.fault("redirect", "POST", REVIEWS)
    moved = client.post(REVIEWS, review(pull))
    assert (
        moved.status_code == 307
        and "/repositories/" in moved.headers["location"]
        and pull.reviews == []
    )
    assert client.post(moved.headers["location"], review(pull)).status_code == 200


def test_a_test_can_act_between_two_requests(github_plain: GitHub, repo: Repo) -> None:
    pull, client = opened(github_plain, repo), Client(github_plain, github_plain.token())
    together = threading.Barrier(2, timeout=10)
    github_plain.faults.on("POST", REVIEWS, times=2, before=together.wait)
    github_plain.faults.on("GET", REVIEWS, after=lambda: pull.draft())
    threads = [
        threading.Thread(target=client.post, args=(REVIEWS, review(pull, body=body)))
        for body in ("one", "other")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(client.get(REVIEWS).json()) == 2 and pull.stored.draft
    assert len(github_plain.journal.overlapping) == 1


def test_an_enterprise_servers_addresses_are_the_same(github_plain: GitHub, repo: Repo) -> None:
    opened(github_plain, repo)
    assert (
        Client(github_plain, github_plain.token())
        .get("/api/v3/repos/octo/repo/pulls/1")
        .json()["number"]
        == 1
    )


@pytest.mark.parametrize("mode", ["500", "422", "html", "cut", "reset", "no-link"])
@pytest.mark.slow
def test_faults_stand_before_the_referee(github: GitHub, repo: Repo, mode: str) -> None:
    pull, client = opened(github, repo), Client(github, github.token())
    github.fault(mode, "GET", COMMENTS, stored=mode in INSTEAD)
    assert seen(client, COMMENTS) != "200 list" or mode == "no-link"
    assert client.post(COMMENTS, {"body": "still there"}).status_code == 201
    assert len(pull.comments) == 1

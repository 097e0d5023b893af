"""Single calls to the addresses that users have, answered in GitHub's own words: where they go,
what they carry, what the user is told."""

from pathlib import Path

import pytest
import responses

from reviewgate_gh.github import Client, open_github
from reviewgate_gh.github.reading import BadCredentials, Forbidden, NotFound, RateLimited, Refused
from reviewgate_gh.system.environment import Environment
from tests.unit.github.scripted import TOKEN, Clock

PUBLIC, ENTERPRISE = "https://api.github.com", "https://ghe.example/api/v3"
REVIEWS = "/repos/octo/repo/pulls/1/reviews"
SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
PRIMARY = "API rate limit exceeded for installation ID 1."
LOCKED = "Unable to create review because conversation is locked."
SSO = (
    "Resource protected by organization SAML enforcement. You must grant your Personal Access "
    "token access to this organization."
)


@pytest.fixture
def calls():
    with responses.RequestsMock() as found:
        yield found


def client(clock: Clock, **env: str) -> Client:
    return open_github(
        Environment({"GITHUB_TOKEN": TOKEN, **env}, Path.cwd()),
        "octo/repo",
        deadline=100,
        timing=clock.timing,
    )


def review(clock: Clock) -> None:
    client(clock).write("POST", REVIEWS, {"event": "COMMENT"})


@pytest.mark.parametrize(
    ("env", "rest", "graphql"),
    [
        ({}, PUBLIC, "https://api.github.com/graphql"),
        ({"GITHUB_API_URL": ENTERPRISE}, ENTERPRISE, "https://ghe.example/api/graphql"),
    ],
    ids=["public", "enterprise"],
)
def test_where_calls_go_and_what_they_carry(calls, clock, env, rest, graphql):
    calls.get(f"{rest}/repos/octo/repo/pulls/1", json={"number": 1})
    calls.post(graphql, json={"data": {"viewer": {"login": "ada"}}})
    there = client(clock, **env)
    assert there.get(there.path("pulls", 1)).number("number") == 1
    assert there.graphql("query Q { viewer { login } }", {})["viewer"].text("login") == "ada"
    assert [each.request.headers["Authorization"] for each in calls.calls] == [f"token {TOKEN}"] * 2


@pytest.mark.parametrize(
    ("status", "message", "headers", "waited"),
    [
        (403, SECONDARY, {"retry-after": "7"}, 7),
        (429, SECONDARY, {"retry-after": "7"}, 7),
        (403, SECONDARY, {}, 60),
        (403, PRIMARY, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000011"}, 12),
    ],
    ids=["retry-after", "429", "secondary", "primary"],
)
def test_a_write_that_is_limited_is_sent_again_when_github_says(
    calls, clock, status, message, headers, waited
):
    calls.post(f"{PUBLIC}{REVIEWS}", json={"message": message}, status=status, headers=headers)
    calls.post(f"{PUBLIC}{REVIEWS}", json={"id": 1})
    review(clock)
    assert clock.naps == [waited] and len(calls.calls) == 2


def test_a_limit_beyond_the_run_says_until_when_and_what_next(calls, clock):
    calls.post(
        f"{PUBLIC}{REVIEWS}", json={"message": PRIMARY}, status=403, headers={"retry-after": "101"}
    )
    with pytest.raises(RateLimited) as caught:
        review(clock)
    assert caught.value.message == (
        f"GitHub rate-limits POST {REVIEWS} until 1970-01-12T13:48:21Z, and only 100 s of this "
        "run's 100 s are left"
    )
    assert caught.value.hint.startswith("run again after that") and clock.naps == []


REFUSALS = {
    "permission": (
        (
            403,
            "Resource not accessible by integration",
            {"x-accepted-github-permissions": "pull_requests=write"},
        ),
        (
            Forbidden,
            (
                "the token lacks pull-requests: write: add it under `permissions:` of the "
                "workflow, "
                "or to the permissions of the token's App"
            ),
        ),
    ),
    "scopes": (
        (403, "Must have push access", {"x-accepted-oauth-scopes": "public_repo, repo"}),
        (Forbidden, "the token needs one of the scopes public_repo, repo"),
    ),
    "single sign-on": (
        (
            403,
            SSO,
            {
                "x-github-sso": (
                    "required; url=https://github.com/orgs/octo/sso?authorization_request=A"
                )
            },
        ),
        (Forbidden, "authorise the token for the organisation's single sign-on"),
    ),
    "locked": (
        (403, LOCKED, {}),
        (Forbidden, "the conversation is locked: unlock it on GitHub, and run again"),
    ),
    "nothing else": (
        (403, "Forbidden", {}),
        (Forbidden, "the token does not allow this: check its permissions"),
    ),
    "expired": (
        (401, "Bad credentials", {}),
        (BadCredentials, "the token is wrong or has expired: renew it"),
    ),
    "hidden": (
        (404, "Not Found", {}),
        (NotFound, "it does not exist, or the App is not installed for this repository"),
    ),
    "conflict": ((409, "Conflict", {}), (Refused, "fix what GitHub reports, then run again")),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_names_the_call_github_s_words_and_the_next_step(calls, clock, name):
    (status, message, headers), (error, hint) = REFUSALS[name]
    calls.post(f"{PUBLIC}{REVIEWS}", json={"message": message}, status=status, headers=headers)
    with pytest.raises(error) as caught:
        review(clock)
    assert (caught.value.message, caught.value.hint) == (
        f"GitHub refused POST {REVIEWS}: {message}",
        hint,
    )
    assert len(calls.calls) == 1 and clock.naps == []

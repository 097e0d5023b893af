"""Where the API is, and that no address is used by which the token could leave."""

from pathlib import Path

import pytest

from reviewgate_gh.github import open_github
from reviewgate_gh.github.addresses import (
    ApiAddresses,
    check_repository,
    find_addresses,
    path_segments,
)
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.system.environment import Environment

GHES = "https://git.example.com/api/v3"


@pytest.mark.parametrize(
    ("env", "option", "rest", "graphql"),
    [
        ({}, None, "https://api.github.com", "https://api.github.com/graphql"),
        ({"GITHUB_API_URL": GHES}, None, GHES, "https://git.example.com/api/graphql"),
        ({"GITHUB_API_URL": GHES + "/"}, None, GHES, "https://git.example.com/api/graphql"),
        (
            {"GITHUB_API_URL": "https://api.acme.ghe.com"},
            None,
            "https://api.acme.ghe.com",
            "https://api.acme.ghe.com/graphql",
        ),
        (
            {"GITHUB_API_URL": GHES, "GITHUB_GRAPHQL_URL": "https://git.example.com/x/graphql"},
            None,
            GHES,
            "https://git.example.com/x/graphql",
        ),
        (
            {"GITHUB_GRAPHQL_URL": "https://api.github.com/graphql"},
            GHES,
            GHES,
            "https://git.example.com/api/graphql",
        ),
        (
            {"GITHUB_API_URL": "https://api.github.com"},
            GHES,
            GHES,
            "https://git.example.com/api/graphql",
        ),
        (
            {"GITHUB_API_URL": "http://127.0.0.1:80"},
            None,
            "http://127.0.0.1:80",
            "http://127.0.0.1:80/graphql",
        ),
    ],
)
def test_the_roots_of_both_apis(env, option, rest, graphql):
    assert find_addresses(env, option) == ApiAddresses(rest, graphql)


@pytest.mark.parametrize(
    "url",
    [
        "http://git.example.com/api/v3",
        "ftp://x/",
        "git.example.com",
        "https://",
        "https://u:p@h/",
        "https://h/?a=1",
        "https://[::1",
        "https://h:x/",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(url):
    with pytest.raises(UsageError):
        find_addresses({"GITHUB_API_URL": url}, None)
    with pytest.raises(UsageError):
        find_addresses({}, url)


def test_the_address_of_graphql_is_one_that_github_has():
    with pytest.raises(UsageError, match="GITHUB_GRAPHQL_URL"):
        find_addresses({"GITHUB_GRAPHQL_URL": "https://api.github.com/gql"}, None)


@pytest.mark.parametrize(
    "name",
    ["", "octo", "octo/", "/repo", "a/b/c", "../x", "a/..", "a/.", "a b/c", "a/b?c", "a/b\n"],
)
def test_a_repository_is_owner_and_name(name):
    with pytest.raises(UsageError):
        check_repository(name)
    assert check_repository("octo-org/.github") == "octo-org/.github"


def test_a_path_part_stays_one_segment():
    assert path_segments("branches", "a/b?c#d%", 7) == "/branches/a%2Fb%3Fc%23d%25/7"


@pytest.mark.parametrize("token", ["with space", "two\nlines", "caf\u00e9"])
def test_a_token_that_is_none_is_refused_and_not_shown(token):
    with pytest.raises(UsageError) as caught:
        open_github(Environment({"GITHUB_TOKEN": token}, Path.cwd()), "octo/repo")
    assert (
        "GITHUB_TOKEN" in caught.value.message
        and token not in caught.value.message + caught.value.hint
    )


@pytest.mark.parametrize(
    ("env", "there"),
    [
        ({}, False),
        ({"GITHUB_TOKEN": " "}, False),
        ({"GH_TOKEN": "a\n"}, True),
        ({"GITHUB_TOKEN": "", "GH_TOKEN": "b"}, True),
    ],
)
def test_the_token_may_be_missing(env, there):
    assert open_github(Environment(env, Path.cwd()), "octo/repo").has_token is there

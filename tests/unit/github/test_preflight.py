"""`publish --preflight` says no more of a token than GitHub tells."""

from pathlib import Path

import pytest

from reviewgate_gh.github.client import open_github
from reviewgate_gh.model.config import Config
from reviewgate_gh.pull_request.publish_kept import check_permissions
from reviewgate_gh.system.environment import Environment
from tests.unit.github.scripted import Say, Seen, Server


@pytest.mark.parametrize(
    ("token", "headers", "status", "code", "said"),
    [
        ("ghp_x", {"x-oauth-scopes": "repo, gist"}, 404, 0, "has the permissions"),
        ("ghp_x", {"x-oauth-scopes": "gist"}, 404, 69, "lacks `pull-requests: write`"),
        ("ghp_x", {"x-oauth-scopes": "public_repo"}, 404, 69, "not known whether"),
        ("ghp_x", {}, 404, 69, "not known whether"),
        ("anything", {}, 404, 69, "not known whether"),
        ("ghs_x", {}, 404, 0, "has the permissions"),
        ("github_pat_x", {}, 404, 0, "has the permissions"),
        ("github_pat_x", {}, 403, 69, "lacks `pull-requests: write`"),
        ("ghs_x", {}, 502, 69, "not known whether"),
    ],
)
def test_a_preflight_says_no_more_than_github_tells(
    server: Server, clock, capsys, tmp_path: Path, token, headers, status, code, said
):

    sha, account = "a" * 40, {"id": 5, "login": "ada", "type": "User"}
    side = {"ref": "main", "sha": sha, "repo": {"full_name": "octo/repo"}}
    pull = {
        **dict.fromkeys(("merged", "draft"), False),
        **{"number": 1, "node_id": "PR", "html_url": "x", "state": "open", "changed_files": 1},
        **{"user": account, "base": side, "head": side, "labels": []},
    }

    def rule(seen: Seen) -> Say:
        if seen.method == "GET":
            return Say(200, pull)
        return Say(status, {"message": "Not Found"}, headers)

    server.rule = rule
    env = {"GITHUB_TOKEN": token, "GITHUB_API_URL": server.url}
    client = open_github(Environment(env, tmp_path), "octo/repo", timing=clock.timing)
    assert check_permissions(client, 1, Config()) == code
    told = capsys.readouterr().err
    assert said in told, told
    assert ("has the permissions" in told) == (code == 0)

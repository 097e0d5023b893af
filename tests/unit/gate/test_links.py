"""gate/deliver.py: places in Markdown are links where it is known that the commit is on the web."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.gate.deliver import Delivery, deliver
from reviewgate_gh.git import open_repository
from reviewgate_gh.system.environment import Environment
from tests.support import Repo
from tests.unit.reporters.sample import BLOCKED

ADDRESS = "https://github.com/octo/repo.git"
ENTERPRISE = {"GITHUB_SERVER_URL": "https://ghe.example.com"}
IN_CI = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "octo/other", **ENTERPRISE}


@pytest.mark.parametrize(
    ("url", "fetched", "variables", "page"),
    [
        (ADDRESS, True, {}, "https://github.com/octo/repo"),
        ("git@ghe.example.com:o/r", True, ENTERPRISE, "https://ghe.example.com/o/r"),
        (ADDRESS, False, {}, ""),
        (ADDRESS, True, ENTERPRISE, ""),
        ("https://gitlab.com/octo/repo", True, {}, ""),
        ("/srv/octo/repo.git", True, {}, ""),
        ("", False, {}, ""),
        ("", False, IN_CI, "https://ghe.example.com/octo/other"),
    ],
)
def test_places_are_links_where_the_commit_is_on_the_web(
    repo: Repo, tmp_path: Path, url: str, fetched: bool, variables: dict[str, str], page: str
) -> None:
    if url:
        repo.git("remote", "add", "origin", url)
    if fetched:
        repo.git("update-ref", "refs/remotes/origin/main", repo.head)
    git, shown = open_repository(repo.path, os.environ), tmp_path / "report.md"
    for head, expected in ((repo.head, page), ("", "")):
        change = replace(BLOCKED.change, head=head or git.empty_tree, files=())
        report = replace(BLOCKED, change=change)
        deliver(report, Delivery("markdown", shown), git, Environment(variables, repo.path))
        text = shown.read_text("utf-8")
        assert f"]({expected}/blob/{head}/" in text if expected else "/blob/" not in text

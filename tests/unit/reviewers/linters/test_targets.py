"""Links of Markdown whose target the head has, whatever lies on the disk, are no findings."""

import json
import os
from collections.abc import Sequence

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Change
from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.linters import rumdl
from reviewgate_gh.reviewers.linters._targets import without_known_targets
from tests.support import Repo, peer
from tests.unit.reviewers.linters.real import ask

SITE = """# Guide

## getData(index)

## `APP_HOME`

## Old name {#new-name}

<a id="anchor"></a>

Under
-----
"""


def link(title: str, rule: str = "rumdl/MD051", path: str = "docs/guide.md") -> Finding:
    return Finding(Priority.P3, "documentation", rule, path, 3, 3, title)


def kept(repo: Repo, *findings: Finding) -> Sequence[Finding]:
    head = repo.commit({"docs/guide.md": SITE, "docs/api/index.md": SITE, "LICENSE": "MIT\n"})
    change = Change(str(repo.path), head, head, True, head)
    git = open_repository(repo.path, {})
    return without_known_targets(findings, change, git)


@pytest.mark.parametrize(
    "anchor", ["getdata-index", "app-home", "app_home", "new-name", "anchor", "under", "guide"]
)
def test_a_heading_may_have_other_signs_in_its_name(repo: Repo, anchor: str) -> None:
    here = link(f"Link anchor '#{anchor}' does not exist in document headings")
    there = link(f"Link fragment '{anchor}' not found in './api/index.md'")
    assert kept(repo, here, there) == ()


@pytest.mark.parametrize("path", ["api/index.md", "./api", "../LICENSE", "api/index.md#guide"])
def test_a_file_or_folder_of_the_head_is_there(repo: Repo, path: str) -> None:
    assert kept(repo, link(f"Relative link '{path}' does not exist", "rumdl/MD057")) == ()


def test_what_is_not_there_stays(repo: Repo) -> None:
    findings = (
        link("Link anchor '#getdata-name' does not exist in document headings"),
        link("Link fragment 'gone' not found in './api/index.md'"),
        link("Link fragment 'guide' not found in './api/gone.md'"),
        link("Relative link 'api/gone.md' does not exist", "rumdl/MD057"),
        link("Relative link '../../../etc/passwd' does not exist", "rumdl/MD057"),
        link("Empty link found: [x]()", "rumdl/MD042"),
    )
    assert kept(repo, *findings) == findings


@pytest.mark.peer
def test_the_messages_are_those_of_rumdl(repo: Repo) -> None:
    links = "[a](#getdata-index) [b](#no)\n[c](api/index.md#no) [d](gone.md)\n"
    files = {
        "docs/guide.md": f"{SITE}\n{links}",
        "docs/api/index.md": SITE,
        ".rumdl.toml": '[global]\nenable = ["MD051", "MD057"]\n',
    }
    program = str(peer("venv/bin/rumdl"))
    asked = ask(rumdl, repo.path, dict(files), own_config=True, program=program)
    head = repo.commit(files)
    change = Change(str(repo.path), head, head, True, head)
    left = without_known_targets(asked.findings, change, open_repository(repo.path, {}))
    assert len(asked.findings) == 4
    assert sorted(each.title for each in left) == [
        "Link anchor '#no' does not exist in document headings",
        "Link fragment 'no' not found in 'api/index.md'",
        "Relative link 'gone.md' does not exist",
    ]


@pytest.mark.peer
def test_a_link_that_leads_somewhere_was_never_found(repo: Repo) -> None:
    """The sums of the report add up, whatever is known to be no finding."""
    repo.commit({".rumdl.toml": '[global]\nenable = ["MD057"]\n', "docs/b.md": "# B\n"})
    repo.commit({"docs/a.md": "# A\n\n[b](b.md) [c](c.md)\n"})
    path = f"{peer('venv/bin/rumdl').parent}:{os.environ['PATH']}"
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    report = json.loads(done.stdout)
    [row] = [row for row in report["reviews"] if row["part"] == "rumdl"]
    assert (done.code, row["status"], row["found"], row["outside"]) == (0, "ok", 1, 0), done.output
    assert [finding["rule"] for finding in report["findings"]] == ["rumdl/MD057"]

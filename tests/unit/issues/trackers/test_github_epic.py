"""An epic at GitHub, by its sub-issues or by the task list in its text."""

import os
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.issues.tracked import Workspace
from reviewgate_gh.issues.trackers.github import Options, epic
from reviewgate_gh.system.environment import Environment
from tests.peers.github.handle import GATE
from tests.unit.github.fake import client_of
from tests.unit.github.scripted import Clock


@pytest.fixture
def ask(github_plain, repo):
    hosted = github_plain.repository(repo.path)
    token = github_plain.token(**{**GATE, "issues": "write"})

    def asked(name):
        client = client_of(github_plain, token, Clock())
        return epic(
            Options(),
            Workspace(
                open_repository(repo.path, os.environ), Environment({}, Path.cwd()), [], client
            ),
            name,
        )

    asked.hosted = hosted
    return asked


def closed(issue):
    issue.state = "closed"
    return issue


def test_sub_issues_are_its_issues(ask):
    mine = ask.hosted.issue("Speed", "ada", "Make it fast.\r\n- [ ] #99")
    rows = [
        closed(ask.hosted.issue("One")),
        *(ask.hosted.issue(f"Number {at}") for at in range(120)),
    ]
    mine.below = [each.number for each in rows]
    found = ask(f"#{mine.number}")
    assert (found.id, found.title, found.description) == (
        str(mine.number),
        "Speed",
        "Make it fast.\n- [ ] #99",
    )
    assert len(found.children) == 121 and [
        name for name, done in found.children.items() if done
    ] == [str(rows[0].number)]


def test_else_the_task_list_is(ask):
    done, left = closed(ask.hosted.issue("Done")), ask.hosted.issue("Left")
    text = (
        f"- [ ] #{done.number} ticked or not\n* [x] #{left.number}\n  - [X] write it down\n"
        "- [ ] call them\n- [x] #4242\n- no task\n"
    )
    mine = ask.hosted.issue("Speed", "ada", text)
    assert ask(str(mine.number)).children == {
        str(done.number): True, str(left.number): False, "write it down": True, "call them": False,
        "4242": False,
    }  # fmt: skip
    assert ask(str(done.number)).children == {}


@pytest.mark.parametrize("name", ["4242", "bd-1", "", "#", "\u0663"])
def test_what_is_no_issue_is_no_epic(ask, name):
    assert ask(name) is None

"""Issues at GitHub: only ours count, each is made once, and a refusal is a sentence."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import open_repository
from reviewgate_gh.github.client import Client
from reviewgate_gh.issues import plan
from reviewgate_gh.issues.tracked import IssueStatus, Workspace
from reviewgate_gh.issues.trackers.github import Options, opened
from reviewgate_gh.model.errors import UpstreamError
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.system.environment import Environment
from tests.peers.github.handle import GATE
from tests.peers.github.talk import set_labels
from tests.tracking import EVIL, evil, issue
from tests.unit.github.fake import client_of
from tests.unit.github.scripted import Clock, Say, Server

ISSUES = {**GATE, "issues": "write"}


class Desk:
    def __init__(self, github, repo, **permissions):
        self.github, self.repo = github, repo
        self.hosted = github.repository(repo.path)
        self.clock = Clock()
        self.token = github.token(**(permissions or ISSUES))

    @property
    def issues(self):
        return list(self.hosted.stored.issues.values())

    def open(self, **options):
        client = client_of(self.github, self.token, self.clock)
        return opened(
            Options(**options),
            Workspace(
                open_repository(self.repo.path, os.environ), Environment({}, Path.cwd()), [], client
            ),
        )


@pytest.fixture
def desk(github_plain, repo):
    return Desk(github_plain, repo)


def test_an_issue_says_what_was_found_and_mentions_nobody(desk):
    with desk.open(labels=("triage",)) as ledger:
        ledger.add(
            issue(
                replace(EVIL, title="ask @ada", body="@ada see https://x.y/z and closes #1"),
                link="12",
            )
        )
    [made] = desk.issues
    assert made.title == "ask @ada (app.py)" and "Found for #12" in made.body
    assert "`@ada`" in made.body and " @ada" not in made.body
    assert set(made.labels) == {"review-finding", f"fp:{EVIL.fingerprint}", "priority:P1", "triage"}


def test_a_strangers_copy_of_our_marker_is_none_of_ours(desk):
    with desk.open() as ledger:
        ledger.add(issue())
    body = desk.issues[0].body.replace(EVIL.fingerprint, evil(5).fingerprint)
    desk.hosted.issue("Look here", "eve", body)
    with desk.open() as ledger:
        assert [each.fingerprint for each in ledger.find(None)] == [EVIL.fingerprint]


def test_people_may_write_around_our_block(desk):
    with desk.open() as ledger:
        ledger.add(issue())
    desk.issues[0].body = f"I wrote this.\r\n{desk.issues[0].body}\nAnd this."
    set_labels(
        desk.github.world, desk.hosted.stored, desk.issues[0], [*desk.issues[0].labels, "mine"]
    )
    with desk.open() as ledger:
        [before] = ledger.find(None)
        ledger.change(
            before,
            replace(
                before, notes=plan.changed(before.notes, {"Priority": "P0"}), priority=Priority.P0
            ),
        )
    [after] = desk.issues
    assert (
        after.body.startswith("I wrote this.")
        and after.body.endswith("And this.")
        and "Priority: P0" in after.body
    )
    assert {"mine", "priority:P0"} <= set(after.labels) and "priority:P1" not in after.labels


def test_more_than_a_page_is_read(desk):
    with desk.open() as ledger:
        ledger.add(issue(evil(0)))
    [first] = desk.issues
    for at in range(1, 102):
        desk.hosted.issue(
            "A title",
            "ada",
            first.body.replace(evil(0).fingerprint, evil(at).fingerprint),
            tuple(first.labels[:1]),
        )
    with desk.open() as ledger:
        assert len(ledger.find(None)) == 102
        assert [each.id for each in ledger.find({evil(0).fingerprint})] == [str(first.number)]


def test_writes_are_paced(desk):
    with desk.open() as ledger:
        for at in range(5):
            ledger.add(issue(evil(at)))
    assert sum(desk.clock.naps) >= 4


@pytest.mark.parametrize("stored", [True, False])
def test_a_lost_answer_makes_no_second_issue_and_loses_none(desk, stored):
    desk.github.fault("502", "POST", "*/issues", stored=stored)
    with desk.open() as ledger:
        ledger.add(issue())
    assert len(desk.issues) == 1


def test_of_two_runs_at_once_the_older_issue_stays(desk):
    with desk.open() as first, desk.open() as second:
        assert not first.find(None) and not second.find(None)
        first.add(issue())
        second.add(issue())
    assert [each.state for each in desk.issues] == ["open", "closed"]
    with desk.open() as ledger:
        assert [each.status for each in ledger.find({EVIL.fingerprint})] == [
            IssueStatus.OPEN,
            IssueStatus.CLOSED,
        ]


def test_where_issues_are_off_that_is_said(server: Server, client: Client, repo):
    server.rule = lambda seen: Say(410, {"message": "Issues are disabled for this repo"})
    workspace = Workspace(
        open_repository(repo.path, os.environ), Environment({}, Path.cwd()), [], client
    )
    with (
        pytest.raises(UpstreamError, match="issues are turned off"),
        opened(Options(), workspace) as ledger,
    ):
        ledger.find(None)


def test_a_token_that_sets_no_labels_leaves_no_open_issue(server: Server, client: Client, repo):
    server.rule = lambda seen: (
        Say(201, {"number": 7, "labels": []})
        if seen.method == "POST"
        else Say(200, {} if seen.method == "PATCH" else [])
    )
    workspace = Workspace(
        open_repository(repo.path, os.environ), Environment({}, Path.cwd()), [], client
    )
    with pytest.raises(UpstreamError, match="not label it"), opened(Options(), workspace) as ledger:
        ledger.add(issue())
    assert server.seen[-1].method == "PATCH" and "closed" in str(server.seen[-1].body)


def test_a_token_without_the_permission_is_named(github_plain, repo):
    desk = Desk(github_plain, repo, **GATE, issues="read")
    with desk.open() as ledger:
        assert not ledger.find(None)
        with pytest.raises(UpstreamError, match="POST"):
            ledger.add(issue())
    assert not desk.issues

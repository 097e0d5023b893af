"""Where publishing stops, and what it says then: closed pull requests, tokens, trackers, limits;
and the report of a change that was taken back."""

import json

import pytest

from tests.peers.github.servers import Servers
from tests.support import Repo

from ..publishing import Gate, Stock, evil, prepare


@pytest.fixture
def gate(github, repo: Repo) -> Gate:
    return Gate(github, repo)


def test_a_report_of_no_change_closes_what_is_gone_and_has_the_last_word(gate: Gate):
    """A pull request whose commits cancel each other out."""
    gate.opened({}, evil("a.py", "b.py"))
    token = gate.github.token()
    assert gate.published(token).code == 0 and len(gate.pull.inline) == 2
    gate.repo.git("revert", "--no-edit", "HEAD")
    gate.pull.push()
    done = gate.published(token)
    assert done.code == 0, done.output
    assert [each.minimized for each in gate.pull.inline] == ["RESOLVED", "RESOLVED"]
    [review] = gate.pull.reviews
    assert review.body.startswith("**reviewgate-gh: pass**") and "2 fixed" in review.body


@pytest.mark.parametrize("merged", [False, True], ids=["closed", "merged"])
def test_on_a_closed_pull_request_nothing_is_posted_unless_asked_for(gate: Gate, merged: bool):
    gate.opened({}, evil("a.py"))
    token = gate.github.token()
    gate.pull.close(merged=merged)
    done = gate.published(token)
    word = "merged" if merged else "closed"
    assert done.code == 64 and f"is {word}" in done.stderr and "--closed" in done.stderr
    assert not gate.github.journal.created
    assert "would post" in gate.published(token, "--dry-run").stderr
    done = gate.published(token, "--closed")
    assert done.code == 0 and len(gate.pull.inline) == 1, done.output


@pytest.mark.parametrize(("tracker", "made"), [({}, False), ({"tracker": {"type": "local"}}, True)])
def test_issues_are_made_where_a_tracker_is_configured(gate: Gate, tracker: dict, made: bool):
    gate.opened(tracker, evil("a.py"))
    done = gate.published(gate.github.token())
    assert done.code == 0 and ("issues (local): 1 new" in done.stderr) == made, done.output
    kept = gate.repo.path / ".git/reviewgate-gh/issues.jsonl"
    assert kept.exists() == made


def test_a_missing_token_is_told_how_to_set_one(gate: Gate):
    gate.opened({}, evil("a.py"))
    done = gate.published("")
    assert done.code == 69 and "posting needs a token" in done.stderr, done.output
    assert "GITHUB_TOKEN: ${{ github.token }}" in done.stderr


@pytest.mark.parametrize(
    ("login", "words"),
    [
        ("github-actions[bot]", "add it under `permissions:` of the workflow"),
        ("grace", "Settings > Developer settings > Personal access tokens"),
    ],
    ids=["an App", "a person"],
)
def test_each_kind_of_token_is_told_where_its_permissions_are(
    github_servers: Servers, stock: Stock, login: str, words: str
):
    held = {"contents": "read", "pull_requests": "read"}
    with prepare(github_servers, stock, "evil", login=login, permissions=held).stage() as stage:
        done = stage.run(stock.report("evil"))
        assert done.code == 69 and words in done.told[1], done
        assert "pull-requests: write" in done.told[1]


def test_waiting_for_a_rate_limit_says_until_when(
    github_servers: Servers, stock: Stock, capsys: pytest.CaptureFixture[str]
):
    with prepare(github_servers, stock, "evil").stage() as stage:
        stage.github.fault("403-retry-after", "POST", "/repos/*/reviews", seconds=90)
        assert stage.run(stock.report("evil")).code == 0
        said = capsys.readouterr().err
        assert "GitHub rate-limits POST" in said and "waiting 90 s, until 20" in said, said


def test_what_stands_in_the_summary_is_no_overlap_the_next_time(gate: Gate):
    """One comment of ours stays, a new finding is about its line: said in the summary."""
    gate.opened({}, {"a.py": "import os\n\n\ndef f(x):\n    return evil(os, x)\n"})
    token = gate.github.token()
    assert gate.published(token).code == 0
    gate.repo.commit({"a.py": "y = 1\n\n\ndef f(x):\n    return evil(os, x)\n"})
    gate.pull.push()
    out = gate.repo.path.parent / "presubmit.json"
    for _ in range(2):
        done = gate.published(token)
        assert done.code == 0, done.output
        report = gate.repo.path.parent / "report.json"
        gate.repo.cli(
            "presubmit", "1", gate.repo.head, "octo/repo", str(out), "--new-findings", str(report),
            env=gate.github.env(token),
        )  # fmt: skip
        assert json.loads(out.read_text())["existingComments"]["byBucket"]["overlap"] == 1
        assert json.loads(out.read_text())["blockOnExistingComments"]
        assert len(gate.pull.inline) == 1
        assert "another of our comments is on this line" in gate.pull.reviews[0].body

"""What others take GitHub for: `emulate`, a whole GitHub of somebody else's, for what it does well.
It knows nothing of review threads."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import open_repository
from reviewgate_gh.github import Client, open_github
from reviewgate_gh.github.check_runs import CheckRunDraft, send_check_run
from reviewgate_gh.github.reading import NotFound
from reviewgate_gh.issues.tracked import IssueStatus, Workspace
from reviewgate_gh.issues.trackers.github import Options, opened
from reviewgate_gh.system.environment import Environment
from tests.peers.github.servers import node
from tests.support import Repo, peer
from tests.tracking import evil, issue
from tests.unit.github.scripted import Clock

pytestmark = pytest.mark.peer
SEED = {
    "tokens": {"ghp_second": {"login": "grace", "scopes": ["repo"]}},
    "github": {
        "users": [{"login": "grace", "name": "Grace"}],
        "repos": [{"owner": "grace", "name": "repo", "auto_init": True}],
    },
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its REST API."""
    script = peer("node_modules/emulate/dist/index.js")
    seed = tmp_path_factory.mktemp("emulate") / "seed.json"
    seed.write_text(json.dumps(SEED))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    argv = [
        str(node() or "node"),
        str(script),
        "start",
        "-s",
        "github",
        "-p",
        str(port),
        "--seed",
        str(seed),
        "--base-url",
        url,
    ]
    process = subprocess.Popen(
        argv,
        cwd=seed.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.05)
    yield url
    process.terminate()
    process.wait(20)


@pytest.fixture
def client(address: str) -> Client:
    return open_github(
        Environment({"GITHUB_TOKEN": "ghp_second", "GITHUB_API_URL": address}, Path.cwd()),
        "grace/repo",
        timing=Clock().timing,
    )


def test_issues_are_made_once_found_again_closed_and_opened(client: Client, repo: Repo):
    workspace = Workspace(
        open_repository(repo.path, os.environ), Environment({}, repo.path), [], client
    )
    issues = [issue(evil(number)) for number in range(3)]
    with opened(Options(), workspace) as ledger:
        assert not ledger.find(None)
        numbers = [ledger.add(each) for each in issues]
    with opened(Options(), workspace) as ledger:
        found = ledger.find({each.fingerprint for each in issues})
        assert [each.id for each in found] == numbers and [each.notes for each in found] == [
            each.notes for each in issues
        ]
        ledger.change(found[0], replace(found[0], status=IssueStatus.CLOSED, reason="mended"))
    with opened(Options(), workspace) as ledger:
        assert [each.status for each in ledger.find(None)] == [
            IssueStatus.CLOSED,
            IssueStatus.OPEN,
            IssueStatus.OPEN,
        ]


def test_a_conversation_of_several_pages_is_read_whole(client: Client):
    number = client.write("POST", client.path("issues"), {"title": "A talk"}).number("number")
    comments = client.path("issues", number, "comments")
    said = [
        client.write("POST", comments, {"body": f"Remark {at}"}).number("id") for at in range(103)
    ]
    client.write("PATCH", client.path("issues", "comments", said[-1]), {"body": "The last word"})
    found = client.pages(comments).items
    assert [each.text("body") for each in found] == [
        *(f"Remark {at}" for at in range(102)),
        "The last word",
    ]
    assert [each.number("id") for each in found] == said and {
        each["user"].text("login") for each in found
    } == {"grace"}


@pytest.mark.parametrize("annotations", [0, 50])
def test_a_check_run_is_made_once(client: Client, annotations: int):
    """One request's annotations: where GitHub adds those of the next one, this server puts them in
    their place."""
    head = client.get(client.path("branches", "main"))["commit"].oid("sha")
    note = {"path": "a.py", "annotation_level": "failure", "message": "m"}
    notes = tuple({**note, "start_line": at, "end_line": at} for at in range(1, annotations + 1))
    draft = CheckRunDraft(
        "reviewgate-gh", head, f"key-{annotations}", "failure", "block", "a summary", notes
    )
    number = send_check_run(client, draft)
    assert send_check_run(client, draft) == number
    found = client.get(client.path("check-runs", number))
    assert (found.text("status"), found.text("conclusion"), found.text("external_id")) == (
        "completed",
        "failure",
        draft.key,
    )
    assert found["output"].number("annotations_count") == annotations


def test_what_is_not_there_is_not_found(client: Client):
    with pytest.raises(NotFound):
        client.get(client.path("issues", 999_999))

"""The file in the clone: whole after every end, repaired where others damaged it, quick with ten
thousand lines."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import Git
from reviewgate_gh.issues.plan import read_own_issue
from reviewgate_gh.issues.tracked import IssueStatus, TrackedIssue, Workspace
from reviewgate_gh.issues.trackers.local import Options, opened
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.files import STATE_FOLDER
from tests.support import ROOT, Repo
from tests.tracking import EVIL, evil, issue

RUNS = 50 if os.environ.get("REVIEWGATE_GH_FULL") == "1" else 2
PROCESSES = 20


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(cast(Git, SimpleNamespace(common=tmp_path)), Environment({}, tmp_path), [])


def file_of(workspace: Workspace) -> Path:
    return workspace.git.common / STATE_FOLDER / "issues.jsonl"


def add(workspace: Workspace, *issues: TrackedIssue) -> None:
    with opened(Options(), workspace) as ledger:
        for each in issues:
            ledger.add(each)


def fingerprints(workspace: Workspace) -> list[str]:
    with opened(Options(), workspace) as ledger:
        return [each.fingerprint for each in ledger.find(None)]


def test_a_line_is_a_record_of_beads(workspace):
    add(workspace, issue(link="bd-1"))
    [record] = [json.loads(line) for line in file_of(workspace).read_bytes().splitlines()]
    assert {"id", "title", "description", "notes", "labels", "created_at", "updated_at"} <= set(
        record
    )
    assert (record["status"], record["priority"], record["issue_type"]) == (
        "open",
        1,
        "task",
    ) and "closed_at" not in record
    assert [(each["depends_on_id"], each["type"]) for each in record["dependencies"]] == [
        ("bd-1", "discovered-from")
    ]
    with opened(Options(), workspace) as ledger:
        [before] = ledger.find(None)
        ledger.change(before, replace(before, status=IssueStatus.CLOSED, reason="done"))
    [record] = [json.loads(line) for line in file_of(workspace).read_bytes().splitlines()]
    assert (record["status"], record["close_reason"]) == ("closed", "done") and record["closed_at"]


def test_reading_writes_nothing_and_a_failure_inside_keeps_the_old_file(workspace):
    assert not fingerprints(workspace) and not file_of(workspace).exists()
    add(workspace, issue())
    before = file_of(workspace).read_bytes()
    with pytest.raises(UnicodeEncodeError), opened(Options(), workspace) as ledger:
        ledger.add(issue(evil(1))) and "\udc80".encode()
    assert file_of(workspace).read_bytes() == before


def test_what_people_add_to_a_record_stays(workspace):
    add(workspace, issue(), issue(evil(1)))
    rows = [json.loads(line) for line in file_of(workspace).read_bytes().splitlines()]
    rows[0] |= {"assignee": "ada", "status": "in_progress"}
    file_of(workspace).write_text(
        "".join(json.dumps(row) + "\n" for row in [*rows, {"title": "another program's"}])
    )
    with opened(Options(), workspace) as ledger:
        [before] = ledger.find({EVIL.fingerprint})
        ledger.change(before, replace(before, notes=f"{before.notes}\nx"))
    after = [json.loads(line) for line in file_of(workspace).read_bytes().splitlines()]
    assert (after[0]["assignee"], after[0]["status"]) == ("ada", "in_progress") and after[2] == {
        "title": "another program's"
    }


@pytest.mark.parametrize("cut", [1, 5, 300, "NUL", "half"])
def test_a_torn_tail_is_repaired_kept_and_told(workspace, cut):
    add(workspace, *(issue(evil(at)) for at in range(3)))
    data = file_of(workspace).read_bytes()
    torn = (
        data[:-300] + b"\0" * 300
        if cut == "NUL"
        else data + b'{"id": "rg-'
        if cut == "half"
        else data[:-cut]
    )
    file_of(workspace).write_bytes(torn)
    whole = 3 if cut in (1, "half") else 2
    assert len(fingerprints(workspace)) == whole
    if cut == 1:  # nothing but the last newline was missing
        return
    [kept] = file_of(workspace).parent.glob("issues.jsonl.damaged-*")
    assert kept.read_bytes() == torn and [str(kept) in told for told in workspace.messages] == [
        True
    ]
    assert len(fingerprints(workspace)) == whole and len(workspace.messages) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"[]\n",
        b"null\n",
        b"\xef\xbb\xbf{}\n",
        b'{"labels": 5, "notes": 7, "id": "rg-x"}\n',
        b"{" * 99_999,
    ],
)
def test_no_content_stops_it(workspace, data):
    file_of(workspace).parent.mkdir()
    file_of(workspace).write_bytes(data)
    add(workspace, issue())
    assert fingerprints(workspace) == [EVIL.fingerprint]


def many(count: int) -> bytes:
    made = issue()
    row: dict[str, Any] = {
        "title": made.title,
        "description": made.body * 10,
        "status": "open",
        "priority": 1,
    }
    rows = []
    for at in range(count):
        notes = made.notes.replace(made.fingerprint, f"{at:016x}").replace(
            made.place, f"{at + count:016x}"
        )
        rows.append(
            {"id": f"rg-{at}", **row, "notes": notes, "labels": ["review-finding", f"fp:{at:016x}"]}
        )
    return b"".join(json.dumps(each).encode() + b"\n" for each in rows)


def test_of_ten_thousand_only_what_is_looked_for_is_read(workspace):
    file_of(workspace).parent.mkdir()
    file_of(workspace).write_bytes(many(10_000))
    with opened(Options(), workspace) as ledger:
        found = ledger.find({f"{5:016x}", f"{19_999:016x}", "0" * 15 + "x"})
        assert [each.id for each in found] == ["rg-5", "rg-9999"]
        ledger.add(issue())
    assert len(file_of(workspace).read_bytes().splitlines()) == 10_001


READY = """
import os
import sys
from pathlib import Path
from reviewgate_gh.issues.sync import track_report
from reviewgate_gh.model.config import Config
from reviewgate_gh.git import open_repository
from reviewgate_gh.issues.tracked import Workspace
from reviewgate_gh.system.environment import Environment
from tests.tracking import evil, report_of

def one(number):  # five findings that everybody has, and one of its own
    environment = Environment.current()
    report = report_of(*(evil(at) for at in range(5)), evil(100 + number))
    git = open_repository(Path(sys.argv[1]), environment.variables)
    track_report(report, Config(), Workspace(git, environment, []), asked=True)
"""
WRITER = READY + "one(int(sys.argv[2]))"
# All are there before the first one begins.
TOGETHER = (
    READY
    + """
go, start = os.pipe()
children = []
for number in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        os.close(start)
        os.read(go, 1)
        one(number)
        os._exit(0)
    children.append(child)
os.close(start)
sys.exit(max(os.waitpid(child, 0)[1] for child in children) > 0)
"""
)


def env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def start(repo: Repo, number: int) -> "subprocess.Popen[bytes]":
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(repo.path), str(number)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def records(repo: Repo) -> list[str]:
    """Every fingerprint in the file, whose every line is whole."""
    path = repo.file(f".git/{STATE_FOLDER}/issues.jsonl")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    found = [
        read_own_issue(row["title"], row["description"], row["notes"], row["labels"])
        for row in rows
    ]
    return [each.fingerprint for each in found if each]


@pytest.mark.contract(plain=False)
def test_twenty_processes_lose_no_record_and_make_none_twice(make_repo, capsys):
    lost = twice = 0
    for run in range(RUNS):
        repo = make_repo(f"run{run}")
        done = subprocess.run(
            [sys.executable, "-c", TOGETHER, str(repo.path), str(PROCESSES)],
            env=env(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        found = records(repo)
        due = {evil(at).fingerprint for at in (*range(5), *range(100, 100 + PROCESSES))}
        lost += len(due - set(found))
        twice += len(found) - len(set(found))
    with capsys.disabled():
        print(f"\n{RUNS} runs of {PROCESSES} processes: {lost} lost, {twice} twice")
    assert (lost, twice) == (0, 0)


@pytest.mark.contract(plain=False)
def test_a_kill_at_any_moment_leaves_a_whole_file_and_a_free_lock(repo):
    start(repo, 0).communicate(timeout=100)
    before = records(repo)
    ended = 0
    for number in range(1, 13):
        child = start(repo, number)
        time.sleep(0.04 * number)
        child.send_signal(signal.SIGKILL)
        ended += child.wait() == -signal.SIGKILL
        child.communicate()
        assert set(before) <= set(records(repo)) and len(records(repo)) == len(set(records(repo)))
        before = records(repo)
    assert ended
    start(repo, 99).communicate(timeout=100)
    assert evil(199).fingerprint in records(repo)


STOPPED = (
    READY
    + """
calls = 0
def counted(name):
    real = getattr(os, name)
    def call(*args, **options):
        global calls
        calls += 1
        if calls == int(sys.argv[3]):
            os.kill(os.getpid(), 9)
        return real(*args, **options)
    setattr(os, name, call)
for name in ("replace", "fsync", "fdopen", "chmod"):
    counted(name)
one(7)
"""
)


@pytest.mark.contract(plain=False)
def test_a_kill_at_the_nth_step_of_writing_for_every_n(repo):
    for step in range(1, 50):
        done = subprocess.run(
            [sys.executable, "-c", STOPPED, str(repo.path), "7", str(step)],
            env=env(),
            capture_output=True,
            check=False,
        )
        found = records(repo)
        assert len(found) in (0, 6) and len(found) == len(set(found)), step
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert step > 4 and len(records(repo)) == 6

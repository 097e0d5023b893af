"""Every event as a JSON record, and what triggers make of merges and of findings without a
priority."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.peers.gates import FINDING, install_gate, register
from tests.support import Repo

END, SESSION = ("run_end",), ("session_end", "--issue", "1")


@pytest.fixture
def place(repo: Repo) -> Place:
    made = Place(repo)
    since = {"code_review": review(baseline="since_last_review")}
    triggers = {"session_end": {"code_review": review()}, "run_end": since}
    made.configure(True, validation_triggers=triggers)
    made.begin("1")
    return made


def told(place: Place, *args: str) -> list[dict[str, Any]]:
    """The records on standard error, each line one; the same stand at the end of the file."""
    done = place.repo.cli("orchestrate", "trigger", *args, "--log-format", "json")
    records = [json.loads(line) for line in done.stderr.splitlines()]
    kept = [
        json.loads(line)
        for line in place.repo.file(".git/reviewgate-gh/events.jsonl").read_text().splitlines()
    ]
    assert done.code == 0 and kept[-len(records) :] == records, done.output
    assert {record["logger"] for record in records} == {"cumulative_review"} and len(
        {record["run_id"] for record in records}
    ) == 1
    return [
        {key: value for key, value in record.items() if key not in ("time", "logger", "run_id")}
        for record in records
    ]


def nothing(place: Place) -> dict[str, Any]:
    return {
        "baseline_sha": place.repo.head,
        "head_sha": place.repo.head,
        "skip_reason": "empty_diff",
    }


def no_commit(place: Place) -> dict[str, Any]:
    return {
        "trigger_type": "session_end",
        "baseline_mode": "per_issue",
        "skip_reason": "baseline_not_found",
    }


def much(place: Place) -> dict[str, Any]:
    base, head = place.repo.head, place.repo.commit({"a.txt": "line\n" * 5001}, "work")
    return {"diff_lines": 5001, "threshold": 5000, "baseline_sha": base, "head_sha": head}


def broken(place: Place) -> dict[str, Any]:
    place.repo.commit({"a.py": CLEAN}, "work")
    (place.beside / "faults").write_text("1")
    return {"error_type": "execution_error"}


@pytest.mark.req("R000-170")
@pytest.mark.parametrize(
    ("prepare", "args", "level", "event"),
    [(nothing, END, "INFO", "Empty diff skip"), (no_commit, SESSION, "WARN", "Missing baseline"),
     (much, END, "WARN", "Large diff warning"),
     (broken, END, "ERROR", "Reviewer error")],
)  # fmt: skip
def test_each_event_is_a_record(
    place: Place,
    prepare: Callable[[Place], dict[str, Any]],
    args: tuple[str, ...],
    level: str,
    event: str,
) -> None:
    wanted = prepare(place)
    [record] = [record for record in told(place, *args) if record.get("event") == event]
    message = record.pop("error_message", "")
    assert record == {"level": level, "event": event, "trigger_type": args[0], **wanted}
    assert (event == "Reviewer error") == ("flaky" in message)


def test_merges_in_a_session_and_in_a_run(place: Place) -> None:
    """Another issue's work comes in by a merge; the session's review begins under its own first
    commit, the run's where it last ended."""
    repo, start = place.repo, place.repo.head
    repo.branch("other")
    repo.commit({"b.py": DEFECTS["P2"]}, "bd-2: another issue")
    repo.switch("main")
    repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    first = data(repo.cli("orchestrate", "trigger", "run_end", "--output", "json"))["review"]
    assert (first["baseline"], first["head"], len(first["findings"])) == (start, repo.head, 1)
    reviewed = repo.head
    repo.git("merge", "--quiet", "--no-ff", "-m", "bd-1: take in the other", "other")
    repo.commit({"c.py": DEFECTS["P3"]}, "bd-1: more")
    session = data(
        repo.cli("orchestrate", "trigger", "session_end", "--issue", "1", "--output", "json")
    )["review"]
    assert (session["baseline"], session["head"], len(session["commits"])) == (start, repo.head, 4)
    assert {found["path"] for found in session["findings"]} == {"a.py", "b.py", "c.py"}
    run = data(repo.cli("orchestrate", "trigger", "run_end", "--output", "json"))["review"]
    assert (run["baseline"], {found["path"] for found in run["findings"]}) == (
        reviewed,
        {"b.py", "c.py"},
    )
    other = data(
        repo.cli("orchestrate", "trigger", "session_end", "--issue", "2", "--output", "json")
    )["review"]
    assert other["baseline"] == start and len(other["commits"]) == 4
    again = data(repo.cli("orchestrate", "trigger", "run_end", "--output", "json"))["review"]
    assert again["skip_reason"] == "empty_diff"
    titles = [issue["title"].rpartition("(")[2] for issue in place.issues()]
    assert sorted(titles)[-3:] == ["a.py)", "b.py)", "c.py)"] and len(titles) == 4, (
        "and the summary of the run"
    )


@pytest.mark.parametrize("dialect", ["spec", "v1"])
@pytest.mark.parametrize(("threshold", "code"), [("P2", 1), ("P1", 0), ("none", 0)])
def test_a_finding_without_a_priority(
    repo: Repo, tmp_path: Path, dialect: str, threshold: str, code: int
) -> None:
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    gate = install_gate(tmp_path / "plugin", dialect)
    gate.plan(findings=[{**FINDING, "priority": None}])
    place = Place(repo)
    place.configure(
        validation_triggers={
            "session_end": {"code_review": {"enabled": True, "finding_threshold": threshold}}
        }
    )
    repo.commit({"bad.py": "def f():\n    return missing\n"}, "bd-7: work")
    done = repo.cli("orchestrate", "trigger", "session_end", "--issue", "7", "--output", "json")
    assert done.code == code and data(done)["review"]["outcome"] == "completed_with_findings", (
        done.output
    )
    [found], [issue] = data(done)["review"]["findings"], place.issues()
    assert (found["priority"], issue["priority"]) == ("P2", 2) and "Priority: P2\n" in issue[
        "notes"
    ]

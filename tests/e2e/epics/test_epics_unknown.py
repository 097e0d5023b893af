"""An epic that cannot be verified now, or is not: what the failure mode makes of it, what is said,
and what is not over."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.epics.test_epics import ISSUE, configure, events, issues, verify, work
from tests.orchestrating import CLEAN, Place, data, review
from tests.peers import beads
from tests.peers.gates import FakeGate, install_gate, register
from tests.support import Repo, run
from tests.unit.reporters.golden import assert_golden

TRIGGER = {
    "epic_depth": "all",
    "fire_on": "both",
    "code_review": review(baseline="since_run_start"),
}
EPIC = [
    {
        "id": "E",
        "title": "Speed",
        "status": "open",
        "description": "Make it fast.",
        "acceptance_criteria": "- it is fast",
    },
    {"id": "E.1", "title": "One", "status": "closed"},
    {"id": "E.2", "title": "Two", "status": "closed"},
]


@pytest.fixture
def gate(repo: Repo, tmp_path: Path) -> FakeGate:
    """An epic whose issues are closed, and a gate that verifies it."""
    repo.write({".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in EPIC)})
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    return install_gate(tmp_path / "plugin", "v1")


def metadata(repo: Repo) -> dict:
    return json.loads(repo.file(".git/reviewgate-gh/run_metadata.json").read_text())


def begun(repo: Repo, mode: str, **more: object) -> None:
    """A run with triggers for its epics, and a commit for the epic."""
    triggers = {"epic_completion": TRIGGER, "run_end": {"commands": [{"ref": "true"}]}}
    told = {"validation_triggers": triggers, "commands": {"true": ["true"]}, **more}
    configure(repo, told, reviewer_type="cerberus", failure_mode=mode, max_retries=0)
    assert repo.cli("orchestrate", "start", "--issues", "E.1,E.2").code == 0
    work(repo)


def broken(repo: Repo) -> Path:
    """The tracker's file cannot be read."""
    file = repo.file(".git/reviewgate-gh/issues.jsonl")
    file.rename(file.with_name("aside"))
    file.mkdir()
    return file


def mended(file: Path) -> None:
    file.rmdir()
    file.with_name("aside").rename(file)


@pytest.mark.req("R002-062", "R002-063")
@pytest.mark.parametrize(("mode", "code"), [("abort", 2), ("continue", 0), ("remediate", 0)])
def test_of_an_epic_that_the_tracker_cannot_tell_of_the_failure_mode_decides(
    repo: Repo, gate: FakeGate, mode: str, code: int
) -> None:
    begun(repo, mode)
    file = broken(repo)
    done = repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "E", "--output", "json")
    assert (done.code, gate.calls) == (
        code,
        [],
    ) and "could not read its state from the tracker" in done.stderr, done.output
    epic = data(done)["epic"]
    assert (epic["passed"], epic["reason"], epic["skipped"]) == (False, "execution_error", "")
    assert (data(done)["review"] is None) == (mode == "abort"), "what ends the run is not reviewed"
    assert (metadata(repo)["epics"], metadata(repo)["completed"]) == (["E"], []), (
        "nobody has verified it"
    )
    mended(file)
    ended = repo.cli("orchestrate", "end", "--output", "json")
    assert [(each["trigger"], each["fired"]) for each in data(ended)["fired"]] == [
        ("epic_completion", True),
        ("run_end", True),
    ]
    assert (
        metadata(repo)["completed"] == ["E"]
        and data(ended)["fired"][0]["epic"]["passed"]
        and metadata(repo)["ended"]
    )


def test_a_run_is_not_over_while_its_epics_are_not_known(repo: Repo, gate: FakeGate) -> None:
    begun(repo, "continue")
    file = broken(repo)
    for _ in range(2):
        done = repo.cli("orchestrate", "end")
        assert (
            done.code == 0
            and "the run stays open because its epics could not be read" in done.stderr
        ), done.output
        assert metadata(repo)["ended"] == "" and "the run already ended" not in done.stdout
    mended(file)
    done = repo.cli("orchestrate", "end")
    assert (
        "epic_completion: passed (E)" in done.stdout
        and "the run stays open" not in done.stderr
        and metadata(repo)["ended"]
    ), done.output
    assert "the run already ended" in repo.cli("orchestrate", "end").stdout


@pytest.mark.req("R002-083")
def test_a_criterion_that_is_still_not_met_is_open_again(repo: Repo, gate: FakeGate) -> None:
    begun(repo, "continue")
    gate.plan(findings=[ISSUE])
    assert verify(repo, "E")[0].code == 1
    [made] = issues(repo)
    closed = repo.cli("findings", "close", made["id"], "--reason", "done")
    assert closed.code == 0 and issues(repo)[0]["status"] == "closed", closed.output
    assert verify(repo, "E")[0].code == 1
    [again] = issues(repo)
    assert (again["id"], again["status"]) == (made["id"], "open") and "close_reason" not in again


def test_issues_that_neither_the_tracker_nor_the_disk_takes_are_told_of_and_the_verdict_stands(
    repo: Repo, gate: FakeGate
) -> None:
    begun(repo, "continue")
    gate.plan(findings=[ISSUE])
    folder = repo.file(".git/reviewgate-gh")
    (folder / "tracker.lock").unlink(missing_ok=True)
    (folder / "tracker.lock").symlink_to("tracker.lock")  # so that nobody can hold the tracker
    repo.write({".git/reviewgate-gh/outbox": "a file where the folder should be"})
    done, said = verify(repo, "E")
    assert done.code == 1 and said["failure_reason"] == "verdict_fail", done.output
    assert "1 finding could not be saved" in done.stderr and "Traceback" not in done.stderr
    (folder / "outbox").unlink()
    assert verify(repo, "E")[0].code == 1
    (folder / "tracker.lock").unlink()
    assert repo.cli("findings", "sync").code == 0 and [row["title"] for row in issues(repo)] == [
        "Not met: It is not fast"
    ]


@pytest.mark.req("R002-073", "R002-072", "R002-027")
@pytest.mark.parametrize(
    ("plan", "told", "reason"),
    [
        ({}, ["started E cerberus 1", "passed E cerberus 1"], ""),
        ({"findings": [ISSUE]}, ["started E cerberus 1", "failed E cerberus 1 verdict_fail"],
         "verdict_fail"),
        ({"verdict": None, "status": "timeout"}, ["started E cerberus 1",
         "failed E cerberus 1 timeout",
         "failed E cerberus 1 max_retries_exceeded"], "timeout"),
        ({"wait": {"code": 2, "out": "{"}}, ["started E cerberus 1", ("failed E cerberus 1 "
        "parse_error"),
         "failed E cerberus 1 max_retries_exceeded"], "parse_error"),
        ({"wait": {"code": 5, "out": ""}}, ["started E cerberus 1", ("failed E cerberus 1 "
        "execution_error")], "execution_error"),
        ({"help-spawn-epic-verify": {"code": 2}}, [("failed E cerberus 1 "
        "cerberus_unavailable")], "cerberus_unavailable"),
    ],
)  # fmt: skip
def test_events_of_a_trigger_come_from_the_orchestration_alone(
    repo: Repo, gate: FakeGate, plan: dict, told: list, reason: str
) -> None:
    begun(repo, "continue")
    gate.plan(**plan)
    done = repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "E", "--output", "json")
    assert events(done) == told and data(done)["epic"]["reason"] == reason, done.output
    kept = [
        json.loads(row)
        for row in repo.file(".git/reviewgate-gh/events.jsonl").read_text().splitlines()
    ]
    named = [row for row in kept if str(row.get("event")).startswith("epic_verification_")]
    assert len(named) == len(told) and all(
        (row["epic_id"], row["reviewer_type"]) == ("E", "cerberus") for row in named
    )


def test_what_goes_on_unreviewed_is_not_called_passed(
    repo: Repo, gate: FakeGate, tmp_path: Path
) -> None:
    """The last line of each way in which a run goes on; no word of them is that of a run that was
    looked at."""
    place, said = Place(repo), []
    named = {"commands": [{"ref": "true"}], "code_review": review(baseline="since_run_start")}
    configure(repo, reviewer_type="cerberus", max_retries=0)
    own = {"epic_verification": {"reviewer_type": "cerberus", "max_retries": 0}}

    def last(what: str, *args: str) -> None:
        done = repo.cli("orchestrate", "trigger", *args)
        assert done.code == 0, done.output
        said.append(f"{what}\n    {done.stdout.splitlines()[-1]}\n")

    place.configure(
        True,
        **own,
        validation_triggers={"run_end": named, "epic_completion": TRIGGER},
        commands={"true": ["true"]},
    )
    assert repo.cli("orchestrate", "start", "--issues", "E.1").code == 0
    last("nothing has changed", "run_end")
    repo.commit({"a.py": CLEAN}, "bd-E.1: work")
    last("all is well", "run_end")
    gate.plan(findings=[ISSUE])
    last("a criterion is not met", "epic_completion", "--epic", "E")
    last("an epic that the tracker does not know", "epic_completion", "--epic", "nowhere")
    (place.beside / "faults").write_text("1")
    last("a reviewer is broken", "run_end")
    last("the review is left out", "run_end", "--disable-validations", "review")
    place.configure(True, validation_triggers={"run_end": named}, commands={"true": ["false"]})
    last("a command failed", "run_end")
    (place.beside / "faults").write_text("1")
    last("a command failed and a reviewer is broken", "run_end")
    run_file = repo.file(".git/reviewgate-gh/run_metadata.json")
    run_file.write_text(
        json.dumps({**json.loads(run_file.read_text()), "run_start_commit": "0" * 40})
    )
    last("the first commit is not here", "run_end")
    assert_golden("goes-on.txt", "".join(said))


@pytest.mark.req("R002-022")
def test_an_epic_of_another_tracker_that_fails_is_not_verified(
    repo: Repo, gate: FakeGate, tmp_path: Path
) -> None:
    """The real tracker's program, which is there and then is not."""
    env = {"PATH": f"{beads.install(tmp_path / 'bin')}{os.pathsep}{os.environ['PATH']}"}
    create = ["create", "--json", "--priority", "1", "--labels=x", "--type"]
    epic = [*create, "epic", "--title=epic"]
    task = [*create, "task", "--title=task", "--deps=parent-child:fake-1"]
    for argv in (["init"], epic, task):
        assert run(["bd", *argv], repo.path, env).code == 0
    repo.write({".gitignore": ".beads/\n"})
    begun(repo, "abort", tracker={"type": "beads"})
    assert run(["bd", "close", "fake-2", "--json"], repo.path, env).code == 0
    trigger = ["orchestrate", "trigger", "epic_completion", "--epic", "fake-1"]
    done = repo.cli(*trigger)
    assert (
        done.code == 2
        and "epic_completion: failed (the epic fake-1 is not verified: could not read its state"
        in done.stdout
    ), done.output
    assert gate.calls == [] and shutil.which("bd") is None
    assert repo.cli(*trigger, env=env).code == 0 and gate.called("spawn-epic-verify")

"""One run at the tracker at a time; what cannot be delivered waits."""

import fcntl
import json
import os
import shutil

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import open_repository
from reviewgate_gh.issues.sync import (
    hold_issues,
    open_tracker,
    save_waiting,
    track_issues,
    track_report,
)
from reviewgate_gh.issues.tracked import IssueOrigin, Workspace
from reviewgate_gh.model.config import Config, TrackerConfig
from reviewgate_gh.model.finding import FindingState
from reviewgate_gh.system.environment import Environment
from tests.orchestrating import DEFECTS, Place, review
from tests.support import Repo
from tests.tracking import EVIL, evil, issue, report_of

RUN_END = IssueOrigin("cumulative_review", trigger="run_end", run="run-7")


@pytest.fixture
def workspace(repo: Repo) -> Workspace:
    return Workspace(open_repository(repo.path, os.environ), Environment({}, repo.path), [])


def records(repo: Repo):
    return [
        json.loads(line)
        for line in repo.file(".git/reviewgate-gh/issues.jsonl").read_bytes().splitlines()
    ]


@pytest.mark.req("R000-123")
def test_a_runs_findings_hang_on_one_summary_issue_made_with_the_first(
    repo: Repo, workspace: Workspace
):
    assert track_report(report_of(), Config(), workspace, RUN_END) == ()
    assert not repo.file(".git/reviewgate-gh/issues.jsonl").exists()
    for findings in ((EVIL,), (EVIL, evil(1))):
        track_report(report_of(*findings), Config(), workspace, RUN_END)
    [summary, *issues] = records(repo)
    assert "run:run-7" in summary["labels"] and len(issues) == 2
    assert {each["dependencies"][0]["depends_on_id"] for each in issues} == {summary["id"]}


@pytest.mark.parametrize(
    ("trigger", "issue", "epic", "wanted"),
    [
        pytest.param("session_end", "bd-1", "", "bd-1", marks=pytest.mark.req("R000-121")),
        pytest.param("session_end", "bd-2", "", "bd-2", marks=pytest.mark.req("R000-121")),
        pytest.param("epic_completion", "", "bd-9", "bd-9", marks=pytest.mark.req("R000-122")),
        pytest.param("run_end", "", "", "bd-8", marks=pytest.mark.req("R000-123")),
    ],
)
def test_what_a_trigger_finds_hangs_on_what_was_under_review(
    repo: Repo, trigger: str, issue: str, epic: str, wanted: str
):
    """In a run with two issues and an epic of its own, which none of the others may be taken
    for."""
    place, baseline = (
        Place(repo),
        {} if trigger == "session_end" else {"baseline": "since_run_start"},
    )
    place.configure(
        validation_triggers={
            trigger: {"failure_mode": "continue", "code_review": review(**baseline)}
        }
    )
    place.begin("bd-1", "bd-2", epics=("bd-8",))
    repo.commit({"a.py": DEFECTS["P1"], "b.py": DEFECTS["P2"]}, f"{issue or 'bd-1'}: work")
    place.fire(trigger, issue=issue, epic=epic)
    found = records(repo)
    assert len(found) == 2
    for each in found:
        assert [(link["type"], link["depends_on_id"]) for link in each["dependencies"]] == [
            ("discovered-from", wanted)
        ]


@pytest.mark.req("R000-124")
def test_another_trigger_makes_no_second_issue(repo: Repo, workspace: Workspace):
    for trigger in ("session_end", "epic_completion", "run_end"):
        track_report(
            report_of(EVIL), Config(), workspace, IssueOrigin(trigger=trigger, link="bd-1")
        )
    assert len(records(repo)) == 1


def test_a_busy_tracker_is_not_waited_for_forever(repo: Repo, workspace: Workspace):
    folder = repo.file(".git/reviewgate-gh")
    folder.mkdir()
    with (folder / "tracker.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        [told] = track_report(report_of(EVIL), Config(), replace(workspace, lock_seconds=0.1))
    assert (
        "the tracker is locked: another run has held it" in told
        and "1 finding saved" in told
        and not (folder / "issues.jsonl").exists()
    )
    assert track_report(report_of(), Config(), workspace) == ("issues (local): 1 new",)
    assert len(records(repo)) == 1 and not list((folder / "outbox/tracker").iterdir())


def test_a_damaged_record_of_what_waits_is_kept_and_told_once(repo: Repo, workspace: Workspace):
    folder = repo.file(".git/reviewgate-gh/outbox/tracker")
    folder.mkdir(parents=True)
    (folder / "x.json").write_text('[{"fingerprint": ')
    told = track_report(report_of(EVIL), Config(), workspace)
    assert "could not read the findings" in told[0] and "1 new" in told[1]
    [kept] = folder.iterdir()
    assert kept.read_text() == '[{"fingerprint": ' and kept.suffix != ".json"


def test_what_killed_runs_have_half_written_goes_when_it_is_nobodys(
    repo: Repo, workspace: Workspace
):
    folder = repo.file(".git/reviewgate-gh/outbox/tracker")
    folder.mkdir(parents=True)
    young, old = folder / ".x.json.abcdefgh", folder / ".y.json.abcdefgh"
    for path in (young, old):
        path.write_text('[{"finger')
    os.utime(old, (0, 0))
    track_report(report_of(EVIL), Config(), workspace)
    assert [*folder.iterdir()] == [young]


def test_what_a_run_could_not_deliver_twice_waits_as_one(repo: Repo, workspace: Workspace):
    repo.write({".git/reviewgate-gh/issues.jsonl/in": "a folder where the file should be"})
    for findings in ((EVIL,), (evil(1),)):
        [told] = track_report(report_of(*findings), Config(), workspace)
        assert "1 finding saved for the next run" in told
    [file] = repo.file(".git/reviewgate-gh/outbox/tracker").iterdir()
    assert {each["fingerprint"] for each in json.loads(file.read_text())} == {
        EVIL.fingerprint,
        evil(1).fingerprint,
    }
    shutil.rmtree(repo.file(".git/reviewgate-gh/issues.jsonl"))
    assert track_report(report_of(), Config(), workspace) == ("issues (local): 2 new",)
    assert not file.exists()


def test_what_waits_goes_only_when_what_takes_its_place_is_kept(repo: Repo, workspace: Workspace):
    folder = repo.file(".git/reviewgate-gh/outbox/tracker")
    save_waiting(workspace.git.common, "older", [issue(EVIL), issue(evil(1))])
    report, few = (
        replace(report_of(evil(2)), review_id="later"),
        Config(tracker=TrackerConfig(max_new=1)),
    )
    (folder / "later.json").mkdir()  # so that the file of the later run cannot be written
    told = track_report(report, few, workspace)
    assert (
        "2 findings could not be saved and are only in the report" in told[-1]
        and "issues (local): 1 new" in told
    )
    assert (folder / "older.json").exists(), "it is all that there is of them"
    (folder / "later.json").rmdir()
    assert "1 finding saved" in track_report(report, few, workspace)[-1]
    assert [path.name for path in folder.iterdir()] == ["later.json"] and len(records(repo)) == 2
    track_report(report, few, workspace)
    assert not list(folder.iterdir()) and len(records(repo)) == 3


@pytest.mark.parametrize("broken", ["tracker", "outbox", "cap"])
def test_issues_of_no_report_are_made_or_wait_or_are_told(
    repo: Repo, workspace: Workspace, broken: str
):
    if broken != "cap":
        repo.write({".git/reviewgate-gh/issues.jsonl/in": "a folder where the file should be"})
    if broken == "outbox":
        repo.write({".git/reviewgate-gh/outbox": "a file where the folder should be"})
    told = track_issues(
        [issue(EVIL), issue(evil(1))], Config(tracker=TrackerConfig(max_new=1)), workspace, "epic-1"
    )
    waits = repo.file(".git/reviewgate-gh/outbox/tracker/epic-1.json")
    if broken == "outbox":
        assert "the tracker local failed" in told[0] and "2 findings could not be saved" in told[0]
    else:
        assert len(json.loads(waits.read_text())) == (2 if broken == "tracker" else 1)
        assert ("the tracker local failed" in told[0]) == (broken == "tracker")
        assert (
            told[0] == "issues (local): 1 new" and "1 over the limit tracker.max_new" in told[1]
        ) == (broken == "cap")
    assert (
        track_issues([issue(EVIL)], Config(tracker=TrackerConfig(type="none")), workspace, "epic-2")
        == ()
    )


def test_in_ci_a_file_of_the_clone_is_not_written_unless_asked(repo: Repo):
    workspace = Workspace(
        open_repository(repo.path, os.environ), Environment({"CI": "true"}, repo.path), []
    )
    assert track_report(report_of(EVIL), Config(), workspace) == ()
    assert track_report(report_of(EVIL), Config(), workspace, asked=True)
    assert (
        track_report(
            report_of(EVIL), Config(tracker=TrackerConfig(type="none")), workspace, asked=True
        )
        == ()
    )


def test_the_lock_is_free_after_an_error(workspace: Workspace):
    with pytest.raises(KeyError), open_tracker(Config(), workspace):
        raise KeyError
    with open_tracker(Config(), workspace) as ledger:
        assert ledger.find(None) == []


def test_what_is_held_for_a_pull_request_goes_with_that_one_alone_and_without_what_was_dismissed(
    repo: Repo, workspace: Workspace
):
    here, other = IssueOrigin("pull_request", pull=1), IssueOrigin("pull_request", pull=2)
    one, two = evil(1), evil(2)
    [told] = hold_issues(report_of(one, two), Config(), workspace, here)
    assert "2 findings saved" in told
    for occasion in (other, RUN_END):
        assert track_report(report_of(), Config(), workspace, occasion) == ()
    elsewhere = replace(evil(3), state=FindingState.DISMISSED)
    save_waiting(workspace.git.common, "earlier", [issue(evil(3), pull=2)])
    known = report_of(replace(one, state=FindingState.DISMISSED), two, elsewhere)
    assert track_report(known, Config(), workspace, here) == ("issues (local): 2 new",)
    made = {label for row in records(repo) for label in row["labels"] if label.startswith("fp:")}
    assert made == {f"fp:{each.fingerprint}" for each in (two, evil(3))}
    assert not [*repo.file(".git/reviewgate-gh/outbox/tracker").iterdir()]


def test_what_is_held_for_a_pull_request_goes_at_a_person_s_word(workspace: Workspace):
    hold_issues(report_of(EVIL, evil(1)), Config(), workspace, IssueOrigin("pull_request", pull=1))
    assert track_report(report_of(), Config(), workspace, asked=True) == ("issues (local): 2 new",)

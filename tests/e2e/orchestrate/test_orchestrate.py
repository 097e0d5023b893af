"""`orchestrate` from the command line: runs, triggers, their order, what is printed, and how it
ends."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.peers import beads
from tests.support import ROOT, Repo, run

SINCE_START = review(baseline="since_run_start")


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


def metadata(repo: Repo) -> dict:
    return json.loads(repo.file(".git/reviewgate-gh/run_metadata.json").read_text())


@pytest.mark.contract
@pytest.mark.req("R000-073", "R000-075", "R000-076", "R000-077", "R000-078")
def test_start_begins_and_goes_on(repo: Repo, tmp_path: Path) -> None:
    first = data(
        repo.cli("orchestrate", "start", "--issues", "a,b", "--issues", "c", "--output", "json")
    )
    assert (first["resumed"], first["issues"], first["run_start_commit"]) == (
        False,
        ["a", "b", "c"],
        repo.head,
    )
    again = repo.cli("orchestrate", "start", "--issues", "c, b,a")
    assert (
        again.code == 0
        and again.stdout == f"run {first['run_id']} resumed (start commit {repo.head[:12]})\n"
        and again.stderr == ""
    )
    for args in (
        ["--issues", "a"],
        ["--issues", "a", "--fresh"],
        ["--issues", "a", "--output-dir", str(tmp_path / "out")],
    ):
        other = data(repo.cli("orchestrate", "start", "--output", "json", *args))
        assert not other["resumed"] and other["run_id"] != first["run_id"]
    assert (tmp_path / "out/run_metadata.json").exists() and (
        tmp_path / "out/events.jsonl"
    ).exists()


@pytest.mark.req("R000-069")
def test_a_run_begins_at_head_of_the_named_repository_not_of_the_current_work_tree(
    repo: Repo, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "session", str(tmp_path / "session"))
    session = Repo(tmp_path / "session")
    elsewhere = session.commit({"a.py": CLEAN}, "bd-1: work")
    began = data(
        session.cli(
            "orchestrate", "start", "--issues", "1", "--repo", str(repo.path), "--output", "json"
        )
    )
    assert (
        began["run_start_commit"] == repo.head != elsewhere
        and metadata(repo)["run_id"] == began["run_id"]
    )
    assert session.cli("orchestrate", "status").code == 64, (
        "the work tree of a session has no run of its own"
    )
    own = data(session.cli("orchestrate", "start", "--issues", "1", "--output", "json"))
    assert (own["resumed"], own["run_start_commit"]) == (False, elsewhere) and metadata(repo)[
        "run_start_commit"
    ] == repo.head


@pytest.mark.req("R000-047")
def test_a_session_ends_in_the_orchestrator_and_not_in_a_push(place: Place) -> None:
    repo = place.repo
    repo.bare_remote(repo.path.parent / "remote.git")
    repo.push("origin", "main")
    place.configure(
        True,
        validation_triggers={"session_end": {"code_review": review()}},
        hook={"reviewers": ["builtin"]},
    )
    repo.commit({"a.py": CLEAN}, "bd-7: work")
    assert repo.cli("hook", "install").code == 0
    assert Repo(repo.path, {"PYTHONPATH": str(ROOT)}).push("origin", "main").code == 0
    assert place.noted("flaky") == 0 and not repo.file(".git/reviewgate-gh/events.jsonl").exists()
    done = repo.cli("orchestrate", "trigger", "session_end", "--issue", "7", "--output", "json")
    assert (
        done.code == 0
        and place.noted("flaky") == 1
        and data(done)["review"]["commits"][0].endswith(" bd-7: work")
    ), done.output


@pytest.mark.contract(plain=False)
@pytest.mark.req("R000-052", "R000-056", "R000-057")
def test_the_end_fires_epics_that_are_complete_and_then_the_run_once(place: Place) -> None:
    note = [sys.executable, "-c", f"open({str(place.beside / 'order')!r}, 'a').write('.')"]
    named = {"commands": [{"ref": "note"}], "epic_depth": "all"}
    place.configure(validation_triggers={"epic_completion": named,
        "run_end": {"commands": [{"ref": "note"}], "code_review": SINCE_START}},
                    commands={"note": note})  # fmt: skip
    rows = [
        ("T", "open"),
        ("T.1", "closed"),
        ("T.1.1", "closed"),
        ("T.1.2", "closed"),
        ("U", "open"),
        ("U.1", "open"),
    ]
    place.repo.write(
        {
            ".git/reviewgate-gh/issues.jsonl": "".join(
                json.dumps({"id": i, "title": i, "status": s}) + "\n" for i, s in rows
            )
        }
    )
    assert place.repo.cli("orchestrate", "start", "--issues", "T.1.1,T.1.2,U.1").code == 0
    place.repo.commit({"a.py": DEFECTS["P3"]}, "work")
    done = place.repo.cli(
        "orchestrate", "end", "--succeeded", "3", "--failed", "0", "--output", "json"
    )
    assert done.code == 0, done.output
    fired = data(done)["fired"]
    assert [(each["trigger"], each["fired"], each["why"].split(":")[0]) for each in fired] == [
        ("epic_completion", True, "T.1"), ("epic_completion", True, "T"),
        ("epic_completion", False, "U"), ("run_end", True, ""),
    ]  # fmt: skip
    assert (
        place.beside / "order"
    ).read_text() == "..." and "3 issues succeeded, 0 failed" in done.stderr
    assert metadata(place.repo)["completed"] == ["T.1", "T"]
    again = place.repo.cli("orchestrate", "end")
    assert (
        again.code == 0
        and "the run already ended" in again.stdout
        and (place.beside / "order").read_text() == "..."
    )
    found = [issue for issue in place.issues() if "trigger:run_end" in issue.get("labels", ())]
    assert [issue["dependencies"][0]["depends_on_id"] for issue in found] == ["T.1"], (
        "the first epic of the run"
    )


def test_an_epic_that_has_fired_does_not_fire_again_at_the_end(place: Place) -> None:
    place.configure(
        validation_triggers={
            "epic_completion": {"code_review": SINCE_START},
            "run_end": {"code_review": SINCE_START},
        }
    )
    place.begin("1", epics=("E", "F"))
    place.repo.commit({"a.py": CLEAN}, "work")
    assert place.repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "E").code == 0
    fired = data(place.repo.cli("orchestrate", "end", "--epics", "E,G", "--output", "json"))[
        "fired"
    ]
    assert [each["why"] for each in fired] == ["F", "G", ""]


def test_a_trigger_that_ends_the_run_lets_nothing_follow(place: Place) -> None:
    strict = review(baseline="since_run_start", finding_threshold="P1")
    place.configure(
        validation_triggers={
            "epic_completion": {"code_review": strict},
            "run_end": {"code_review": SINCE_START},
        }
    )
    place.begin("1", epics=("E",))
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    done = place.repo.cli("orchestrate", "end", "--output", "json")
    assert done.code == 1 and [each["trigger"] for each in data(done)["fired"]] == [
        "epic_completion"
    ], done.output
    said = data(done)
    assert (said["exit"], said["succeeded"], said["failed"], said["fixes"]) == (1, 1, 0, 0)
    assert said["why"] == said["fired"][0]["why"] != ""
    assert metadata(place.repo)["ended"] == "" and metadata(place.repo)["completed"] == []


def test_epics_come_from_beads_too(place: Place, tmp_path: Path) -> None:
    env = {"PATH": f"{beads.install(tmp_path / 'bin')}{os.pathsep}{os.environ['PATH']}"}
    create = ["create", "--json", "--priority", "1", "--labels=x", "--type"]
    epic = [*create, "epic", "--title=epic"]
    task = [*create, "task", "--title=task", "--deps=parent-child:fake-1"]
    for argv in (["init"], epic, task):
        assert run(["bd", *argv], place.repo.path, env).code == 0
    place.repo.write({".gitignore": ".beads/\n"})
    place.configure(
        validation_triggers={"epic_completion": {"code_review": SINCE_START}},
        tracker={"type": "beads"},
    )
    assert place.repo.cli("orchestrate", "start", "--issues", "fake-2", env=env).code == 0
    place.repo.commit({"a.py": DEFECTS["P3"]}, "work")
    early = place.repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "fake-1", env=env)
    assert early.code == 0 and "not fired (issues still open: fake-2 (1 of 1))" in early.stdout, (
        early.output
    )
    assert run(["bd", "close", "fake-2", "--json"], place.repo.path, env).code == 0
    done = place.repo.cli("orchestrate", "end", env=env)
    gaps = "1 finding below finding_threshold; the epic is not verified: agent_sdk: "
    assert done.code == 0 and f"epic_completion: continues, {gaps}" in done.stdout, done.output
    listed = json.loads(
        run(["bd", "list", "--all", "--limit", "0", "--json"], place.repo.path, env).stdout
    )
    assert [issue["dependencies"] for issue in listed][2:] == [["discovered-from:fake-1"]]
    unknown = place.repo.cli(
        "orchestrate", "trigger", "epic_completion", "--epic", "nobody", "--output", "json", env=env
    )
    assert data(unknown)["fired"], (
        "an epic that the tracker does not know is complete at the caller's word"
    )


@pytest.mark.contract
@pytest.mark.req("R000-175")
def test_an_epic_from_end_to_end(place: Place) -> None:
    place.configure(
        validation_triggers={
            "epic_completion": {"code_review": review(baseline="since_last_review")}
        }
    )
    place.begin("1")
    base = place.repo.head
    head = place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    done = place.repo.cli(
        "orchestrate", "trigger", "epic_completion", "--epic", "bd-e", "--output", "json"
    )
    assert done.code == 0, done.output
    shown = data(done)["review"]
    assert (shown["baseline"], shown["head"], shown["new_baseline_commit"], shown["outcome"]) == (
        base,
        head,
        head,
        "completed_with_findings",
    )
    assert [(finding["path"], finding["line_start"]) for finding in shown["findings"]] == [
        ("a.py", 2)
    ]
    [issue] = place.issues()
    assert set(issue["labels"]) >= {
        "review-finding",
        "cumulative-review",
        "trigger:epic_completion",
    }
    assert (
        f"Baseline: {base[:12]}..{head[:12]}\n" in issue["notes"]
        and "Epic: bd-e\n" in issue["notes"]
    )
    assert metadata(place.repo)["last_cumulative_review_commits"] == {"epic_completion:bd-e": head}
    report = json.loads(Path(metadata(place.repo)["review_log_path"]).read_text())
    assert report["review_id"] == shown["review_id"]
    again = place.repo.cli("orchestrate", "trigger", "epic_completion", "--epic", "bd-e")
    assert (
        "No changes since baseline, skipping review" in again.stderr.splitlines()
        and len(place.issues()) == 1
    )


@pytest.mark.contract(plain=False)
def test_findings_over_the_threshold_end_the_run_with_1_and_are_shown(place: Place) -> None:
    place.configure(
        validation_triggers={"session_end": {"code_review": review(finding_threshold="P1")}}
    )
    place.begin("1")
    place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    done = place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1")
    assert done.code == 1 and "ruff/F821" in done.stdout, done.output
    assert done.stdout.splitlines()[-1] == (
        "session_end: failed (findings at or above P1; no fixer was run: "
        "remediation.resume is not set)"
    )
    assert metadata(place.repo)["failed"] == ["1"]
    counted = place.repo.cli("orchestrate", "end")
    assert "0 issues succeeded, 1 failed" in counted.stderr


@pytest.mark.parametrize("way", ["broken reviewer", "no reviewer", "late", "too large"])
def test_exit_codes_of_reviewers_without_a_result(place: Place, way: str) -> None:
    block = review(failure_mode="abort") | (
        {"reviewer_type": "cerberus"} if way == "no reviewer" else {}
    )
    more = {
        "late": {"ensemble": {"deadline": 1}},
        "too large": {"policy": {"max_file_bytes": 10}},
    }.get(way, {})
    place.configure(True, validation_triggers={"session_end": {"code_review": block}}, **more)
    place.repo.commit({"a.py": CLEAN, "a.txt": "word\n" * 9}, "bd-1: work")
    (place.beside / "faults").write_text("1" if way == "broken reviewer" else "0")
    if way == "late":
        (place.beside / "flaky.py").write_text("import time\ntime.sleep(60)\n")
    done = place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1")
    assert done.code == {"broken reviewer": 2, "no reviewer": 4, "late": 3, "too large": 2}[way], (
        done.output
    )
    assert (
        (way == "too large")
        == ("; not reviewed: a.txt" in done.stderr)
        == ("; not reviewed: a.txt" in done.stdout)
    )
    assert (way == "no reviewer") == ("the Cerberus review-gate is not installed" in done.stderr)


@pytest.mark.req("R000-165", "R000-169", "R000-170", "R000-172")
def test_events_as_lines_and_as_json_and_in_the_file(place: Place) -> None:
    place.configure(validation_triggers={"run_end": {"code_review": SINCE_START}})
    run_id = place.begin()
    base, head = place.repo.head, place.repo.commit({"a.py": CLEAN}, "work")
    text = place.repo.cli("orchestrate", "trigger", "run_end").stderr.splitlines()
    sides = f"baseline_sha={base} head_sha={head}"
    assert text[0] == (
        "INFO  cumulative_review: Review started trigger_type=run_end "
        f"baseline_mode=since_run_start {sides}"
    )
    assert text[1].startswith(
        "INFO  cumulative_review: Review completed trigger_type=run_end status=success "
        "finding_count=0 duration_ms="
    )
    assert text[2] == (
        "DEBUG cumulative_review: Baseline advanced trigger_type=run_end "
        f"old_baseline=none new_baseline={head}"
    )
    records = [
        json.loads(line)
        for line in place.repo.cli(
            "orchestrate", "trigger", "run_end", "--log-format", "json"
        ).stderr.splitlines()
    ]
    kept = [
        json.loads(line)
        for line in place.repo.file(".git/reviewgate-gh/events.jsonl").read_text().splitlines()
    ]
    assert kept[-3:] == records and {row["run_id"] for row in kept} == {run_id} and len(kept) == 6
    assert [(row["level"], row["event"]) for row in records] == [
        ("INFO", "Review started"),
        ("INFO", "Review completed"),
        ("DEBUG", "Baseline advanced"),
    ]
    assert records[0] | {"time": ""} == {
        "time": "", "level": "INFO", "logger": "cumulative_review", "run_id": run_id,
        "event": "Review started", "trigger_type": "run_end",
        "baseline_mode": "since_run_start", "baseline_sha": base, "head_sha": head,
    }  # fmt: skip


@pytest.mark.contract(plain=False)
def test_status_shows_the_run(place: Place) -> None:
    nothing = place.repo.cli("orchestrate", "status")
    assert nothing.code == 64 and "no run has been started here" in nothing.stderr
    place.configure(validation_triggers={"run_end": {"code_review": SINCE_START}})
    run_id = data(
        place.repo.cli("orchestrate", "start", "--issues", "1", "--epics", "E", "--output", "json")
    )["run_id"]
    place.repo.commit({"a.py": CLEAN}, "work")
    place.repo.cli("orchestrate", "trigger", "run_end")
    shown = place.repo.cli("orchestrate", "status").stdout
    assert shown.startswith(f"run {run_id}, since ") and "\n  epics       E\n" in shown
    assert (
        f"\n  reviewed    run_end up to {place.repo.head}\n" in shown
        and "INFO  cumulative_review: Review completed" in shown
    )
    plain = data(place.repo.cli("orchestrate", "status", "--output", "json"))
    assert plain["run_id"] == run_id and [row["level"] for row in plain["events"]] == [
        "INFO",
        "INFO",
        "INFO",
        "DEBUG",
    ]


@pytest.mark.contract(plain=["args0-session_end needs --issue"])
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["session_end"], "session_end needs --issue"),
        (["epic_completion"], "epic_completion needs --epic"),
        (["run_end", "--issue", "7"], "--issue can only be used with session_end"),
        (["run_end"], "no run has been started here"),
        (["periodic"], "'periodic' is not one of"),
        (["run_end", "--disable-validations", "codex-review"], "'codex-review' is not"),
        (["session_end", "--issue", "7", "--codex-thinking-mode", "x"], "No such option"),
    ],
)
@pytest.mark.req("R001-060", "R001-061")
def test_wrong_usage_is_one_line(repo: Repo, args: list[str], said: str) -> None:
    done = repo.cli("orchestrate", "trigger", *args)
    assert done.code == 64 and said in done.stderr and "Traceback" not in done.stderr, done.output


@pytest.mark.req("R000-037", "R000-038", "R000-039", "R000-040", "R000-045", "R001-060", "R001-062")
def test_old_options_on_the_command_line(place: Place) -> None:
    place.configure(
        True,
        validation_triggers={
            "session_end": {"code_review": review(failure_mode="remediate", max_retries=1)}
        },
    )
    place.repo.commit({"a.py": CLEAN}, "bd-1: work")
    (place.beside / "faults").write_text("9")
    old = [
        "--reviewer-type",
        "cerberus",
        "--max-review-retries",
        "5",
        "--review-timeout",
        "60",
        "--cerberus-spawn-args",
        "-v",
    ]
    old += ["--cerberus-wait-args", "-w", "--cerberus-env", "A=1"]
    done = place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1", *old)
    assert done.code == 0 and place.noted("flaky") == 2, done.output
    said = [
        line.split(" is ")[0]
        for line in done.stderr.splitlines()
        if line.startswith("DEPRECATION: ")
    ]
    names = (
        "reviewer-type",
        "max-review-retries",
        "review-timeout",
        "cerberus-spawn-args",
        "cerberus-wait-args",
        "cerberus-env",
    )
    assert said == [f"DEPRECATION: --{name}" for name in names]
    off = place.repo.cli(
        "orchestrate", "trigger", "session_end", "--issue", "1", "--disable-validations", "review"
    )
    assert (
        off.code == 0
        and place.noted("flaky") == 2
        and "disabled by --disable-validations" in off.stderr
    )
    place.configure(True, reviewer_type="ensemble")
    (place.beside / "faults").write_text("9")
    legacy = place.repo.cli(
        "orchestrate", "trigger", "session_end", "--issue", "1", "--max-review-retries", "2"
    )
    assert legacy.code == 0 and place.noted("flaky") == 5
    lines = legacy.stderr.splitlines()
    at = lines.index("DEPRECATION: Top-level 'reviewer_type' is deprecated for per-issue reviews.")
    assert lines[at + 1] == (
        "Add 'validation_triggers.session_end.code_review.enabled: true' to preserve "
        "current behavior."
    )
    assert lines[at + 2] == "Legacy implicit reviews will be removed in the next major version."


def test_old_options_loosen_no_floor(place: Place, tmp_path: Path) -> None:
    floor = tmp_path / "org.yaml"
    block = "{enabled: true, reviewer_type: ensemble, failure_mode: remediate, max_retries: 1}"
    floor.write_text(f"validation_triggers: {{session_end: {{code_review: {block}}}}}\n")
    place.configure(True)
    place.repo.commit({"a.py": CLEAN}, "bd-1: work")
    (place.beside / "faults").write_text("9")
    trigger = ["orchestrate", "trigger", "session_end", "--issue", "1", "--policy", str(floor)]
    done = place.repo.cli(*trigger, "--max-review-retries", "0", "--reviewer-type", "cerberus")
    assert done.code == 0 and place.noted("flaky") == 2, done.output
    refused = place.repo.cli(*trigger, "--disable-validations", "review")
    assert refused.code == 64 and "requires" in refused.stderr and place.noted("flaky") == 2


def test_a_damaged_run_is_said_kept_and_no_pass(place: Place) -> None:
    place.configure(validation_triggers={"run_end": {"code_review": SINCE_START}})
    place.begin()
    place.repo.file(".git/reviewgate-gh/run_metadata.json").write_bytes(b"\0" * 30)
    done = place.repo.cli("orchestrate", "trigger", "run_end")
    assert (
        done.code == 64
        and "no run has been started here" in done.stderr
        and "is damaged" in done.stderr
    ), done.output
    [kept] = place.repo.path.glob(".git/reviewgate-gh/run_metadata.json.damaged-*")
    assert kept.read_bytes() == b"\0" * 30


def test_a_config_that_the_run_itself_has_changed_is_said_and_a_fixer_starts_no_run(
    place: Place,
) -> None:
    place.configure(validation_triggers={"session_end": {"code_review": review()}})
    assert "has changed" not in place.repo.cli("orchestrate", "start", "--issues", "1").stderr
    run_id = metadata(place.repo)["run_id"]
    assert (
        "has changed"
        not in place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1").stderr
    )
    place.configure(validation_triggers={})
    done = place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1")
    assert done.stderr.splitlines() == [
        (
            "WARNING: .reviewgate-gh.yaml has changed since the run started; the changed version "
            "applies"
        )
    ]
    assert done.stdout == "session_end: not fired (validation_triggers.session_end is not set)\n"
    assert (
        place.repo.cli("orchestrate", "start", "--fresh", env={"REVIEWGATE_GH_FIXER": "1"}).code
        == 64
    )
    assert metadata(place.repo)["run_id"] == run_id


def test_warnings_of_the_config_are_said(place: Place) -> None:
    place.configure(
        validation_triggers={"session_end": {"code_review": review(baseline="since_run_start")}}
    )
    done = place.repo.cli("orchestrate", "start")
    assert done.stderr.splitlines()[0].startswith(
        "WARNING: validation_triggers.session_end.code_review.baseline is ignored"
    )


def test_a_tracker_that_fails_changes_nothing_and_loses_nothing(place: Place) -> None:
    place.configure(
        validation_triggers={"run_end": {"code_review": SINCE_START}}, tracker={"type": "beads"}
    )
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    done = place.repo.cli("orchestrate", "trigger", "run_end")
    assert (
        done.code == 0
        and "the tracker beads failed" in done.stderr
        and "1 finding saved" in done.stderr
    ), done.output
    assert len(list(place.repo.file(".git/reviewgate-gh/outbox/tracker").iterdir())) == 1


def test_a_folder_that_leads_to_itself_is_one_clear_line(place: Place) -> None:
    place.configure()
    place.repo.file("loop").symlink_to("loop")
    done = place.repo.cli("orchestrate", "start", "--output-dir", "loop")
    assert done.code == 64 and "loop" in done.stderr and "internal error" not in done.stderr, (
        done.output
    )


def test_a_files_name_is_one_line_without_control_characters(place: Place) -> None:
    place.configure(
        validation_triggers={"session_end": {"code_review": review()}},
        policy={"max_file_bytes": 10},
    )
    place.repo.commit({"a\x1b[2J\nsession_end: passed\n.txt": "word\n" * 9}, "bd-1: work")
    done = place.repo.cli("orchestrate", "trigger", "session_end", "--issue", "1")
    assert "not reviewed: a" in done.stdout and "not reviewed: a" in done.stderr, done.output
    assert "\x1b" not in done.output and len(done.stdout.splitlines()) == 1

"""What came before the triggers' own config still counts: old options, old keys, old files; and
which of them goes first."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.orchestrate.trigger_context import TriggerOptions
from reviewgate_gh.orchestrate.trigger_rules import DeprecatedOptions
from tests.orchestrating import CLEAN, DEFECTS, Place, data, review
from tests.peers.gates import install_gate, register
from tests.support import Repo

DEPRECATION = [
    "DEPRECATION: Top-level 'reviewer_type' is deprecated for per-issue reviews.",
    "Add 'validation_triggers.session_end.code_review.enabled: true' to preserve current behavior.",
    "Legacy implicit reviews will be removed in the next major version.",
]
OPTIONS = {
    "--reviewer-type": ("cerberus", "reviewer_type"),
    "--max-review-retries": ("1", "max_retries"),
    "--review-timeout": ("66", "cerberus.timeout"),
    "--cerberus-spawn-args": ("--max-rounds", "cerberus.spawn_args"),
    "--cerberus-wait-args": ("--poll-interval", "cerberus.wait_args"),
    "--cerberus-env": ("MY_WORD=x y", "cerberus.env"),
}
IGNORED = "WARNING: per_issue_review is ignored: validation_triggers.session_end.code_review is set"


COMPLETED = ("completed_no_findings", "completed_with_findings")


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


def asked(place: Place, flags: DeprecatedOptions) -> tuple[int, list[str]]:
    """How often a reviewer that always breaks was asked at the end of a session, and the
    warnings."""
    (place.beside / "faults").write_text("9")
    place.events.clear()
    before = place.noted("flaky")
    place.fire("session_end", issue="1", options=TriggerOptions(flags=flags))
    return place.noted("flaky") - before, [
        event.name for event in place.events if event.name.startswith(("WARNING", "DEPRECATION"))
    ]


@pytest.mark.req("R000-040", "R000-041", "R000-042", "R000-043", "R000-044", "R000-045")
@pytest.mark.parametrize("old", [False, True], ids=["", "reviewer_type"])
@pytest.mark.parametrize("top", [None, "on"], ids=["", "per_issue_review"])
@pytest.mark.parametrize("own", [None, "off", "on"], ids=["", "trigger off", "trigger"])
def test_which_review_a_session_gets(
    place: Place, own: str | None, top: str | None, old: bool
) -> None:
    """The trigger's own block, then per_issue_review, then the old key, then none: each asks
    another number of times."""
    keys: dict[str, Any] = {"reviewer_type": "ensemble"} if old else {}
    if own:
        keys["validation_triggers"] = {
            "session_end": {
                "code_review": review(enabled=own == "on", failure_mode="remediate", max_retries=0)
            }
        }
    if top:
        keys["per_issue_review"] = review(failure_mode="remediate", max_retries=1)
    place.configure(True, **keys)
    place.repo.commit({"a.py": CLEAN}, "bd-1: work")
    retries = (0 if own == "on" else None) if own else 1 if top else 3 if old else None
    legacy = old and not own and not top
    warned = [IGNORED] if own and top else []
    warned += [
        (
            "WARNING: validation_triggers.session_end.code_review: failure_mode remediate with "
            "max_retries 0 behaves like continue"
        )
    ] * (own == "on")
    calls, told = asked(place, DeprecatedOptions())
    assert calls == (0 if retries is None else retries + 1)
    assert sorted(told) == sorted([*warned, *(["\n".join(DEPRECATION)] if legacy else [])])
    calls, told = asked(place, DeprecatedOptions(max_review_retries=2))
    assert calls == (0 if retries is None else 3 if legacy else retries + 1), (
        "the option counts where no config says how often"
    )
    assert [name.partition(" is ")[0] for name in told if name.startswith("DEPRECATION: --")] == [
        "DEPRECATION: --max-review-retries"
    ]


@pytest.mark.req("R000-037", "R000-038", "R000-039", "R000-040", "R001-062")
@pytest.mark.parametrize(
    "written", [False, True], ids=["the config says nothing", "the config says it"]
)
@pytest.mark.parametrize("trigger", ["session_end", "epic_completion", "run_end"])
def test_each_old_option_is_said_to_go_and_reaches_the_gate_unless_the_config_says_it(
    repo: Repo, tmp_path: Path, trigger: str, written: bool
) -> None:
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    gate = install_gate(tmp_path / "plugin", "v1")
    gate.plan(wait={"code": 3})
    place = Place(repo)
    block: dict[str, Any] = {
        "enabled": True,
        "failure_mode": "remediate",
        "baseline": "since_run_start",
    }
    if written:
        cerberus = {
            "timeout": 55,
            "spawn_args": ["--mode", "smart"],
            "wait_args": [],
            "env": {"MY_WORD": "own"},
        }
        block |= {"reviewer_type": "cerberus", "max_retries": 0, "cerberus": cerberus}
    place.configure(validation_triggers={trigger: {"code_review": block}})
    place.begin("1")
    repo.commit({"a.py": CLEAN}, "bd-1: work")
    about = {"session_end": ["--issue", "1"], "epic_completion": ["--epic", "E"], "run_end": []}[
        trigger
    ]
    given = [f"{option}={value}" for option, (value, _key) in OPTIONS.items()]
    given += ["--cerberus-spawn-args=2", "--cerberus-wait-args=9"]
    done = repo.cli("orchestrate", "trigger", trigger, *about, *given)
    assert done.code == 0, done.output
    assert [line for line in done.stderr.splitlines() if line.startswith("DEPRECATION")] == [
        f"DEPRECATION: {option} is deprecated. Use "
        f"'validation_triggers.{trigger}.code_review.{key}'. It will be removed in the next major"
        " version."
        for option, (_value, key) in OPTIONS.items()
    ]
    spawned, waited = gate.called("spawn-code-review"), gate.called("wait")
    assert len(spawned) == (1 if written else 2)
    for spawn, wait in zip(spawned, waited, strict=True):
        assert ("--max-rounds" in spawn, "smart" in spawn, "--poll-interval" in wait) == (
            not written,
            written,
            not written,
        )
        assert int(wait[wait.index("--timeout") + 1]) in range(40, 56 if written else 67), (
            "what is left of it"
        )
    assert {call["env"].get("MY_WORD") for call in gate.calls} == {"own" if written else "x y"}


@pytest.mark.req("R000-067", "R000-071", "R001-063", "R001-064", "R001-065")
def test_a_file_of_an_earlier_program_is_gone_on_with_and_its_first_commit_is_noted_late(
    place: Place,
) -> None:
    place.configure(
        validation_triggers={"run_end": {"code_review": review(baseline="since_last_review")}}
    )
    file = place.repo.file(".git/reviewgate-gh/run_metadata.json")
    old = {
        "run_id": "r-1",
        "issues": {"1": {"status": "success"}},
        "codex_review_enabled": True,
        "codex_review_log_path": "/logs/1",
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**old, "config": {"agents": 2}}))
    place.repo.commit({"a.py": CLEAN}, "work before the start")
    nothing = place.repo.cli("orchestrate", "trigger", "run_end")
    assert (
        nothing.code == 0
        and "ERROR" not in nothing.stdout
        and nothing.stdout == "run_end: continues, not reviewed: baseline_not_found\n"
    )
    assert (
        nothing.stderr.splitlines()[0]
        == "Baseline cannot be determined: the run has no start commit, skipping review"
    )
    began = place.repo.cli("orchestrate", "start", "--issues", "1")
    late = (
        f"WARNING: the run has no start commit: {place.repo.head} is recorded late, so commits "
        "before it are not reviewed"
    )
    assert (
        began.code == 0
        and began.stderr.splitlines() == [late]
        and began.stdout == f"run r-1 resumed (start commit {place.repo.head[:12]})\n"
    )
    again = place.repo.cli("orchestrate", "start", "--issues", "1")
    assert again.stderr == "" and again.stdout == began.stdout, "once"
    place.repo.commit({"b.py": CLEAN}, "work after it")
    assert (
        data(place.repo.cli("orchestrate", "trigger", "run_end", "--output", "json"))["review"][
            "status"
        ]
        == "success"
    )
    new = json.loads(file.read_text())
    assert (new["run_id"], new["config"], new["issues"], new["review_enabled"]) == (
        "r-1",
        {"agents": 2},
        ["1"],
        False,
    )
    assert new["last_cumulative_review_commits"] == {"run_end": place.repo.head} and not [
        key for key in new if key.startswith("codex_")
    ]
    assert new["review_log_path"] != "/logs/1" and Path(new["review_log_path"]).exists()


@pytest.mark.req("R000-073", "R000-078")
def test_a_run_in_a_folder_of_its_own_is_seen_by_every_verb_and_by_none_without_it(
    place: Place, tmp_path: Path
) -> None:
    last = {"code_review": review(baseline="since_last_review")}
    place.configure(
        validation_triggers={
            "session_end": {"code_review": review()},
            "epic_completion": last,
            "run_end": last,
        }
    )
    place.repo.file("sub").mkdir()
    here = Repo(place.repo.file("sub"))
    there = ("--output-dir", "../../runs/one", "--log-format", "json")
    folder = place.repo.path.parent / "runs/one"
    assert here.cli("orchestrate", "start", "--issues", "1", *there).code == 0
    run_id = json.loads((folder / "run_metadata.json").read_text())["run_id"]
    place.repo.commit({"a.py": DEFECTS["P3"]}, "bd-1: work")
    records = []
    for args in (
        ("trigger", "session_end", "--issue", "1"),
        ("trigger", "epic_completion", "--epic", "E"),
        ("end", "--failed", "0"),
    ):
        done = here.cli("orchestrate", *args, *there)
        assert done.code == 0, done.output
        records += [json.loads(line) for line in done.stderr.splitlines()]
    assert {record["run_id"] for record in records} == {run_id}
    kept = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert kept[-len(records) :] == records
    run = data(
        here.cli("orchestrate", "status", "--output-dir", "../../runs/one", "--output", "json")
    )
    head = place.repo.head
    assert run["last_cumulative_review_commits"] == {
        "epic_completion:E": head,
        "run_end": head,
    } and run["completed"] == ["E"]
    assert (
        run["path"] == str(folder / "run_metadata.json")
        and run["ended"]
        and run["events"] == kept[-20:]
    )
    home = place.repo.file(".git/reviewgate-gh")
    assert not (home / "run_metadata.json").exists() and not (home / "events.jsonl").exists()
    for args in (("status",), ("trigger", "run_end"), ("end",)):
        assert here.cli("orchestrate", *args).code == 64
    assert here.cli("orchestrate", "verify-epic", "E", *there[:2]).code == 64, (
        "the tracker knows no such epic"
    )


@pytest.mark.req("R000-091", "R000-092", "R000-093", "R000-094", "R000-095", "R000-066")
@pytest.mark.parametrize("before", [False, True], ids=["first time", "again"])
@pytest.mark.parametrize("trigger", ["run_end", "epic_completion"])
@pytest.mark.parametrize(
    "outcome",
    [*COMPLETED, "execution_error", "empty_diff", "baseline_not_found", "override", "disabled"],
)
def test_when_a_baseline_advances(place: Place, trigger: str, outcome: str, before: bool) -> None:
    """The table: only a review that was completed moves what the trigger has remembered, and
    nothing else that is remembered."""
    place.configure(
        True, validation_triggers={trigger: {"code_review": review(baseline="since_last_review")}}
    )
    place.begin("1")
    key = "run_end" if trigger == "run_end" else "epic_completion:E"
    base = place.repo.head
    text = DEFECTS["P2"] if outcome == "completed_with_findings" else CLEAN
    head = base if outcome == "empty_diff" else place.repo.commit({"a.py": text})
    (place.beside / "faults").write_text("1" if outcome == "execution_error" else "")
    lost = "0" * 39 + "1"
    stored = lost if outcome == "baseline_not_found" else base if before else None
    others = {"review": base, "epic_completion:F": base}
    place.store.update(lambda run: _with(run, {**others, **({key: stored} if stored else {})}))
    env = {"REVIEWGATE_GH_SKIP": "in a hurry"} if outcome == "override" else {}
    fired = place.fire(
        trigger,
        epic="E" if key != "run_end" else "",
        options=TriggerOptions(review=outcome != "disabled"),
        env=env,
    )
    assert fired.review and outcome in (fired.review.outcome, fired.review.skip_reason)
    run = place.store.load()
    moved = {key: head} if outcome in COMPLETED else {key: stored} if stored else {}
    assert run and dict(run.last_cumulative_review_commits) == {**others, **moved}
    assert fired.review.new_baseline_commit == (head if outcome in COMPLETED else None)


def _with(run: Any, commits: dict[str, str]) -> Any:
    return replace(run, last_cumulative_review_commits=commits)

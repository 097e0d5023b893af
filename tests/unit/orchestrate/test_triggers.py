"""Triggers as an orchestrator fires them: commands, then the review, then who mends; what is
remembered, and what fires at all."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.ensemble.project_commands import discover_project_commands
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.config import Config, ReviewerConfig
from reviewgate_gh.model.errors import ConfigError, Exit, NoReviewers
from reviewgate_gh.model.triggers import CodeReview
from reviewgate_gh.orchestrate.trigger_context import TriggerOptions, reviewers_of_trigger
from reviewgate_gh.orchestrate.trigger_rules import DeprecatedOptions
from reviewgate_gh.text.config_file import parse_settings
from tests.orchestrating import CLEAN, DEFECTS, Place, review
from tests.peers.gates import install_gate, register
from tests.support import ROOT, Repo

pytestmark = pytest.mark.slow

FIXED = f"commit('bd-1: fixed', a__py={CLEAN!r})"


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


def script(place: Place, name: str, code: int = 0) -> list[str]:
    """A command that notes when it ran."""
    return [
        sys.executable,
        "-c",
        f"open({str(place.beside / 'order')!r}, 'a').write('{name} '); raise SystemExit({code})",
    ]


def order(place: Place) -> list[str]:
    path = place.beside / "order"
    return path.read_text().split() if path.exists() else []


@pytest.mark.req("R000-048", "R000-051", "R000-058", "R000-059", "R000-060", "R000-126", "R000-127")
@pytest.mark.parametrize("trigger", ["session_end", "epic_completion", "run_end"])
@pytest.mark.parametrize("mode", ["abort", "continue", "remediate"])
@pytest.mark.parametrize("reviewing", ["abort", "continue"])
@pytest.mark.parametrize("broken", [False, True])
def test_commands_first_then_the_review_each_with_a_failure_mode_of_its_own(
    place: Place, trigger: str, mode: str, reviewing: str, broken: bool
) -> None:
    block = review(failure_mode=reviewing) | (
        {} if trigger == "session_end" else {"baseline": "since_run_start"}
    )
    named = {
        "commands": [{"ref": name} for name in ("good", "bad", "last")],
        "failure_mode": mode,
        "code_review": block,
    }
    place.configure(True, validation_triggers={trigger: named}, commands={
        "good": script(place, "good"), "bad": script(place, "bad", 3),
        "last": script(place, "last")})  # fmt: skip
    place.begin("1")
    place.repo.commit({"a.py": CLEAN}, "bd-1: work")
    (place.beside / "faults").write_text("1" if broken else "0")
    fired = place.fire(
        trigger,
        issue="1" if trigger == "session_end" else "",
        epic="E" if trigger == "epic_completion" else "",
    )
    if mode == "abort":
        assert (order(place), place.noted("flaky"), fired.review, fired.exit) == (
            ["good", "bad"],
            0,
            None,
            Exit.BLOCK,
        )
        assert "a command failed" in fired.reason
        return
    assert (order(place), place.noted("flaky")) == (["good", "bad", "last"], 1)
    assert fired.review and fired.review.status == ("failed" if broken else "success")
    stopped = Exit.INCONCLUSIVE if broken and reviewing == "abort" else Exit.OK
    assert fired.exit == (stopped or (Exit.BLOCK if mode == "remediate" else Exit.OK))
    assert [(ran.ref, ran.error) for ran in fired.commands] == [
        ("good", ""),
        ("bad", "exit code 3"),
        ("last", ""),
    ]
    assert place.names().index("command last passed") < place.names().index("Review started")


@pytest.mark.req("R000-128", "R000-129", "R000-154")
def test_commands_are_mended_with_a_counter_of_their_own_that_begins_anew(place: Place) -> None:
    flag = place.beside / "mended"
    every_second = f"if n % 2 == 0: pathlib.Path({str(flag)!r}).write_text('')"
    mender = (
        f"n = len((here / 'fixer.calls').read_text())\n{every_second}\n"
        "commit('a try', n__txt=str(n))"
    )
    check = [
        sys.executable,
        "-c",
        (
            "import pathlib, sys; print('what is wrong'); sys.exit(not "
            f"pathlib.Path({str(flag)!r}).exists())"
        ),
    ]
    named = {
        "commands": [{"ref": "check"}],
        "failure_mode": "remediate",
        "max_retries": 2,
        "code_review": review(max_retries=0),
    }
    place.configure(
        validation_triggers={"run_end": named},
        commands={"check": check},
        remediation={"fixer": place.fixer(mender)},
    )
    place.begin()
    place.repo.commit({"a.py": CLEAN}, "work")
    for times in (2, 4):
        fired = place.fire("run_end")
        assert (fired.exit, fired.fixes, place.noted("fixer")) == (Exit.OK, 2, times)
        flag.unlink()
    given = json.loads((place.beside / "fixer.json").read_bytes())
    assert (
        given["command"] == "check"
        and given["output"] == "what is wrong"
        and given["error"] == "exit code 1"
    )
    assert "what is wrong" in (place.beside / "fixer.input").read_text()


def test_commands_that_nobody_can_mend_fail_the_trigger(place: Place) -> None:
    named = {"commands": [{"ref": "bad"}], "failure_mode": "remediate", "code_review": review()}
    idle = place.fixer("")
    place.configure(
        validation_triggers={"run_end": named},
        commands={"bad": script(place, "bad", 1)},
        remediation={"fixer": idle},
    )
    place.begin()
    place.repo.commit({"a.py": CLEAN}, "work")
    fired = place.fire("run_end")
    assert (
        (fired.exit, place.noted("fixer"), order(place)) == (Exit.BLOCK, 1, ["bad"])
        and fired.review
        and fired.review.status == "success"
    )
    assert "command bad: the fixer committed nothing" in place.names()


def test_a_command_that_hangs_or_is_not_there_is_a_failed_one(place: Place) -> None:
    named = {"commands": [{"ref": "slow", "timeout": 1}, {"ref": "gone"}]}
    place.configure(
        validation_triggers={"run_end": named},
        commands={"slow": ["sleep", "60"], "gone": ["no-such-program"]},
    )
    place.begin()
    fired = place.fire("run_end")
    assert [ran.error[:16] for ran in fired.commands] == [
        "stopped: deadlin",
        "cannot run no-su",
    ] and fired.exit is Exit.OK


@pytest.mark.req("R000-020", "R000-049", "R000-050")
def test_an_epic_is_complete_when_all_its_issues_are_closed(place: Place) -> None:
    place.configure(
        validation_triggers={"epic_completion": {"code_review": review(baseline="since_run_start")}}
    )
    records = place.repo.file(".git/reviewgate-gh/issues.jsonl")
    place.begin("E.1", "E.2")
    place.repo.commit({"a.py": DEFECTS["P3"]}, "work")

    def stand(**status: str) -> None:
        rows = [
            {"id": "E", "title": "an epic", "status": "open"},
            {"id": "T", "title": "above", "status": "open"},
        ]
        rows += [
            {"id": f"E.{n}", "title": n, "status": word}
            for n, word in zip("12", status.values(), strict=True)
        ]
        rows[0]["dependencies"] = (
            [{"issue_id": "E", "depends_on_id": "T", "type": "parent-child"}]
            if "nested" in status
            else []
        )
        records.write_text("".join(json.dumps(row) + "\n" for row in rows))

    for word in ("open", "in_progress", "blocked"):
        stand(a="closed", b=word)
        fired = place.fire("epic_completion", epic="E")
        assert not fired.fired and fired.reason == "issues still open: E.2 (1 of 2)"
    stand(nested="closed", b="closed")
    assert (
        place.fire("epic_completion", epic="E").reason
        == "it is a child of T, and epic_depth is top_level"
    )
    stand(a="closed", b="tombstone")
    fired = place.fire("epic_completion", epic="E")
    assert fired.fired and fired.review and len(fired.review.findings) == 1
    [found] = [issue for issue in place.issues() if "review-finding" in issue.get("labels", ())]
    assert "Epic: E\n" in found["notes"] and found["dependencies"][0]["depends_on_id"] == "E"
    run = place.store.load()
    assert run and (run.epics, run.completed, list(run.last_cumulative_review_commits)) == (
        ("E",),
        ("E",),
        ["epic_completion:E"],
    )


@pytest.mark.req("R000-024", "R000-053", "R000-054", "R000-055", "R000-057")
@pytest.mark.parametrize("fire_on", ["success", "failure", "both"])
@pytest.mark.parametrize("failed", [0, 1])
@pytest.mark.parametrize("trigger", ["run_end", "epic_completion"])
def test_when_a_trigger_fires(place: Place, trigger: str, fire_on: str, failed: int) -> None:
    place.configure(
        validation_triggers={trigger: {"fire_on": fire_on, "commands": [{"ref": "it"}]}},
        commands={"it": script(place, "it")},
    )
    place.begin("1", "2")
    fired = place.fire(trigger, epic="E" if trigger == "epic_completion" else "", failed=failed)
    due = fire_on == "both" or (fire_on == "failure") == bool(failed)
    assert (fired.fired, order(place), fired.exit) == (due, ["it"] if due else [], Exit.OK)
    assert due or fired.reason.startswith(f"fire_on is {fire_on}, and {failed} ")


@pytest.mark.req("R000-053", "R000-054", "R000-057")
@pytest.mark.parametrize(("succeeded", "failed"), [(0, 2), (1, 1), (2, 0)])
def test_issues_that_did_not_succeed_have_failed(place: Place, succeeded: int, failed: int) -> None:
    place.configure(
        validation_triggers={"run_end": {"commands": [{"ref": "it"}]}},
        commands={"it": script(place, "it")},
    )
    place.begin("1", "2")
    fired = place.fire("run_end", succeeded=succeeded)
    why = f"fire_on is success, and {failed} issue{'s' * (failed != 1)} failed" if failed else ""
    assert (fired.fired, fired.reason) == (failed == 0, why)
    place.configure(
        validation_triggers={"run_end": {"fire_on": "failure", "commands": [{"ref": "it"}]}},
        commands={"it": ["true"]},
    )
    assert place.fire("run_end", succeeded=succeeded).fired == (failed > 0)
    assert not place.fire("run_end", succeeded=succeeded, failed=0).fired, (
        "what the caller says of both counts"
    )


@pytest.mark.req("R000-061")
def test_a_review_runs_however_many_issues_failed(place: Place) -> None:
    place.configure(
        validation_triggers={
            "run_end": {"fire_on": "both", "code_review": review(baseline="since_run_start")}
        }
    )
    place.begin("1", "2")
    place.repo.commit({"a.py": CLEAN}, "work")
    assert place.fire("run_end", failed=2).review.status == "success"  # type: ignore[union-attr]


@pytest.mark.req("R000-088", "R000-090", "R000-104", "R000-170")
def test_a_baseline_moves_to_what_was_reviewed_and_no_other_moves(place: Place) -> None:
    last = review(baseline="since_last_review")
    place.configure(
        validation_triggers={
            "epic_completion": {"code_review": last},
            "run_end": {"code_review": last},
        }
    )
    place.begin()
    base = place.repo.head
    one = place.repo.commit({"a.py": DEFECTS["P1"]}, "one")
    first = place.fire("epic_completion", epic="E")
    assert (
        first.review
        and (first.review.baseline, first.review.head, first.exit) == (base, one, Exit.OK)
        and first.review.findings
    )
    two = place.repo.commit({"b.py": CLEAN}, "two")
    spans = [
        place.fire(*args).review
        for args in (
            ("epic_completion", "", "E"),
            ("epic_completion", "", "F"),
            ("run_end",),
            ("run_end",),
        )
    ]
    assert [(each.baseline, each.head, each.skip_reason) for each in spans if each] == [
        (one, two, None), (base, two, None), (base, two, None),
        (two, two, "empty_diff")]  # fmt: skip
    run = place.store.load()
    assert run and dict(run.last_cumulative_review_commits) == {
        "epic_completion:E": two,
        "epic_completion:F": two,
        "run_end": two,
    }
    moved = [dict(event.fields) for event in place.events if event.name == "Baseline advanced"]
    assert moved[:2] == [
        {"trigger_type": "epic_completion", "old_baseline": "none", "new_baseline": one},
        {"trigger_type": "epic_completion", "old_baseline": one, "new_baseline": two},
    ]
    assert len(moved) == 4 and {
        event.level for event in place.events if event.name == "Baseline advanced"
    } == {"DEBUG"}


@pytest.mark.req("R000-075", "R000-080")
@pytest.mark.parametrize("how", ["anew", "cleared away"])
def test_a_review_moves_no_baseline_of_another_run(place: Place, how: str) -> None:
    """While a command of the trigger runs, somebody begins anew, or clears the run away."""
    begins = [sys.executable, "-P", "-m", "reviewgate_gh", "orchestrate", "start", "--issues", "2"]
    named = {"commands": [{"ref": "other"}], "code_review": review(baseline="since_last_review")}
    other = begins if how == "anew" else ["rm", str(place.store.path)]
    place.configure(validation_triggers={"run_end": named}, commands={"other": other})
    begun = place.begin("1")
    place.repo.commit({"a.py": CLEAN}, "work")
    fired = place.fire("run_end", env={"PYTHONPATH": str(ROOT)})
    assert (
        fired.review
        and fired.review.status == "success"
        and not [ran.error for ran in fired.commands if ran.error]
    ), fired
    assert (
        "could not record the reviewed commit: another run has been started since" in place.names()
    )
    run = place.store.load()
    assert run and (run.issues, run.run_id == begun) == (
        (("2",), False) if how == "anew" else (("1",), True)
    )
    assert run.last_cumulative_review_commits == {}


@pytest.mark.req("R000-145", "R000-146", "R000-149", "R000-151", "R000-155")
def test_what_is_over_the_threshold_is_mended_and_reviewed_again_from_the_same_commit(
    place: Place,
) -> None:
    resume, fixer = (
        place.fixer(
            "(here / "
            "'issues').write_bytes(pathlib.Path('.git/reviewgate-gh/issues.jsonl').read_bytes())\n"
            f"{FIXED}",
            "resume",
        ),
        place.fixer(""),
    )
    place.configure(
        validation_triggers={"session_end": {"code_review": review(finding_threshold="P1")}},
        remediation={"resume": resume, "fixer": fixer},
    )
    place.begin("1")
    base = place.repo.head
    suggested = place.repo.commit({"a.py": DEFECTS["P1"] + DEFECTS["P3"]}, "bd-1: work")
    fired = place.fire("session_end", issue="1")
    assert (fired.exit, fired.fixes, place.noted("resume"), place.noted("fixer")) == (
        Exit.OK,
        1,
        1,
        0,
    )
    spans = [
        (event.fields["baseline_sha"], event.fields["head_sha"])
        for event in place.events
        if event.name == "Review started"
    ]
    assert spans == [(base, suggested), (base, place.repo.head)]
    before = [json.loads(line) for line in (place.beside / "issues").read_bytes().splitlines()]
    assert len(before) >= 2 and {row["priority"] for row in before} >= {1, 3}, (
        "all findings, not those over the threshold alone"
    )
    assert {row["dependencies"][0]["depends_on_id"] for row in before} == {"1"}
    given = json.loads((place.beside / "resume.json").read_bytes())
    assert (
        given["change"]["head"] == suggested
        and "evil" in (place.beside / "resume.input").read_text()
    )
    assert place.repo.git("log", "--format=%s", f"{suggested}..HEAD") == "bd-1: fixed", (
        "what changed is what the fixer committed"
    )
    assert not list(place.repo.file(".git/reviewgate-gh/tmp").iterdir())


@pytest.mark.req("R000-149")
def test_a_fixer_may_rewrite_the_commit_that_the_review_began_under(place: Place) -> None:
    amends = (
        "subprocess.run(['git', 'commit', '-q', '--amend', '-m', 'no issue any more', '-a'], "
        "check=True)"
    )
    resume = place.fixer(f"pathlib.Path('a.py').write_text({CLEAN!r})\n{amends}", "resume")
    place.configure(
        validation_triggers={"session_end": {"code_review": review(finding_threshold="P1")}},
        remediation={"resume": resume},
    )
    base = place.repo.head
    place.begin("1")
    place.repo.commit({"a.py": DEFECTS["P1"]}, "bd-1: work")
    fired = place.fire("session_end", issue="1")
    assert (
        (fired.exit, fired.fixes) == (Exit.OK, 1)
        and fired.review
        and (fired.review.baseline, fired.review.head) == (base, place.repo.head)
    )


@pytest.mark.req("R000-147")
@pytest.mark.parametrize("trigger", ["epic_completion", "run_end"])
def test_an_epics_and_a_runs_findings_go_to_a_fixer_of_its_own(place: Place, trigger: str) -> None:
    block = review(finding_threshold="P1", baseline="since_last_review")
    place.configure(
        validation_triggers={trigger: {"code_review": block}},
        remediation={"resume": place.fixer("", "resume"), "fixer": place.fixer(FIXED)},
    )
    place.begin("1")
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    fired = place.fire(trigger, epic="E" if trigger == "epic_completion" else "")
    assert (fired.exit, place.noted("resume"), place.noted("fixer")) == (Exit.OK, 0, 1)
    assert [*(place.store.load() or Config).last_cumulative_review_commits.values()] == [
        place.repo.head
    ]  # type: ignore[union-attr]


NO_PROGRESS = {
    "nothing": ("", "no progress"),
    "nothing committed": (f"pathlib.Path('a.py').write_text({CLEAN!r})", "no progress"),
    "an empty commit": (
        "subprocess.run(['git', 'commit', '-q', '--allow-empty', '-m', 'x'], check=True)",
        "no progress",
    ),
    "all undone": (
        "subprocess.run(['git', 'revert', '--no-edit', 'HEAD'], check=True)",
        "reverted the change",
    ),
    "a failure": ("sys.exit(3)", "no progress"),
}


@pytest.mark.parametrize(("does", "said"), NO_PROGRESS.values(), ids=NO_PROGRESS)
def test_a_fixer_without_progress_is_not_called_again(place: Place, does: str, said: str) -> None:
    block = review(finding_threshold="P1", max_retries=3, baseline="since_run_start")
    place.configure(
        validation_triggers={"run_end": {"code_review": block}},
        remediation={"fixer": place.fixer(does)},
    )
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    fired = place.fire("run_end")
    assert (fired.exit, place.noted("fixer")) == (Exit.BLOCK, 1) and said in fired.reason
    assert ("the fixer exited with code 3" in place.names()) == (does == "sys.exit(3)")


def test_a_reviewer_that_breaks_after_a_mend_is_no_pass(place: Place) -> None:
    breaking = f"(here / 'faults').write_text('99')\n{FIXED}"
    block = review(finding_threshold="P1", failure_mode="continue", baseline="since_run_start")
    place.configure(
        True,
        validation_triggers={"run_end": {"code_review": block}},
        remediation={"fixer": place.fixer(breaking)},
    )
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    fired = place.fire("run_end")
    assert (fired.exit, fired.fixes) == (
        Exit.BLOCK,
        1,
    ) and "could not be reviewed again" in fired.reason


def test_findings_of_a_review_that_broke_count_and_are_kept_and_nothing_moves_on(
    place: Place,
) -> None:
    block = review(finding_threshold="P1", failure_mode="continue", baseline="since_run_start")
    place.configure(True, validation_triggers={"run_end": {"code_review": block}})
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    (place.beside / "faults").write_text("9")
    fired = place.fire("run_end")
    assert (
        fired.exit is Exit.BLOCK
        and fired.review
        and fired.review.status == "failed"
        and "remediation.fixer is not set" in fired.reason
    )
    assert (
        len(place.issues()) == 2
        and dict((place.store.load() or Config).last_cumulative_review_commits) == {}
    )  # type: ignore[union-attr]


def test_a_fixer_that_hangs_is_ended_with_all_it_started(place: Place) -> None:
    hanging = "subprocess.Popen(['sleep', '300'])\nimport time\ntime.sleep(300)"
    place.configure(validation_triggers={"run_end":
                        {"code_review": review(finding_threshold="P1")}},
                    remediation={"fixer": place.fixer(hanging), "timeout": 1})  # fmt: skip
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    assert place.fire("run_end").exit is Exit.BLOCK
    assert any(name.startswith("the fixer was stopped after") for name in place.names())


@pytest.mark.req("R000-152", "R000-153")
def test_in_a_fixers_session_only_the_commands_of_session_end_run(place: Place) -> None:
    named = {"commands": [{"ref": "it"}], "code_review": review()}
    place.configure(
        True,
        validation_triggers=dict.fromkeys(("session_end", "epic_completion", "run_end"), named),
        commands={"it": script(place, "it")},
    )
    place.begin("1")
    place.repo.commit({"a.py": CLEAN}, "bd-1: work")
    inside = {"REVIEWGATE_GH_FIXER": "1"}
    for trigger, more in (("epic_completion", {"epic": "E"}), ("run_end", {})):
        fired = place.fire(trigger, env=inside, **more)
        assert (fired.fired, fired.exit, order(place), place.noted("flaky")) == (
            False,
            Exit.OK,
            [],
            0,
        )
    fired = place.fire("session_end", issue="1", env=inside)
    assert (fired.fired, fired.review, order(place), place.noted("flaky")) == (
        True,
        None,
        ["it"],
        0,
    )
    gate = place.repo.cli("review", "--commit", "HEAD", env=inside)
    assert gate.code == 0 and place.noted("flaky") == 1, "the gate is the gate there, too"


def test_the_mark_reaches_what_a_fixer_starts(place: Place) -> None:
    ends = (
        "subprocess.run([sys.executable, '-P', '-m', 'reviewgate_gh', 'orchestrate', 'end'], "
        f"stdout=(here / 'end').open('w'))\n{FIXED}"
    )
    named = {"run_end": {"code_review": review(finding_threshold="P1", baseline="since_run_start")}}
    place.configure(validation_triggers=named, remediation={"fixer": place.fixer(ends)})
    place.begin()
    place.repo.commit({"a.py": DEFECTS["P1"]}, "work")
    root = str(Path(__file__).parents[3])
    assert place.fire("run_end", env={"PYTHONPATH": root}).exit is Exit.OK
    assert (
        place.beside / "end"
    ).read_text() == "run_end: not fired (a fixer session fires only session_end)\n"


def test_nothing_of_strangers_commits_is_run_and_no_issue_is_made_of_them(place: Place) -> None:
    named = {
        "commands": [{"ref": "it"}],
        "failure_mode": "abort",
        "code_review": review(finding_threshold="P1"),
    }
    place.configure(
        validation_triggers={"run_end": named},
        commands={"it": script(place, "it")},
        remediation={"fixer": place.fixer(FIXED)},
    )
    place.begin()
    env = {"GIT_AUTHOR_EMAIL": "other@example.com", "GIT_COMMITTER_EMAIL": "other@example.com"}
    Repo(place.repo.path, env).commit(
        {"a.py": DEFECTS["P1"], ".reviewgate-gh.yaml": "version: 1\n"},
        "a stranger's",
        approve=False,
    )
    fired = place.fire("run_end")
    assert (fired.exit, fired.review, order(place)) == (Exit.INCONCLUSIVE, None, [])
    assert fired.reason.startswith("not checked: no command was run: the commits are not your own")
    fired = place.fire("run_end", options=TriggerOptions(trusted=True))
    assert not fired.fired and fired.reason == "validation_triggers.run_end is not set", (
        "trusted, its own config counts"
    )


@pytest.mark.req("R000-110")
def test_the_reviewer_is_the_one_that_is_named(place: Place) -> None:
    config = Config(
        reviewers={
            "a": ReviewerConfig(type="review_gate"),
            "b": ReviewerConfig(type="agent_sdk"),
            "c": ReviewerConfig(type="builtin"),
        }
    )
    wanted = {
        kind: CodeReview(enabled=True, reviewer_type=kind)
        for kind in ("cerberus", "agent_sdk", "ensemble")
    }
    assert [[*reviewers_of_trigger(config, each)] for each in wanted.values()] == [["a"], ["b"], []]
    assert reviewers_of_trigger(Config(), wanted["cerberus"]) == {
        "review_gate": ReviewerConfig(type="review_gate")
    }
    place.configure(
        validation_triggers={
            "run_end": {"code_review": {"enabled": True, "failure_mode": "continue"}}
        }
    )
    place.begin()
    place.repo.commit({"a.py": CLEAN}, "work")
    with pytest.raises(NoReviewers, match="review_gate"):
        place.fire("run_end")


@pytest.mark.req("R000-006")
def test_arguments_for_spawning_and_for_waiting_reach_their_own_command_alone(
    place: Place, tmp_path: Path
) -> None:
    gate = install_gate(tmp_path / "plugin", "spec")
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    told = {
        "timeout": 77,
        "spawn_args": ["--codex-reasoning", "low"],
        "wait_args": ["--timeout", "55"],
        "env": {"CERBERUS_WORD": "x"},
    }
    review_ = {"enabled": True, "finding_threshold": "P1", "cerberus": told}
    place.configure(validation_triggers={"run_end": {"code_review": review_}})
    place.begin()
    place.repo.commit({"a.py": CLEAN}, "work")
    assert place.fire("run_end").exit == Exit.OK
    (spawn,), (wait,) = gate.called("spawn-code-review"), gate.called("wait")
    assert spawn[-2:] == ["--codex-reasoning", "low"] and "--timeout" not in spawn
    assert wait[-2:] == ["--timeout", "55"] and "--codex-reasoning" not in wait


@pytest.mark.req("R000-037", "R000-040", "R000-042", "R000-043")
def test_old_options_and_the_old_key_still_mean_a_review_of_the_session(place: Place) -> None:
    place.configure(reviewer_type="ensemble")
    place.begin("1")
    place.repo.commit({"a.py": CLEAN}, "bd-1: work")
    fired = place.fire("session_end", issue="1")
    assert fired.fired and fired.review and fired.review.status == "success"
    assert place.names()[0].startswith(
        "DEPRECATION: Top-level 'reviewer_type' is deprecated for per-issue reviews.\nAdd "
    )
    place.configure()
    place.begin("1", fresh=True)
    place.events.clear()
    assert (
        place.fire("session_end", issue="1").reason == "validation_triggers.session_end is not set"
        and place.names() == []
    )
    options = TriggerOptions(flags=DeprecatedOptions(reviewer_type="ensemble"))
    assert place.fire("session_end", issue="1", options=options).review is not None
    assert place.names()[0].startswith("DEPRECATION: --reviewer-type")


def test_a_command_comes_from_the_config_or_from_the_project(place: Place) -> None:
    place.repo.write({"Makefile": "test:\n\t@echo made > made.txt\n"})
    named: dict[str, Any] = {"commands": [{"ref": "test"}]}
    place.configure(validation_triggers={"run_end": named})
    place.begin()
    assert (
        place.fire("run_end").commands[0].argv == ("make", "test")
        and place.repo.file("made.txt").exists()
    )
    place.configure(validation_triggers={"run_end": named}, commands={"test": ["true"]})
    assert place.fire("run_end").commands[0].argv == ("true",)
    place.configure(
        validation_triggers={"run_end": {"commands": [{"ref": "tset"}]}}, commands={"own": ["true"]}
    )
    with pytest.raises(ConfigError) as caught:
        place.fire("run_end")
    assert caught.value.hint == "define it under commands, or use one of: own, test"
    assert (
        discover_project_commands(open_repository(place.repo.path, os.environ), "HEAD")[
            "test"
        ].source
        == "Makefile"
    )
    assert parse_settings(b"commands: {x: [a]}", Config, "c").commands == {"x": ("a",)}

"""The contract of review gates, against any executable that has it: our own script, gates of both
dialects, and the one that the variable REVIEW_GATE names (its reviewers must find an undefined name
in Python)."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from reviewgate_gh.reviewers.gates import client as words
from reviewgate_gh.reviewers.gates.answer import GateAnswer, read_gate_answer
from tests.peers.gates import FINDING, install_gate
from tests.support import ROOT, Ran, Repo, run

pytestmark = pytest.mark.slow

CLEAN, BAD = "x = 1\n", "def f():\n    return missing\n"
NAMED = os.environ.get("REVIEW_GATE", "")
OURS = f"#!{sys.executable}\nfrom reviewgate_gh.commands._gate import main\nmain()\n"


@dataclass(frozen=True)
class Desk:
    """A gate at a repository, under one session id; `expect` tells a fake one what it is to
    find."""

    program: Path
    repo: Repo
    expect: Callable[[list], None]

    def call(self, *argv: str | Path, session: str = "caller-1") -> Ran:
        return run(
            [self.program, *argv],
            self.repo.path,
            {"CLAUDE_SESSION_ID": session, "PYTHONPATH": str(ROOT)},
        )

    @property
    def dialect(self) -> words.GateDialect:
        return words.detect_dialect(self.call(words.SPAWN, "--help").output)

    def spawn(self, base: str, head: str, context: str = "", session: str = "caller-1") -> Ran:
        return self.call(
            *words.review_arguments(self.dialect, base, head, context, []), session=session
        )

    def answered(self, spawned: Ran, session: str = "caller-1") -> Ran:
        key = json.loads(spawned.stdout)["session_key"] if spawned.stdout.strip() else ""
        return self.call(*words.wait_arguments(key, session, 120, []), session=session)

    def wait(self, spawned: Ran, session: str = "caller-1") -> GateAnswer:
        done = self.answered(spawned, session)
        return read_gate_answer(done.code, done.stdout.encode(), done.stderr)


@pytest.fixture(params=["ours", "spec", "v1", *(["named"] if NAMED else [])])
def desk(repo, tmp_path, request) -> Desk:
    if request.param == "named":
        yield Desk(Path(NAMED), repo, lambda findings: None)
        return
    if request.param != "ours":
        fake = install_gate(tmp_path / "gate", request.param)
        yield Desk(fake.program, repo, lambda findings: fake.plan(findings=findings))
        for pid in fake.alive:
            os.kill(pid, 9)
        return
    program = tmp_path / "review-gate"
    program.write_text(OURS)
    program.chmod(0o755)
    yield Desk(program, repo, lambda findings: None)


def test_a_clean_change_passes_as_often_as_it_is_asked(desk):
    base, head = desk.repo.head, desk.repo.commit({"a.py": CLEAN})
    spawned = desk.spawn(base, head)
    assert spawned.code == 0, spawned.output
    assert [desk.wait(spawned).outcome for _ in range(2)] == ["pass", "pass"]


def test_a_defect_fails_with_its_place(desk):
    desk.expect([FINDING])
    base, head = desk.repo.head, desk.repo.commit({"bad.py": BAD})
    answer = desk.wait(desk.spawn(base, head))
    assert answer.outcome == "fail" and answer.verdict in ("FAIL", "NEEDS_WORK")
    assert [(issue.file, issue.line_start, issue.priority) for issue in answer.issues] == [
        ("bad.py", 2, 1)
    ]
    assert (
        answer.issues[0].title
        and answer.issues[0].reviewer
        and answer.result.issues == [*answer.issues]
    )


@pytest.mark.parametrize(
    ("text", "findings"), [(CLEAN, []), (BAD, [FINDING])], ids=["clean", "bad"]
)
def test_the_answer_is_one_object_in_the_words_of_either_dialect(desk, text, findings):
    desk.expect(findings)
    base, head = desk.repo.head, desk.repo.commit({"bad.py": text})
    done = desk.answered(desk.spawn(base, head))
    said = json.loads(done.stdout)
    assert said["status"] in ("resolved", "complete") and said["parse_errors"] == []
    verdicts = [
        each["verdict"]
        for each in (said.get("consensus"), {"verdict": said.get("consensus_verdict")})
        if each and each["verdict"]
    ]
    assert verdicts and {*verdicts} in ([{"PASS"}], [{"FAIL"}, {"NEEDS_WORK"}])[done.code], (
        "the words and the exit code say one thing"
    )
    assert said.get("consensus", {}).get("iteration", 1) == 1
    for row in said["reviewers"].values():
        assert (
            row["verdict"] in ("PASS", "FAIL", "NEEDS_WORK")
            and isinstance(row["summary"], str)
            and row.get("error") is None
        )
    lists = [said[key] for key in ("issues", "aggregated_findings") if key in said]
    assert (
        lists
        and all(each == lists[0] for each in lists)
        and bool(lists[0]) == bool(findings) == (done.code == 1)
    )
    for item in lists[0]:
        places = [item[key] for key in ("file", "file_path") if key in item]
        assert (
            places and {*places} == {"bad.py"} and (item["line_start"], item["line_end"]) == (2, 2)
        )
        assert (
            item["priority"] in (0, 1, 2, 3, None)
            and item["title"]
            and isinstance(item["body"], str)
            and item["reviewer"]
        )


def test_without_a_key_it_is_the_newest_session_of_the_caller(desk):
    desk.expect([FINDING])
    base, head = desk.repo.head, desk.repo.commit({"bad.py": BAD})
    assert desk.wait(desk.spawn(base, head)).outcome == "fail"
    desk.expect([])
    newest = desk.spawn(head, desk.repo.commit({"a.py": CLEAN}))
    assert newest.code == 0, newest.output
    # Where the contract's own wait needs no name
    named = [] if desk.dialect == "spec" else ["--session-id", "caller-1"]
    done = desk.call("wait", "--json", "--timeout", "120", *named)
    assert read_gate_answer(done.code, done.stdout.encode(), done.stderr).outcome == "pass", (
        done.output
    )


def test_the_context_is_taken_and_an_empty_one_refused(desk, tmp_path):
    base, head = desk.repo.head, desk.repo.commit({"a.py": CLEAN})
    (tmp_path / "context.txt").write_text("what it is for\n")
    (tmp_path / "empty.txt").write_text("")
    assert desk.wait(desk.spawn(base, head, str(tmp_path / "context.txt"))).outcome == "pass"
    for name in ("empty.txt", "missing.txt"):
        refused = desk.spawn(base, head, str(tmp_path / name))
        assert refused.code != 0 and refused.stdout == "" and refused.stderr


def test_a_range_that_is_not_there_is_not_spawned(desk):
    refused = desk.spawn("nowhere", desk.repo.head)
    assert refused.code != 0 and refused.stdout == "" and refused.stderr


def test_another_callers_session_is_not_answered(desk):
    base, head = desk.repo.head, desk.repo.commit({"a.py": CLEAN})
    assert desk.spawn(base, head).code == 0
    done = desk.call("wait", "--json", "--session-id", "somebody-else", "--timeout", "5")
    assert done.code not in (0, 1)


@pytest.mark.parametrize(
    "argv",
    [["wait"], ["wait", "--timeout", "1"], [words.SPAWN, "--no-such-option"], ["no-such-command"]],
)
def test_wrong_usage_is_exit_2_and_silent_on_standard_output(desk, argv):
    done = desk.call(*argv)
    assert done.code == 2 and done.stdout == "" and done.stderr


def test_epics_are_taken_as_its_help_says(desk, tmp_path):
    head = desk.repo.commit({"a.py": CLEAN})
    (tmp_path / "epic.md").write_text(f"# Epic\n\n- it is fast\n\n- {head}\n")
    shown = desk.call(words.SPAWN_EPIC, "--help")
    assert shown.code == 0
    argv = words.epic_arguments(
        str(tmp_path / "epic.md"), words.GateScope((head,)), shown.stdout, []
    )
    spawned = desk.call(*argv)
    assert spawned.code == 0, spawned.output
    # Ours has no model here, and says so
    assert desk.wait(spawned).outcome in ("pass", "no_reviewers")

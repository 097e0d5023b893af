"""Triggers whose review is an external gate's: `reviewer_type: cerberus`, with nothing else
declared."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrating import Place, data
from tests.peers.gates import FINDING, FakeGate, install_gate, register
from tests.support import Ran, Repo

BAD = "def f():\n    return missing\n"
ODD = "a b; $(touch gone) 'c' \"d\""
DIALECTS = pytest.mark.parametrize("dialect", ["spec", "v1"])


@pytest.fixture
def gate(tmp_path: Path, dialect: str) -> FakeGate:
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    return install_gate(tmp_path / "plugin", dialect)


def session(repo: Repo, block: dict[str, Any], *args: str, **keys: Any) -> Ran:
    """The end of a session about issue 7, whose only commit is bad."""
    Place(repo).configure(
        validation_triggers={"session_end": {"code_review": {"enabled": True, **block}}}, **keys
    )
    repo.commit({"bad.py": BAD}, "bd-7: work")
    return repo.cli(
        "orchestrate", "trigger", "session_end", "--issue", "7", "--output", "json", *args
    )


@DIALECTS
@pytest.mark.req("R000-007", "R000-010", "R000-110")
@pytest.mark.parametrize("block", [{}, {"cerberus": None}, {"reviewer_type": "cerberus"}])
def test_the_gate_alone_is_asked_with_its_defaults(
    repo: Repo, gate: FakeGate, block: dict[str, Any]
) -> None:
    gate.plan(findings=[FINDING])
    done = session(repo, block)
    shown = data(done)["review"]
    assert done.code == 0 and shown["outcome"] == "completed_with_findings", done.output
    assert [(found["path"], found["sources"]) for found in shown["findings"]] == [
        ("bad.py", ["review_gate"])
    ]
    (spawn,), (wait,) = gate.called("spawn-code-review"), gate.called("wait")
    assert (
        f"{repo.rev('HEAD~')}..{repo.head}" in spawn
        and int(wait[wait.index("--timeout") + 1]) <= 300
    )
    assert [issue["title"] for issue in Place(repo).issues()] == ["Undefined name (bad.py)"]


@pytest.mark.req("R000-002", "R000-003", "R000-004", "R000-005", "R000-006")
@pytest.mark.parametrize("dialect", ["v1"])
def test_its_settings_reach_it_as_they_are_written(repo: Repo, gate: FakeGate) -> None:
    block = {"cerberus": {"timeout": 77, "spawn_args": ["--max-rounds", "2", "--mode", ODD],
        "wait_args": ["--poll-interval", "9"],
                          "env": {"MY_EXTRA": "x y"}}}  # fmt: skip
    done = session(repo, block)
    assert done.code == 0, done.output
    (spawn,), (wait,) = gate.called("spawn-code-review"), gate.called("wait")
    assert [word for word in spawn if word in ("--max-rounds", "2", "--mode", ODD)] == [
        "--max-rounds",
        "2",
        "--mode",
        ODD,
    ]
    assert (
        wait[wait.index("--poll-interval") + 1] == "9"
        and "--max-rounds" not in wait
        and "--poll-interval" not in spawn
    )
    assert int(wait[wait.index("--timeout") + 1]) <= 77 and not repo.file("gone").exists()
    assert all(call["env"].get("MY_EXTRA") == "x y" for call in gate.calls)


@DIALECTS
@pytest.mark.req("R000-130", "R000-133", "R000-134", "R000-135")
@pytest.mark.parametrize(
    ("mode", "code", "calls"), [("abort", 2, 1), ("continue", 0, 1), ("remediate", 0, 3)]
)
def test_a_gate_that_breaks_is_the_failure_modes_business(
    repo: Repo, gate: FakeGate, mode: str, code: int, calls: int
) -> None:
    gate.plan(wait={"code": 2, "out": "{"})
    done = session(repo, {"failure_mode": mode, "max_retries": 2})
    assert (done.code, len(gate.called("spawn-code-review"))) == (code, calls), done.output
    assert data(done)["review"]["status"] == "failed"


@pytest.mark.parametrize("dialect", ["spec"])
def test_what_a_gate_finds_beside_the_change_counts_for_the_threshold(
    repo: Repo, gate: FakeGate
) -> None:
    gate.plan(findings=[{**FINDING, "file": "README.md", "line_start": 1, "line_end": 1}])
    done = session(repo, {"finding_threshold": "P1"})
    assert done.code == 1 and data(done)["review"]["status"] == "success", done.output
    assert len(Place(repo).issues()) == 1


@pytest.mark.parametrize("dialect", ["spec"])
def test_a_floors_reviewers_are_asked_beside_it(repo: Repo, gate: FakeGate, tmp_path: Path) -> None:
    (tmp_path / "org.yaml").write_text(
        "reviewers: {linters: off, change: off, callers: off, house: {type: builtin}}\n"
    )
    done = session(repo, {}, "--policy", str(tmp_path / "org.yaml"))
    assert done.code == 0, done.output
    [report] = repo.path.glob(".git/reviewgate-gh/reviews/*/report.json")
    assert (
        '"reviewer": "house"' in report.read_text()
        and '"reviewer": "review_gate"' in report.read_text()
    )

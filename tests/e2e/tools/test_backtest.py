"""`backtest` on a history with a known defect."""

import json
import re

import pytest

from ...support import Repo


@pytest.fixture
def history(repo: Repo) -> Repo:
    """Three merges on main: a clean one, one with an undefined name, one with an unused import."""
    bodies = {"clean": "X = 1\n", "bad": "def f():\n    return missing\n", "style": "import os\n"}
    for name, body in bodies.items():
        repo.branch(name)
        repo.commit({f"{name}.py": body}, f"add {name}")
        repo.switch("main")
        repo.git("merge", "--quiet", "--no-ff", f"--message=merge \x1b[31m{name}", name)
    return repo


def test_merges_rules_and_thresholds(history: Repo) -> None:
    done = history.cli("backtest", "--last", "10", "--merges", "--output", "json")
    assert done.code == 0, done.output
    result = json.loads(done.stdout)
    rows = {row["subject"].rpartition("m")[2]: row for row in result["changes"]}
    assert list(rows) == ["style", "bad", "clean"]
    assert rows["bad"]["outcomes"] == {"P0": "concerns", "P1": "block", "P2": "block"}
    assert rows["clean"]["outcomes"] == {"P0": "pass", "P1": "pass", "P2": "pass"}
    assert result["kind"] == "merges"
    assert result["blocked"]["P0"] == 0
    assert result["blocked"]["P1"] == 1
    assert {"rule": "ruff/F821", "priority": "P1", "findings": 1, "changes": 1} in result["rules"]
    assert all(isinstance(row["seconds"], float) for row in rows.values())


@pytest.mark.contract
def test_the_table_for_people(history: Repo) -> None:
    done = history.cli("backtest", "--last", "2", "--merges")
    assert done.code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["commit", "subject", "files", "P0", "P1", "P2", "found", "seconds"]
    assert lines[2].split()[3:8] == ["bad", "1", "concerns", "block", "block"] or lines[2].split()[
        2:7
    ] == ["bad", "1", "concerns", "block", "block"]
    rules = lines.index(next(line for line in lines if line.startswith("worst")))
    assert lines[rules].split() == ["worst", "rule", "findings", "merges"]
    assert ["P1", "ruff/F821", "1", "1"] in [line.split() for line in lines[rules + 1 :]]
    assert all(re.fullmatch(r"\d+\.\d", line.split()[-1]) for line in lines[1:3])
    assert lines[-2] == "threshold P1 would have blocked 1 of 2 merges"
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


@pytest.mark.contract(plain=False)
def test_no_report_is_kept(history: Repo) -> None:
    history.cli("backtest", "--last", "3")
    assert not (history.path / ".git/reviewgate-gh/reviews").exists()


def test_the_last_changes_are_merges_and_commits_as_they_came(history: Repo) -> None:
    history.commit({"bad.py": "def f():\n    return lacking\n"}, "squashed")
    result = json.loads(history.cli("backtest", "--last", "2", "-o", "json").stdout)
    assert (result["kind"], [row["subject"].rpartition("m")[2] for row in result["changes"]]) == (
        "changes",
        ["squashed", "style"],
    )
    done = history.cli("backtest", "--last", "2")
    assert done.stdout.splitlines()[-2] == "threshold P1 would have blocked 1 of 2 changes", (
        done.output
    )


def test_where_there_are_no_merges(repo: Repo) -> None:
    none = repo.cli("backtest", "--merges")
    assert (none.code, "this branch has no merges" in none.stderr) == (64, True), none.output


def test_a_config_of_the_past_that_is_broken_ends_nothing(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": "mode: loud\n"}, "broken config")
    repo.commit({"bad.py": "def f():\n    return missing\n"}, "bad")
    repo.commit({".reviewgate-gh.yaml": None}, "mended")
    done = repo.cli("backtest", "--last", "3", "--commits")
    assert done.code == 0, done.output
    assert ".reviewgate-gh.yaml:1: mode" in done.stdout
    assert done.stdout.splitlines()[-1].startswith(
        "2 of 3 could not be reviewed with the settings in force then"
    )
    assert done.stdout.splitlines()[-2] == "threshold P2 would have blocked 1 of 1 commit"


def test_an_unborn_branch_is_one_line(make_repo: object) -> None:
    empty = make_repo("empty")  # type: ignore[operator]
    done = empty.cli("backtest")
    assert (done.code, "there is no commit yet" in done.stderr) == (64, True), done.output


def test_what_no_threshold_decides_is_counted(repo: Repo) -> None:
    limit = {".reviewgate-gh.yaml": "policy: {max_file_bytes: 1000}\n"}
    repo.commit({"a.py": "print 'a'\n", **limit}, "a file that does not parse")
    repo.commit({"b.dat": "x" * 2000}, "a file too large to be read")
    done = repo.cli("backtest", "--last", "2", "--commits")
    assert (
        done.stdout.splitlines()[-1]
        == "threshold P2 would have blocked 1 of 2 commits and been inconclusive about 1"
    ), done.output

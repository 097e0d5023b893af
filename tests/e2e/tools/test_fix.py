"""`fix`: suggestions into the work tree, a yes for each file; nothing is committed or approved."""

import json
import os
import subprocess
import sys
from subprocess import PIPE

import pytest

from tests.peers.model_server import serving
from tests.support import ROOT, Repo

from ..panels import CODE, claim, declare, panel

SUGGESTION = "    return total / len(items) if items else 0.0"


@pytest.fixture
def reviewed(repo: Repo) -> Repo:
    """A review that suggests something for two files, one of them with CRLF."""
    with serving(panel()) as server:
        other = claim(
            file="b.py",
            quote="y = x",
            suggestion="y = 1\nz = 2",
            title="x is not known",
            category="quality",
        )
        server.answer = panel(
            lambda what: [claim(suggestion=SUGGESTION), other] if what == "Correctness" else []
        )
        declare(repo, {"one": server}, "ensemble: {verify: false, reverse_audit: {max_rounds: 0}}")
        repo.commit({"a.py": CODE, "b.py": "x = 1\r\ny = x\r\n"})
        assert repo.cli("review", "--base", "HEAD~1").code == 1
    return repo


@pytest.mark.contract
@pytest.mark.req("R003-070", "R003-071")
def test_each_file_is_changed_only_after_a_yes_and_nothing_is_approved(reviewed: Repo) -> None:
    head = reviewed.head
    done = reviewed.cli("fix", stdin="n\ny\n")
    assert (
        done.code == 0
        and "Apply 1 suggestion to a.py? [y/N]" in done.stderr
        and f"+{SUGGESTION}" in done.stdout
    ), done.output
    assert reviewed.file("a.py").read_text() == CODE
    assert reviewed.file("b.py").read_bytes() == b"x = 1\r\ny = 1\r\nz = 2\r\n"
    assert (
        "not applied: a.py:3: declined" in done.stderr
        and "applied 1 suggestion in 1 file" in done.stderr
    )
    assert reviewed.head == head and reviewed.git("diff", "--cached") == ""
    report = json.loads(
        max((reviewed.path / ".git/reviewgate-gh/reviews").glob("*/report.json")).read_text()
    )
    assert report["verdict"]["outcome"] == "block", (
        "the verdict is what it was: what was fixed is reviewed anew"
    )


@pytest.mark.contract(plain=False)
def test_without_anybody_to_ask_nothing_is_changed(reviewed: Repo) -> None:
    done = reviewed.cli("fix")
    assert done.code == 0 and "nothing was changed" in done.stderr, done.output
    assert reviewed.git("status", "--porcelain") == ""


@pytest.mark.contract(plain=False)
def test_what_could_be_applied_is_shown_without_a_question(reviewed: Repo) -> None:
    shown, counted = reviewed.cli("fix", "--dry-run"), reviewed.cli("fix", "--check")
    assert (shown.code, counted.code) == (0, 1), shown.output
    assert f"+{SUGGESTION}" in shown.stdout and counted.stdout == ""
    for done in (shown, counted):
        assert done.stderr == "2 suggestions can be applied in 2 files\n"
    assert reviewed.git("status", "--porcelain") == ""
    reviewed.commit({"a.py": "x = 1\n", "b.py": "y = 2\n"})
    done = reviewed.cli("fix", "--check")
    assert done.code == 0 and "not applied: a.py:3: " in done.stderr, done.output
    assert done.stderr.endswith("0 suggestions can be applied\n")


def test_a_report_of_somebody_else_changes_none_of_git_s_own_files(
    reviewed: Repo, tmp_path
) -> None:
    kept = max((reviewed.path / ".git/reviewgate-gh/reviews").glob("*/report.json")).read_text()
    before = reviewed.file(".git/config").read_text()
    report = json.loads(kept)
    for finding in report["findings"]:
        row = before.split("\n")[0]
        finding |= {
            "path": ".git/config",
            "line_start": 1,
            "line_end": 1,
            "anchor": row,
            "excerpt": [[1, row]],
        }
    (tmp_path / "forged.json").write_text(json.dumps(report))
    done = reviewed.cli("fix", "--report", str(tmp_path / "forged.json"), stdin="y\ny\n")
    assert (
        ".git/config:1: the file is missing, or git does not track it in the work tree"
        in done.stderr
    ), done.output
    assert reviewed.file(".git/config").read_text() == before


def test_lines_that_have_changed_and_files_that_lead_elsewhere_are_left_alone(
    reviewed: Repo, tmp_path
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(reviewed.file("b.py").read_bytes())
    reviewed.file("b.py").unlink()
    reviewed.file("b.py").symlink_to(outside)
    reviewed.commit({"a.py": CODE.replace("total / len", "total // len")})
    done = reviewed.cli("fix", stdin="y\ny\n")
    assert (
        "a.py:3: its lines have changed since the review" in done.stderr
        and "b.py:2: the file is missing" in done.stderr
    ), done.output
    assert b"z = 2" not in outside.read_bytes()


@pytest.mark.req("R003-070")
@pytest.mark.parametrize(
    "how",
    ["changed", "staged", "deleted", "staged and changed back", "another file", "new and staged"],
)
def test_a_tree_with_work_that_is_not_committed_is_left_as_it_is(reviewed: Repo, how: str) -> None:
    name = {"another file": ".reviewgate-gh.yaml", "new and staged": "new.py"}.get(how, "b.py")
    reviewed.write({name: None if how == "deleted" else "x = 1\r\ny = x\r\nw = 3\r\n"})
    if "staged" in how:
        reviewed.git("add", name)
    if how == "staged and changed back":
        reviewed.write({name: "x = 1\r\ny = x\r\n"})
    before = (
        reviewed.git("status", "--porcelain"),
        reviewed.git("diff"),
        reviewed.git("diff", "--cached"),
    )
    done = reviewed.cli("fix", stdin="y\ny\n")
    assert (
        done.code == 64
        and f"the work tree is not clean: {name}\n" in done.stderr
        and "commit or stash" in done.stderr
    ), done.output
    assert "Apply" not in done.stderr and reviewed.file("a.py").read_text() == CODE
    assert (
        reviewed.git("status", "--porcelain"),
        reviewed.git("diff"),
        reviewed.git("diff", "--cached"),
    ) == before


def test_what_was_written_after_a_yes_and_files_beside_it_are_no_obstacle(reviewed: Repo) -> None:
    reviewed.write({"notes.txt": "mine\n"})
    done = reviewed.cli("fix", stdin="y\ny\n")
    assert done.code == 0 and "applied 2 suggestions in 2 files" in done.stderr, done.output
    again = reviewed.cli("fix", stdin="y\ny\n")
    assert again.code == 64 and "not clean: a.py, b.py\n" in again.stderr, (
        "what an earlier run wrote is work like any other"
    )
    assert reviewed.git("status", "--porcelain") == " M a.py\n M b.py\n?? notes.txt"


def test_a_file_that_git_does_not_watch_is_left_alone(reviewed: Repo) -> None:
    reviewed.git("rm", "--quiet", "--cached", "a.py")
    reviewed.git("commit", "--quiet", "--message", "a.py is nobody's")
    reviewed.git("update-index", "--assume-unchanged", "b.py")
    done = reviewed.cli("fix", stdin="y\ny\n")
    assert (
        done.code == 0
        and done.stderr.count("git does not track it in the work tree") == 2
        and "nothing was changed" in done.stderr
    )
    assert (
        reviewed.file("a.py").read_text() == CODE
        and b"z = 2" not in reviewed.file("b.py").read_bytes()
    )


def test_a_review_of_the_work_tree_is_applied_once_that_is_committed(repo: Repo) -> None:
    with serving(
        panel(lambda what: [claim(suggestion=SUGGESTION)] if what == "Correctness" else [])
    ) as server:
        declare(repo, {"one": server}, "ensemble: {verify: false, reverse_audit: {max_rounds: 0}}")
        repo.commit({"a.py": "\n"})
        repo.write({"a.py": CODE})
        assert repo.cli("review", "--uncommitted").code == 1
    done = repo.cli("fix", stdin="y\n")
    assert done.code == 64 and repo.file("a.py").read_text() == CODE, (
        "what is there is what was reviewed, and still nobody's commit"
    )
    repo.commit(message="what was reviewed")
    done = repo.cli("fix", stdin="y\n")
    assert (
        done.code == 0
        and "applied 1 suggestion in 1 file" in done.stderr
        and SUGGESTION in repo.file("a.py").read_text()
    ), done.output


def test_a_file_that_changes_before_the_answer_is_not_written_over(reviewed: Repo) -> None:
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "fix"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        argv, cwd=reviewed.path, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE
    ) as asking:
        assert asking.stdin and asking.stderr
        said = asking.stderr.read1()
        assert b"Apply 1 suggestion to a.py?" in said, said
        reviewed.write({"a.py": "mine\n"})
        asking.stdin.write(b"y\ny\n")
        asking.stdin.close()
        rest = asking.stderr.read().decode()
    assert (
        asking.returncode == 0
        and "not applied: a.py:3: the file has changed in the meantime" in rest
        and "applied 1 suggestion in 1 file" in rest
    ), rest
    assert (
        reviewed.file("a.py").read_text() == "mine\n"
        and b"z = 2" in reviewed.file("b.py").read_bytes()
    )


def test_a_bare_repository_has_nothing_to_mend(reviewed: Repo, tmp_path) -> None:
    bare = reviewed.clone(tmp_path / "bare.git", "--bare")
    report = max((reviewed.path / ".git/reviewgate-gh/reviews").glob("*/report.json"))
    done = bare.cli("fix", "--report", str(report), stdin="y\n")
    assert done.code == 64 and "a bare repository has no work tree" in done.stderr, done.output

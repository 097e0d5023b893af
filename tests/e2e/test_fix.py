"""`fix`: suggestions into the work tree, a yes for each file; nothing is committed or approved."""

import json

import pytest

from tests.peers.model_server import serving
from tests.support import Repo

from .panels import CODE, claim, declare, panel

SUGGESTION = "    return total / len(items) if items else 0.0"


@pytest.fixture
def reviewed(repo: Repo) -> Repo:
    """A review that suggests something for two files, one of them with CRLF."""
    with serving(panel()) as server:
        other = claim(file="b.py", quote="y = x", suggestion="y = 1\nz = 2", title="x is not known", category="quality")
        server.answer = panel(lambda what: [claim(suggestion=SUGGESTION), other] if what == "Correctness" else [])
        declare(repo, {"one": server}, "ensemble: {verify: false, reverse_audit: {max_rounds: 0}}")
        repo.commit({"a.py": CODE, "b.py": "x = 1\r\ny = x\r\n"})
        assert repo.cli("review", "--base", "HEAD~1").code == 1
    return repo


@pytest.mark.req("R003-070", "R003-071")
def test_each_file_is_changed_only_after_a_yes_and_nothing_is_approved(reviewed: Repo) -> None:
    head = reviewed.head
    done = reviewed.cli("fix", stdin="n\ny\n")
    assert done.code == 0 and "Apply 1 suggestion to a.py? [y/N]" in done.stderr and f"+{SUGGESTION}" in done.stdout, done.output
    assert reviewed.file("a.py").read_text() == CODE
    assert reviewed.file("b.py").read_bytes() == b"x = 1\r\ny = 1\r\nz = 2\r\n"
    assert "left: a.py:3: declined" in done.stderr and "1 applied in 1 file" in done.stderr
    assert reviewed.head == head and reviewed.git("diff", "--cached") == ""
    report = json.loads(max((reviewed.path / ".git/reviewgate-gh/reviews").glob("*/report.json")).read_text())
    assert report["verdict"]["outcome"] == "block", "the verdict is what it was: what was fixed is reviewed anew"


def test_without_anybody_to_ask_nothing_is_changed(reviewed: Repo) -> None:
    done = reviewed.cli("fix")
    assert done.code == 0 and "nothing was changed" in done.stderr, done.output
    assert reviewed.git("status", "--porcelain") == ""


def test_a_report_of_somebody_else_changes_none_of_git_s_own_files(reviewed: Repo, tmp_path) -> None:
    kept = max((reviewed.path / ".git/reviewgate-gh/reviews").glob("*/report.json")).read_text()
    before = reviewed.file(".git/config").read_text()
    report = json.loads(kept)
    for finding in report["findings"]:
        row = before.split("\n")[0]
        finding |= {"path": ".git/config", "line_start": 1, "line_end": 1, "anchor": row, "excerpt": [[1, row]]}
    (tmp_path / "forged.json").write_text(json.dumps(report))
    done = reviewed.cli("fix", "--report", str(tmp_path / "forged.json"), stdin="y\ny\n")
    assert ".git/config:1: the file is not there, or no file of the work tree" in done.stderr, done.output
    assert reviewed.file(".git/config").read_text() == before


def test_lines_that_have_changed_and_files_that_lead_elsewhere_are_left_alone(reviewed: Repo, tmp_path) -> None:
    reviewed.write({"a.py": CODE.replace("total / len", "total // len")})
    outside = tmp_path / "outside.py"
    outside.write_bytes(reviewed.file("b.py").read_bytes())
    reviewed.file("b.py").unlink()
    reviewed.file("b.py").symlink_to(outside)
    done = reviewed.cli("fix", stdin="y\ny\n")
    assert "a.py:3: its lines have changed since the review" in done.stderr and "b.py:2: the file is not there" in done.stderr, done.output
    assert b"z = 2" not in outside.read_bytes()

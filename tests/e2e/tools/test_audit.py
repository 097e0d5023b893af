"""`history --audit`: who let a commit through and why, and a log that was changed is found."""

import csv
import io
import json

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.tools.audit import AuditRequest, export_csv, read_audit, render_audit
from tests.support import Repo

from ..publishing import evil


def shown(repo: Repo, commit: str = "", known: str = "") -> str:
    request = AuditRequest(commit, known)
    log = read_audit(request, open_repository(repo.path, repo.env))
    return render_audit(log, request, OutputStyle(width=200))


@pytest.mark.req("R008-016")
def test_who_let_a_commit_through_and_why(repo: Repo) -> None:
    repo.branch("topic")
    head = repo.commit(evil("a.py"))
    review = ("review", "--base", "main", "--output", "json")
    [found] = json.loads(repo.cli(*review).stdout)["findings"]
    assert "refused: block, reviewed by" in shown(repo, head)
    name = found["fingerprint"]
    assert repo.cli("waive", "add", name, "--reason", "=cmd()", "--days", "9").code == 0
    head = repo.commit({})
    assert repo.cli(*review, "--trusted").code == 0
    text = shown(repo, "HEAD")
    assert "let through: " in text and f"not counted: {name} (" in text and "=cmd()" in text, text
    assert "as an approved change" in text
    assert "a report" not in shown(repo, "main") and "no review of main" in shown(repo, "main")
    repo.cli("review", "--base", "main", env={"REVIEWGATE_GH_SKIP": "a hotfix"})
    assert "skipped by " in shown(repo, head) and "a hotfix" in shown(repo, head)
    log = read_audit(AuditRequest(), open_repository(repo.path, repo.env))
    rows = list(csv.DictReader(io.StringIO(export_csv(log.entries))))
    assert [row["kind"] for row in rows] == ["report", "trust", "waiver", "report", "skip"]
    assert [row["reason"] for row in rows if row["kind"] == "waiver"] == ["'=cmd()"]
    file = repo.path / ".git/reviewgate-gh/audit/log.jsonl"
    file.write_text(file.read_text().replace("a hotfix", "a review"))
    forged = repo.cli("history", "--audit", "--export", "jsonl")
    assert forged.code == 1 and "line 5 cannot be trusted" in forged.stderr, forged.output
    assert len(forged.stdout.splitlines()) == 4


@pytest.mark.req("R008-016")
def test_a_kept_report_that_was_changed_is_found(repo: Repo) -> None:
    repo.branch("topic")
    repo.commit(evil("a.py"))
    repo.cli("review", "--base", "main")
    assert "the chain of 1 entry holds" in shown(repo)
    [kept] = (repo.path / ".git/reviewgate-gh/reviews").glob("*/report.json")
    kept.write_text(kept.read_text().replace("block", "pass"))
    assert "is not the one that was recorded" in shown(repo)
    with pytest.raises(UsageError, match="not the end of an audit log"):
        shown(repo, known="1:x")

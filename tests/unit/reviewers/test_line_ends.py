"""Findings of tools that see more line ends in a file than git does."""

import json
import os
from pathlib import Path

import pytest

from reviewgate_gh.git import Git, open_repository
from reviewgate_gh.model.change import Change, Range
from reviewgate_gh.reviewers._lines import adjust_line_ends
from reviewgate_gh.reviewers.imports import import_report
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system.environment import Environment
from tests.support import Repo

CR = "# 1\r# 2\r# 3\r# 4\nx = 1\n"
PLAIN = "# 1\n# 2\n# 3\n# 4\nx = 1\n"


def row(path: str, line: int) -> str:
    """A diagnostic in rdjsonl."""
    place = {"path": path, "range": {"start": {"line": line}}}
    return (
        json.dumps(
            {"message": "m", "location": place, "severity": "ERROR", "source": {"name": "acme"}}
        )
        + "\n"
    )


def last(repo: Repo) -> tuple[Git, Change]:
    """The last commit as a change."""
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    return git, load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)


@pytest.mark.parametrize("end", ["\r", "\u2028", "\u2029"])
def test_what_lies_off_the_changed_lines_is_about_the_file(repo: Repo, end: str) -> None:
    repo.commit({"a.py": CR.replace("\r", end), "old.py": CR})
    repo.commit({"a.py": CR.replace("\r", end) + "y = 2\n", "b.py": PLAIN})
    git, change = last(repo)
    rows = row("a.py", 6) + row("a.py", 3) + row("b.py", 9) + row("old.py", 5)
    review = adjust_line_ends(import_report(Path("r.jsonl"), rows.encode(), ""), change, git)
    assert [(f.location, f.title) for f in review.findings] == [
        ("a.py", "m (line 6, as the tool counts)"), ("a.py:3", "m"),
        ("b.py", "m (line 9, which the file does not have)"),
        ("old.py:5", "m"),
    ]  # fmt: skip
    assert review.found == 4


def test_a_line_that_the_file_does_not_have_is_about_the_file(repo: Repo) -> None:
    """Else it would count as a line that the change leaves alone."""
    repo.commit({"a.py": PLAIN, "bare.py": PLAIN.rstrip("\n")})
    repo.commit({"a.py": PLAIN + "y = 2\n", "bare.py": PLAIN + "y = 2"})
    git, change = last(repo)
    rows = "".join(row(*at) for at in (("a.py", 8), ("a.py", 3), ("bare.py", 6), ("bare.py", 7)))
    review = adjust_line_ends(import_report(Path("r.jsonl"), rows.encode(), ""), change, git)
    assert [f.location for f in review.findings] == ["a.py", "a.py:3", "bare.py:6", "bare.py"]


def test_the_line_ends_of_windows_are_gits_own(repo: Repo) -> None:
    repo.commit({"a.py": PLAIN.replace("\n", "\r\n")})
    repo.commit({"a.py": PLAIN.replace("\n", "\r\n") + "y = 2\r\n"})
    git, change = last(repo)
    review = import_report(Path("r.jsonl"), row("a.py", 1).encode(), "")
    assert adjust_line_ends(review, change, git) == review


@pytest.mark.contract(plain=False)
def test_a_command_reviewers_finding_is_not_lost(repo: Repo) -> None:
    report = row("a.py", 5).strip()
    config = (
        f"reviewers:\n  mine: {{type: command, options: {{argv: [echo, {json.dumps(report)}]}}}}\n"
    )
    repo.commit({".reviewgate-gh.yaml": config})
    repo.commit({"a.py": CR.replace("x = 1\n", "x = 1")})
    done = repo.cli("review", "--commit", "HEAD", "--trusted")
    assert done.code == 1, done.output
    assert "m (line 5, as the tool counts)" in " ".join(done.stdout.split())

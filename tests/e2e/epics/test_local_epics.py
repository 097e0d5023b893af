"""`orchestrate epic`: an epic of the local tracker from its making to its verification."""

import json

import pytest

from tests.support import Repo


def epic(repo: Repo, *args: str):
    return repo.cli("orchestrate", "epic", *args)


def records(repo: Repo) -> dict[str, dict]:
    rows = repo.file(".git/reviewgate-gh/issues.jsonl").read_text().splitlines()
    return {row["id"]: row for row in map(json.loads, rows)}


@pytest.mark.contract
def test_an_epic_is_made_worked_on_and_verified(repo: Repo) -> None:
    made = epic(
        repo, "add", "E1", "--title", "Speed", "--description", "Make it fast.",
        "--criterion", "it is fast", "--criterion", "it is small",
        "--issue", "One", "--issue", "Two",
    )  # fmt: skip
    assert (made.code, made.stdout) == (0, "E1\nE1.1\nE1.2\n"), made.output
    assert records(repo)["E1"]["acceptance_criteria"] == "- it is fast\n- it is small"
    assert epic(repo, "list").stdout == "E1  Speed\n  E1.1  open\n  E1.2  open\n"
    early = repo.cli("orchestrate", "verify-epic", "E1")
    assert "issues still open: E1.1, E1.2" in early.output
    assert epic(repo, "close", "E1.1", "E1.2").stdout == "closed: E1.1\nclosed: E1.2\n"
    repo.commit({".reviewgate-gh.yaml": "epic_verification: {reviewer_type: ensemble}\n"})
    done = repo.cli("orchestrate", "verify-epic", "E1")
    assert done.code == 78 and "no language model is configured" in done.stdout, done.output
    assert done.stderr.count("epic_verification_failed") == 1  # nothing that a retry would mend


def test_nothing_else_of_the_file_changes(repo: Repo) -> None:
    kept = '{"id": "x",  "title": "by hand"}'
    repo.write({".git/reviewgate-gh/issues.jsonl": f"{kept}\n"})
    assert epic(repo, "add", "E1", "--title", "Speed", "--issue", "One").code == 0
    assert epic(repo, "close", "E1.1").code == 0
    rows = repo.file(".git/reviewgate-gh/issues.jsonl").read_text().splitlines()
    assert rows[0] == kept and len(rows) == 3
    assert epic(repo, "close", "E1.1").stdout == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("add", "E1", "--title", "again"), "already has E1"),
        (("add", "F", "--title", "x", "--issue", "One"), "already has F.1"),
        (("add", "../E", "--title", "x"), "cannot be an epic's id"),
        (("close", "E1", "nope"), "has no issue nope"),
    ],
)
def test_mistakes_change_nothing(repo: Repo, args: tuple[str, ...], said: str) -> None:
    repo.write({".git/reviewgate-gh/issues.jsonl": '{"id": "F.1", "title": "by hand"}\n'})
    assert epic(repo, "add", "E1", "--title", "Speed").code == 0
    before = records(repo)
    done = epic(repo, *args)
    assert done.code == 64 and said in done.stderr, done.output
    assert records(repo) == before

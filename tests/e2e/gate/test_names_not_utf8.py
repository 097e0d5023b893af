"""A file whose name is not UTF-8: a tool that cannot name it has not reviewed it, and the built-in
checks read it."""

import json
import os

import pytest

from ...support import Repo

RAW = os.fsdecode(b"caf\xe9")
WORKFLOW = (
    "on: push\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'echo ${{ "
    "github.event.issue.title }}'}]}}\n"
)
FILES = {
    "ruff": (f"{RAW}.py", "print(undefined_name)\n"),
    "a shebang": (RAW, "#!/usr/bin/env python3\nprint(undefined_name)\n"),
    "a folder": (f"{RAW}/a.py", "print(undefined_name)\n"),
    "shellcheck": (f"{RAW}.sh", "#!/bin/sh\nif [ 1 ]; then\n"),
    "oxlint": (f"{RAW}.js", "let = = ;\n"),
    "zizmor": (f".github/workflows/{RAW}.yml", WORKFLOW),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "foreign"])
@pytest.mark.req("R005-008")
def test_a_change_of_nothing_else_is_no_pass(name: str, trusted: bool, repo: Repo) -> None:
    path, content = FILES[name]
    env = {} if trusted else {"CI": "1"}
    repo.commit({path: content})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env=env)
    report = json.loads(done.stdout)
    assert (done.code, report["verdict"]["outcome"]) == (2, "inconclusive"), done.output
    reason = report["verdict"]["reasons"][0]
    assert (
        r"it cannot name" in reason
        and r"caf\xe9" in reason
        and "give the file a name in UTF-8" in reason
    )
    [row] = [row for row in report["reviews"] if row["reviewer"] == "linters"]
    assert (row["status"], row["covered"]) == ("failed", 0)


def test_taking_it_away_is_a_pass(repo: Repo) -> None:
    repo.commit({f"{RAW}.py": "x = 1\n"})
    repo.commit({f"{RAW}.py": None})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    assert done.code == 0 and json.loads(done.stdout)["verdict"]["outcome"] == "pass", done.output


@pytest.mark.parametrize("path", [f"{RAW}.txt", RAW, f"{RAW}/a.txt", f"{RAW}.py"])
def test_the_built_in_checks_read_it(path: str, repo: Repo) -> None:
    repo.commit({path: f'key = "{"AKIA"}{"Z7QWERTYUIOPASDF"}"\n'})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    [found] = [
        f for f in json.loads(done.stdout)["findings"] if f["rule"].startswith("builtin/secret")
    ]
    assert (done.code, found["priority"], found["line_start"]) == (1, "P0", 1)

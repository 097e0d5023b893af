"""What a run must not keep to itself: what it did not review, what does not apply, why it ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, Repo

CONFIG = ".reviewgate-gh.yaml"


def notes(repo: Repo, *args: str) -> str:
    done = repo.cli("review", "--commit", "HEAD", *args)
    assert done.code in (0, 1), done.output
    return done.stdout


@pytest.mark.req("R009-006")
def test_uncommitted_files_are_named_and_a_configuration_among_them_does_not_apply(
    repo: Repo,
) -> None:
    repo.commit({"a.py": "x = 1\n"})
    assert "uncommitted" not in notes(repo)
    repo.write({"a.py": "x = 2\n", "new.py": "y = 1\n", "more/z.py": "z\n", CONFIG: "mode: warn\n"})
    said = notes(repo)
    assert "4 uncommitted files were not reviewed" in said and "add --uncommitted" in said
    assert "a.py" in said and f"{CONFIG} is not committed, so it does not apply" in said
    assert "were not reviewed (" not in repo.cli("review", "--uncommitted").stdout


def test_a_git_that_cannot_list_them_costs_no_verdict(repo: Repo) -> None:
    repo.commit({"a.txt": "words\n"})
    repo.git("config", "status.showUntrackedFiles", "nonsense")
    assert "and git cannot list it" in notes(repo)


def test_in_ci_nobody_asks_what_is_not_committed(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    repo.write({"built.py": "y = 1\n"})
    done = repo.cli("review", "--commit", "HEAD", env={"CI": "true"})
    assert "uncommitted" not in done.output


@pytest.mark.parametrize("name", [".reviewgate-gh.yml", ".reviewgate-gh-waivers.yml"])
def test_a_file_that_only_looks_like_ours_is_named(repo: Repo, name: str) -> None:
    repo.commit({name: "version: 1\n"})
    right = name.replace(".yml", ".yaml")
    assert f"{name} is not read: rename it to {right}" in notes(repo)


def test_a_keyless_reviewer_that_is_off_is_said_to_be(repo: Repo) -> None:
    repo.commit({CONFIG: "reviewers: {linters: off}\n"})
    repo.commit({"a.py": "undefined_name\n"})
    assert "reviewers.linters is off: it was not asked" in notes(repo)


def test_a_shallow_clone_is_told_how_to_get_the_commit(repo: Repo, tmp_path: Path) -> None:
    base = repo.head
    repo.commit({"a.py": "x = 1\n"})
    clone = repo.clone(tmp_path / "shallow", "--depth=1")
    done = clone.cli("review", "--base", base)
    assert done.code == 64 and "git fetch --unshallow" in done.stderr, done.output


@pytest.mark.parametrize("limit", [8, 14, 20])
@pytest.mark.req("R009-004")
def test_a_limit_of_open_files_is_one_clear_line(repo: Repo, limit: int) -> None:
    repo.commit({"a.py": "x = 1\n", "b.sh": "#!/bin/sh\n"})
    line = f"ulimit -n {limit}; {sys.executable} -P -m reviewgate_gh review --commit HEAD"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", line], cwd=repo.path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 64, done.stderr
    assert done.stderr.splitlines() == [
        f"reviewgate-gh: too many open files: the limit here is {limit}",
        "  raise it: ulimit -n 1024",
    ]


def test_warnings_of_python_are_nobodys_business(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    done = repo.cli("review", "--commit", "HEAD", env={"PYTHONWARNINGS": "error"})
    assert (done.code, done.stderr) == (0, ""), done.output


@pytest.mark.req("R008-010")
def test_a_probe_that_nobody_holds_is_a_push_like_any_other(repo: Repo, tmp_path: Path) -> None:
    """The variable of `hook status`, left set by hand, once with the answer already there."""
    repo.bare_remote(tmp_path / "bare")
    assert repo.push("--quiet", "origin", "HEAD:main").code == 0
    assert repo.cli("hook", "install").code == 0
    repo.commit({"a.py": "undefined_name\n"})
    folder = tmp_path / "left"
    folder.mkdir()
    (folder / "reached").write_text("refs")
    bad = Repo(repo.path, {**repo.env, "REVIEWGATE_GH_PROBE": str(folder / "reached")})
    done = bad.push("--quiet", "origin", "HEAD:main")
    assert done.code == 1 and "block" in done.output, done.output


def test_files_that_an_imported_report_names_and_nobody_has_are_said(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit({"old.py": "x = 1\n"})
    repo.commit({"a.py": "x = 1\n"})
    rows = [
        f'<file name="{name}"><error line="1" message="m"/></file>'
        for name in ("a.py", "old.py", "src/gone.py")
    ]
    report = tmp_path / "report.xml"
    report.write_text(f"<checkstyle>{''.join(rows)}</checkstyle>")
    said = notes(repo, "--import", str(report))
    assert "no such file in" in said and "src/gone.py (is the report about another" in said
    assert "old.py" not in said

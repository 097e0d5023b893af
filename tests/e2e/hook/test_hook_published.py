"""The two hooks of .pre-commit-hooks.yaml with README.md's own lines: the framework clones this
project and installs it by itself."""

import re
import shutil
from pathlib import Path

import pytest

from ...support import ROOT, Repo, run, tool
from ..acting import action_folder
from ..pushing import Pushing

BAD = {"bad.py": "print(undefined_name)\n", "bad.sh": "#!/bin/sh\nif [ 1 ]; then\n"}
GOOD = {"bad.py": "print(1)\n", "bad.sh": "#!/bin/sh\nls\n"}
FOUND = ("ruff/F821", "shellcheck/SC1")


def published(folder: Path) -> Repo:
    """A repository with what a project takes from this one."""
    action_folder(folder)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", folder)
    made = Repo.init(folder)
    made.commit()
    return made


def as_the_readme_says(user: Repo, ours: Repo) -> None:
    """Its lines with this address and revision, and its command."""
    text = (ROOT / "README.md").read_text("utf-8")
    block, command = (
        re.search(r"```yaml\n(repos:.*?)```", text, re.DOTALL),
        re.search(r"`pre-commit (install [^`]+)`", text),
    )
    assert block and command
    lines, addresses = re.subn(r"(?<=repo: )\S+", f"file://{ours.path}", block[1])
    lines, revisions = re.subn(r"(?<=rev: )\S+", ours.head, lines)
    assert (addresses, revisions) == (1, 1)
    user.commit({".pre-commit-config.yaml": lines})
    assert user.push("-q", "origin", "main").code == 0
    done = run([tool("pre-commit"), *command[1].split()], user.path)
    assert done.code == 0, done.output


def test_both_hooks_are_installed_and_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not tool("pre-commit"):
        pytest.skip("no pre-commit: pip install pre-commit")
    store = tmp_path / "pre-commit"
    monkeypatch.setenv("PRE_COMMIT_HOME", str(store))
    # Whose programs do not see this folder
    user = Repo(Pushing.make(tmp_path, install=False).repo.path)
    as_the_readme_says(user, published(tmp_path / "ours"))

    user.write(BAD)
    user.git("add", "--all")
    done = user.ran("commit", "--message", "bad")
    assert done.code == 1 and all(rule in done.stderr for rule in FOUND), done.output
    programs = {path.name for path in store.glob("repo*/py_env-*/bin/*")}
    assert {"reviewgate-gh", "ruff", "shellcheck", "oxlint", "zizmor"} <= programs

    user.git("commit", "--quiet", "--no-verify", "--message", "bad")
    done = user.push("origin", "main")
    assert done.code != 0 and all(rule in done.stdout for rule in FOUND), done.output
    assert "the pre-commit framework passes only" not in done.stdout  # there is no other ref

    user.write(GOOD)
    user.git("add", "--all")
    done = user.ran("commit", "--message", "good")
    assert done.code == 0 and "review gate (staged)" in done.stderr, done.output
    done = user.push("origin", "main")
    assert done.code == 0 and "reviewgate-gh: pass" in done.stdout, done.output

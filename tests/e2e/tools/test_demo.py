"""`demo`: the real engine, for somebody who has just installed it."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ...support import Ran, Repo

ORDER = (
    "$ reviewgate-gh hook install", "$ reviewgate-gh review", "reviewgate-gh: block",
    "$ git push origin main", "reviewgate-gh: block",
    "error: failed to push", ("$ git commit --quiet --all "
    "--amend --no-edit"), "$ git push origin main", "main -> main",
)  # fmt: skip


@pytest.mark.contract
def test_it_blocks_refuses_and_accepts(cli: Callable[..., Ran], tmp_path: Path) -> None:
    done = cli("demo", env={"HOME": "", "GIT_CONFIG_GLOBAL": os.devnull, "TMPDIR": str(tmp_path)})
    assert done.code == 0, done.output
    at = 0
    for text in ORDER:
        at = done.stdout.index(text, at) + len(text)
    for rule in ("secret-aws-access-key", "ruff/F821", "ruff/S602"):
        assert done.stdout.count(rule) == 2, rule
    assert "AKIA" not in done.output
    assert "\x1b" not in done.output
    assert list(tmp_path.iterdir()) == [], "the folder is removed"


def test_keep_leaves_the_repository(cli: Callable[..., Ran], tmp_path: Path) -> None:
    done = cli("demo", "--keep", env={"TMPDIR": str(tmp_path)})
    assert done.code == 0, done.output
    found = re.search(r"The repository is still there: (\S+)", done.stdout)
    assert found, done.output
    kept = Repo(Path(found[1]))
    assert kept.git("log", "--format=%s") == "Name the archive\nArchive folders"
    assert kept.git("rev-parse", "origin/main") == kept.head


def test_a_gate_that_finds_nothing_is_told_about(cli: Callable[..., Ran], tmp_path: Path) -> None:
    """With a program on PATH that is no linter, the demo cannot go as it should, and says what
    differed."""
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\ncase "$*" in *push*main*) exit 0 ;; esac\nexec {_git()} "$@"\n')
    fake.chmod(0o755)
    done = cli("demo", env={"PATH": f"{fake.parent}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)})
    assert done.code == 5, done.output
    assert "expected: `git push origin main` exits with 1, not 0" in done.stdout


def _git() -> str:
    import shutil

    return shutil.which("git") or "git"

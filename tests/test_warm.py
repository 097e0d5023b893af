"""A call that is forked ends and writes as one that is started from nothing."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .support import ROOT, Ran, Repo, cli, run
from .warm import Warm

pytestmark = pytest.mark.skipif(not Warm.can(), reason="needs Linux")
BAD = {"a.py": "def f(x):\n    return undefined_name\n", "ü.sh": "#!/bin/sh\necho $1\n"}


def started(*args: str, cwd: Path, stdin: str = "") -> Ran:
    return run(
        [sys.executable, "-P", "-m", "reviewgate_gh", *args], cwd, {"PYTHONPATH": str(ROOT)}, stdin
    )


def test_it_ends_and_writes_as_one_that_is_started(repo: Repo) -> None:
    repo.commit(BAD)
    for args, stdin in (
        (("review", "--commit", "HEAD"), ""),
        (("review", "--commit", "\udcff\n"), ""),
        (("hook", "run", "origin", "x"), "no line of git's\n"),
        (("--version",), "more than a pipe holds " * 10_000),
        (("nonsense",), ""),
    ):
        assert cli(*args, cwd=repo.path, stdin=stdin) == started(
            *args, cwd=repo.path, stdin=stdin
        ), args


def test_many_at_once_and_one_that_takes_too_long(repo: Repo) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    warm = Warm(env)
    assert (
        warm.fits(env)
        and not warm.fits(env | {"PYTHONUTF8": "0"})
        and not warm.fits(env | {"LC_ALL": "x"})
    )

    def code(args: tuple[str, ...]) -> int:
        return warm.run("reviewgate_gh", args, repo.path, env, b"", 0 if "review" in args else 60)[
            0
        ]

    calls = [("config", "check"), ("nonsense",), ("review", "--all-files")] * 4
    with ThreadPoolExecutor(len(calls)) as pool:
        assert list(pool.map(code, calls)) == [0, 64, -9] * 4


def test_folders_to_import_from_may_be_added(tmp_path: Path) -> None:
    """What is in them is imported as ever; where they hold what is imported already, or at the
    start, nothing is forked."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    warm = Warm(env)
    (tmp_path / "other.py").write_text("print('the other', __name__)")
    more = env | {"PYTHONPATH": f"{ROOT}:{tmp_path}"}
    assert warm.fits(more) and warm.run("other", [], tmp_path, more, b"", 60)[:2] == (
        0,
        b"the other __main__\n",
    )
    for path in (f"{tmp_path}:{ROOT}", f"{ROOT}:relative", f"{ROOT}:", f"{ROOT}:{tmp_path}/none"):
        assert not warm.fits(env | {"PYTHONPATH": path}), path
    for name in ("click.py", "sitecustomize.py", "json"):
        (folder := tmp_path / f"with {name}").mkdir()
        (folder / name).touch()
        assert not warm.fits(env | {"PYTHONPATH": f"{ROOT}:{folder}"}), name

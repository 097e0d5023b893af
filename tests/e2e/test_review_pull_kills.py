"""`review --pr` killed at every write of its own: what it keeps for `publish` is whole or not there, and the next run is as ever."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reviewgate_gh.reporters.json import load
from tests.support import ROOT

from .dying import AT_FILE, operations
from .forge import Forge
from .sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, POINTS = 20261123, 6
STATE = ".git/reviewgate-gh"
EVIL = "def f(x):\n    return eval(x)\n"


def run(clone: Path, nth: int) -> tuple[int, str]:
    """`review --pr 1` that dies at that point."""
    argv = [sys.executable, "-P", "-c", AT_FILE, STATE, str(nth), "review", "--pr", "1", "--output-path", os.devnull]
    done = subprocess.run(argv, cwd=clone, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


def kept(clone: Path) -> list[tuple[str, int]]:
    """The findings of every report that is kept, each of which can be read, and of the one for `publish` twice."""
    paths = [*(clone / STATE).glob("reviews/*/report.json"), *(clone / STATE).glob("tmp/pr-1/report.json")]
    return [(finding.path, finding.line_start) for path in paths for finding in load(path.read_text()).findings]


def test_killed_at_any_write(make_repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    forge = Forge(make_repo, tmp_path)
    forge.pull({"a.py": EVIL})
    clone = forge.clone.path
    code, said = run(clone, 10_000)
    assert code == 1 and kept(clone) == [("a.py", 2)] * 2
    number = operations(said)
    points = [*range(1, number + 1)]
    chosen = points if FULL else sample(points, POINTS, str(SEED))
    for nth in chosen:
        shutil.rmtree(clone / STATE)
        assert run(clone, nth)[0] == -signal.SIGKILL
        assert kept(clone) in ([], [("a.py", 2)], [("a.py", 2)] * 2), nth
        done = forge.clone.cli("review", "--pr", "1")
        assert done.code == 1 and (clone / STATE / "tmp/pr-1/report.json").exists() and set(kept(clone)) == {("a.py", 2)}, done.output
    with capsys.disabled():
        print(f"\nreview --pr: killed at {len(chosen)} of {number} operations on its own files, every next run as ever")

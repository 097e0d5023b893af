"""`review --pr` killed at every write of its own and at every request: what it keeps is whole or
not there, and the next run is as ever."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reviewgate_gh.reporters.json import load_report
from tests.peers.github.servers import Servers
from tests.support import ROOT

from ..dying import dying, operations
from ..forge import Forge
from ..publishing import Result, Scene, Stage, Stock, prepare
from ..sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, POINTS, CELLS = 20261123, 3, 2
STATE = ".git/reviewgate-gh"
EVIL = "def f(x):\n    return evil(x)\n"


def run(clone: Path, nth: int, noted: Path) -> int:
    """`review --pr 1` that dies at that point."""
    argv = [
        sys.executable,
        "-P",
        *dying(STATE, nth, noted),
        "review",
        "--pr",
        "1",
        "--output-path",
        os.devnull,
    ]
    done = subprocess.run(
        argv,
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode


def kept(clone: Path) -> list[tuple[str, int]]:
    """The findings of every report that is kept, each of which can be read, and of the one for
    `publish` twice."""
    paths = [
        *(clone / STATE).glob("reviews/*/report.json"),
        *(clone / STATE).glob("tmp/pr-1/report.json"),
    ]
    return [
        (finding.path, finding.line_start)
        for path in paths
        for finding in load_report(path.read_text()).findings
    ]


def test_killed_at_any_write(make_repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    forge = Forge(make_repo, tmp_path)
    forge.pull({"a.py": EVIL})
    clone, noted = forge.clone.path, tmp_path / "operations"
    assert run(clone, 0, noted) == 1 and kept(clone) == [("a.py", 2)] * 2
    points = [*range(1, len(operations(noted)) + 1)]
    chosen = points if FULL else sample(points, POINTS, str(SEED))
    for nth in chosen:
        shutil.rmtree(clone / STATE)
        assert run(clone, nth, noted) == -signal.SIGKILL
        assert kept(clone) in ([], [("a.py", 2)], [("a.py", 2)] * 2), nth
        done = forge.clone.cli("review", "--pr", "1")
        assert (
            done.code == 1
            and (clone / STATE / "tmp/pr-1/report.json").exists()
            and set(kept(clone)) == {("a.py", 2)}
        ), done.output
    with capsys.disabled():
        print(
            f"\nreview --pr: killed at {len(chosen)} of {len(points)} operations on its own "
            "files, every next run as ever"
        )


class Running:
    """`review --pr 1 --publish` in a clone, to be killed from a thread that serves one of its
    requests."""

    def __init__(self, clone: Path, stage: Stage) -> None:
        argv = [
            sys.executable,
            "-P",
            "-m",
            "reviewgate_gh",
            "review",
            "--pr",
            "1",
            "--publish",
            "--output-path",
            os.devnull,
        ]
        env = {**os.environ, **stage.github.env(stage.token), "PYTHONPATH": str(ROOT)}
        self._started = threading.Event()
        self._argv, self._env, self._clone = argv, env, clone

    def code(self) -> int:
        """How it ends."""
        self._process = subprocess.Popen(
            self._argv,
            cwd=self._clone,
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._started.set()
        return self._process.wait(60)

    def kill(self) -> None:
        """End it, and be sure that it has ended."""
        assert self._started.wait(20)
        self._process.kill()
        self._process.wait(20)


def requested(scene: Scene, clone: Path) -> tuple[Result, list[tuple[str, str, int, bool]]]:
    """What an undisturbed run leaves, and every point at which it can be killed: before GitHub does
    what it is asked, and after."""
    with scene.stage() as stage:
        assert Running(clone, stage).code() == 1
        sent = [(each.method, each.path) for each in stage.github.journal.entries]
        wanted = Result.of(stage)
    assert set(wanted.said.values()) == {1} and len(wanted.said) == 3
    return wanted, [
        (*each, sent[:at].count(each) + 1, stored)
        for at, each in enumerate(sent)
        for stored in (False, True)
    ]


def test_killed_at_any_request(
    github_servers: Servers, stock: Stock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    scene = prepare(github_servers, stock, "evil", report=None)
    clone = stock.repo.clone(tmp_path / "clone").path
    wanted, cells = requested(scene, clone)
    chosen = (
        cells
        if FULL
        else sample(
            cells, CELLS, f"{SEED} requests", lambda cell: cell[1].endswith("/reviews") and cell[3]
        )
    )
    for method, path, nth, stored in chosen:
        shutil.rmtree(clone / STATE, ignore_errors=True)
        with scene.stage() as stage:
            running = Running(clone, stage)
            stage.github.fault(
                "reset",
                method,
                path,
                nth,
                stored=stored,
                **{"after" if stored else "before": running.kill},
            )
            assert running.code() == -signal.SIGKILL, (method, path, nth, stored)
            for _ in range(2):
                assert Running(clone, stage).code() == 1 and Result.of(stage) == wanted, (
                    method,
                    path,
                    nth,
                    stored,
                )
            assert not stage.github.duplicates()
    with capsys.disabled():
        print(
            f"\nreview --pr --publish: killed at {len(chosen)} of {len(cells)} points, every "
            "next run as ever"
        )

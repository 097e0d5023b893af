"""`publish` killed at every request and at every write of its own: the next run leaves what one
undisturbed run would have left."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import render
from tests.peers.github.servers import Servers
from tests.support import ROOT

from ..dying import dying, operations
from ..publishing import RESOLVER, Result, Scene, Stage, Stock, prepare
from ..sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CELLS, WRITES = 20260103, 1, 1
OUTBOX = "reviewgate-gh/outbox"
SETTINGS = {
    "first": {"max_inline": 2},
    "later": {"max_inline": 2, "resolve": True},
    "withdrawn": {"approve": True},
    "withheld": {"approve": True},
    "many": {"max_inline": 40},
    "checked": {"max_inline": 40, "check_run": True},
    "tracked": {"max_inline": 2},
}
HELD = {**RESOLVER, "checks": "write", "issues": "write"}
# Two issues a run, so that the third finding waits on disk: it takes another run.
TRACKED = {"type": "github", "max_new": 2}
_stocks: dict[str, Stock] = {}


@dataclass
class Running:
    """`publish` in a process of its own."""

    stage: Stage
    scene: Scene
    folder: Path
    process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self, *before: str) -> subprocess.Popen[bytes]:
        path = self.folder / "report.json"
        path.write_text(render(self.scene.report, OutputStyle()))
        argv = [
            sys.executable,
            "-P",
            *(before or ("-m", "reviewgate_gh")),
            "publish",
            "1",
            "--report",
            str(path),
        ]
        env = {**os.environ, **self.stage.github.env(self.stage.token), "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            argv,
            cwd=self.stage.common.parent,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return self.process

    def again(self, *before: str) -> int:
        """A run to its end; its exit code."""
        return self.start(*before).wait(60)

    def kill(self, sign: int = signal.SIGKILL) -> None:
        """End it, and be sure that it has ended; a request that has come asks for it, so it is
        there."""
        while self.process is None:
            pass
        self.process.send_signal(sign)
        self.process.wait(20)


def scene_of(name: str, servers: Servers, folder: pytest.TempPathFactory) -> Scene:
    if name not in _stocks:
        tracker = TRACKED if name == "tracked" else {"type": "none"}
        _stocks[name] = Stock.make(folder.mktemp("stock"), SETTINGS[name], tracker=tracker)
    stock, more = _stocks[name], {"config": SETTINGS[name], "permissions": HELD}
    if name == "later":
        return prepare(
            servers,
            stock,
            "next",
            lambda stage: stage.run(stock.report("evil")),
            start="evil",
            **more,
        )
    if name == "withdrawn":
        play = lambda stage: stage.run(stock.report("clean"))  # noqa: E731
        return prepare(servers, stock, "evil", play, start="clean", login="grace", **more)
    if name == "withheld":
        red = lambda stage: stage.hosted.check(stage.pull.stored.head_sha, "lint", "failure")  # noqa: E731
        return prepare(servers, stock, "clean", red, login="grace", **more)
    if name == "tracked":
        return prepare(
            servers,
            stock,
            "evil",
            lambda stage: stage.hosted.stored.collaborators.update(ada="write"),
            **more,
        )
    return prepare(servers, stock, "evil" if name == "first" else "many", **more)


@dataclass(frozen=True)
class Left:
    """What runs have left: at GitHub, and nothing on disk."""

    result: Result
    issues: Counter[str]
    waiting: list[str]

    @classmethod
    def of(cls, stage: Stage) -> "Left":
        """As it stands now."""
        folder = stage.common / OUTBOX
        # These go when they are old enough to be nobody's
        half = (path.relative_to(folder) for path in folder.glob("tracker/.*"))
        files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        return cls(Result.of(stage), stage.issues(), sorted(map(str, files.difference(half))))


@contextmanager
def killed(name: str, scene: Scene, wanted: Left, tmp_path: Path) -> Iterator[Running]:
    """A run to be killed in here; afterwards the next ones are looked at: those with a tracker are
    whole runs of the command."""
    shutil.rmtree(scene.common / "reviewgate-gh", ignore_errors=True)
    with scene.stage() as stage:
        running = Running(stage, scene, tmp_path)
        yield running
        stage.github.faults.planned.clear()
        again, runs = (
            (running.again, 3) if name == "tracked" else (lambda: stage.run(scene.report).code, 1)
        )
        assert [again() for _ in range(runs)] == [0] * runs
        assert Left.of(stage) == wanted and not stage.github.duplicates()
        created = stage.created()
        assert again() == 0 and stage.created() == created


def undisturbed(name: str, scene: Scene, tmp_path: Path) -> tuple[Left, list[tuple[str, str]]]:
    """What runs leave, and the requests that the first one sends."""
    shutil.rmtree(scene.common / "reviewgate-gh", ignore_errors=True)
    with scene.stage() as stage:
        running = Running(stage, scene, tmp_path)
        assert running.again() == 0
        requests = [(each.method, each.path) for each in stage.github.journal.entries]
        assert name != "tracked" or running.again() == 0
        left = Left.of(stage)
        assert not left.waiting and set(left.issues.values()) == (
            {1} if name == "tracked" else set()
        )
        return left, requests


@pytest.mark.parametrize("name", SETTINGS)
def test_killed_at_any_request(
    name, github_servers: Servers, tmp_path_factory, tmp_path: Path, capsys
):
    scene = scene_of(name, github_servers, tmp_path_factory)
    wanted, requests = undisturbed(name, scene, tmp_path)
    cells = [
        (method, path, requests[:at].count((method, path)) + 1, stored, sign)
        for at, (method, path) in enumerate(requests)
        for stored in (False, True)
        for sign in (signal.SIGKILL, signal.SIGTERM)
    ]
    made = [
        method_and_path
        for method_and_path in dict.fromkeys(cell[:2] for cell in cells)
        if method_and_path[0] in ("POST", "PATCH")
    ]
    made.remove(("POST", "/graphql"))
    always = [lambda cell, each=each: cell[:2] == each for each in made]
    chosen = cells if FULL else sample(cells, max(CELLS, len(always)), f"{SEED} {name}", *always)
    for method, path, nth, stored, sign in chosen:
        with killed(name, scene, wanted, tmp_path) as running:
            fault = running.stage.github.fault("reset", method, path, nth, stored=stored)
            kill = lambda: running.kill(sign)  # noqa: B023, E731
            fault.before, fault.after = (None, kill) if stored else (kill, None)
            code = running.start().wait(60)
        assert code == (-signal.SIGKILL if sign == signal.SIGKILL else 130), (
            method,
            path,
            nth,
            stored,
        )
    with capsys.disabled():
        print(
            f"\n{name}: killed at {len(chosen)} of {len(cells)} points of {len(requests)} "
            "requests, every next run consistent"
        )


@pytest.mark.parametrize("name", ["first", "checked", "tracked"])
def test_killed_at_any_write_of_its_own(
    name, github_servers: Servers, tmp_path_factory, tmp_path: Path, capsys
):
    scene, noted = scene_of(name, github_servers, tmp_path_factory), tmp_path / "operations"
    wanted, _ = undisturbed(name, scene, tmp_path)
    with scene.stage() as stage:
        assert Running(stage, scene, tmp_path).again(*dying(OUTBOX, 0, noted)) == 0
    points = [*range(1, len(operations(noted)) + 1)]
    chosen = points if FULL else sample(points, WRITES, f"{SEED} {name}")
    for nth in chosen:
        with killed(name, scene, wanted, tmp_path) as running:
            assert running.again(*dying(OUTBOX, nth, noted)) == -signal.SIGKILL, nth
    with capsys.disabled():
        print(
            f"\n{name}: killed at {len(chosen)} of {len(points)} operations on the outbox, every "
            "next run consistent"
        )

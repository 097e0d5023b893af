"""`publish` killed at every request and at every write of its own: the next run leaves what one undisturbed run would have left."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reviewgate_gh.reporters._look import Look
from reviewgate_gh.reporters.json import render
from tests.peers.github.servers import Servers
from tests.support import ROOT

from .publishing import Result, Scene, Stage, Stock, prepare
from .sampling import sample

pytestmark = pytest.mark.peer
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CELLS = 20260103, 3
OUTBOX = "reviewgate-gh/outbox/octo-repo-1"
# Kills its own process at the nth operation on files of the outbox; prints how many there were otherwise.
AT_FILE = """
import os, runpy, signal, sys
folder, left = sys.argv[1], int(sys.argv[2])
def watch(event, args):
    global left
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod") and any(folder in str(each) for each in args):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
sys.argv = ["reviewgate-gh", *sys.argv[3:]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
"""
SETTINGS = {
    "first": {"max_inline": 2},
    "later": {"max_inline": 2, "resolve": True},
    "withdrawn": {"approve": True},
    "many": {"max_inline": 40},
}
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
        path.write_text(render(self.scene.report, Look()))
        argv = [sys.executable, "-P", *(before or ("-m", "reviewgate_gh")), "publish", "1", "--report", str(path)]
        env = {**os.environ, **self.stage.github.env(self.stage.token), "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(argv, cwd=self.stage.common.parent, env=env, stderr=subprocess.DEVNULL)
        return self.process

    def kill(self, sign: int = signal.SIGKILL) -> None:
        """End it, and be sure that it has ended; a request that has come asks for it, so it is there."""
        while self.process is None:
            pass
        self.process.send_signal(sign)
        self.process.wait(20)


def scene_of(name: str, servers: Servers, folder: pytest.TempPathFactory) -> Scene:
    config = SETTINGS[name]
    key = json.dumps(config)
    if key not in _stocks:
        _stocks[key] = Stock.make(folder.mktemp("stock"), config)
    stock = _stocks[key]
    if name in ("first", "many"):
        return prepare(servers, stock, "evil" if name == "first" else "many", config=config)
    if name == "later":
        return prepare(servers, stock, "next", lambda stage: stage.run(stock.report("evil")), start="evil", config=config)
    play = lambda stage: stage.run(stock.report("clean"))  # noqa: E731
    return prepare(servers, stock, "evil", play, start="clean", login="grace", config=config)


@contextmanager
def killed(scene: Scene, wanted: Result, tmp_path: Path) -> Iterator[Running]:
    """A run to be killed in here; afterwards the next one is looked at."""
    with scene.stage() as stage:
        running = Running(stage, scene, tmp_path)
        yield running
        stage.github.faults.planned.clear()
        second = stage.run(scene.report)
        assert second.code == 0 and Result.of(stage) == wanted, second
        outbox = stage.common / OUTBOX
        assert not [each for each in outbox.rglob("*") if each.is_file()] and not stage.github.duplicates()
        created = stage.created()
        assert stage.run(scene.report).code == 0 and stage.created() == created


def undisturbed(scene: Scene, tmp_path: Path) -> tuple[Result, list[tuple[str, str]]]:
    """What one run leaves, and the requests that it sends."""
    with scene.stage() as stage:
        assert Running(stage, scene, tmp_path).start().wait(60) == 0
        return Result.of(stage), [(each.method, each.path) for each in stage.github.journal.entries]


@pytest.mark.parametrize("name", SETTINGS)
def test_killed_at_any_request(name, github_servers: Servers, tmp_path_factory, tmp_path: Path):
    scene = scene_of(name, github_servers, tmp_path_factory)
    wanted, requests = undisturbed(scene, tmp_path)
    cells = [
        (method, path, requests[:at].count((method, path)) + 1, stored, sign)
        for at, (method, path) in enumerate(requests)
        for stored in (False, True)
        for sign in (signal.SIGKILL, signal.SIGTERM)
    ]
    chosen = cells if FULL else sample(cells, CELLS, f"{SEED} {name}", lambda cell: cell[0] == "POST" and cell[1] != "/graphql")
    for method, path, nth, stored, sign in chosen:
        with killed(scene, wanted, tmp_path) as running:
            fault = running.stage.github.fault("reset", method, path, nth, stored=stored)
            kill = lambda: running.kill(sign)  # noqa: B023, E731
            fault.before, fault.after = (None, kill) if stored else (kill, None)
            code = running.start().wait(60)
        assert code == (-signal.SIGKILL if sign == signal.SIGKILL else 130), (method, path, nth, stored)
    print(f"{name}: killed at {len(chosen)} of {len(cells)} points of {len(requests)} requests, every next run consistent")


def test_killed_at_any_write_of_its_own(github_servers: Servers, tmp_path_factory, tmp_path: Path):
    scene = scene_of("first", github_servers, tmp_path_factory)
    wanted, _ = undisturbed(scene, tmp_path)
    for nth in range(1, 40):
        with killed(scene, wanted, tmp_path) as running:
            code = running.start("-c", AT_FILE, OUTBOX, str(nth)).wait(60)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert 5 < nth < 39
    print(f"killed at {nth - 1} of {nth - 1} operations on the outbox, every next run consistent")

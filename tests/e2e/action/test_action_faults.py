"""The Action with a token, its own step in a new clone for each run, and everything that can go
wrong at every request that it sends.

Whatever the fault: the step's exit code is its verdict's, or 69 where it would have passed; no
approval without evidence, nothing said twice, each finding in the report and on the pull request,
or the report says that it is not there; and the next run, without a fault, leaves what one without
faults leaves. A seeded sample; the whole with REVIEWGATE_GH_FULL, but for answers that never end,
which the tests of `publish` wait for.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.github import Step, pull_request, step
from tests.peers.github.servers import Servers

from ..faulting import HIDDEN, NEVER, SLOW, Cell, cells, posts, requests_of
from ..publishing import Result, Scene, Stage, Stock, prepare
from ..pull_request.test_publish_faults import green
from ..sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CELLS = 20261125, 2
HASTY = (sys.executable, "-P", str(Path(__file__).parent.with_name("hasty.py")))
CONFIG = {"approve": True, "max_inline": 2}
NOT_POSTED = "nothing more was posted"
_stock: list[Stock] = []


@pytest.fixture
def approving(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """The base's own file allows approving; one for all tests of this process."""
    if not _stock:
        _stock.append(Stock.make(tmp_path_factory.mktemp("approving"), CONFIG))
    return _stock[0]


def _evil_before(stock: Stock) -> Callable[[Stage], Any]:
    return lambda stage: stage.run(stock.report("evil"))


def _red(stage: Stage) -> None:
    stage.hosted.check(green(stage), "lint", "failure")


def later(servers: Servers, stock: Stock) -> Scene:
    """One finding is mended, one is new, which takes the verdict's exit code."""
    return prepare(
        servers, stock, "next", _evil_before(stock), start="evil", config=CONFIG, report=None
    )


def red(servers: Servers, stock: Stock) -> Scene:
    return prepare(servers, stock, "clean", _red, login="grace", config=CONFIG, report=None)


def approved(servers: Servers, stock: Stock) -> Scene:
    return prepare(
        servers, stock, "clean", green, login="grace", config=CONFIG, report=None, approves=True
    )


SCENES = {"later": ("next", 1, later), "red": ("clean", 0, red), "approved": ("clean", 0, approved)}


@dataclass(frozen=True)
class Job:
    """Runs of one workflow, whose clone is new each time."""

    stock: Stock
    folder: Path
    head: str

    def run(self, stage: Stage) -> Step:
        number = len([*self.folder.iterdir()])
        clone = self.stock.repo.clone(self.folder / f"clone{number}", "--no-checkout")
        head = self.stock.commits[self.head]
        clone.git("update-ref", "--no-deref", "HEAD", head)
        event = pull_request(self.stock.repo.rev("main"), head)
        return step(
            clone,
            "pull_request",
            event,
            self.folder / f"step{number}",
            env=stage.github.env(),
            under=HASTY,
            token=stage.token,
        )


def found(done: Step) -> set[str]:
    """The findings of its report."""
    return {f"{each['path']}:{each['line_start']}" for each in done.report()["findings"]}


def play(
    scene: Scene, job: Job, cell: Cell, code: int, wanted: tuple[Result, set[str]]
) -> list[str]:
    """What was wrong with the runs under this fault; nothing."""
    wrong = []
    with scene.stage() as stage:
        stage.github.forgive()
        times = NEVER if cell.always else 1
        stage.github.fault(
            cell.mode,
            cell.method,
            cell.path,
            cell.nth,
            times=times,
            stored=cell.stored,
            text=cell.text,
        )
        run = job.run(stage)
        result, said = Result.of(stage), NOT_POSTED in str(run.report()["notices"])
        if run.ran.code != (code or 69 * said):
            wrong.append(f"OPEN: exit {run.ran.code}")
        if stage.approvals() and not scene.approves:
            wrong.append(f"OPEN: approved {stage.approvals()}")
        if not (cell.mode == "stale" and cell.always):
            there = (*result.said.items(), *result.withheld.items())
            wrong += [
                f"TWICE: {name} stands there {times} times" for name, times in there if times > 1
            ]
        wrong += [f"TWICE: {each}" for each in stage.github.duplicates() if cell.mode not in HIDDEN]
        if found(run) != wanted[1] or (not said and wanted[0].said - result.said):
            wrong.append(f"LOST: {found(run)} in the report, {result.said} on the pull request")
        stage.github.faults.planned.clear()
        second = job.run(stage)
        after = Result.of(stage).beside(wanted[0])
        if second.ran.code != code or after != wanted[0]:
            wrong.append(
                f"LOST: after the second run (exit {second.ran.code}) {after} instead of "
                f"{wanted[0]}"
            )
        created = stage.created()
        if FULL and (job.run(stage).ran.code != code or stage.created() != created):
            wrong.append(f"TWICE: a third run creates {stage.created() - created}")
    return [f"{cell}: {each} (first run: exit {run.ran.code}, {run.ran.output})" for each in wrong]


@pytest.mark.parametrize("name", SCENES)
def test_no_fault_opens_the_action_says_it_twice_or_loses_a_finding(
    name: str,
    github_servers: Servers,
    approving: Stock,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    head, code, make = SCENES[name]
    scene, job = make(github_servers, approving), Job(approving, tmp_path, head)
    with scene.stage(refereed=True) as stage:
        clean = job.run(stage)
        wanted = Result.of(stage), found(clean)
        assert clean.ran.code == code and bool(stage.approvals()) == scene.approves, (
            clean.ran.output
        )
        assert bool(wanted[0].said) == (name == "later") and sum(wanted[0].withheld.values()) == (
            name == "red"
        )
        all_cells = [cell for cell in cells(requests_of(stage)) if cell.mode not in SLOW]
    chosen = all_cells if FULL else sample(all_cells, CELLS, f"{SEED} {name}", posts)
    wrong = [each for cell in chosen for each in play(scene, job, cell, code, wanted)]
    kinds = [sum(f": {kind}: " in each for each in wrong) for kind in ("OPEN", "TWICE", "LOST")]
    with capsys.disabled():
        print(
            "\nthe Action, {}: {} of {} faults injected; {} open, {} twice, {} lost".format(
                name, len(chosen), len(all_cells), *kinds
            )
        )
    assert not wrong, "\n".join(wrong[:20])

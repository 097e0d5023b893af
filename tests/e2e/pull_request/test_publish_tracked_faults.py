"""The same where findings become GitHub issues, too: whatever goes wrong, none is made twice and
none is lost."""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.github.client import open_github
from reviewgate_gh.issues.tracked import Workspace
from reviewgate_gh.model.config import Config, PublishConfig, TrackerConfig
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.pull_request.publish import PublishOptions
from reviewgate_gh.pull_request.publish_kept import publish_and_track
from reviewgate_gh.system.environment import Environment
from tests.peers.github.servers import Servers

from ..faulting import HIDDEN, NEVER, SLOW, Cell, cells, posts, requests_of
from ..publishing import RESOLVER, Scene, Skipping, Stage, Stock, prepare
from ..sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED, CELLS = 20261122, 2
HELD = {**RESOLVER, "issues": "write"}


class Clone:
    """What one run after another leaves in the clone, from which each of them posts and makes
    issues."""

    def __init__(self, stock: Stock, folder: Path) -> None:
        self.path = folder
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(stock.repo.path, folder)

    def run(self, stage: Stage, scene: Scene, exchange: float = 30.0) -> tuple[int, str]:
        """Exit code and words of posting a report with a tracker."""
        environment = Environment(stage.github.env(stage.token), self.path)
        config = Config(
            publish=PublishConfig(max_inline=2),
            tracker=TrackerConfig(type="github", close_fixed=True),
        )
        git = open_repository(self.path, environment.variables)
        try:
            client = open_github(environment, "octo/repo", timing=Skipping(exchange).timing)
            posted = publish_and_track(
                scene.report,
                PublishOptions(1, track_issues=True),
                config,
                client,
                Workspace(git, environment, []),
            )
        except GateError as error:
            return int(error.exit), error.message
        return (69 if posted.error else 0), posted.terminal_text


def first(servers: Servers, stock: Stock, folder: Path) -> Scene:
    return prepare(servers, stock, "evil", member, permissions=HELD)


def later(servers: Servers, stock: Stock, folder: Path) -> Scene:
    """One finding is mended and its issue closed, one is new."""
    before: list[Scene] = []

    def play(stage: Stage) -> None:
        member(stage)
        before.append(Scene(servers, {}, stage.common, stage.token, {}, stock.report("evil")))
        assert not Clone(stock, folder).run(stage, before[0])[0]

    return prepare(servers, stock, "next", play, start="evil", permissions=HELD)


def member(stage: Stage) -> None:
    stage.hosted.stored.collaborators["ada"] = "write"


SCENES: dict[str, Callable[[Servers, Stock, Path], Scene]] = {
    each.__name__: each for each in (first, later)
}


def play(
    scene: Scene, cell: Cell, stock: Stock, folder: Path, wanted: tuple[Counter[str], Counter[str]]
) -> list[str]:
    """What was wrong with the runs under this fault; nothing."""
    wrong, clone = [], Clone(stock, folder)
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
        code, told = clone.run(stage, scene, 0.25 if cell.mode in SLOW else 30)
        made, said = stage.issues(), stage.said()
        if code not in (0, 69):
            wrong.append(f"OPEN: exit {code}")
        if not (cell.mode == "stale" and cell.always):
            wrong += [
                f"TWICE: {name} {times} times"
                for name, times in (*made.items(), *said.items())
                if times > 1
            ]
        wrong += [f"TWICE: {each}" for each in stage.github.duplicates() if cell.mode not in HIDDEN]
        waits = "saved for the next run" in told or "no issues were created" in told
        if code == 0 and not waits and wanted[0] - made:
            wrong.append(f"LOST: {wanted[0] - made} is no issue, and nothing is said of it")
        stage.github.faults.planned.clear()
        second = clone.run(stage, scene)
        after = stage.issues(), stage.said()
        if second[0] or after != wanted:
            wrong.append(f"LOST: after the second run ({second}) {after} instead of {wanted}")
        created = stage.created()
        third = clone.run(stage, scene)
        if third[0] or stage.created() != created:
            wrong.append(f"TWICE: a third run ({third}) creates {stage.created() - created}")
    return [f"{cell}: {each} (first run: exit {code}, {told})" for each in wrong]


@pytest.mark.parametrize("name", SCENES)
def test_no_fault_makes_an_issue_twice_or_loses_one(
    name: str, github_servers: Servers, stock: Stock, tmp_path: Path, capsys
):
    scene = SCENES[name](github_servers, stock, tmp_path / "before")
    with scene.stage(refereed=True) as stage:
        code, told = Clone(stock, tmp_path / "clean").run(stage, scene)
        wanted, all_cells = (stage.issues(), stage.said()), [*cells(requests_of(stage))]
        assert code == 0 and wanted[0] and {*wanted[0].values(), *wanted[1].values()} == {1}, told
    chosen = (
        all_cells if FULL else sample(all_cells, CELLS, f"{SEED} {name}", makes_an_issue, posts)
    )
    wrong = [
        each for cell in chosen for each in play(scene, cell, stock, tmp_path / "clone", wanted)
    ]
    counts = Counter(
        kind for each in wrong for kind in ("OPEN", "TWICE", "LOST") if f": {kind}: " in each
    )
    with capsys.disabled():
        print(
            f"\nissues, {name}: {len(chosen)} of {len(all_cells)} faults injected; "
            f"{counts['OPEN']} open, {counts['TWICE']} twice, {counts['LOST']} lost"
        )
    assert not wrong, "\n".join(wrong[:20])


def makes_an_issue(cell: Cell) -> bool:
    """It is at the request that makes an issue."""
    return cell.method == "POST" and cell.path.endswith("/issues")

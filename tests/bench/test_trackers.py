"""Looking findings up among ten thousand issues of the local tracker, against `--help`: printed,
not asserted."""

import os
import time

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.issues.tracked import Workspace
from reviewgate_gh.issues.trackers.local import Options, opened
from reviewgate_gh.system.environment import Environment
from tests.support import Repo
from tests.tracking import evil, issue

from .test_speed import GATE, measure

pytestmark = pytest.mark.bench
COUNT, ASKED, ROUNDS = 10_000, 60, 5


def test_lookup_among_ten_thousand(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = Workspace(open_repository(repo.path, os.environ), Environment({}, repo.path), [])
    issues = [issue(evil(at)) for at in range(COUNT)]
    with opened(Options(), workspace) as ledger:
        for each in issues:
            ledger.add(each)
    names = {name for each in issues[:: COUNT // ASKED] for name in (each.fingerprint, each.place)}
    walls = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        with opened(Options(), workspace) as ledger:
            found = ledger.find(names)
        walls.append(time.perf_counter() - started)
    assert len(found) >= ASKED
    wall, (base, _peak) = min(walls), measure([*GATE, "--help"], repo.path, ROUNDS)
    with capsys.disabled():
        print(
            f"\nlookup of {len(found)} in {COUNT:,}: {wall * 1000:.0f} ms, {wall / base:.2f} of "
            "--help (goal: at most 1)"
        )

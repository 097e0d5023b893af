"""What bd hides and cuts off unless it is told otherwise."""

import os
from pathlib import Path

import pytest

from reviewgate_gh.model.tracked import Status
from reviewgate_gh.system.git import open_repository
from reviewgate_gh.system.site import Site
from reviewgate_gh.system.world import World
from tests.peers import beads
from tests.support import Repo, run
from tests.tracking import EVIL, Kept, evil, issue

OPTIONS = ("--prefix", "t", "--non-interactive", "--skip-hooks", "--skip-agents", "--quiet")


@pytest.mark.req("R000-112", "R000-124")
@pytest.mark.parametrize("kind", ["fake", pytest.param("real", marks=pytest.mark.bd)])
def test_an_issue_before_more_than_fifty_others_is_found_open_or_closed(repo: Repo, tmp_path: Path, kind: str) -> None:
    program = beads.real() if kind == "real" else beads.install(tmp_path / "bin")
    env = {**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    assert run(["bd", "init", *(OPTIONS if kind == "real" else ())], repo.path, env).code == 0
    kept = Kept("beads", Site(open_repository(repo.path, os.environ), World(env, repo.path), []), {}, lambda: 0)
    with kept.open() as ledger:
        first = ledger.add(issue())
        for number in range(51):
            ledger.add(issue(evil(number)))
    for status in (Status.OPEN, Status.CLOSED):
        with kept.open() as ledger:
            [found] = ledger.find({EVIL.fingerprint})
            assert (found.id, found.status, len(ledger.find(None))) == (first, status, 52)
            run(["bd", "close", first, "--reason=done", "--json"], repo.path, env)

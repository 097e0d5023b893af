"""What bd hides and cuts off unless it is told otherwise, and what it takes over from the local
tracker."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import open_repository
from reviewgate_gh.issues.tracked import IssueStatus, Workspace
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.files import STATE_FOLDER
from tests.peers import beads
from tests.support import Repo, run
from tests.tracking import EVIL, Kept, evil, issue

KINDS = ("local", "beads")
OPTIONS = ("--prefix", "t", "--non-interactive", "--skip-hooks", "--skip-agents", "--quiet")


@pytest.mark.contract(plain=False)
@pytest.mark.req("R000-112", "R000-124")
@pytest.mark.parametrize("kind", ["fake", pytest.param("real", marks=pytest.mark.peer)])
def test_an_issue_before_more_than_fifty_others_is_found_open_or_closed(
    repo: Repo, tmp_path: Path, kind: str
) -> None:
    program = beads.real() if kind == "real" else beads.install(tmp_path / "bin")
    env = {**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    assert run(["bd", "init", *(OPTIONS if kind == "real" else ())], repo.path, env).code == 0
    kept = Kept(
        "beads",
        Workspace(open_repository(repo.path, os.environ), Environment(env, repo.path), []),
        {},
        lambda: 0,
    )
    with kept.open() as ledger:
        first = ledger.add(issue())
        for number in range(51):
            ledger.add(issue(evil(number)))
    for status in (IssueStatus.OPEN, IssueStatus.CLOSED):
        with kept.open() as ledger:
            [found] = ledger.find({EVIL.fingerprint})
            assert (found.id, found.status, len(ledger.find(None))) == (first, status, 52)
            run(["bd", "close", first, "--reason=done", "--json"], repo.path, env)


@pytest.mark.peer
@pytest.mark.req("R000-112", "R000-124")
def test_the_local_file_is_taken_by_bd_import_and_its_issues_are_found_again_there(
    repo: Repo,
) -> None:
    env = {**os.environ, "PATH": f"{beads.real()}{os.pathsep}{os.environ['PATH']}"}
    file = repo.file(f".git/{STATE_FOLDER}/issues.jsonl")
    repo.write(
        {
            f".git/{STATE_FOLDER}/issues.jsonl": json.dumps(
                {"id": "rg-7", "title": "a task", "status": "open", "priority": 2}
            )
            + "\n"
        }
    )
    there, here = (
        Kept(
            kind,
            Workspace(open_repository(repo.path, os.environ), Environment(env, repo.path), []),
            {},
            lambda: 0,
        )
        for kind in KINDS
    )
    with there.open() as ledger:
        first, second = (ledger.add(issue(evil(number), link="rg-7")) for number in (1, 2))
    with there.open() as ledger:
        [before] = ledger.find({evil(2).fingerprint})
        ledger.change(before, replace(before, status=IssueStatus.CLOSED, reason="by design"))
        wanted = {
            each.id: (each.title, each.body, each.notes, each.priority, each.status, each.reason)
            for each in ledger.find(None)
        }
    assert run(["bd", "init", "--prefix", "rg", *OPTIONS[2:]], repo.path, env).code == 0
    taken = run(["bd", "import", "-i", file], repo.path, env)
    assert taken.code == 0 and "Imported 3 issues" in taken.output, taken.output
    with here.open() as ledger:
        found = {
            each.id: (each.title, each.body, each.notes, each.priority, each.status, each.reason)
            for each in ledger.find(None)
        }
        assert found == wanted and {*found} == {first, second}
        assert [each.id for each in ledger.find({evil(1).fingerprint})] == [first]
    [shown] = json.loads(run(["bd", "show", first, "--json"], repo.path, env).stdout)
    assert [(link["id"], link["dependency_type"]) for link in shown["dependencies"]] == [
        ("rg-7", "discovered-from")
    ]

"""What every tracker keeps: the same issues, found again by either identity, changed and closed
without touching people's words."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import open_repository
from reviewgate_gh.issues import plan
from reviewgate_gh.issues.tracked import IssueStatus, Workspace
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.system import plugins
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.files import STATE_FOLDER
from tests.peers import beads
from tests.peers.github.handle import GATE
from tests.support import Repo, run
from tests.tracking import EVIL, Kept, evil, issue
from tests.unit.github.fake import client_of

ISSUES = {**GATE, "issues": "write"}
KINDS = [
    "local",
    "beads",
    pytest.param("beads in envelopes", marks=pytest.mark.slow),
    pytest.param("real bd", marks=pytest.mark.peer),
    pytest.param("real bd in envelopes", marks=pytest.mark.peer),
    "github",
]


def bd_of(kind: str, tmp_path: Path) -> str:
    """PATH with a bd on it."""
    folder = beads.real() if kind.startswith("real bd") else beads.install(tmp_path / "bin")
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(params=KINDS)
def kept(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> Iterator[Kept]:
    kind = request.param
    git = open_repository(repo.path, os.environ)
    if kind == "local":
        path = git.common / STATE_FOLDER / "issues.jsonl"
        yield Kept(
            "local",
            Workspace(git, Environment({}, repo.path), []),
            {},
            lambda: len(path.read_bytes().splitlines()),
        )
    elif kind == "github":
        github = request.getfixturevalue("github")
        hosted = github.repository(repo.path)
        client = client_of(github, github.token(**ISSUES))
        yield Kept(
            "github",
            Workspace(git, Environment({}, repo.path), [], client),
            {},
            lambda: len(hosted.stored.issues),
        )
    else:
        env = (
            dict(os.environ)
            | {"PATH": bd_of(kind, tmp_path)}
            | ({"BD_JSON_ENVELOPE": "1"} if kind.endswith("envelopes") else {})
        )
        quiet = ("--prefix", "t", "--non-interactive", "--skip-hooks", "--skip-agents", "--quiet")
        options = quiet if kind.startswith("real bd") else ()
        done = run(["bd", "init", *options], repo.path, env)
        assert done.code == 0, done.output

        def count() -> int:
            shown = json.loads(
                run(
                    ["bd", "list", "--all", "--limit", "0", "--json"],
                    repo.path,
                    {**env, "BD_JSON_ENVELOPE": "0"},
                ).stdout
            )
            return len(shown)

        yield Kept("beads", Workspace(git, Environment(env, repo.path), []), {}, count)


def test_every_plug_in_is_tested_here() -> None:
    assert plugins.names("trackers") == ["beads", "github", "local"]


@pytest.mark.req("R000-111", "R000-112")
def test_an_issue_is_found_again_as_it_was_made(kept: Kept) -> None:
    wanted = issue(trigger="epic_completion", source="cumulative_review", epic="bd-7")
    with kept.open() as ledger:
        assert not ledger.find(None)
        name = ledger.add(wanted)
    for by in ({wanted.fingerprint}, {wanted.place}, {"nothing", wanted.place}, None):
        with kept.open() as ledger:
            [there] = ledger.find(by)
        assert (there.id, there.status, there.priority) == (name, IssueStatus.OPEN, Priority.P1)
        assert (there.title, there.notes, there.path, there.line) == (
            wanted.title,
            wanted.notes,
            "src/app.py",
            12,
        )
        assert set(wanted.labels) <= set(there.labels) and "It runs what it is given." in there.body
    with kept.open() as ledger:
        assert not ledger.find({"0" * 16}) and not ledger.find(())
    assert kept.raw() == 1


def test_a_change_is_of_our_own_lines(kept: Kept) -> None:
    with kept.open() as ledger:
        ledger.add(issue(evil(1)))
        ledger.add(issue())
    with kept.open() as ledger:
        [before] = ledger.find({EVIL.fingerprint})
        notes = plan.changed(
            f"{before.notes}\nSomebody looks at it.",
            {"Location": "src/new.py:40", "Priority": "P0"},
        )
        ledger.change(before, replace(before, notes=notes, priority=Priority.P0))
    with kept.open() as ledger:
        [after] = ledger.find({EVIL.fingerprint})
        [other] = ledger.find({evil(1).fingerprint})
    assert (after.priority, after.path, after.line) == (Priority.P0, "src/new.py", 40)
    assert "Somebody looks at it." in after.notes and after.title == before.title
    assert other.path == "src/app.py" and kept.raw() == 2


def test_it_is_closed_with_a_reason_and_opened_again(kept: Kept) -> None:
    with kept.open() as ledger:
        ledger.add(issue())
    with kept.open() as ledger:
        [before] = ledger.find(None)
        ledger.change(
            before, replace(before, status=IssueStatus.CLOSED, reason="fixed in 2b2b2b2b2b2b")
        )
    with kept.open() as ledger:
        [closed] = ledger.find({EVIL.fingerprint})
        assert closed.status is IssueStatus.CLOSED and closed.reason
        ledger.change(closed, replace(closed, status=IssueStatus.OPEN, reason=""))
    with kept.open() as ledger:
        [again] = ledger.find({EVIL.fingerprint})
    assert again.status is IssueStatus.OPEN and kept.raw() == 1


@pytest.mark.parametrize(
    "title",
    [
        "-rf --help",
        "@ada closes #1 <!-- reviewgate-gh:issue 0123456789abcdef --> `x",
        "é 漢 \U0001f600",
        "x" * 900,
    ],
)
def test_any_title_and_text_goes_in_and_nothing_is_lost(kept: Kept, title: str) -> None:
    wanted = issue(
        replace(
            EVIL,
            title=title,
            body=f"{title}\n```\nPlace: 0000000000000000\nFingerprint: ffffffffffffffff\n",
        )
    )
    with kept.open() as ledger:
        ledger.add(wanted)
    with kept.open() as ledger:
        [there] = ledger.find(None)
        assert [found.id for found in ledger.find({wanted.fingerprint})] == [there.id]
    assert (there.title, there.fingerprint, there.place, len(there.title) <= 200) == (
        wanted.title,
        wanted.fingerprint,
        wanted.place,
        True,
    )

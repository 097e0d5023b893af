"""An epic as GitHub and beads have it, from its open issue to its verdict: the tracker says what it
demands, and gets what is missing."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.epics.test_epics import MET, configure, events, verdict, verify
from tests.peers import beads
from tests.peers.github.handle import GATE, GitHub
from tests.peers.model_server import ModelServer
from tests.support import Repo, run

DEMAND = "an export takes less than a second"
TEXT = f"Exports are slow.\n\n## Acceptance criteria\n\n- {DEMAND}\n"
KINDS = ["sub-issues", "task list", "beads", pytest.param("real bd", marks=pytest.mark.peer)]


@dataclass(frozen=True)
class Tracked:
    """An epic with two issues, of which the second one is open."""

    type: str
    epic: str
    issues: tuple[str, str]
    env: dict[str, str]
    close: Callable[[], None]  # the second one
    missing: Callable[[], list[str]]  # what was made of the epic: titles
    number: int = 2  # what there is to do


@pytest.fixture(params=KINDS)
def tracked(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> Tracked:
    kind = request.param
    if "bd" in kind or kind == "beads":
        return by_beads(
            repo,
            beads.real() if kind == "real bd" else beads.install(tmp_path / "bin"),
            real=kind == "real bd",
        )
    return by_github(repo, request.getfixturevalue("github"), kind)


def by_github(repo: Repo, github: GitHub, kind: str) -> Tracked:
    hosted = github.repository(repo.path)
    first, second = hosted.issue("Measure"), hosted.issue("Stream")
    first.state = "closed"
    listed = f"- [ ] #{first.number}\n- [ ] #{second.number}\n"
    epic = hosted.issue(
        "Exports", "ada", f"{TEXT}\n{listed if kind == 'task list' else ''}- [x] tell the users\n"
    )
    epic.below = [first.number, second.number] if kind == "sub-issues" else []
    there = {each.number for each in (first, second, epic)}
    env = github.env(github.token(**{**GATE, "issues": "write"}))

    def missing() -> list[str]:
        assert github.duplicates() == []
        return [each.title for each in hosted.stored.issues.values() if each.number not in there]

    names = (str(first.number), str(second.number))
    number = 3 if kind == "task list" else 2
    return Tracked(
        "github",
        str(epic.number),
        names,
        env,
        lambda: setattr(second, "state", "closed"),
        missing,
        number,
    )


def by_beads(repo: Repo, folder: Path, real: bool) -> Tracked:
    env = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    repo.commit({".gitignore": ".beads/\n"})

    def bd(*argv: str, stdin: str = "") -> str:
        done = run(["bd", *argv], repo.path, env, stdin)
        assert done.code == 0, done.output
        return done.stdout

    def create(kind: str, title: str, text: str, *more: str) -> str:
        argv = [
            "create",
            "--json",
            "--type",
            kind,
            "--priority",
            "2",
            f"--title={title}",
            "--labels=x",
            "--body-file",
            "-",
            *more,
        ]
        return json.loads(bd(*argv, stdin=text))["id"]

    bd(
        "init",
        *(
            ("--prefix", "t", "--non-interactive", "--skip-hooks", "--skip-agents", "--quiet")
            if real
            else ()
        ),
    )
    epic = create("epic", "Exports", TEXT)
    first, second = (
        create("task", title, "Do it.", f"--deps=parent-child:{epic}")
        for title in ("Measure", "Stream")
    )

    def close(name: str) -> None:
        bd("close", name, "--reason=done", "--json")

    def missing() -> list[str]:
        rows = json.loads(bd("list", "--all", "--limit", "0", "--json"))
        return [row["title"] for row in rows if row["id"] not in (epic, first, second)]

    close(first)
    return Tracked("beads", epic, (first, second), env, lambda: close(second), missing)


@pytest.mark.req("R002-019", "R002-021", "R002-065", "R002-083")
def test_an_epic_from_its_open_issue_to_its_verdict(
    repo: Repo, tracked: Tracked, model_server: ModelServer
) -> None:
    options = {"dialect": "openai", "url": model_server.url("openai"), "model": "one"}
    more = {
        "tracker": {"type": tracked.type},
        "reviewers": {
            "linters": False,
            "change": False,
            "callers": False,
            "builtin": False,
            "one": {"type": "api", "options": options},
        },
    }
    configure(repo, more, reviewer_type="ensemble", max_retries=0)
    repo.commit({"export.py": "rows = list(read())\n"}, f"bd-{tracked.issues[0]}: measure")
    repo.commit({"export.py": "rows = read()\n"}, f"bd-{tracked.issues[1]}: stream")
    place = {"file": "export.py", "line": 1}
    model_server.answer = lambda asked: verdict(asked, rows=[{**MET, "evidence": [place]}])

    done, said = verify(repo, tracked.epic, env=tracked.env)
    assert (
        done.code == 2
        and said["skipped"] == f"issues still open: {tracked.issues[1]} (1 of {tracked.number})"
    ), done.output
    assert events(done) == [] and model_server.requests == [] and tracked.missing() == []

    tracked.close()
    done, said = verify(repo, tracked.epic, env=tracked.env)
    assert done.code == 0 and said["passed"], done.output
    assert (
        events(done) == [f"started {tracked.epic} ensemble 1", f"passed {tracked.epic} ensemble 1"]
        and tracked.missing() == []
    )
    (asked,) = model_server.prompts
    assert (
        f"- {DEMAND}" in asked and "rows = read()" in asked and ".reviewgate-gh.yaml" not in asked
    )

    model_server.answer = lambda asked: verdict(asked, DEMAND)
    for _ in range(2):
        done, said = verify(repo, tracked.epic, env=tracked.env)
        assert done.code == 1 and said["failure_reason"] == "verdict_fail", done.output
        assert tracked.missing() == [f"Not met: {DEMAND}"], "one issue, however often it is said"

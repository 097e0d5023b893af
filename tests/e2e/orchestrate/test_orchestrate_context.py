"""What reviewers are told at a trigger: the issue or epic that it is about, as the tracker has
it."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import panels
from tests.orchestrating import CLEAN, Place, review
from tests.peers import beads
from tests.peers.gates import FakeGate, install_gate, register
from tests.peers.github.handle import GATE
from tests.support import Ran, Repo, run

TITLE, BODY = "Means of lists", "An empty list has the mean 0."
KINDS = ["local", "beads", pytest.param("real bd", marks=pytest.mark.peer), "github"]
BROKEN = "#!/bin/sh\necho no room >&2\nexit 1\n"


@dataclass
class Scene:
    """A repository whose tracker knows one issue, and a gate that notes what it is told."""

    place: Place
    gate: FakeGate
    type: str
    issue: str
    env: dict[str, str]

    def configure(self, **keys: Any) -> None:
        block = {"enabled": True, "baseline": "since_run_start"}
        named = {"session_end": {"code_review": {"enabled": True}},
            "epic_completion": {"epic_depth": "all", "code_review": block},
                 "run_end": {"code_review": block}}  # fmt: skip
        self.place.configure(
            **{"tracker": {"type": self.type}, "validation_triggers": named, **keys}
        )

    def fire(self, trigger: str, *args: str, **env: str) -> Ran:
        return self.place.repo.cli(
            "orchestrate", "trigger", trigger, *args, env={**self.env, **env}
        )

    def told(self) -> list[str]:
        """What stood in each context file that the gate was handed, under a name of ours; the files
        are gone by now."""
        said = [
            text
            for call in self.gate.calls
            if call["argv"][0] == "spawn-code-review"
            for text in call["files"].items()
        ]
        assert not [path for path, _text in said if Path(path).exists()]
        return [text for _path, text in said]


def local(repo: Repo, _folder: Path, _github: Any) -> tuple[str, str, dict[str, str]]:
    rows = [
        {"id": "rg-7", "title": TITLE, "description": BODY, "status": "open"},
        {"id": "rg-7.1", "title": "x", "status": "closed"},
    ]
    repo.write({".git/reviewgate-gh/issues.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    return "local", "rg-7", {}


def by_bd(repo: Repo, program: Path, real: bool) -> tuple[str, str, dict[str, str]]:
    env = {"PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    repo.write({".gitignore": ".beads/\n"})
    options = (
        ("--prefix", "t", "--non-interactive", "--skip-hooks", "--skip-agents", "--quiet")
        if real
        else ()
    )
    assert run(["bd", "init", *options], repo.path, env).code == 0
    argv = [
        "bd",
        "create",
        "--json",
        "--type",
        "epic",
        "--priority",
        "2",
        f"--title={TITLE}",
        "--labels=x",
        "--body-file",
        "-",
    ]
    made = run(argv, repo.path, env, BODY)
    below = [
        "bd",
        "create",
        "--json",
        "--type",
        "task",
        "--priority",
        "2",
        "--title=x",
        "--labels=x",
    ]
    name = json.loads(made.stdout)["id"]
    child = json.loads(run([*below, f"--deps=parent-child:{name}"], repo.path, env).stdout)["id"]
    assert run(["bd", "close", child, "--reason=done", "--json"], repo.path, env).code == 0
    return "beads", name, env


def at_github(repo: Repo, github: Any) -> tuple[str, str, dict[str, str]]:
    hosted = github.repository(repo.path)
    child = hosted.issue("x")
    child.state = "closed"
    made = hosted.issue(TITLE, "ada", BODY)
    made.below = [child.number]
    return "github", str(made.number), github.env(github.token(**{**GATE, "issues": "write"}))


@pytest.fixture(params=KINDS)
def scene(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> Scene:
    kind: str = request.param
    register(Path(os.environ["HOME"]), tmp_path / "plugin")
    gate = install_gate(tmp_path / "plugin", "v1" if "bd" in kind else "spec")
    if kind == "github":
        made = at_github(repo, request.getfixturevalue("github"))
    elif kind == "local":
        made = local(repo, tmp_path, None)
    else:
        made = by_bd(
            repo,
            beads.real() if kind == "real bd" else beads.install(tmp_path / "bin"),
            kind == "real bd",
        )
    it = Scene(Place(repo), gate, *made)
    it.configure()
    assert repo.cli("orchestrate", "start", env=it.env).code == 0
    repo.commit({"a.py": CLEAN}, f"bd-{it.issue}: work")
    return it


@pytest.mark.req("R001-051", "R001-054", "R001-055")
def test_a_gate_is_handed_the_issue_or_the_epic(scene: Scene, tmp_path: Path) -> None:
    done = scene.fire("session_end", "--issue", scene.issue)
    assert done.code == 0 and scene.told() == [f"# {TITLE}\n\n{BODY}\n"], done.output
    done = scene.fire("epic_completion", "--epic", scene.issue)
    assert done.code == 0 and scene.told() == [f"# {TITLE}\n\n{BODY}\n"] * 2, done.output
    assert scene.fire("run_end").code == 0 and len(scene.told()) == 2, "a run is about no issue"
    scene.place.repo.commit({"b.py": CLEAN}, "bd-404: work")
    assert scene.fire("session_end", "--issue", "404").code == 0 and len(scene.told()) == 2, (
        "nobody knows it"
    )
    own = tmp_path / "mine.txt"
    own.write_text("What the caller says.\n")
    assert (
        scene.fire("session_end", "--issue", scene.issue, REVIEWGATE_GH_CONTEXT=str(own)).code == 0
    )
    assert scene.told()[2:] == ["What the caller says.\n"]


@pytest.mark.parametrize("scene", ["beads"], indirect=True)
def test_a_tracker_that_fails_leaves_reviewers_untold_and_is_not_asked_for_those_who_do_not_listen(
    scene: Scene, tmp_path: Path
) -> None:
    program = tmp_path / "broken/bd"
    program.parent.mkdir()
    program.write_text(BROKEN)
    program.chmod(0o755)
    env = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    done = scene.fire("session_end", "--issue", scene.issue, **env)
    assert done.code == 0 and done.stdout == "session_end: passed\n" and scene.told() == [], (
        done.output
    )
    assert (
        f"could not read the description of {scene.issue} for the reviewers: bd show failed: no "
        "room"
    ) in done.stderr
    scene.configure(validation_triggers={"session_end": {"code_review": review()}})
    done = scene.fire("session_end", "--issue", scene.issue, **env)
    assert done.code == 0 and "not told" not in done.stderr, done.output
    elsewhere = {"type": "review_gate", "where": ["pr"]}
    scene.configure(
        reviewers={"builtin": {"type": "builtin"}, "gate": elsewhere},
        validation_triggers={"session_end": {"code_review": review()}},
    )
    done = scene.fire("session_end", "--issue", scene.issue, **env)
    assert done.code == 0 and "not told" not in done.stderr, "who could be told is not asked"


@pytest.mark.parametrize("scene", ["local"], indirect=True)
def test_an_unset_variable_names_no_file(scene: Scene) -> None:
    done = scene.fire("session_end", "--issue", scene.issue, REVIEWGATE_GH_CONTEXT="")
    assert done.code == 0 and scene.told() == [f"# {TITLE}\n\n{BODY}\n"], done.output


@pytest.mark.parametrize("scene", ["local"], indirect=True)
def test_models_are_told_too(scene: Scene, model_server: Any) -> None:
    asks: dict[str, Any] = {
        "type": "api",
        "options": {"dialect": "openai", "url": model_server.url("openai"), "model": "m"},
    }
    answer: Callable[..., Any] = panels.panel()
    model_server.answer = answer
    scene.configure(
        reviewers={"m": asks},
        ensemble={"lenses": ["correctness"]},
        validation_triggers={"session_end": {"code_review": review()}},
    )
    done = scene.fire("session_end", "--issue", scene.issue)
    told = [each for each in model_server.requests if f"# {TITLE}\n\n{BODY}" in each.prompt]
    assert done.code == 0 and [*map(panels.kind, told)] == ["Issue fidelity"], done.output


@pytest.mark.parametrize("scene", ["local"], indirect=True)
def test_a_program_of_the_users_own_finds_it_in_the_file(scene: Scene, tmp_path: Path) -> None:
    script = (
        f'cat "$REVIEWGATE_GH_CONTEXT" > {tmp_path}/told; echo \'{{"source": {{"name": "q"}}, '
        f'"diagnostics": []}}\''
    )
    mine = {"type": "command", "options": {"argv": ["sh", "-c", script], "format": "rdjson"}}
    scene.configure(
        reviewers={"builtin": {"type": "builtin"}, "mine": mine},
        validation_triggers={"session_end": {"code_review": review()}},
    )
    assert scene.fire("session_end", "--issue", scene.issue).code == 0
    assert (tmp_path / "told").read_text() == f"# {TITLE}\n\n{BODY}\n"

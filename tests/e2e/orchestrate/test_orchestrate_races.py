"""Many triggers at once on one repository, and readers beside them: no baseline lost, no issue
twice, nothing read half written."""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrating import Place, review
from tests.peers import beads
from tests.peers.github.handle import GATE
from tests.support import Ran, Repo, run

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
ROUNDS = {"one key": 50 if FULL else 1, "a key each": 50 if FULL else 1}
MOST = 50  # processes at once
TRIGGER, END = ["orchestrate", "trigger"], ["run_end"]
READERS = (
    ["orchestrate", "status", "--output", "json"],
    ["findings", "list", "--all", "--output", "json"],
)
FILES: dict[str, Callable[[bytes], object]] = {
    "run_metadata.json": json.loads,
    "issues.jsonl": lambda data: [json.loads(row) for row in data.splitlines()],
}


class Starter(ThreadPoolExecutor):
    """Starts commands that run beside each other."""

    def __call__(self, place: Place, args: Sequence[str], env: dict[str, str]) -> "Future[Ran]":
        return self.submit(place.repo.cli, *args, env=env)


@pytest.fixture
def started() -> Iterator[Starter]:
    with Starter(MOST) as starter:
        yield starter


def prepared(repo: Repo, **tracker: str) -> Place:
    place, block = Place(repo), {"code_review": review(baseline="since_last_review")}
    repo.write({".gitignore": ".beads/\n"})
    place.configure(
        validation_triggers={"epic_completion": block, "run_end": block},
        tracker=tracker or {"type": "local"},
    )
    place.begin("1", epics=("E",))
    return place


def defect(place: Place, number: int) -> None:
    place.repo.commit(
        {f"m{number}.py": f"def f{number}(x):\n    return evil(x + {number})\n"}, "work"
    )


def moved_on(place: Place, number: int) -> None:
    """Another commit, once a review of the one before has begun."""
    events, head = place.repo.path / ".git/reviewgate-gh/events.jsonl", place.repo.head
    while not events.exists() or f'"head_sha": "{head}"' not in events.read_text():
        time.sleep(0.002)
    defect(place, number)


def at_once(
    started: Starter,
    place: Place,
    many: Sequence[Sequence[str]],
    env: dict[str, str],
    between: Callable[[], object] = bool,
) -> Counter[str]:
    """Let them run together, `between` when half of them have begun, and read all the while: how
    often what was read."""
    half, read = len(many) // 2, Counter[str]()
    every = [started(place, [*TRIGGER, *args], env) for args in many[:half]]
    between()
    every += [started(place, [*TRIGGER, *args], env) for args in many[half:]]
    readers = [(reader, started(place, reader, env)) for reader in READERS]
    while not all(command.done() for command in every):
        for name, whole in FILES.items():
            path: Path = place.repo.path / ".git/reviewgate-gh" / name
            whole(path.read_bytes() if path.exists() else b"")
            read[name] += 1
        for at, (reader, command) in enumerate(readers):
            if command.done():
                well(reader, command)
                read[reader[1]] += 1
                readers[at] = reader, started(place, reader, env)
        time.sleep(0.002)
    for args, command in (*zip(many, every, strict=True), *readers):
        well(args, command)
    return read


def well(args: Sequence[str], command: "Future[Ran]") -> None:
    """It ended well; what a reader printed is whole."""
    done = command.result()
    assert done.code == 0, (args, done.output)
    assert args not in READERS or (json.loads(done.stdout) is not None and not done.stderr), (
        args,
        done.output,
    )


def baselines(place: Place) -> dict[str, str]:
    stored = json.loads((place.repo.path / ".git/reviewgate-gh/run_metadata.json").read_bytes())
    return dict(stored["last_cumulative_review_commits"])


@pytest.mark.big
@pytest.mark.req("R000-088", "R000-089", "R000-112")
@pytest.mark.parametrize("keys", ROUNDS)
def test_twenty_triggers_at_once(
    repo: Repo, started: Starter, keys: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place, total = prepared(repo), Counter[str]()
    many = (
        [["epic_completion", "--epic", f"E{each}"] for each in range(20)]
        if keys == "a key each"
        else [END] * 20
    )
    due = (
        [f"epic_completion:E{each}" for each in range(20)] if keys == "a key each" else ["run_end"]
    )
    for number in range(ROUNDS[keys]):
        defect(place, number)
        total += at_once(
            started,
            place,
            many,
            {},
            partial(moved_on, place, 100 + number) if keys == "one key" else bool,
        )
        assert baselines(place) == dict.fromkeys(due, repo.head)
        names = [(issue["title"], issue["description"]) for issue in place.issues()]
        assert len(names) == (number + 1) * (2 if keys == "one key" else 1) == len(set(names))
    with capsys.disabled():
        print(
            f"\n{ROUNDS[keys]} rounds of 20 triggers, {keys}: 0 of {len(due)} baselines lost, "
            f"{len(names)} issues, 0 lost, 0 twice;"
            f" read beside them without a tear: {dict(total)}"
        )


@pytest.mark.parametrize(
    "kind", ["beads", pytest.param("real bd", marks=pytest.mark.peer), "github"]
)
def test_several_triggers_at_once_at_other_trackers(
    repo: Repo,
    started: Starter,
    kind: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Each call of bd takes its time
    count = {"github": 20 if FULL else 8, "beads": 8, "real bd": 4}[kind]
    if kind == "github":
        github: Any = request.getfixturevalue("github_plain")
        env = github.env(github.token(**{**GATE, "issues": "write"}))
        issues = github.repository(repo.path).stored.issues
    else:
        program = beads.real() if kind == "real bd" else beads.install(tmp_path / "bin")
        env = {"PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
        options = (
            ("--prefix", "t", "--non-interactive", "--skip-agents", "--quiet")
            if kind == "real bd"
            else ()
        )
        assert run(["bd", "init", *options], repo.path, env).code == 0
    place = prepared(repo, type="github" if kind == "github" else "beads")
    for number in range(2):
        defect(place, number)
        read = at_once(started, place, [END] * count, env)
        assert baselines(place) == {"run_end": repo.head}
        if kind != "github":
            issues = json.loads(
                run(["bd", "list", "--all", "--limit", "0", "--json"], repo.path, env).stdout
            )
        assert len(issues) == number + 1, issues
        assert not [*place.repo.path.glob(".git/reviewgate-gh/outbox/tracker/*")]
    with capsys.disabled():
        print(
            f"\n2 rounds of {count} triggers on one key, {kind}: {len(issues)} issues of 2, 0 "
            f"twice, 0 waiting; read {dict(read)}"
        )


# Says that it runs, and stays until it is let go.
HELD = (
    "import pathlib, sys, time; here = pathlib.Path(sys.argv[1]); (here / "
    "'ran').open('a').write('x')\n"
)
HELD += "for _ in range(2000):\n    if (here / 'go').exists(): break\n    time.sleep(0.01)"


@pytest.mark.req("R000-052")
def test_of_several_ends_at_once_one_fires_and_the_others_say_so(
    repo: Repo, started: Starter
) -> None:
    place = Place(repo)
    held = [sys.executable, "-c", HELD, str(place.beside)]
    place.configure(
        validation_triggers={"run_end": {"commands": [{"ref": "held"}]}}, commands={"held": held}
    )
    place.begin("1")
    first = started(place, ["orchestrate", "end"], {})
    while not (place.beside / "ran").exists():
        assert not first.done()
        time.sleep(0.01)
    for _ in range(2):
        other = repo.cli("orchestrate", "end")
        assert (
            other.code == 64
            and "another process is already ending this run" in other.stderr
            and other.stdout == ""
        ), other.output
    (place.beside / "go").touch()
    assert (first.result().code, first.result().stdout) == (0, "run_end: passed\n")
    after = repo.cli("orchestrate", "end")
    assert (
        after.code == 0
        and "the run already ended" in after.stdout
        and (place.beside / "ran").read_text() == "x"
    ), after.output

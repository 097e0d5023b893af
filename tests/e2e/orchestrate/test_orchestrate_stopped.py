"""Whoever is interrupted ends at once, with all that it started, and harms nothing of the run."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrating import DEFECTS, Place, review
from tests.support import ROOT, Repo

from ..faulty import has_open

TRIGGER, END = ("orchestrate", "trigger", "run_end"), ("orchestrate", "end")
SLOW = (
    "import os, pathlib, time\npathlib.Path({pid!r}).write_text(str(os.getpid()))\n"
    "time.sleep(300)\n"
)
HOLDER = (
    "import fcntl, sys, time; held = open(sys.argv[1], 'a'); fcntl.flock(held, fcntl.LOCK_EX); "
    "print(1, flush=True); time.sleep(300)"
)


@pytest.fixture
def place(repo: Repo) -> Place:
    return Place(repo)


def metadata(place: Place) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        place.repo.file(".git/reviewgate-gh/run_metadata.json").read_text()
    )
    return loaded


def begun(place: Place, *args: str, **env: str) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", *args]
    every = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    return subprocess.Popen(
        argv, cwd=place.repo.path, env=every, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait(ready: Callable[[], object]) -> None:
    for _ in range(3000):
        if ready():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def interrupted(process: "subprocess.Popen[bytes]", sign: signal.Signals) -> None:
    process.send_signal(sign)
    _out, err = process.communicate(timeout=60)
    assert (
        process.returncode == 130 and err.decode().splitlines()[-1] == "reviewgate-gh: interrupted"
    ), err


@pytest.mark.req("R000-162")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ["review", "command", "fixer", "tracker"])
@pytest.mark.parametrize("verb", [TRIGGER, END], ids=["trigger", "end"])
def test_a_trigger_and_an_end(
    place: Place, verb: tuple[str, ...], when: str, sign: signal.Signals
) -> None:
    slow = SLOW.format(pid=str(place.beside / "pid"))
    named = {
        "commands": [{"ref": "slow"}] if when == "command" else [],
        "code_review": review(finding_threshold="P3", baseline="since_run_start"),
    }
    argv = [sys.executable, "-c", slow]
    place.configure(when == "review", validation_triggers={"run_end": named},
        commands={"slow": argv}, remediation={"fixer": argv},
                    tracker={"type": "beads" if when == "tracker" else "local"})  # fmt: skip
    (place.beside / "flaky.py").write_text(slow)
    (place.beside / "bd").write_text(f"#!{sys.executable}\n{slow}")
    (place.beside / "bd").chmod(0o755)
    place.begin("1")
    place.repo.commit({"a.py": DEFECTS["P3"]}, "work")
    before = metadata(place)
    process = begun(place, *verb, PATH=f"{place.beside}{os.pathsep}{os.environ['PATH']}")
    wait(lambda: (place.beside / "pid").exists() and (place.beside / "pid").read_text())
    interrupted(process, sign)
    wait(lambda: not Path(f"/proc/{(place.beside / 'pid').read_text()}").exists())
    after = metadata(place)
    assert (after["run_id"], after["ended"]) == (before["run_id"], "")
    assert set(after["last_cumulative_review_commits"]) == (
        {"run_end"} if when == "fixer" else set()
    ), "what was reviewed, was"
    home = place.repo.path / ".git/reviewgate-gh"
    assert not [*home.glob(".run_metadata*"), *home.glob("tmp/*")]


@pytest.mark.req("R000-162")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_start_that_waits_for_its_turn(place: Place, sign: signal.Signals) -> None:
    place.configure(
        validation_triggers={"run_end": {"code_review": review(baseline="since_run_start")}}
    )
    place.begin("1")
    before, home = metadata(place), place.repo.path / ".git/reviewgate-gh"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home / "run_metadata.json.lock")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout and holder.stdout.readline() == "1\n"
    process = begun(place, "orchestrate", "start", "--issues", "2")
    wait(lambda: has_open(process.pid, home / "run_metadata.json.lock"))
    interrupted(process, sign)
    assert metadata(place) == before
    holder.kill()
    holder.communicate()
    assert place.repo.cli("orchestrate", "start", "--issues", "2").code == 0 and metadata(place)[
        "issues"
    ] == ["2"]

"""What the two steps of `review-gate` and `review list` cost against `--help`: printed, not
asserted."""

import json
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.gating import SARIF, gate, with_command
from tests.support import Repo

from .test_speed import GATE, measure

pytestmark = pytest.mark.bench
ROUNDS = 10
STEPS = (sys.executable, "-P", "-m", "reviewgate_gh.commands._gate")


def test_spawn_wait_and_list(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reviewer that takes a second: who waits is there when the answer comes."""
    script = tmp_path / "slow.sh"
    script.write_text(f"#!/bin/sh\nsleep 1\necho '{SARIF}'\n")
    script.chmod(0o755)
    with_command(repo, script)
    repo.commit({"a.txt": "text\n"}, "work")
    argvs = {
        "help": [*GATE, "--help"],
        "spawn": [*STEPS, "spawn-code-review", "--commit", "HEAD"],
        "ended": [*STEPS, "wait", "--json"],  # what is asked for again
        "list": [*GATE, "review", "list"],
    }
    seen: dict[str, list[float]] = {name: [] for name in (*argvs, "lag")}
    for _ in range(ROUNDS):  # in turns, so that all see the same moods of the machine
        for name, argv in argvs.items():
            seen[name].append(measure(argv, repo.path, 1)[0])
            if name == "spawn":
                seen["lag"].append(_lag(repo))
    wall = {name: min(times) for name, times in seen.items()}
    ratio = {name: each / wall["help"] for name, each in wall.items()}
    with capsys.disabled():
        print(
            f"\nagainst --help {wall['help']:.3f} s: spawn-code-review {ratio['spawn']:.2f} "
            "(goal: at most 3), wait returns"
            f" {ratio['lag']:.2f} after the answer (goal: at most 1) and takes "
            f"{ratio['ended']:.2f} for one that is there,"
            f" review list {ratio['list']:.2f} (goal: at most 2)"
        )


def _lag(repo: Repo) -> float:
    """Seconds from a session's answer to the end of whoever waits for it."""
    done = gate(repo, "wait", "--json")
    ended = time.time()
    return ended - Path(json.loads(done.stdout)["session_dir"], "result.json").stat().st_mtime

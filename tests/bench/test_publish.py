"""What `publish` costs beside the network: CPU time for sixty findings, against `--help` and
importing PyGithub. Printed, not asserted."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import render
from tests.e2e.publishing import Stock, prepare
from tests.peers.github.servers import Servers
from tests.support import ROOT, run

from .test_speed import GATE

pytestmark = pytest.mark.bench
ROUNDS, FINDINGS = 7, 60
# CPU seconds of a process: what it waits for, an answer or its own pace, is no part of them.
TIMER = """
import os, sys
os.chdir(sys.argv[1])
nowhere = os.open(os.devnull, os.O_RDWR)
closed = [(os.POSIX_SPAWN_DUP2, nowhere, n) for n in (0, 1, 2)]
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=closed)
_pid, status, used = os.wait4(pid, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
"""


def measure(argv: Sequence[str], cwd: Path, **env: str) -> tuple[float, float]:
    """CPU seconds and peak memory (MiB) of one run."""
    settings = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", **env}
    cpu, peak, code = run(
        [sys.executable, "-I", "-S", "-c", TIMER, cwd, *argv], cwd, settings
    ).stdout.split()
    assert code == "0", argv
    return float(cpu), float(peak)


def test_publishing_sixty_findings(
    github_servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"max_inline": 100}
    stock = Stock.make(tmp_path, settings)
    scene = prepare(github_servers, stock, "many", config=settings)
    report = tmp_path / "report.json"
    plain = json.loads(render(scene.report, OutputStyle()))
    plain["findings"] = plain["findings"][:FINDINGS]
    plain["verdict"]["counts"]["P1"] = FINDINGS
    report.write_text(json.dumps(plain))
    seen: dict[str, list[tuple[float, float]]] = {
        "help": [],
        "PyGithub": [],
        "first": [],
        "again": [],
    }
    for _ in range(ROUNDS):
        seen["help"].append(measure([*GATE, "--help"], tmp_path))
        seen["PyGithub"].append(measure([sys.executable, "-c", "import github"], tmp_path))
        with scene.stage() as stage:
            env = {
                **{name: os.environ[name] for name in ("PATH", "HOME")},
                **stage.github.env(stage.token),
            }
            for name in ("first", "again"):
                seen[name].append(
                    measure(
                        [*GATE, "publish", "1", "--report", str(report)], stock.repo.path, **env
                    )
                )
            assert len(stage.pull.inline) == FINDINGS and len(stage.pull.reviews) == 2
    cpu = {name: min(row[0] for row in rows) for name, rows in seen.items()}
    allowed = 3 * cpu["help"] + cpu["PyGithub"]
    rows = [
        (
            f"\npublish, {FINDINGS} findings: --help {cpu['help']:.3f} s, importing PyGithub "
            f"{cpu['PyGithub']:.3f} s of CPU"
        )
    ]
    for name in ("first", "again"):
        peak = max(row[1] for row in seen[name])
        rows.append(
            f"  {name:5} {cpu[name]:.3f} s = {cpu[name] / allowed:.2f} of 3 x help + PyGithub "
            f"(goal: at most 1), {peak:.0f} MiB"
        )
    with capsys.disabled():
        print("\n".join(rows))

"""How many made-up secrets are found, by kind and carrier, how many look-alikes are taken for one,
and how long 10 MB take; beside them gitleaks, where it is installed. Printed, not asserted."""

import json
import random
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.checks import secrets as check
from reviewgate_gh.text.redact import find_secrets
from reviewgate_gh.text.secrets.table import VENDORS
from tests import secret_samples as samples
from tests.secret_samples import Sample
from tests.support import ROOT
from tests.unit.reviewers.checks.support import new, sources
from tests.unit.text.secrets.test_table import made_up

pytestmark = pytest.mark.bench
GITLEAKS = Path(__file__).parents[1] / "peers" / "bin" / "gitleaks"
_CHARACTERS = 10_000_000


def test_recall_and_false_alarms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(2)
    table = {kind.id: made_up(kind, rng) for kind in VENDORS}
    sets = {
        "each kind of the table": [
            Sample(kind, "bare", "src/a.py", text, value) for kind, (text, value) in table.items()
        ],
        "known kinds, usual files": [*samples.secrets(samples.KNOWN, samples.CARRIERS, 3)],
        "held-out kinds and files": [
            *samples.secrets(samples.HELD_OUT, samples.HELD_OUT_CARRIERS, 3)
        ],
        "look-alikes": [*samples.lookalikes(samples.LOOKALIKES, 3)],
        "held-out look-alikes": [*samples.lookalikes(samples.HELD_OUT_LOOKALIKES, 3)],
    }
    with capsys.disabled():
        print()
        for name, rows in sets.items():
            ours = _share(rows, lambda row: bool(_ours(row)))
            blocks = _share(rows, lambda row: Priority.P0 in _ours(row))
            theirs = f", gitleaks {_gitleaks(rows, tmp_path / name):.3f}" if _is_there() else ""
            print(f"{name}: {ours:.3f} of {len(rows)} found ({blocks:.3f} as P0){theirs}")


def test_ten_megabytes(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(path.read_text("utf-8") for path in sorted(ROOT.rglob("reviewgate_gh/**/*.py")))
    text = (code * (_CHARACTERS // len(code) + 1))[:_CHARACTERS]
    started = time.process_time()
    found = find_secrets(text)
    seconds = time.process_time() - started
    with capsys.disabled():
        print(f"\n10 MB of code: {seconds:.2f} s, {len(found)} found (goal: at most 1.5 s)")


def _share(rows: Sequence[Sample], test: Callable[[Sample], bool]) -> float:
    return sum(map(test, rows)) / len(rows)


def _ours(row: Sample) -> set[Priority]:
    """The priorities of what the check finds in the file."""
    return {finding.priority for finding in check.check(sources(new(row.path, row.text)))}


def _is_there() -> bool:
    return GITLEAKS.exists()


def _gitleaks(rows: Iterable[Sample], folder: Path) -> float:
    """The share of files in which it finds something."""
    count = 0
    for number, row in enumerate(rows):
        path = folder / f"{number:05}" / row.path
        path.parent.mkdir(parents=True)
        path.write_text(row.text)
        count += 1
    report = folder.with_suffix(".json")
    command = [GITLEAKS, "dir", "--exit-code=0", "--no-banner", "--log-level=error"]
    subprocess.run([*command, f"--report-path={report}", folder], check=True, timeout=600)
    found = {
        Path(each["File"]).relative_to(folder).parts[0] for each in json.loads(report.read_text())
    }
    return len(found) / count

"""Three obvious defects in each of 33 kinds of file, in two sets, and how many of them a review
without a key notices: `pytest -m bench -n0 -s tests/bench/test_languages.py`. Once with the wheels
that are installed beside the gate, once also with the compilers of this machine.

The clean files are the base, so that only what a defect brings counts. A file that ends with no
finding and is not named as unreviewed has passed in silence.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

import pytest

from tests.quiet_path import MACHINE_PATH
from tests.support import Repo

from .language_defects import KINDS, Kind
from .other_language_defects import KINDS as OTHER_KINDS

pytestmark = pytest.mark.bench
ROUNDS = 3
SETS = {"first set": KINDS, "second set": OTHER_KINDS}
PATHS = {"wheels": os.environ["PATH"], "this machine": MACHINE_PATH}


def _folder(kind: str) -> str:
    return kind.lower().replace("#", "-sharp").replace("+", "-plus")


def _report(repo: Repo, kinds: Mapping[str, Kind], path: str, number: int) -> dict[str, Any]:
    """The review of one commit with the defect of that number in every file."""
    clean = {f"{_folder(name)}/{kind.path}": kind.clean for name, kind in kinds.items()}
    repo.commit({**clean, ".squawk.toml": "", ".gitignore": ""}, "clean")
    broken = {}
    for name, kind in kinds.items():
        _defect, goes, comes = kind.defects[number]
        assert goes in kind.clean, (name, goes)
        broken[f"{_folder(name)}/{kind.path}"] = kind.clean.replace(goes, comes, 1)
    repo.commit(broken, "defects")
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": path})
    assert done.stdout.startswith("{"), done.output
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("tools", PATHS)
@pytest.mark.parametrize("which", SETS)
def test_what_is_noticed(repo: Repo, which: str, tools: str) -> None:
    kinds = SETS[which]
    reports = [_report(repo, kinds, PATHS[tools], number) for number in range(ROUNDS)]
    noticed, silent = 0, []
    for name, kind in kinds.items():
        path, cells = f"{_folder(name)}/{kind.path}", []
        for number, report in enumerate(reports):
            rules = [f["rule"] for f in report["findings"] if f["path"] == path]
            (row,) = (row for row in report["coverage"]["rows"] if row["path"] == path)
            noticed += bool(rules)
            if not rules and not row["missing"] and row["how"] == "scanned":
                silent.append(f"{name}: {kind.defects[number][0]}")
            cells.append(rules[0] if rules else row["how"])
        print(f"{name:12} " + " | ".join(f"{cell[:38]:38}" for cell in cells))
    print(
        f"{which}, {tools}: noticed {noticed} of {ROUNDS * len(kinds)}; "
        f"silent: {len(silent)} ({'; '.join(silent)})"
    )
    for report in reports:
        broken = [r for r in report["reviews"] if r["status"] not in ("ok", "unavailable")]
        print({f"{r['part']}": (r["status"], r["error"]) for r in broken})
    assert noticed

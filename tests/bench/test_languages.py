"""Three obvious defects in each of 33 kinds of file, and how many of them a review without a key
notices with what is installed here: `pytest -m bench -n0 -s tests/bench/test_languages.py`.

The clean files are the base, so that only what a defect brings counts. A file that ends with no
finding and is not named as unreviewed has passed in silence.
"""

import json
from typing import Any

import pytest

from tests.quiet_path import MACHINE_PATH
from tests.support import Repo

from .language_defects import KINDS

pytestmark = pytest.mark.bench
ROUNDS = 3


def _folder(kind: str) -> str:
    return kind.lower().replace("#", "-sharp").replace("+", "-plus")


def _report(repo: Repo, number: int) -> dict[str, Any]:
    """The review of one commit with the defect of that number in every file."""
    clean = {f"{_folder(name)}/{kind.path}": kind.clean for name, kind in KINDS.items()}
    repo.commit({**clean, ".squawk.toml": "", ".gitignore": ""}, "clean")
    broken = {}
    for name, kind in KINDS.items():
        _defect, goes, comes = kind.defects[number]
        assert goes in kind.clean, (name, goes)
        broken[f"{_folder(name)}/{kind.path}"] = kind.clean.replace(goes, comes, 1)
    repo.commit(broken, "defects")
    done = repo.cli("review", "--commit", "HEAD", "--output", "json", env={"PATH": MACHINE_PATH})
    assert done.stdout.startswith("{"), done.output
    return dict(json.loads(done.stdout))


def test_what_is_noticed(repo: Repo) -> None:
    reports = [_report(repo, number) for number in range(ROUNDS)]
    noticed, silent = 0, []
    for name, kind in KINDS.items():
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
        f"noticed {noticed} of {ROUNDS * len(KINDS)}; silent: {len(silent)} ({'; '.join(silent)})"
    )
    for report in reports:
        broken = [r for r in report["reviews"] if r["status"] not in ("ok", "unavailable")]
        print({f"{r['part']}": (r["status"], r["error"]) for r in broken})
    assert noticed

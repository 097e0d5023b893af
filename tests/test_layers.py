"""The folders' order, and which modules have no effects: as pyproject.toml says."""

import re
import sys
import tomllib

from .support import ROOT, run

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]


def test_the_import_contracts_hold() -> None:
    done = run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        ROOT,
    )
    assert done.code == 0 and "2 kept, 0 broken" in done.stdout, done.output


def test_each_folder_has_its_place() -> None:
    named = {
        name for row in CONTRACTS[0]["layers"] for name in re.findall(r"reviewgate_gh\.(\w+)", row)
    }
    package = ROOT / "reviewgate_gh"
    assert named == {file.parent.name for file in package.glob("*/__init__.py")} | {
        "__main__",
        "cli",
    }

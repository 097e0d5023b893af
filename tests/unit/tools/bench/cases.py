"""Small data sets for the tests of the bench."""

from pathlib import Path
from typing import Any

import yaml

CODE = "def mean(items):\n    total = sum(items)\n    return total / len(items)\n"
DIVISION = {
    "path": "a.py",
    "lines": 3,
    "priority": "P1",
    "text": "Division by zero when the list is empty",
}


def add_case(folder: Path, expected: list[Any], files: dict[str, str], **more: Any) -> None:
    """A case whose change adds these files."""
    write(folder, {f"head/{name}": text for name, text in files.items()})
    write(folder, {"case.yaml": yaml.safe_dump({"expected": expected, **more})})


def write(folder: Path, files: dict[str, str]) -> None:
    """Files below the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

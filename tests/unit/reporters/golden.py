"""Golden files: the text that a person reads, kept beside the tests; UPDATE_GOLDEN=1 writes them
anew."""

import os
from pathlib import Path

# Read here, because every test runs with an environment of its own
_UPDATE = "UPDATE_GOLDEN" in os.environ
FOLDER = Path(__file__).resolve().parents[2] / "golden"


def assert_golden(name: str | Path, text: str) -> None:
    """The text equals tests/golden/NAME exactly."""
    path = FOLDER / name
    if _UPDATE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")

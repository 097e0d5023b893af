"""What README tells somebody new to run, as it stands there, in a fresh clone of what is committed, with an empty home."""

import os
import re
import sys
from pathlib import Path

import pytest

from ..support import ROOT, run

ENDS = "The bad commit was refused and never left this repository; the mended one is on the remote."


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="these sources are no clone")
def test_the_first_line_of_the_readme(tmp_path):
    line = re.search(r"^python3 -m venv .*&& \.venv/bin/reviewgate-gh demo$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert line
    clone, home, programs = tmp_path / "clone", tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    assert run(["git", "clone", "--quiet", ROOT, clone], tmp_path).code == 0
    done = run(["bash", "-c", line[0]], clone, {"HOME": str(home), "PYTHONPATH": "", "PATH": f"{programs}:{os.environ['PATH']}"})
    assert done.code == 0 and done.stdout.rstrip().endswith(ENDS), done.output
    assert run(["git", "status", "--porcelain"], clone).stdout == ""

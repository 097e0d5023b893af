"""What README tells somebody new to run, as it stands there, in a fresh clone of what is committed,
with an empty home."""

import re
import sys
from pathlib import Path

import pytest

from ...support import ROOT, run, tool

ENDS = "The bad commit was refused and never left this repository; the fixed one is on the remote."


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="these sources are no clone")
def test_the_first_line_of_the_readme(tmp_path):
    line = re.search(
        r"^python3 -m venv .*&& \.venv/bin/reviewgate-gh demo$",
        (ROOT / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert line
    clone, home, programs = tmp_path / "clone", tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    (programs / "git").symlink_to(tool("git"))
    assert run(["git", "clone", "--quiet", ROOT, clone], tmp_path).code == 0
    done = run(
        ["bash", "-c", line[0]],
        clone,
        {"HOME": str(home), "PYTHONPATH": "", "PATH": f"{programs}:/usr/bin:/bin"},
    )
    assert done.code == 0 and done.stdout.rstrip().endswith(ENDS), done.output
    assert run(["git", "status", "--porcelain"], clone).stdout == ""
    assert_installed(clone)


def assert_installed(clone: Path) -> None:
    """The wheel brought every file of the package, and none of the tests; and each of the two
    programs starts."""
    [packages] = (clone / ".venv/lib").glob("python*/site-packages")
    ours = set(run(["git", "ls-files", "reviewgate_gh"], clone).stdout.splitlines())
    came = {
        str(path.relative_to(packages))
        for path in (packages / "reviewgate_gh").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert came == ours and not (packages / "tests").exists()
    for name in ("reviewgate-gh", "review-gate"):
        assert run([clone / ".venv/bin" / name, "--help"], clone).code == 0

"""More paths than one command line holds: the real ruff reads each file once, where it lies and in
copies."""

import json
import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from ...support import Repo, tool
from ..pushing import executable

MOST = 500_000  # bytes of arguments
# Four bytes a character, and a folder of nearly 1,000 bytes, so that a few hundred files will do.
FOLDER = "/".join([chr(0x1F600) * 60] * 4)
FILES = {f"{FOLDER}/a{number}.py": f"print(unknown{number})\n" for number in range(1200)} | {
    "-dash.py": "print(unknown)\n"
}


@pytest.mark.parametrize("where", ["in place", "in copies"])
def test_every_file_is_linted_once(repo: Repo, tmp_path: Path, where: str) -> None:
    ruff, log = shlex.quote(tool("ruff")), shlex.quote(str(tmp_path / "log"))
    count = (
        'case "$*" in *--show-files*) ;; *.py) echo "$(printf "%s " "$@" | wc -c) $PWD" >> '
        f"{log};; esac"
    )
    executable(tmp_path / "bin/ruff", f'{count}\nexec {ruff} "$@"')
    repo = replace(repo, env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    repo.commit(FILES)
    done = repo.cli(
        "review",
        "--commit",
        "HEAD",
        "--output",
        "json",
        *(["--trusted"] if where == "in place" else []),
    )
    assert done.code == 1, done.output
    runs = [line.split(" ", 1) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(runs) > 2 and all(int(size) < MOST for size, _ in runs)
    assert {folder == str(repo.path) for _, folder in runs} == {where == "in place"}
    report = json.loads(done.stdout)
    [ruffs] = [row for row in report["reviews"] if row["part"] == "ruff"]
    assert (ruffs["status"], ruffs["found"], ruffs["covered"]) == ("ok", len(FILES), len(FILES))
    assert sorted(row["path"] for row in report["findings"]) == sorted(FILES)

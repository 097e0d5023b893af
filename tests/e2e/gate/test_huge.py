"""Files of hundreds of megabytes: what nobody reads is said to be unread, and what is read is
searched to its end."""

import json
import os

import pytest

from ...support import Repo

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
EVERYTHING = "policy: {max_file_bytes: 4000000000}\n"


def test_a_secret_at_the_end_of_a_very_long_line_is_found(repo: Repo) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    repo.commit({"line.dat": "x y " * (13_000_000 if FULL else 2_000_000) + secret + "\n"})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    report = json.loads(done.stdout)
    assert (done.code, report["verdict"]["not_reviewed"]) == (1, ["line.dat"]), done.stderr
    assert ("P0", "line.dat", 1) in [
        (f["priority"], f["path"], f["line_start"]) for f in report["findings"]
    ]
    assert secret not in done.stdout + done.stderr and len(done.stdout) < 100_000


@pytest.mark.big
@pytest.mark.parametrize("before", ["", "small\n", None], ids=["new", "grown", "shrunk"])
def test_text_that_git_cannot_compare_is_not_reviewed(repo: Repo, before: str | None) -> None:
    huge = ("some words in a line of text\n" * 1_000_000) * 19  # 551 MB
    repo.git("config", "core.compression", "0")
    repo.commit(
        {
            ".reviewgate-gh.yaml": EVERYTHING,
            **({"a.txt": huge if before is None else before} if before != "" else {}),
        }
    )
    repo.commit({"a.txt": "small\n" if before is None else huge})
    done = repo.cli("review", "--commit", "HEAD")
    assert done.code == 2 and "1 not reviewed (a.txt)" in done.stdout, done.output

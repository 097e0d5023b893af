"""What a run is waiting for: told in CI every few seconds, and nowhere else but on a terminal."""

import re
import threading
from pathlib import Path

import pytest

from reviewgate_gh.system.environment import Environment
from reviewgate_gh.system.progress import Progress


def in_ci(folder: Path) -> Environment:
    return Environment({"CI": "true"}, folder)


def told_while(progress: Progress, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What standard error shows until all of these stand in one line of it."""
    for _ in range(1_000):
        for line in capsys.readouterr().err.splitlines():
            if all(word in line for word in words):
                return line
        threading.Event().wait(0.01)
    raise AssertionError(f"nobody said {words}")


@pytest.mark.req("R009-007")
def test_in_ci_a_line_says_who_has_not_answered_yet(tmp_path: Path, capsys):
    with Progress(in_ci(tmp_path), every=0.01) as progress:
        with progress.waiting_for("linters/ruff"):
            pass
        with progress.waiting_for("linters/shellcheck"), progress.waiting_for("one/security"):
            line = told_while(progress, capsys, "security")
            assert re.fullmatch(
                r"reviewgate-gh: after \d+ s, 1 of 3 answered, waiting for linters/shellcheck, "
                "one/security",
                line,
            )
        progress.at("reviewing 2 of 50: 0123456789")
        assert told_while(progress, capsys, "reviewing 2 of 50", "3 of 3").endswith(
            "3 of 3 answered"
        )
    capsys.readouterr()
    threading.Event().wait(0.05)
    assert capsys.readouterr().err == "", "nothing after the end"


def test_many_are_counted_and_names_are_data(tmp_path: Path, capsys):
    with Progress(in_ci(tmp_path), every=0.01) as progress:
        waiting = [progress.waiting_for(f"::error::a\n{number}") for number in range(9)]
        for each in waiting:
            each.__enter__()
        line = told_while(progress, capsys, "and 4 more")
        assert not line.startswith("::") and "\n" not in line and "0 of 9" in line
        for each in waiting:
            each.__exit__(None, None, None)


def test_an_inner_run_belongs_to_the_outer_one(tmp_path: Path, capsys):
    with Progress(in_ci(tmp_path), every=0.01) as progress:
        for _ in range(2):
            with progress, progress.waiting_for("builtin"):
                pass
        assert told_while(progress, capsys, "2 of 2")


def test_a_pipe_is_told_nothing(tmp_path: Path, capsys):
    progress = Progress(Environment({}, tmp_path), every=0.001)
    with progress, progress.waiting_for("linters/ruff"):
        threading.Event().wait(0.02)
    assert capsys.readouterr().err == ""

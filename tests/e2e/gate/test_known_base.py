"""What a linter said of a base is known in the next run, if all that decides it is equal."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support import Repo, tool

_CALL = """import subprocess


def f(name):
    subprocess.run(
        {0},
        shell={1},
    )
"""
_CACHE = ".git/reviewgate-gh/cache/linters"


class CountedRuff:
    """The real ruff behind a script that writes down each question but those about its version and
    the files that it reads."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self._repo, self._log = repo, folder / "log"
        self._script = folder / "bin" / "ruff"
        self._script.parent.mkdir()
        self.write_script("")
        self._env = {"PATH": f"{self._script.parent}:{os.environ['PATH']}"}

    def write_script(self, comment: str) -> None:
        self._script.write_text(
            f"#!/bin/sh\n# {comment}\n"
            'case "$*" in rule*|*--version*|*--show-files*) ;; '
            f'*) echo "$*" >> {self._log};; esac\n'
            f'exec {tool("ruff")} "$@"\n'
        )
        self._script.chmod(0o755)

    def review(self) -> tuple[dict[str, Any], int]:
        """The report, and how often ruff was asked."""
        self._log.write_text("")
        done = self._repo.cli("review", "--commit", "HEAD", "--output", "json", env=self._env)
        return json.loads(done.stdout), len(self._log.read_text().splitlines())


@pytest.fixture
def ruff(repo: Repo, tmp_path: Path) -> CountedRuff:
    repo.commit({"a.py": _CALL.format('"ls"', "True")})
    repo.commit({"a.py": _CALL.format('"ls " + name', "True")})
    return CountedRuff(repo, tmp_path)


def rules(report: dict[str, Any]) -> list[str]:
    return [f["rule"] for f in report["findings"] if f["state"] == "open"]


@pytest.mark.contract(plain=False)
@pytest.mark.req("R006-007")
def test_an_equal_base_is_not_asked_again(repo: Repo, ruff: CountedRuff) -> None:
    first, asked = ruff.review()
    again, then = ruff.review()
    assert (asked, then) == (2, 1)
    assert rules(first) == rules(again) == ["ruff/S602"]


@pytest.mark.parametrize("what", ["content", "settings", "program", "damaged"])
@pytest.mark.req("R006-007")
def test_another_base_is_asked(repo: Repo, ruff: CountedRuff, what: str) -> None:
    ruff.review()
    if what == "content":  # which has the finding already
        repo.commit({"a.py": _CALL.format('"rm " + name', "True")})
        repo.commit({"a.py": _CALL.format('"ls " + name', "True")})
    elif what == "settings":
        repo.git("checkout", "-q", "HEAD~1")
        repo.commit({"ruff.toml": 'lint.select = ["S"]\n'})
        repo.commit({"a.py": _CALL.format('"ls " + name', "True")})
    elif what == "program":
        ruff.write_script("another build")
    else:
        for file in repo.file(_CACHE).iterdir():
            file.write_text(file.read_text()[:-9])
    report, asked = ruff.review()
    assert asked >= 2
    assert rules(report) == ["ruff/S602"]


def test_what_stood_in_the_base_stays_old(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": _CALL.format("name", "True")})
    repo.commit(
        {
            "a.py": _CALL.format("name", "True").replace(
                "    subprocess", "    # why\n    subprocess"
            )
        }
    )
    ruff = CountedRuff(repo, tmp_path)
    assert [rules(ruff.review()[0]) for _run in range(2)] == [[], []]


def test_a_shared_machine_keeps_nothing(repo: Repo, ruff: CountedRuff) -> None:
    assert "ruff/S602" in repo.cli("review", "--commit", "HEAD", env={"CI": "true"}).stdout
    assert not repo.file(_CACHE).exists()

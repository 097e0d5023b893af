"""Who may waive: a change of somebody else's is judged by the waivers of its base, whatever its
head says, at every door."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ...github import pull_request, step
from ...support import Repo
from ..pushing import ENV, Pushing

FILE = ".reviewgate-gh-waivers.yaml"
BAD = "def f():\n    return missing\n"
OTHER = "  - {fingerprint: 0123456789abcdef, reason: something else}\n"
Door = Callable[[Pushing, str, Path], tuple[int, dict[str, Any]]]


def command(it: Pushing, base: str, _folder: Path) -> tuple[int, dict[str, Any]]:
    done = it.repo.cli("review", "--range", f"{base}..HEAD", "--output", "json")
    return done.code, json.loads(done.stdout)


def action(it: Pushing, base: str, folder: Path) -> tuple[int, dict[str, Any]]:
    done = step(
        it.repo, "pull_request", pull_request(base, it.repo.head, fork=True), folder / "runner"
    )
    return done.ran.code, done.report()


def push(it: Pushing, _base: str, _folder: Path) -> tuple[int, dict[str, Any]]:
    done = it.push("origin", "HEAD:topic")
    [report] = it.reports()
    return done.code, report


def fetched(folder: Path, before: str | None, after: str | None) -> tuple[Pushing, str]:
    """A clone into which a branch with a defect was fetched, and its base; `before` and `after` are
    the waivers of base and head."""
    author = Repo.init(folder / "author", env=ENV)
    author.commit({"README.md": "# A project\n"} | ({FILE: before} if before else {}), "base")
    base = author.head
    author.branch("topic")
    author.commit({"bad.py": BAD} | ({FILE: after} if before != after else {}), "a defect")
    clone = author.clone(folder / "clone")
    clone.git("remote", "remove", "origin")
    it = Pushing(clone, clone.bare_remote(folder / "origin.git"))
    assert it.push("-q", "origin", f"{base}:refs/heads/main").code == 0
    assert clone.cli("hook", "install").code == 0
    return it, base


@cache
def _waiver(folder: Path) -> str:
    it, base = fetched(folder, None, None)
    said = it.repo.cli("review", "--range", f"{base}..HEAD").stdout
    found = re.search(r"ruff/F821 · ruff · (\S+)", said)
    assert found, said
    return f"  - {{fingerprint: {found[1]}, reason: it is mine}}\n"


@pytest.fixture
def waiver(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The entry that waives the finding about the defect: its fingerprint is the same in every
    repository."""
    return _waiver(tmp_path_factory.getbasetemp() / "first")


def states(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(f["state"], f["note"]) for f in report["findings"] if f["rule"] == "ruff/F821"]


@pytest.mark.parametrize("door", [command, action, push])
@pytest.mark.parametrize("before", [None, OTHER], ids=["adds the file", "changes the file"])
@pytest.mark.req("R008-004")
def test_a_head_cannot_waive_its_own_finding(
    tmp_path: Path, waiver: str, door: Door, before: str | None
) -> None:
    text = f"waivers:\n{before}" if before else None
    it, base = fetched(tmp_path, text, f"waivers:\n{before or ''}{waiver}")
    code, report = door(it, base, tmp_path)
    assert not report["change"]["trusted"] and report["change"]["rules"] == base
    assert (code, report["verdict"]["outcome"], report["waivers"]) == (1, "block", [])
    assert [state for state, _note in states(report)] == ["open"]
    assert any(finding["path"] == FILE for finding in report["findings"]), (
        "that the head touches them is told"
    )


@pytest.mark.parametrize("door", [command, action, push])
@pytest.mark.parametrize("taken_back", [False, True])
def test_the_waiver_of_the_base_counts(
    tmp_path: Path, waiver: str, door: Door, taken_back: bool
) -> None:
    text = f"waivers:\n{waiver}"
    it, base = fetched(tmp_path, text, f"waivers:\n{OTHER}" if taken_back else text)
    code, report = door(it, base, tmp_path)
    assert (code, report["verdict"]["outcome"]) == (0, "concerns" if taken_back else "pass")
    [(state, note)] = states(report)
    assert state == "waived" and "it is mine" in note and len(report["waivers"]) == 1

"""A repository with the hook installed, a bare remote, and what the hook kept of its reviews."""

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..support import ROOT, Ran, Repo, process_folder

GOOD = "one\ntwo\n"
# Built here, so that this file is no defect itself.
BAD = f"one\n{'<' * 7} HEAD\ntwo\n{'=' * 7}\nthree\n{'>' * 7} topic\n"
ENV = {"PYTHONPATH": str(ROOT)}


@dataclass(frozen=True, slots=True)
class Pushing:
    """`repo` pushes to `bare`, its origin."""

    repo: Repo
    bare: Repo

    @classmethod
    def make(cls, folder: Path, *options: str, install: bool = True) -> "Pushing":
        """main is on origin, with one commit; the hook is installed after that."""
        like = _made(install, *options)
        shutil.copytree(like.bare.path, folder / "origin.git")
        made = cls(like.repo.copy(folder / "repo"), Repo(folder / "origin.git", ENV))
        made.repo.git("remote", "set-url", "origin", made.bare.path)
        return made

    def push(self, *args: str, env: dict[str, str] | None = None) -> Ran:
        """`git push ARGS`, with more in the environment."""
        return Repo(self.repo.path, {**ENV, **(env or {})}).push(*args)

    def refs(self) -> dict[str, str]:
        """What the remote has."""
        rows = self.bare.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(row.split(" ") for row in rows)

    def reports(self) -> list[dict[str, Any]]:
        """The kept reports, in the order of their refs' heads."""
        found = Path(self.repo.git("rev-parse", "--git-common-dir"))
        return [
            json.loads(path.read_text())
            for path in sorted(
                (self.repo.path / found / "reviewgate-gh/reviews").glob("*/report.json")
            )
        ]

    def reviewed(self) -> set[tuple[str, str]]:
        """Base and head of every kept report."""
        return {(report["change"]["base"], report["change"]["head"]) for report in self.reports()}


@cache
def _made(install: bool, *options: str) -> Pushing:
    """What `Pushing.make` copies."""
    folder = process_folder()
    repo = Repo.init(folder / "repo", *options, env=ENV)
    repo.commit({"README.md": "# A project\n"}, "first")
    made = Pushing(repo, repo.bare_remote(folder / "origin.git"))
    assert repo.push("-q", "-u", "origin", "main").code == 0
    if install:
        assert repo.cli("hook", "install").code == 0
    return made


def hook(repo: Repo) -> Path:
    """The hook's usual place."""
    return repo.path / ".git/hooks/pre-push"


def executable(path: Path, body: str) -> None:
    """A shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder: mode and content."""
    return {
        str(p.relative_to(folder)): (p.lstat().st_mode, p.read_bytes())
        for p in folder.rglob("*")
        if p.is_file()
    }

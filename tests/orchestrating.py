"""Runs for the tests: real repositories, real reviewers, small scripts as fixers."""

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.run import LogEvent
from reviewgate_gh.orchestrate.run_store import RunStore, open_run_store
from reviewgate_gh.orchestrate.runs import RunRequest, start_run
from reviewgate_gh.orchestrate.triggers import (
    TriggerEvent,
    TriggerOptions,
    TriggerResult,
    fire_trigger,
    open_trigger_context,
)
from reviewgate_gh.system.environment import Environment
from tests.support import Ran, Repo

# What the keyless gate finds in a file with this text, by priority.
DEFECTS = {
    "P0": "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n",
    "P1": "def f(x):\n    return evil(x)\n",
    "P2": "def f(x=[]):\n    return x\n",
    "P3": "import os\n",
}  # fmt: skip
CLEAN = "def f(x):\n    return x\n"
# A reviewer that notes each call and breaks as often as the file says.
FLAKY = """\
import pathlib, sys, time
calls, faults = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
calls.open("a").write("x")
left = int(faults.read_text() or 0) if faults.exists() else 0
if left:
    faults.write_text(str(left - 1))
    sys.exit(9)
print('{"source": {"name": "quiet"}, "diagnostics": []}')
"""


@dataclass
class Place:
    """A repository with triggers, and what its helpers have noted beside it."""

    repo: Repo
    events: list[LogEvent] = field(default_factory=list)

    @property
    def beside(self) -> Path:
        """A folder outside of the repository."""
        folder = self.repo.path.parent / f"{self.repo.path.name}-notes"
        folder.mkdir(exist_ok=True)
        return folder

    def configure(self, flaky: bool = False, **keys: Any) -> None:
        """Commit a config; with `flaky` there is a reviewer that can be made to break."""
        reviewers: dict[str, Any] = {"linters": {"type": "linters"}, "builtin": {"type": "builtin"}}
        if flaky:
            (self.beside / "flaky.py").write_text(FLAKY)
            argv = [
                sys.executable,
                "-S",
                str(self.beside / "flaky.py"),
                str(self.beside / "calls"),
                str(self.beside / "faults"),
            ]
            reviewers["flaky"] = {
                "type": "command",
                "options": {"argv": argv, "format": "rdjson", "ok_exits": [0]},
            }
        self.repo.commit(
            {".reviewgate-gh.yaml": yaml.safe_dump({"version": 1, "reviewers": reviewers, **keys})},
            "settings",
        )

    def fixer(self, script: str, name: str = "fixer") -> list[str]:
        """A program for `remediation` that runs this Python; it notes each call and what it was
        given."""
        path = self.beside / f"{name}.py"
        note = (
            "import os, sys, json, pathlib, subprocess\n"
            f"here = pathlib.Path({str(self.beside)!r})\n"
        )
        note += (
            f"given = sys.stdin.read()\n(here / '{name}.calls').open('a').write('x')\n"
            f"(here / '{name}.input').write_text(given)\n"
        )
        note += (
            "(here / "
            f"'{name}.json').write_bytes(pathlib.Path(os.environ['REVIEWGATE_GH_FINDINGS']).read_bytes())\n"
        )
        note += "def commit(message, **files):\n"
        note += (
            "    for path, text in files.items():\n"
            "        pathlib.Path(path.replace('__', '.')).write_text(text)\n"
        )
        note += (
            "    subprocess.run(['git', 'add', '-A'], check=True)\n"
            "    subprocess.run(['git', 'commit', '-qm', message], check=True)\n"
        )
        path.write_text(note + script)
        return [sys.executable, "-S", str(path)]

    def noted(self, name: str) -> int:
        """How often a helper was called."""
        path = self.beside / f"{name}.calls" if name != "flaky" else self.beside / "calls"
        return len(path.read_text()) if path.exists() else 0

    @property
    def store(self) -> RunStore:
        """The run of this work tree."""
        return open_run_store(open_repository(self.repo.path, os.environ))

    def begin(self, *issues: str, **more: Any) -> str:
        """Start a run here; its id."""
        git = open_repository(self.repo.path, os.environ)
        return start_run(open_run_store(git), git, self.environment(), RunRequest(issues, **more))[
            0
        ].run_id

    def environment(self, **env: str) -> Environment:
        """The surroundings, with these variables on top."""
        return Environment({**os.environ, **env}, self.repo.path)

    def fire(
        self,
        trigger: Any,
        issue: str = "",
        epic: str = "",
        options: TriggerOptions | None = None,
        env: dict[str, str] | None = None,
        **more: Any,
    ) -> TriggerResult:
        """Fire a trigger through the library, as an orchestrator does; events are collected."""
        git = open_repository(self.repo.path, os.environ)
        engine = open_trigger_context(
            git,
            self.environment(**(env or {})),
            open_run_store(git),
            options or TriggerOptions(),
            self.events.append,
        )
        return fire_trigger(engine, TriggerEvent(trigger, issue, epic, **more))

    def names(self) -> list[str]:
        """The events that carry fields, and the sentences, in order."""
        return [event.name for event in self.events]

    def issues(self) -> list[dict[str, Any]]:
        """The local tracker's records."""
        path = self.repo.file(".git/reviewgate-gh/issues.jsonl")
        return (
            [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        )


def review(**keys: Any) -> dict[str, Any]:
    """A code_review block that runs the reviewers declared here."""
    return {"enabled": True, "reviewer_type": "ensemble", **keys}


def data(done: Ran) -> Any:
    """What a command with `--output json` printed."""
    return json.loads(done.stdout)

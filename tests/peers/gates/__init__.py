"""External review gates that stand in for the real ones: a faithful one for each dialect, which a
plan beside it makes break."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PROGRAM = Path(__file__).with_name("program.py")
FINDING = {
    "file": "bad.py",
    "line_start": 2,
    "line_end": 2,
    "priority": 1,
    "title": "[P1] Undefined name",
    "body": "It fails.",
    "reviewer": "codex",
}


@dataclass(frozen=True, slots=True)
class FakeGate:
    """An installed gate; its folder holds the plan and a record of its calls."""

    program: Path

    def plan(self, **steps: Any) -> None:
        """What it does: see program.py. Whatever is not planned is done well, and passes."""
        self.program.with_name("plan.json").write_text(json.dumps(steps))

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Every call: argv, cwd, env (what matters of it), and the context that it read."""
        record = self.program.with_name("calls.jsonl")
        return (
            [json.loads(row) for row in record.read_text().splitlines()] if record.exists() else []
        )

    def called(self, command: str) -> list[list[str]]:
        """The arguments of each call of this command, help aside."""
        return [
            call["argv"][1:]
            for call in self.calls
            if call["argv"][0] == command and "--help" not in call["argv"]
        ]

    @property
    def alive(self) -> list[int]:
        """The processes that it has left at work."""
        return [
            pid
            for pid in map(int, self._pids())
            if Path(f"/proc/{pid}/stat").exists() and _state(pid) != "Z"
        ]

    def _pids(self) -> list[str]:
        record = self.program.with_name("pids")
        return record.read_text().split() if record.exists() else []


def install_gate(folder: Path, dialect: str) -> FakeGate:
    """A gate of this dialect ("spec" or "v1") as folder/bin/review-gate."""
    program = folder / "bin" / "review-gate"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -S {_PROGRAM} {dialect} {program.parent} "$@"\n'
    )
    program.chmod(0o755)
    return FakeGate(program)


def register(home: Path, folder: Path, name: str = "cerberus@cerberus") -> Path:
    """Let Claude Code's registry of this home name the plug-in in the folder."""
    registry = home / ".claude/plugins/installed_plugins.json"
    registry.parent.mkdir(parents=True, exist_ok=True)
    registry.write_text(
        json.dumps(
            {"version": 1, "plugins": {name: [{"installPath": str(folder), "version": "1.8.0"}]}}
        )
    )
    return registry


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"

"""Remediation: a program of the user's gets the findings, fixes them and commits. We apply and commit nothing ourselves."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..model.report import Report
from ..model.values import dataclass
from ..reporters._look import Look
from ..system import process
from ..system.git import Git
from ..system.store import HOME, write_atomic
from ..system.world import World
from .deliver import render
from .project_commands import own_environment

FIXER = "REVIEWGATE_GH_FIXER"  # set where a fixer works: no trigger fires there but the commands of session_end
FINDINGS = "REVIEWGATE_GH_FINDINGS"  # names the file


@dataclass(frozen=True, slots=True)
class Task:
    """What to fix: text on the fixer's input, data in its file."""

    text: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mended:
    """Whether there is a new commit that changes something, what to say of the fixer where it went wrong, and whether it ran at all."""

    progress: bool
    trouble: str = ""
    ran: bool = True


def mend(argv: tuple[str, ...], task: Task, git: Git, world: World, timeout: float) -> Mended:
    """Run the fixer once, in the work tree, and see whether it has committed a change."""
    if git.tree is None:
        return Mended(False, "a bare repository has no work tree to fix", ran=False)
    before = git.resolve("HEAD^{tree}", "")
    file = git.common / HOME / "tmp" / f"findings-{world.new_id()}.json"
    try:
        write_atomic(file, json.dumps(task.data, indent=2).encode())
    except OSError as error:
        return Mended(False, f"the findings could not be passed to the fixer: {error.strerror}; make sure the disk is not full", ran=False)
    try:
        trouble = _run(argv, task.text, file, git.tree, world, timeout)
    except process.ToolMissing as error:
        return Mended(False, error.message, ran=False)
    finally:
        with suppress(OSError):
            file.unlink()
    return Mended(git.resolve("HEAD^{tree}", "") != before, trouble)


def _run(argv: tuple[str, ...], text: str, file: Path, tree: Path, world: World, timeout: float) -> str:
    env = own_environment(world, {FIXER: "1", FINDINGS: str(file)})
    answer = process.run(argv, cwd=tree, env=env, stdin=text.encode("utf-8", "replace"), deadline=timeout)
    try:
        if answer.stopped:
            return f"the fixer was stopped after {answer.seconds:.0f} s: {answer.stopped}"
        last = answer.err.splitlines()[-1:] or [""]
        return f"the fixer exited with code {answer.code}: {last[0]}".removesuffix(": ") if answer.code else ""
    finally:
        answer.close()


def findings_task(report: Report) -> Task:
    """The findings of a report, as orders for an agent and as the report itself."""
    return Task(render(report, "agent", Look()), json.loads(render(report, "json", Look())))

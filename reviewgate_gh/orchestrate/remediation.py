"""Remediation: a program of the user's gets the findings, fixes them and commits. We apply and
commit nothing ourselves."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..ensemble.project_commands import user_environment
from ..gate.deliver import render_report
from ..git import Git
from ..model.errors import UsageError
from ..model.report import Report
from ..reporters._look import OutputStyle
from ..system import process
from ..system.environment import Environment
from ..system.files import STATE_FOLDER, write_atomic
from ..trust.provenance import grant_fixed

# Set where a fixer works: no trigger fires there but the commands of session_end
FIXER_VARIABLE = "REVIEWGATE_GH_FIXER"
FINDINGS_VARIABLE = "REVIEWGATE_GH_FINDINGS"  # names the file


class FixTask(Struct, frozen=True):
    """What to fix: text on the fixer's input, data in its file."""

    text: str
    data: Mapping[str, Any]


class FixResult(Struct, frozen=True):
    """Whether there is a new commit that changes something, what to say of the fixer where it went
    wrong, and whether it ran at all."""

    progress: bool
    problem: str = ""
    ran: bool = True


def run_fixer(
    argv: tuple[str, ...], task: FixTask, git: Git, environment: Environment, timeout: float
) -> FixResult:
    """Run the fixer once, in the work tree, and see whether it has committed a change."""
    if git.tree is None:
        return FixResult(False, "a bare repository has no work tree to fix", ran=False)
    head, before = git.resolve("HEAD") or git.empty_tree, git.resolve("HEAD^{tree}", "")
    file = git.common / STATE_FOLDER / "tmp" / f"findings-{environment.new_id()}.json"
    try:
        write_atomic(file, json.dumps(task.data, indent=2).encode())
    except OSError as error:
        return FixResult(
            False,
            f"the findings could not be passed to the fixer: {error.strerror}; make sure the "
            "disk is not full",
            ran=False,
        )
    try:
        env = user_environment(environment, {FIXER_VARIABLE: "1", FINDINGS_VARIABLE: str(file)})
        trouble = _run(argv, task.text, git.tree, env, timeout)
    except process.ToolMissing as error:
        return FixResult(False, error.message, ran=False)
    finally:
        with suppress(OSError):
            file.unlink()
    try:
        grant_fixed(git, environment.run_id, head, git.resolve("HEAD") or git.empty_tree)
    except UsageError as error:
        trouble = f"the fixer's commits do not count as the run's: {error.message}"
    return FixResult(git.resolve("HEAD^{tree}", "") != before, trouble)


def _run(
    argv: tuple[str, ...], text: str, tree: Path, env: Mapping[str, str], timeout: float
) -> str:
    answer = process.run_process(
        argv, cwd=tree, env=env, stdin=text.encode("utf-8", "replace"), deadline=timeout
    )
    try:
        if answer.killed_reason:
            return f"the fixer was stopped after {answer.seconds:.0f} s: {answer.killed_reason}"
        last = answer.err.splitlines()[-1:] or [""]
        return (
            f"the fixer exited with code {answer.code}: {last[0]}".removesuffix(": ")
            if answer.code
            else ""
        )
    finally:
        answer.close()


def findings_task(report: Report) -> FixTask:
    """The findings of a report, as orders for an agent and as the report itself."""
    return FixTask(
        render_report(report, "agent", OutputStyle()),
        json.loads(render_report(report, "json", OutputStyle())),
    )

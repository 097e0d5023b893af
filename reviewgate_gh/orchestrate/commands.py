"""The commands of a trigger: by name from the config or found in the project, one after another,
with a fixer where one is configured."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..ensemble.project_commands import CommandRun, discover_project_commands, run_command
from ..git import Git
from ..model.config import Config
from ..model.errors import ConfigError
from ..model.run import LogEvent
from ..model.triggers import MAX_RETRIES, CommandRef, Trigger
from ..model.values import dataclass
from ..system.environment import Environment
from .remediation import FixResult, FixTask


@dataclass(frozen=True, slots=True)
class CommandsResult:
    """All commands, each as it ran last. `aborts`: the run ends here; `failed`: it does not pass
    even if the review does."""

    ran: tuple[CommandRun, ...] = ()
    aborts: bool = False
    failed: bool = False
    fixes: int = 0


def resolve_commands(
    refs: Sequence[CommandRef], config: Config, git: Git, revision: str
) -> dict[str, tuple[str, ...]]:
    """The argument list behind each name: the config's own, else one that the project's files of
    this revision hold.

    Raises:
        ConfigError: there is no command of that name.
    """
    missing = [command.ref for command in refs if command.ref not in config.commands]
    found = discover_project_commands(git, revision) if missing else {}
    for name in missing:
        if name not in found:
            known = ", ".join(sorted({*config.commands, *found})) or "none"
            raise ConfigError(
                f"unknown command {name!r}", f"define it under commands, or use one of: {known}"
            )
    return {
        command.ref: config.commands.get(command.ref) or found[command.ref].argv for command in refs
    }


def run_trigger_commands(
    trigger: Trigger, argvs: Mapping[str, tuple[str, ...]], tree: Path, environment: Environment,
    log: Callable[[LogEvent], None],
    mend: Callable[[FixTask], FixResult] | None,
) -> CommandsResult:  # fmt: skip
    """Run them all; the trigger's failure mode says what a failed one means.

    Without `mend` nothing is fixed.
    """
    ran: list[CommandRun] = []
    fixes, left = 0, MAX_RETRIES if trigger.max_retries is None else trigger.max_retries
    for command in trigger.commands:
        mine = _run(command, argvs[command.ref], tree, environment, log)
        while mine.error and trigger.failure_mode == "remediate" and mend and left > 0:
            left -= 1
            mended = mend(_task(mine))
            fixes += mended.ran
            if mended.problem:
                log(LogEvent("WARN", mended.problem))
            if not mended.progress:
                log(LogEvent("ERROR", f"command {mine.ref}: the fixer committed nothing"))
                break
            mine = _run(command, argvs[command.ref], tree, environment, log)
        ran.append(mine)
        if mine.error and trigger.failure_mode == "abort":
            return CommandsResult(tuple(ran), aborts=True, failed=True, fixes=fixes)
    failed = (
        any(each.error for each in ran)
        and trigger.failure_mode == "remediate"
        and trigger.max_retries != 0
    )
    return CommandsResult(tuple(ran), failed=failed, fixes=fixes)


def _run(
    command: CommandRef,
    argv: tuple[str, ...],
    tree: Path,
    environment: Environment,
    log: Callable[[LogEvent], None],
) -> CommandRun:
    ran = run_command(command.ref, argv, tree, environment, command.timeout)
    log(
        LogEvent("ERROR", f"command {ran.ref} failed: {ran.error}")
        if ran.error
        else LogEvent("INFO", f"command {ran.ref} passed")
    )
    return ran


def _task(ran: CommandRun) -> FixTask:
    what = {"command": ran.ref, "argv": [*ran.argv], "error": ran.error, "output": ran.output}
    return FixTask(
        f"The command {ran.ref} failed ({ran.error}). Make it pass, and commit.\n\n{ran.output}\n",
        what,
    )

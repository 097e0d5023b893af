"""The commands of a trigger: by name from the config or found in the project, one after another,
with a fixer where one is configured."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ..ensemble.project_commands import CommandRun, discover_project_commands, run_command
from ..git import Git
from ..model.config import Config
from ..model.errors import ConfigError, Exit
from ..model.run import LogEvent
from ..model.triggers import MAX_RETRIES, CommandRef, Trigger, TriggerType
from .remediation import FIXER_VARIABLE, FixResult, FixTask, run_fixer
from .trigger_context import TriggerContext
from .trigger_outcome import TriggerResult

_FAILED = "a command failed"


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
    context: TriggerContext, trigger: Trigger | None, result: TriggerResult
) -> TriggerResult:
    """Run them all; the failure mode says what a failed one means: with `abort` it is the last.

    Raises:
        ConfigError: there is no command of a name.
    """
    if trigger is None or not trigger.commands:
        return result
    tree, argvs = (
        context.git.tree,
        resolve_commands(trigger.commands, context.config, context.git, context.settings_commit),
    )
    refused = (
        [why for argv in argvs.values() if (why := context.refusal(argv))]
        if tree
        else ["a bare repository has no work tree"]
    )
    if refused or tree is None:
        context.log(LogEvent("ERROR", f"no command was run: {refused[0]}"))
        return result if trigger.failure_mode == "continue" else result.stopped(Exit.BLOCK, _FAILED)
    fixer = _fixer(context, result.trigger)
    left = MAX_RETRIES if trigger.max_retries is None else trigger.max_retries
    left = left if fixer and trigger.failure_mode == "remediate" else 0
    for command in trigger.commands:
        ran = _run(command, argvs[command.ref], tree, context)
        while ran.error and left > 0:
            left -= 1
            fixed = _fix(ran, fixer, context)
            result = replace(result, fixes=result.fixes + fixed.ran)
            if not fixed.progress:
                break
            ran = _run(command, argvs[command.ref], tree, context)
        result = replace(result, commands=(*result.commands, ran))
        if ran.error and trigger.failure_mode == "abort":
            return result.stopped(Exit.BLOCK, _FAILED)
    failed = trigger.failure_mode == "remediate" and any(each.error for each in result.commands)
    return result.stopped(Exit.BLOCK, _FAILED) if failed and trigger.max_retries != 0 else result


def _fixer(context: TriggerContext, trigger: TriggerType) -> tuple[str, ...]:
    """The program that may fix what a command finds; () without one, and in its own session."""
    remediation = context.config.remediation
    fixer = remediation.resume if trigger == "session_end" else remediation.fixer
    if fixer and (why := context.refusal(fixer)):
        context.log(LogEvent("ERROR", f"no fixer was run: {why}"))
        return ()
    return () if FIXER_VARIABLE in context.environment.variables else fixer


def _fix(ran: CommandRun, fixer: tuple[str, ...], context: TriggerContext) -> FixResult:
    fixed = run_fixer(
        fixer, _task(ran), context.git, context.environment, context.config.remediation.timeout
    )
    if fixed.problem:
        context.log(LogEvent("WARN", fixed.problem))
    if not fixed.progress:
        context.log(LogEvent("ERROR", f"command {ran.ref}: the fixer committed nothing"))
    return fixed


def _run(
    command: CommandRef, argv: tuple[str, ...], tree: Path, context: TriggerContext
) -> CommandRun:
    ran = run_command(command.ref, argv, tree, context.environment, command.timeout)
    failed = LogEvent("ERROR", f"command {ran.ref} failed: {ran.error}")
    context.log(failed if ran.error else LogEvent("INFO", f"command {ran.ref} passed"))
    return ran


def _task(ran: CommandRun) -> FixTask:
    what = {"command": ran.ref, "argv": [*ran.argv], "error": ran.error, "output": ran.output}
    return FixTask(
        f"The command {ran.ref} failed ({ran.error}). Make it pass, and commit.\n\n{ran.output}\n",
        what,
    )

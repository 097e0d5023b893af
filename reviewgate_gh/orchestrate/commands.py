"""The commands of a trigger: by name from the config or found in the project, one after another,
with a fixer where one is configured."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.project_commands import CommandRun, discover_project_commands, run_command
from ..git import Git
from ..model.config import Config
from ..model.errors import ConfigError, Exit
from ..model.run import LogEvent
from ..model.triggers import MAX_RETRIES, CommandRef, Trigger, TriggerType
from .remediation import FIXER_VARIABLE, FixResult, FixTask, run_fixer
from .trigger_context import TriggerContext
from .trigger_outcome import NOT_CHECKED, TriggerResult

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
    tree = context.git.tree
    argvs = resolve_commands(trigger.commands, context.config, context.git, context.settings_commit)
    refused = (
        next(filter(None, map(context.refusal, argvs.values())), "")
        if tree
        else "a bare repository has no work tree"
    )
    if refused or tree is None:
        context.log(LogEvent("ERROR", f"no command was run: {refused}"))
        return result.stopped(Exit.INCONCLUSIVE, f"{NOT_CHECKED}: no command was run: {refused}")
    fixer = _fixer(context, result.trigger)
    left = MAX_RETRIES if trigger.max_retries is None else trigger.max_retries
    left = left if fixer and trigger.failure_mode == "remediate" else 0
    for command in trigger.commands:
        run = partial(_run, command, argvs[command.ref], tree, context)
        last = _run_until_fixed(run, partial(_fix, fixer, context), left)
        left -= last.retries
        result = replace(
            result, commands=(*result.commands, last.ran), fixes=result.fixes + last.fixes
        )
        if last.ran.error and trigger.failure_mode == "abort":
            return result.stopped(Exit.BLOCK, _FAILED, aborts=True)
    failed = trigger.failure_mode == "remediate" and any(each.error for each in result.commands)
    return result.stopped(Exit.BLOCK, _FAILED) if failed and trigger.max_retries != 0 else result


class _LastRun(Struct, frozen=True):
    """How a command ran last, how often it was to be fixed before, and how often a fixer ran."""

    ran: CommandRun
    retries: int = 0
    fixes: int = 0


def _run_until_fixed(
    run: Callable[[], CommandRun], fix: Callable[[CommandRun], FixResult], most: int
) -> _LastRun:
    """Run a command, and again after each fix until it passes, nothing is fixed or `most` fixes
    were tried."""
    last = _LastRun(run())
    while last.ran.error and last.retries < most:
        fixed = fix(last.ran)
        last = _LastRun(last.ran, last.retries + 1, last.fixes + fixed.ran)
        if not fixed.progress:
            break
        last = replace(last, ran=run())
    return last


def _fixer(context: TriggerContext, trigger: TriggerType) -> tuple[str, ...]:
    """The program that may fix what a command finds; () without one, and in its own session."""
    remediation = context.config.remediation
    fixer = remediation.resume if trigger == "session_end" else remediation.fixer
    if fixer and (why := context.refusal(fixer)):
        context.log(LogEvent("ERROR", f"no fixer was run: {why}"))
        return ()
    return () if FIXER_VARIABLE in context.environment.variables else fixer


def _fix(fixer: tuple[str, ...], context: TriggerContext, ran: CommandRun) -> FixResult:
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

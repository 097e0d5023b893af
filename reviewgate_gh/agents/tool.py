"""The gate before an agent runs a command or writes a file: a push that the gate would refuse is
refused here, and so is what only a person may do."""

from contextlib import suppress
from pathlib import Path

from ..git import Git, open_repository
from ..model.errors import NoRepository
from ..system.environment import Environment
from ..system.files import STATE_FOLDER
from ..text.safe import safe_line
from ..trust.attempts import record_attempt
from .program import GO_ON, HookAnswer, HookEvent, load_agent, missing_repository
from .shell import CommandLine, read_command

_PERSON = (
    "reviewgate-gh: a coding agent may not {}: this was refused and recorded. Tell your user why "
    "you want it; a person can do it in a terminal of their own."
)


def before_tool(event: HookEvent, agent: str, environment: Environment) -> HookAnswer:
    """Whether the agent may run its command, in its own form."""
    program = load_agent(agent)
    if not event.readable:
        return program.deny(
            "reviewgate-gh: the event of this hook is not JSON, so nothing is known"
        )
    command = read_command(event.command)
    if not (command.pushes or command.forbidden or event.path):
        return GO_ON
    gits = _repositories(event, command, environment)
    forbidden = [*command.forbidden, *(what for git in gits[:1] for what in _protected(git, event))]
    if forbidden:
        for git in gits:
            for what in forbidden:
                record_attempt(git, environment, program.TITLE, f"tried to {what}")
        return program.deny(_PERSON.format(" or ".join(forbidden)))
    if not command.pushes:
        return GO_ON
    if not gits:
        why = missing_repository(program, event.folder)
        return program.deny(f"reviewgate-gh: {why}, so this push was refused") if why else GO_ON
    reasons = (_why_not(git, command, environment) for git in gits)
    reason = next(filter(None, reasons), "")
    return program.deny(reason) if reason else GO_ON


def _repositories(event: HookEvent, command: CommandLine, environment: Environment) -> list[Git]:
    """Those that are pushed from; where that is none, that of the session."""
    found = dict[Path, Git]()
    places = [Path(event.folder, folder) for folder in command.folders]
    for place in [place for place in places if place.is_dir()] or [Path(event.folder)]:
        with suppress(NoRepository):
            git = open_repository(place, environment.variables)
            found[git.directory] = git
    if not found:
        with suppress(NoRepository):
            return [open_repository(Path(event.folder), environment.variables)]
    return list(found.values())


def _protected(git: Git, event: HookEvent) -> list[str]:
    """What a file that is about to be written is of the gate: hooks, git's settings, which can name
    other hooks, and the approvals."""
    if not event.path:
        return []
    place, home = Path(event.folder, event.path).resolve(), git.common.resolve()
    own = (home / "hooks", home / STATE_FOLDER, home / "config", home / "config.worktree")
    found = any(place.is_relative_to(each) for each in own)
    return [f"write {place.relative_to(home)} in the git directory"] if found else []


def _why_not(git: Git, command: CommandLine, environment: Environment) -> str:
    """Why the gate would refuse the push; "" where it would not."""
    # Of the gate itself, for a push alone: every command of the agent comes through here
    from .judge import judge_work

    try:
        judged = judge_work(git, environment, uncommitted=command.commits)
    except Exception as error:
        why = safe_line(f"{type(error).__name__}: {error}")
        return f"reviewgate-gh: the review failed ({why}), so this push was refused"
    return "" if judged.passes else f"The review gate refuses this push.\n{judged.words}"

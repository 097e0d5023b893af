"""The gate before an agent runs a command or writes a file: a push that the gate would refuse is
refused here, and so is what only a person may do."""

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
    git = _repository(event, command, environment)
    forbidden = [*command.forbidden, *(_protected(git, event) if git else [])]
    if forbidden:
        for what in forbidden:
            if git:
                record_attempt(git, environment, program.TITLE, f"tried to {what}")
        return program.deny(_PERSON.format(" or ".join(forbidden)))
    if not command.pushes:
        return GO_ON
    if git is None:
        why = missing_repository(program, event.folder)
        return program.deny(f"reviewgate-gh: {why}, so this push was refused") if why else GO_ON
    reason = _why_not(git, command, environment)
    return program.deny(reason) if reason else GO_ON


def _repository(event: HookEvent, command: CommandLine, environment: Environment) -> Git | None:
    """The repository that is pushed from, or else that of the session."""
    folders = [Path(event.folder, command.folder)] if command.folder else []
    folders = [folder for folder in folders if folder.is_dir()]
    for folder in (*folders, Path(event.folder)):
        try:
            return open_repository(folder, environment.variables)
        except NoRepository:
            continue
    return None


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

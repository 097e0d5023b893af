"""Manage the gate in coding agents: status, plug-in, recorded attempts."""

import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import click
from msgspec import to_builtins

from ..agents.plugin_folder import INSTALLS, write_plugin
from ..agents.program import (
    ANY_AGENT,
    STOP_SECONDS,
    HookAnswer,
    HookEvent,
    agent_names,
    block_stop,
    load_agent,
    read_event,
    tell_user,
    which_agent,
)
from ..agents.status import PROBE_VARIABLE, agents_status, answer_probe, status_lines
from ..git import open_repository
from ..model.errors import UsageError
from ..system.environment import Environment
from ..system.signals import deferred_interrupts
from ..text.safe import json_without_commands, safe_line
from ..trust.attempts import clear_attempts, require_person
from ._options import repo, result_form

_LONGEST = 10_000_000  # bytes of an event
_seconds = click.option("--seconds", type=int, default=STOP_SECONDS - 30, hidden=True)
_agent = click.argument("agent", type=click.Choice([*agent_names(), ANY_AGENT]))


@click.group("agents")
def command() -> None:
    """Manage the gate in the coding agents of this repository; `init --agents` sets them up."""


@command.command("status", short_help="Prove that each agent's hooks run the gate.")
@result_form
@repo
def status(form: str, repo: Path) -> int:
    """Show for each agent what is set up, run its hooks with a sample event, and name settings that
    make it skip them; exit 1 if an agent's hooks do not run."""
    environment = Environment.current()
    found = agents_status(open_repository(repo, environment.variables), environment)
    if form == "json":
        click.echo(json_without_commands(json.dumps(to_builtins(found), indent=2)))
    else:
        click.echo("\n".join(status_lines(found)))
    return found.exit


@command.command("clear", short_help="Clear the record of what agents attempted.")
@repo
def clear(repo: Path) -> int:
    """Clear the record of what agents attempted that only a person may do, so that reports no
    longer name it."""
    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    what = "clear the list of what agents tried"
    require_person(git, environment, what, "reviewgate-gh agents clear")
    click.echo(f"cleared: {clear_attempts(git)}")
    return 0


@command.command("plugin", short_help="Write the plug-in for coding agents into a folder.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def plugin(folder: Path) -> int:
    """Write the plug-in for Claude Code, Codex, Gemini CLI, Qwen Code and Copilot CLI into FOLDER,
    and show how to install it in each: hooks, MCP server and skill for all your repositories."""
    count = write_plugin(folder)
    place = safe_line(str(folder.resolve()))
    click.echo(f"written: {count} files in {place}")
    for line in INSTALLS:
        click.echo(f"  {line.format(folder=shlex.quote(place))}")
    return 0


@command.command("stop", hidden=True)
@_agent
@_seconds
def stop(agent: str, seconds: int) -> int:
    """What an agent runs before it stops, with the event on standard input."""
    from ..agents import stop as hook

    return _hook(agent, hook.stop, "stop", seconds)


@command.command("tool", hidden=True)
@_agent
@_seconds
def tool(agent: str, seconds: int) -> int:
    """What an agent runs before each shell command, with the event on standard input."""
    from ..agents.tool import before_tool

    return _hook(agent, before_tool, "tool", seconds)


def _failed(agent: str, name: str, event: HookEvent, error: Exception) -> HookAnswer:
    """Agents go on where a hook ends with an error, so it says in their own words what failed."""
    why = safe_line(str(error), 600) or type(error).__name__
    words = f"reviewgate-gh: the gate failed, so nothing was reviewed: {why}"
    if name == "tool":
        return load_agent(agent).deny(words)
    return tell_user(words) if event.again else block_stop(f"{words}\nTell your user.")


_Hook = Callable[[HookEvent, str, Environment], HookAnswer]


def _hook(agent: str, hook: _Hook, name: str, seconds: int) -> int:
    try:
        environment = Environment.current()
    except UsageError:  # its folder is gone; an error would let the agent go on
        os.chdir("/")
        environment = Environment.current()
    data = sys.stdin.buffer.read(_LONGEST)
    event = read_event(data, str(environment.cwd), environment.variables)
    agent = which_agent(agent, event, environment.coding_agent)
    secret = os.environ.get(PROBE_VARIABLE, "")
    if secret and event.probe == secret:
        answer = answer_probe(load_agent(agent), name, secret)
    else:
        # What else is printed is no answer
        with os.fdopen(os.dup(1), "wb") as output:
            os.dup2(2, 1)
            answer = _in_time(
                seconds,
                lambda: hook(event, agent, environment),
                lambda error: _failed(agent, name, event, error),
                lambda late: _end(late, output.fileno()),
            )
            sys.stdout.flush()
            os.dup2(output.fileno(), 1)
    return _said(answer)


def _in_time(
    seconds: int,
    work: Callable[[], HookAnswer],
    failed: Callable[[Exception], HookAnswer],
    end: Callable[[HookAnswer], None],
) -> HookAnswer:
    """The answer; `end` gives it at once where the work takes too long: an agent ends a hook that
    does, and goes on."""
    late = threading.Event()

    def ring() -> None:
        late.set()
        os.kill(os.getpid(), signal.SIGTERM)  # ends what the review has started, too

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        try:
            return work()
        except Exception as error:
            return failed(error)
        finally:
            timer.cancel()
    except KeyboardInterrupt:
        if not late.is_set():
            raise
        with deferred_interrupts():
            answer = failed(UsageError(f"it took longer than {seconds} s"))
            end(answer)
        return answer


def _end(answer: HookAnswer, output: int) -> None:
    """Say it and end, whatever still works."""
    os.write(output, f"{answer.stdout}\n".encode() if answer.stdout else b"")
    os.write(2, f"{answer.stderr}\n".encode() if answer.stderr else b"")
    os._exit(answer.code)


def _said(answer: HookAnswer) -> int:
    if answer.stdout:
        click.echo(answer.stdout)
    if answer.stderr:
        click.echo(answer.stderr, err=True)
    return answer.code

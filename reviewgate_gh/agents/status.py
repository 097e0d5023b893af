"""Whether each agent's hooks run the gate: its settings are read, the command lines in them are run
as the agent would run them, and settings of the user that make it skip hooks are named."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..git import Git
from ..git.tree_files import top_folder
from ..system.environment import Environment
from ..system.process import run_process
from ..system.search_path import find_in_folders
from ..text.safe import safe_line
from ..trust.attempts import attempt_text, recent_attempts
from .json_files import read_object
from .program import (
    AgentProgram,
    HookAnswer,
    agent_names,
    block_stop,
    hook_command,
    load_agent,
)
from .state import last_runs

PROBE_VARIABLE = "REVIEWGATE_GH_AGENT_PROBE"
_HOOKS = ("stop", "tool")
_SECONDS = 30


def answer_probe(agent: AgentProgram, hook: str, secret: str) -> HookAnswer:
    """What a hook says to a sample event that holds the secret of the run that asks: it refuses, as
    it would refuse a real one."""
    return block_stop(secret) if hook == "stop" else agent.deny(secret)


def is_used(agent: AgentProgram, git: Git, path: str) -> bool:
    """The agent is installed here, or the project has files of its."""
    top = top_folder(git)
    folders = path.split(":")
    return find_in_folders(agent.PROGRAM, folders) is not None or any(
        (top / name).exists() for name in agent.FOLDERS
    )


def agents_status(git: Git, environment: Environment) -> int:
    """Print how each agent stands; 0 where at least one is set up and the hooks of all that are
    run, else 1."""
    wrong, seen = False, False
    for name in agent_names():
        agent, held = load_agent(name), _commands(git, name)
        used = is_used(agent, git, environment.variables.get("PATH", ""))
        if not any(held.values()):
            if used:
                print(f"{agent.TITLE}: not set up: reviewgate-gh init --agents={name}")
            continue
        seen = True
        faults = [*_faults(name, held, git, environment)]
        wrong = wrong or bool(faults)
        print(f"{agent.TITLE}: {'DOES NOT RUN THE GATE' if faults else 'its hooks run the gate'}")
        for fault in faults:
            print(f"  {safe_line(fault, 600)}")
        print(f"  {_last(name, git)}")
    for attempt in recent_attempts(git, environment):
        print(safe_line(attempt_text(attempt), 600))
    if not seen:
        print("no coding agent is set up: reviewgate-gh init --agents")
    return 1 if wrong or not seen else 0


def _last(name: str, git: Git) -> str:
    runs = last_runs(git)
    times = [runs[f"{name} {hook}"] for hook in _HOOKS if f"{name} {hook}" in runs]
    if times:
        return f"last run by the agent itself: {max(times)}"
    return "not yet run by the agent itself in this clone: let it end one answer to be sure"


def _faults(
    name: str, held: Mapping[str, str], git: Git, environment: Environment
) -> Iterator[str]:
    agent = load_agent(name)
    for hook in _HOOKS:
        if not held[hook]:
            yield f"its settings have no {hook} hook of the gate: reviewgate-gh init --agents"
        elif held[hook] != hook_command(name, hook):
            # The file may be anybody's: nothing but our own command is run
            yield f"`{held[hook]}` is not `{hook_command(name, hook)}`, and was not tried"
        elif why := _tried(agent, hook, held[hook], git, environment):
            yield f"`{held[hook]}` {why}"
    yield from agent.obstacles(environment.variables, str(top_folder(git)))


def _commands(git: Git, name: str) -> dict[str, str]:
    """The command line of each hook of the gate in an agent's settings; "" where there is none."""
    found = dict.fromkeys(_HOOKS, "")
    for file in load_agent(name).FILES:
        if file.form == "json":
            for line in _command_lines(read_object(top_folder(git) / file.path).get("hooks")):
                for hook in _HOOKS:
                    if hook_command(name, hook) in line:
                        found[hook] = line
    return found


def _command_lines(value: Any) -> Iterator[str]:
    """Every command line in hooks, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("command", "bash") and isinstance(inner, str):
                yield inner
            else:
                yield from _command_lines(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _command_lines(inner)


def _tried(agent: AgentProgram, hook: str, command: str, git: Git, environment: Environment) -> str:
    """Why the command line does not refuse a sample event as the agent would understand it; ""
    where it does."""
    secret = environment.nonce()
    event = {"cwd": str(top_folder(git)), "session_id": secret, "reviewgate_probe": secret}
    done = run_process(
        ["/bin/sh", "-c", command],
        cwd=top_folder(git),
        env={**environment.variables, PROBE_VARIABLE: secret},
        stdin=json.dumps(event).encode(),
        deadline=_SECONDS,
    )
    try:
        said = HookAnswer(done.out.decode("utf-8", "replace").strip(), done.err, done.code or 0)
        wanted = answer_probe(agent, hook, secret)
        if done.code is None:
            return f"takes too long: {done.killed_reason}"
        if (said.stdout, said.code) == (
            wanted.stdout,
            wanted.code,
        ) and wanted.stderr in said.stderr:
            return ""
        if said.code == 127:
            return "is not found on PATH: install reviewgate-gh where your shell finds it"
        words = safe_line(said.stderr or said.stdout) or "nothing"
        return f"does not refuse a sample event: exit code {said.code}, it said: {words}"
    finally:
        done.close()

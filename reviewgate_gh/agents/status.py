"""Whether each agent's hooks run the gate: its settings are read, the command lines in them are run
as the agent would run them, and settings of the user that make it skip hooks are named."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

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


class AgentState(Struct, frozen=True):
    """How an agent stands: whether the project has hooks of the gate for it, why they do not run
    (none: they do), and when it has last run one by itself; "" for never in this clone."""

    agent: str
    title: str
    is_set_up: bool
    faults: tuple[str, ...] = ()
    last_run: str = ""


class AgentsStatus(Struct, frozen=True):
    """The agents that are set up or used here, and what agents have tried that they may not do.
    `exit` is 0 where at least one is set up and the hooks of all that are run, else 1."""

    agents: tuple[AgentState, ...]
    attempts: tuple[str, ...]

    @property
    def exit(self) -> int:
        """The exit code."""
        set_up = [each for each in self.agents if each.is_set_up]
        return 0 if set_up and not any(each.faults for each in set_up) else 1


def agents_status(git: Git, environment: Environment) -> AgentsStatus:
    """Look at each agent, and run the hooks that are there."""
    found, runs = list[AgentState](), last_runs(git)
    for name in agent_names():
        agent, held = load_agent(name), _commands(git, name)
        last = max((runs.get(f"{name} {hook}", "") for hook in _HOOKS), default="")
        if any(held.values()):
            faults = tuple(_faults(name, held, git, environment))
            found.append(AgentState(name, agent.TITLE, True, faults, last))
        elif last or is_used(agent, git, environment.variables.get("PATH", "")):
            found.append(AgentState(name, agent.TITLE, False, last_run=last))
    tried = tuple(map(attempt_text, recent_attempts(git, environment)))
    return AgentsStatus(tuple(found), tried)


def status_lines(status: AgentsStatus) -> Iterator[str]:
    """The same for people."""
    for each in status.agents:
        if not each.is_set_up:
            yield f"{each.title}: not set up: reviewgate-gh init --agents={each.agent}"
            if each.last_run:
                yield f"  last run by the agent itself, as a plug-in: {each.last_run}"
            continue
        how = "DOES NOT RUN THE GATE" if each.faults else "its hooks run the gate"
        yield f"{each.title}: {how}"
        yield from (f"  {safe_line(fault, 600)}" for fault in each.faults)
        yield (
            f"  last run by the agent itself: {each.last_run}"
            if each.last_run
            else "  not yet run by the agent itself in this clone: let it end one answer to be sure"
        )
    yield from (safe_line(text, 600) for text in status.attempts)
    if not any(each.is_set_up for each in status.agents):
        yield "no coding agent is set up: reviewgate-gh init --agents"


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

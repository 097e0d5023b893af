"""What the coding agents share: found, cut off from everything that is not theirs, asked on stdin, and judged by their answer."""

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from ..model.asked import Prompt, Reply, Standing
from ..model.review import Status
from ..model.values import dataclass
from ..system import process
from ..system.kit import Seat
from ..system.scratch import Scratch, scratch
from ..system.store import write_atomic
from ..text.redact import redact_values
from ._access import Access, AgentOptions, Vendor, access, environment
from ._envelope import last_words
from ._handed import cleaned, credentials, of_logins, without
from ._price import priced
from ._program import find_agent, outside
from ._version import Version, version

ROLE = (
    "You review changes to source code. You have no tools and need none: the message contains everything. "
    "Answer only with the JSON object that it asks for."
)
_OUT, _ERR = 8 * process.MEGABYTE, process.MEGABYTE
_SAMPLE = Prompt("", "", {"type": "object"})
_PATIENCE = 3.0  # seconds that an answer waits for the program's version


@dataclass(frozen=True, slots=True)
class Call:
    """A question on its way: the program, the question, the options, the way in, and where it will run."""

    program: str
    prompt: Prompt
    options: Any
    access: Access
    place: Scratch
    seat: Seat


@dataclass(frozen=True, slots=True)
class Command:
    """What to run: its arguments, its own variables, files by their path below the place, and another input than the question."""

    argv: list[str]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: bytes | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that can be asked: how it is called and how its output is read (ValueError: it is not what it prints)."""

    name: str
    install: str
    vendor: Vendor
    command: Callable[[Call], Command]
    read: Callable[[bytes], Reply]
    find: Callable[[str, str, Seat], str | None] = find_agent
    version: Callable[[], tuple[str, ...]] = lambda: ("--version",)

    def check(self, options: AgentOptions, seat: Seat) -> Standing:
        """Where it stands; the program is run for its version, and nothing else."""
        ready = _ready(self, options, seat)
        sends = _sends(ready.access)
        if ready.error:
            return Standing(ready.error, sends=sends)
        call = Call(ready.program, _SAMPLE, options, ready.access, Scratch(Path("...")), seat)
        notes = () if options.model else ("no model is configured: the program uses its own default",)
        known = version((ready.program, *self.version()), _path(seat, ready.program)).result()
        if known.error:
            notes = (*notes, f"{known.error}: its answers do not count")
        return Standing("", known.number, shlex.join(self.command(call).argv), ready.access.login, sends, notes)

    def ask(self, prompt: Prompt, options: AgentOptions, seat: Seat) -> Reply:
        """One answer, or the status that says why there is none."""
        ready = _ready(self, options, seat)
        named = Reply(Status.UNAVAILABLE, error=ready.error, model=options.model, endpoint=_sends(ready.access))
        if ready.error:
            return named
        known, started = version((ready.program, *self.version()), _path(seat, ready.program)), seat.world.clock()
        try:
            with scratch(ready.access.files) as place:
                reply = _asked(self, Call(ready.program, prompt, options, ready.access, place, seat))
        except OSError as error:
            reply = Reply(Status.FAILED, error=f"cannot create a folder for it to run in: {error.strerror}")
        left = max(_PATIENCE, seat.timeout - (seat.world.clock() - started))
        said = known.result() if known.wait(left) else Version(error=f"--version gave no answer within {left:.0f} s")
        if reply.status is Status.OK and said.error:  # its answer may be paid, but what gave it cannot be told
            reply = Reply(Status.FAILED, error=said.error, usage=reply.usage)
        return replace(reply, usage=priced(reply.usage, options), model=named.model, endpoint=named.endpoint, version=said.number)


@dataclass(frozen=True, slots=True)
class _Ready:
    error: str
    access: Access
    program: str = ""


def _ready(agent: Agent, options: AgentOptions, seat: Seat) -> _Ready:
    found = access(agent.vendor, options, seat.world)
    program = agent.find(agent.name, options.path, seat)
    if program is None:
        where = f"at {options.path} that may be run here" if options.path else "here"
        return _Ready(f"no {agent.name} {where}; {agent.install}", found)
    return _Ready(found.error, found, program)


def _sends(found: Access) -> str:
    """Where questions go, to be shown: an address of the user's own may hold a login."""
    return redact_values(found.sends, credentials(found.env))


def _asked(agent: Agent, call: Call) -> Reply:
    command = agent.command(call)
    env = environment(call.seat.world, call.access, call.place.home, call.place.temporary)
    env |= {"PATH": _path(call.seat, call.program), **command.env}
    for name, data in command.files.items():
        write_atomic(call.place.root / name, data)  # a login's folder is read by others, too
    logins = (*call.access.files.values(), *(call.place.home / name for name in call.access.files))
    secrets = {*credentials(env), *of_logins(logins)}
    try:
        done = _run(command, call, env)
    except process.ToolMissing as error:
        return Reply(Status.UNAVAILABLE, error=f"{error.message}; {agent.install}")
    secrets.update(of_logins(logins))  # renewed meanwhile
    try:
        reply = _judged(agent, done, secrets)
    finally:
        done.close()
    usage = replace(reply.usage, calls=max(1, reply.usage.calls))  # who broke may have asked all the same
    return without(replace(reply, usage=usage), secrets)


def _run(command: Command, call: Call, env: Mapping[str, str]) -> process.Answer:
    stdin = call.prompt.text.encode("utf-8", "backslashreplace") if command.stdin is None else command.stdin
    deadline = max(0.1, call.seat.timeout)
    return process.run(command.argv, cwd=call.place.work, env=env, stdin=stdin, deadline=deadline, cap=_OUT, err_cap=_ERR)


def _judged(agent: Agent, done: process.Answer, secrets: Iterable[str]) -> Reply:
    """An answer counts when it is whole and the program ended well."""
    err = redact_values(done.err, secrets)
    if done.stopped:
        status = Status.TIMEOUT if done.stopped == "deadline" else Status.FAILED
        said = f"; its last output: {last_words(err)}" if err else ""
        return Reply(status, error=f"stopped after {done.seconds:.0f} s: {done.stopped}{said}")
    try:
        reply = agent.read(cleaned(done.out, secrets))
    except ValueError as error:
        if done.code == 0:
            return Reply(Status.UNPARSABLE, error=str(error))
        return Reply(Status.FAILED, error=f"exit code {done.code}: {last_words(err)}")
    if reply.status is Status.OK and done.code != 0:
        why = f"exit code {done.code} after an answer: {last_words(err)}"
        return Reply(Status.FAILED, error=why, usage=reply.usage)
    if reply.status is Status.OK and not reply.text.strip():
        return Reply(Status.UNPARSABLE, error="its answer is empty", usage=reply.usage)
    return reply


def _path(seat: Seat, program: str) -> str:
    return outside(seat.world.env, seat.tree, program)

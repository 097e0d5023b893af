"""Speaking to an external review gate: its help, a spawn, the wait. One answer comes of it, whatever the gate does."""

import json
import math
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from ..model.config import STRICT
from ..model.contract import GateAnswer
from ..model.errors import GateError
from ..model.values import dataclass
from ..steps import gate_dialect as words
from ..steps.gate_answer import read_answer, stopped
from ..system import process
from ..system.world import INSIDE, World
from ..text.plain import plain_line
from ..text.redact import redact_values
from ._gate_find import GateMissing, find_gate
from ._handed import cleaned, credentials

_HELP = 30.0  # seconds
_SPAWN = 120.0
GRACE = 30.0
_CAP = 20 * process.MEGABYTE
_SHOWN = 300
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
# What a gate and its reviewers are configured by; other tokens (GitHub's above all) stay here.
_PASSED = ("ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_", "CLAUDE_", "CODEX_", "CERBERUS_", "REVIEW_GATE_", "NODE_EXTRA_CA_CERTS")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """How the gate is called: its program ("" finds it), more arguments for its two commands (never read by a shell), more environment."""

    __pydantic_config__ = STRICT
    path: str = ""
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if "/" in self.path and not self.path.startswith(("/", "~/")):
            raise ValueError("path must be absolute, begin with ~/, or be a bare name to be found on PATH")


class SpawnFailed(GateError):
    """The gate did not begin; the message begins with "spawn failed: "."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate at one repository, under one session id of its own."""

    program: Path
    cwd: Path
    env: Mapping[str, str]
    session: str
    calling: Calling

    @property
    def secrets(self) -> frozenset[str]:
        """Those in its environment; it may repeat them."""
        return frozenset(credentials(self.env))

    def help(self, command: str) -> process.Answer:
        """What `COMMAND --help` says."""
        return self._run([command, "--help"], _HELP)

    def help_text(self, command: str) -> str:
        """The same as text; of both streams, whatever the exit code.

        Raises:
            SpawnFailed: it cannot be run, or does not end.
        """
        try:
            answer = self.help(command)
        except process.ToolMissing as error:
            raise SpawnFailed(f"spawn failed: {error.message}") from None
        try:
            if answer.stopped:
                raise SpawnFailed(f"spawn failed: {self.program.name} {command} --help was stopped: {answer.stopped}")
            return f"{answer.out.decode('utf-8', 'replace')}\n{answer.err}"
        finally:
            answer.close()

    def ask(self, argv: Sequence[str], seconds: float, grace: float = GRACE) -> GateAnswer:
        """Spawn with these arguments and wait for the answer, within so many seconds and so many more for the gate to say that it is late.

        What the spawn left at work ends with this. The outcome "no_progress" is a gate's that found nothing to review.

        Raises:
            SpawnFailed: the gate did not begin.
        """
        end = time.monotonic() + seconds
        try:
            return self._ask(argv, end, grace, may_resolve=True)
        except process.ToolMissing as error:
            raise SpawnFailed(f"spawn failed: {error.message}") from None

    def _ask(self, argv: Sequence[str], end: float, grace: float, *, may_resolve: bool) -> GateAnswer:
        with process.leaving([str(self.program), *argv], cwd=self.cwd, env=self.env, deadline=_left(end, _SPAWN)) as spawned:
            said = redact_values(f"{spawned.out.decode('utf-8', 'replace')}\n{spawned.err}", self.secrets)
            code, why = spawned.code, spawned.stopped
            key, nothing = _key(spawned.out), words.nothing_to_review(said)
            if code == 0 and words.STALE not in said and (key or not nothing):
                return self._wait(key, end, grace)
            if nothing:
                return GateAnswer("no_progress")
        if words.STALE in said and may_resolve and not why:
            self._run(words.RESOLVE, _left(end, _HELP)).close()
            return self._ask(argv, end, grace, may_resolve=False)
        reason = f"stopped: {why}" if why else _last(said) or f"exit {code}"
        raise SpawnFailed(f"spawn failed: {reason}")

    def _wait(self, key: str, end: float, grace: float) -> GateAnswer:
        left = _left(end, math.inf)
        answer = self._run(words.wait_words(key, self.session, math.ceil(left), self.calling.wait_args), left + grace)
        try:
            if answer.stopped:
                return stopped(answer.stopped)
            return read_answer(
                -1 if answer.code is None else answer.code, cleaned(answer.out, self.secrets), redact_values(answer.err, self.secrets)
            )
        finally:
            answer.close()

    def _run(self, argv: Sequence[str], seconds: float) -> process.Answer:
        return process.run([str(self.program), *argv], cwd=self.cwd, env=self.env, deadline=seconds, cap=_CAP)


def open_gate(calling: Calling, name: str, cwd: Path, world: World) -> Gate:
    """The gate that is installed; `name` begins its session id (an issue, an epic).

    Raises:
        GateMissing: there is none, or this runs inside of a gate.
    """
    if world.inside == "gate":
        raise GateMissing(
            f"this runs inside an external gate, which cannot run another one ({INSIDE})",
            "leave out this reviewer when it runs inside a gate",
        )
    session = f"{words.name_part(name)}-{secrets.token_hex(6)}"
    return Gate(find_gate(calling.path, world), cwd, gate_environment(calling, session, world), session, calling)


def gate_environment(calling: Calling, session: str, world: World) -> dict[str, str]:
    """A tool's environment, what models are reached by, the config's own, and at last our session id and the mark against nesting."""
    passed = {name: value for name, value in world.env.items() if name.startswith(_PASSED) or name.upper() in _PROXIES}
    return process.clean_environment(world.env, {**passed, **calling.env, "CLAUDE_SESSION_ID": session, INSIDE: "gate"})


def _left(end: float, most: float) -> float:
    return max(1.0, min(most, end - time.monotonic()))


def _key(out: bytes) -> str:
    """The session key that the spawn printed; "" where it printed none."""
    try:
        plain = json.loads(out)
    except (ValueError, RecursionError):
        return ""
    key = plain.get("session_key") if isinstance(plain, dict) else None
    return key if isinstance(key, str) and _KEY.fullmatch(key) else ""


def _last(said: str) -> str:
    """Its last line that is no hint, no stack frame."""
    lines = [text for text in said.splitlines() if text.strip()]
    return plain_line(([text for text in lines if not text.startswith(" ")] or lines)[-1], _SHOWN) if lines else ""

"""Talking to an external review gate: its help, a spawn, the wait, in the dialect that it
speaks."""

import json
import math
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from ...model.errors import GateError
from ...model.limits import ConfigSection
from ...system import process
from ...system.environment import NESTED_VARIABLE, Environment
from ...text.escape import plain_line
from ...text.patterns import lazy_pattern
from ...text.redact import redact_values
from .._credentials import find_credentials, redact_credentials
from .answer import GateAnswer, read_gate_answer, stopped_gate_answer
from .find import GateMissing, find_gate

_HELP = 30.0  # seconds
_SPAWN = 120.0
GRACE_SECONDS = 30.0
_CAP = 20 * process.MEGABYTE
_SHOWN = 300
_KEY = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
# What a gate and its reviewers are configured by; other tokens (GitHub's above all) stay here.
_PASSED = (
    "ANTHROPIC_",
    "OPENAI_",
    "GEMINI_",
    "GOOGLE_",
    "CLAUDE_",
    "CODEX_",
    "CERBERUS_",
    "REVIEW_GATE_",
    "NODE_EXTRA_CA_CERTS",
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


class GateOptions(ConfigSection, frozen=True, kw_only=True):
    """How the gate is called: its program ("" finds it), more arguments for its two commands (never
    read by a shell), more environment."""

    path: str = ""
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if "/" in self.path and not self.path.startswith(("/", "~/")):
            raise ValueError(
                "path must be absolute, begin with ~/, or be a bare name to be found on PATH"
            )


class GateSpawnFailed(GateError):
    """The gate did not begin; the message begins with "spawn failed: "."""


class ExternalGate(Struct, frozen=True):
    """A gate at one repository, under one session id of its own."""

    program: Path
    cwd: Path
    env: Mapping[str, str]
    session: str
    options: GateOptions

    @property
    def secrets(self) -> frozenset[str]:
        """Those in its environment; it may repeat them."""
        return frozenset(find_credentials(self.env))

    def help(self, command: str) -> process.ProcessResult:
        """What `COMMAND --help` says."""
        return self._run([command, "--help"], _HELP)

    def help_text(self, command: str) -> str:
        """The same as text; of both streams, whatever the exit code.

        Raises:
            GateSpawnFailed: it cannot be run, or does not end.
        """
        try:
            answer = self.help(command)
        except process.ToolMissing as error:
            raise GateSpawnFailed(f"spawn failed: {error.message}") from None
        try:
            if answer.killed_reason:
                raise GateSpawnFailed(
                    f"spawn failed: {self.program.name} {command} --help was stopped: "
                    f"{answer.killed_reason}"
                )
            return f"{answer.out.decode('utf-8', 'replace')}\n{answer.err}"
        finally:
            answer.close()

    def ask(self, argv: Sequence[str], seconds: float, most: float = math.inf) -> GateAnswer:
        """Spawn with these arguments and wait so many seconds for the answer, and some more for the
        gate to say that it is late; `most` are all that there are for both.

        What the spawn left at work ends with this. The outcome "no_progress" is a gate's that found
        nothing to review.

        Raises:
            GateSpawnFailed: the gate did not begin.
        """
        end = time.monotonic() + most
        try:
            return self._ask(argv, seconds, end, may_resolve=True)
        except process.ToolMissing as error:
            raise GateSpawnFailed(f"spawn failed: {error.message}") from None

    def _ask(
        self, argv: Sequence[str], seconds: float, end: float, *, may_resolve: bool
    ) -> GateAnswer:
        with process.run_launcher(
            [str(self.program), *argv],
            cwd=self.cwd,
            env=self.env,
            deadline=_left(end, min(seconds, _SPAWN)),
        ) as spawned:
            said = redact_values(
                f"{spawned.out.decode('utf-8', 'replace')}\n{spawned.err}", self.secrets
            )
            code, why = spawned.code, spawned.killed_reason
            key, nothing = _key(spawned.out), nothing_to_review(said)
            if code == 0 and STALE_SESSION_TEXT not in said and (key or not nothing):
                return self._wait(key, seconds, end)
            if nothing:
                return GateAnswer("no_progress")
        if STALE_SESSION_TEXT in said and may_resolve and not why:
            self._run(RESOLVE_ARGUMENTS, _left(end, _HELP)).close()
            return self._ask(argv, seconds, end, may_resolve=False)
        reason = f"stopped: {why}" if why else _last(said) or f"exit {code}"
        raise GateSpawnFailed(f"spawn failed: {reason}")

    def _wait(self, key: str, seconds: float, end: float) -> GateAnswer:
        left = _left(end, math.inf)
        grace = min(GRACE_SECONDS, seconds / 10, left / 10)
        told = math.ceil(min(seconds, left - grace))
        answer = self._run(
            wait_arguments(key, self.session, told, self.options.wait_args), told + grace
        )
        try:
            if answer.killed_reason:
                return stopped_gate_answer(answer.killed_reason)
            return read_gate_answer(
                -1 if answer.code is None else answer.code,
                redact_credentials(answer.out, self.secrets),
                redact_values(answer.err, self.secrets),
            )
        finally:
            answer.close()

    def _run(self, argv: Sequence[str], seconds: float) -> process.ProcessResult:
        return process.run_process(
            [str(self.program), *argv], cwd=self.cwd, env=self.env, deadline=seconds, cap=_CAP
        )


def open_gate(calling: GateOptions, name: str, cwd: Path, environment: Environment) -> ExternalGate:
    """The gate that is installed; `name` begins its session id (an issue, an epic).

    Raises:
        GateMissing: there is none, or this runs inside of a gate.
    """
    if environment.nested_in == "gate":
        raise GateMissing(
            f"this runs inside an external gate, which cannot run another one ({NESTED_VARIABLE})",
            "leave out this reviewer when it runs inside a gate",
        )
    session = f"{safe_name_part(name)}-{secrets.token_hex(6)}"
    return ExternalGate(
        find_gate(calling.path, environment),
        cwd,
        gate_environment(calling, session, environment),
        session,
        calling,
    )


def gate_environment(
    calling: GateOptions, session: str, environment: Environment
) -> dict[str, str]:
    """A tool's environment, what models are reached by, the config's own, and at last our session
    id and the mark against nesting."""
    passed = {
        name: value
        for name, value in environment.variables.items()
        if name.startswith(_PASSED) or name.upper() in _PROXIES
    }
    return process.clean_environment(
        environment.variables,
        {**passed, **calling.env, "CLAUDE_SESSION_ID": session, NESTED_VARIABLE: "gate"},
    )


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
    return (
        plain_line(([text for text in lines if not text.startswith(" ")] or lines)[-1], _SHOWN)
        if lines
        else ""
    )


GateDialect = Literal["spec", "v1"]
SPAWN, SPAWN_EPIC = "spawn-code-review", "spawn-epic-verify"
STALE_SESSION_TEXT = "already active"
RESOLVE_ARGUMENTS = ("resolve", "--reason", "left over from an earlier review")
_NOTHING = lazy_pattern(r"no changes found", re.IGNORECASE)
_DIFF = lazy_pattern(r"(?<![\w-])--diff(?![\w-])")
_COMMIT = lazy_pattern(r"(?<![\w-])--commit(?![\w-])")
_NAME = lazy_pattern(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 60


class GateScope(Struct, frozen=True):
    """What a gate is to look at: commits of which the last is the head, or two revisions, or (with
    neither) the work tree."""

    commits: tuple[str, ...] = ()
    base: str = ""
    head: str = ""


def detect_dialect(help_text: str) -> GateDialect:
    """The dialect, by the help of `spawn-code-review`: only the documented contract has
    `--diff`."""
    return "spec" if _DIFF.search(help_text) else "v1"


def takes_commits(help_text: str) -> bool:
    """The help of `spawn-epic-verify` knows of commits to look at."""
    return bool(_COMMIT.search(help_text))


def review_arguments(
    dialect: GateDialect, base: str, head: str, context: str, extra: Sequence[str]
) -> list[str]:
    """The arguments that spawn a review of a range; `context` is a file's path or ""."""
    told = ["--context-file", context] if context else []
    return (
        [SPAWN, "--diff", f"{base}..{head}", *told, *extra]
        if dialect == "spec"
        else [SPAWN, *told, *extra, f"{base}..{head}"]
    )


def epic_arguments(
    file: str, changed_lines: GateScope, help_text: str, extra: Sequence[str]
) -> list[str]:
    """The arguments that spawn the verification of an epic.

    A gate that knows of no commits gets the file alone.
    """
    if not takes_commits(help_text):
        return [SPAWN_EPIC, *extra, file]
    if changed_lines.commits:
        return [SPAWN_EPIC, file, *extra, "--commit", *changed_lines.commits]
    return [
        SPAWN_EPIC,
        file,
        *extra,
        f"{changed_lines.base}..{changed_lines.head}" if changed_lines.base else "--uncommitted",
    ]


def wait_arguments(key: str, session: str, seconds: int, extra: Sequence[str]) -> list[str]:
    """The arguments that wait: for the key that the spawn printed, else for our session id.

    A timeout among `extra` is taken, not ours.
    """
    who = ["--session-key", key] if key else ["--finalize", "--session-id", session]
    own = any(word == "--timeout" or word.startswith("--timeout=") for word in extra)
    return ["wait", "--json", *who, *([] if own else ["--timeout", str(seconds)]), *extra]


def nothing_to_review(said: str) -> bool:
    """The gate found no change in what it was given."""
    return bool(_NOTHING.search(said))


def safe_name_part(text: str) -> str:
    """The text as a part of a file's name or of a session id: letters, digits, dot, underscore and
    dash."""
    return _NAME.sub("-", text).strip("-.")[:_LONGEST_NAME] or "review"

"""The project's own build and test commands: found in its files, run in the user's work tree."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..git import Git
from ..git.objects import list_files_in, read_blobs, read_files
from ..model.change import Change
from ..model.config import Config
from ..reviewers._checkout import open_checkout
from ..system import process
from ..system.environment import Environment
from ..text.paths import glob_matcher
from ..text.patterns import lazy_pattern
from ..text.safe import safe_block
from ..text.strict import load_toml
from ..text.yaml import compose, construct

# What names a repository in the environment of a git hook; a program that is started there would
# work on that one.
_OF_A_HOOK = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
    "GIT_PREFIX",
)  # fmt: skip


_MOST_LINES = 60  # of a failed command's output


class CommandRun(Struct, frozen=True):
    """One command: `error` says why it failed, "" when it did not; `output` are its last lines."""

    ref: str
    argv: tuple[str, ...]
    error: str
    seconds: float
    output: str = ""


def discover_project_commands(git: Git, revision: str) -> "Mapping[str, DiscoveredCommand]":
    """The commands that the project's files of this revision hold."""

    files = read_files(git, revision, PROJECT_FILES)
    flows = list_files_in(
        git, revision, [f"{WORKFLOWS_FOLDER}/"], glob_matcher(["?*.yml", "?*.yaml"])
    )
    blobs = read_blobs(git, (entry.oid for entry in flows))
    return discover_commands(
        {**files, **{entry.path: blobs[entry.oid] for entry in flows if entry.oid in blobs}}
    )


def run_command(
    ref: str, argv: tuple[str, ...], tree: Path, environment: Environment, deadline: float
) -> CommandRun:
    """Run one to its end, or to its deadline in seconds."""
    try:
        answer = process.run_process(
            argv, cwd=tree, env=user_environment(environment), deadline=deadline
        )
    except process.ToolMissing as error:
        return CommandRun(ref, argv, error.message, 0)
    try:
        why = (
            f"stopped: {answer.killed_reason}"
            if answer.killed_reason
            else f"exit code {answer.code}"
            if answer.code
            else ""
        )
        return CommandRun(ref, argv, why, round(answer.seconds, 3), _tail(answer) if why else "")
    finally:
        answer.close()


def _tail(answer: process.ProcessResult) -> str:
    """The last lines of both streams."""
    lines = answer.out[-20_000:].decode("utf-8", "replace").splitlines() + answer.err.splitlines()
    return safe_block("\n".join(lines[-_MOST_LINES:]))


def user_environment(
    environment: Environment, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The user's whole environment, for programs that the user's config starts in the user's work
    tree."""
    return {
        name: value for name, value in environment.variables.items() if name not in _OF_A_HOOK
    } | dict(extra or {})


CHECK_KINDS = ("build", "typecheck", "test")  # linters are reviewers of their own
_SHARE = 0.8  # of the run's seconds: a model still has to read the output
_NOT_OWN = (
    "it runs the project's own code, so the change must be approved (reviewgate-gh trust "
    "--change RANGE, or --trusted), "
    "and the work tree must be exactly the reviewed commit"
)
_NONE = (
    f"neither the config nor the project's files define a command named {', '.join(CHECK_KINDS)}"
)


class ProjectChecks(Struct, frozen=True):
    """`run` gives what the commands said; where they cannot run it is None, and
    `unavailable_reason` says so."""

    run: Callable[[], str] | None
    unavailable_reason: str = ""


def find_project_checks(
    change: Change, config: Config, end: float, git: Git, environment: Environment
) -> ProjectChecks:
    """The commands of the config, else those that the project's files of the trusted side hold;
    nothing is run yet."""
    with open_checkout(git, change) as files:
        tree = files.work_tree_at_head if change.trusted else None
    if tree is None:
        return ProjectChecks(None, _NOT_OWN)
    argvs = project_check_commands(config, git, change.settings_commit)
    if not argvs:
        return ProjectChecks(None, _NONE)

    def run() -> str:
        return "\n\n".join(
            _told(
                run_command(
                    name, argv, tree, environment, max(1.0, _SHARE * (end - environment.clock()))
                )
            )
            for name, argv in argvs.items()
        )

    return ProjectChecks(run)


def project_check_commands(
    config: Config, git: Git, revision: str
) -> Mapping[str, tuple[str, ...]]:
    """Argument lists by kind, in the order in which they are run."""
    found = (
        discover_project_commands(git, revision)
        if not all(kind in config.commands for kind in CHECK_KINDS)
        else {}
    )
    known = {**{name: command.argv for name, command in found.items()}, **config.commands}
    return {kind: known[kind] for kind in CHECK_KINDS if kind in known}


def _told(ran: CommandRun) -> str:
    """One command, without its seconds: unchanged output must stay the same text."""
    return f"$ {shlex.join(ran.argv)}\n{ran.error or 'passed'}\n{ran.output}".rstrip()


WORKFLOWS_FOLDER = ".github/workflows"
PROJECT_FILES = (
    "Makefile",
    "makefile",
    "GNUmakefile",
    "package.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "tox.ini",
    "noxfile.py",
    "pyproject.toml",
)
_TARGET = lazy_pattern(r"^([A-Za-z][\w.-]*)\s*:(?![:=])", re.MULTILINE)
_SESSION = lazy_pattern(r"^@(?:nox\.)?session\b.*\n(?:@.*\n)*def (\w+)", re.MULTILINE)
_TOX = lazy_pattern(r"^\[testenv:([\w.-]+)\]", re.MULTILINE)
# What a shell would read something into, and what only GitHub knows: such a line is not a plain
# command.
_SHELL = lazy_pattern(r"[|&;<>`$*?~\\]|\$\{\{|^\s*(?:if|for|while|cd|export|set|echo|source|\.)\b")
_KINDS = {
    "test": lazy_pattern(
        r"\b(?:pytest|tox|nox|unittest|rspec|jest|vitest|mocha)\b"
        r"|\b(?:go|cargo|npm|yarn|pnpm|mvn|gradle|make|just|mix|dotnet|run) test\b"
    ),
    "typecheck": lazy_pattern(r"\b(?:mypy|pyright|tsc|typecheck|type-check)\b"),
    "format": lazy_pattern(r"\bformat\b|\bfmt\b|\bprettier\b|\bblack\b"),
    "lint": lazy_pattern(
        r"\b(?:lint|ruff|flake8|pylint|eslint|clippy|golangci-lint|pre-commit|vet|shellcheck)\b"
    ),
    "build": lazy_pattern(r"\bbuild\b|\bcompile\b"),
}  # fmt: skip


class DiscoveredCommand(Struct, frozen=True):
    """A command as an argument list, and the file that it comes from."""

    argv: tuple[str, ...]
    source: str


def discover_commands(files: Mapping[str, bytes]) -> Mapping[str, DiscoveredCommand]:
    """Commands by name.

    Of two with one name the first counts: what CI runs goes before what the project merely has.
    """
    found: dict[str, DiscoveredCommand] = {}
    every = [*_all(files)]
    for name, command in every:
        found.setdefault(name, command)
    for name, command in every:
        if kind := _kind(name, command.argv):
            found.setdefault(kind, command)
    return found


def _all(files: Mapping[str, bytes]) -> Iterator[tuple[str, DiscoveredCommand]]:
    for path in sorted(files):
        if path.startswith(f"{WORKFLOWS_FOLDER}/"):
            yield from (
                (name, DiscoveredCommand(argv, path)) for name, argv in _workflow(files[path])
            )
    for path in (name for name in PROJECT_FILES[:3] if name in files):
        yield from (
            (name, DiscoveredCommand(("make", name), path))
            for name in _TARGET.findall(_text(files[path]))
            if "%" not in name
        )
    if "package.json" in files:
        manager = next(
            (
                tool
                for tool, lock in (("pnpm", "pnpm-lock.yaml"), ("yarn", "yarn.lock"))
                if lock in files
            ),
            "npm",
        )
        yield from (
            (name, DiscoveredCommand((manager, "run", name), "package.json"))
            for name in _scripts(files["package.json"])
        )
    if "tox.ini" in files:
        yield from (
            (name, DiscoveredCommand(("tox", "-e", name), "tox.ini"))
            for name in _TOX.findall(_text(files["tox.ini"]))
        )
        yield "test", DiscoveredCommand(("tox",), "tox.ini")
    if "noxfile.py" in files:
        yield from (
            (name, DiscoveredCommand(("nox", "-s", name), "noxfile.py"))
            for name in _SESSION.findall(_text(files["noxfile.py"]))
        )
    if "pyproject.toml" in files:
        yield from (
            (name, DiscoveredCommand(argv, "pyproject.toml"))
            for name, argv in _pyproject(_text(files["pyproject.toml"]))
        )


def _workflow(data: bytes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each plain line of the steps, by the step's id or name; by the job's where it is the job's
    only one."""
    try:
        jobs = _mapping(_mapping(construct(compose(data))).get("jobs"))
    except (ValueError, RecursionError):
        return
    for job, body in jobs.items():
        steps = _mapping(body).get("steps")
        rows = [
            row
            for step in map(_mapping, steps if isinstance(steps, list) else ())
            for row in _step(step)
        ]
        yield from ((name, argv) for names, argv in rows for name in sorted(filter(None, names)))
        if len(rows) == 1 and (name := _slug(job)):
            yield name, rows[0][1]


def _step(step: Mapping[Any, Any]) -> Iterator[tuple[set[str], tuple[str, ...]]]:
    """The plain lines of a step that runs in the top folder, by their names."""
    script = step.get("run")
    if step.get("working-directory") or step.get("shell") or not isinstance(script, str):
        return
    for argv in filter(None, map(_plain, script.splitlines())):
        yield {_slug(step.get("id")), _slug(step.get("name")), _kind("", argv)}, argv


def _plain(line: str) -> tuple[str, ...]:
    """The words of a line that means the same without a shell."""
    if not line.strip() or line.lstrip().startswith("#") or _SHELL.search(line):
        return ()
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        return ()
    return () if not words or "=" in words[0] or not _kind("", words) else words


def _scripts(data: bytes) -> Iterator[str]:
    try:
        scripts = _mapping(_mapping(json.loads(data)).get("scripts"))
    except (ValueError, RecursionError):
        return
    yield from (name for name in scripts if isinstance(name, str))


def _pyproject(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    try:
        tools = _mapping(load_toml(text, "TOML").get("tool"))
    except ValueError:
        return
    if "tox" in tools:
        yield "test", ("tox",)
    if "pytest" in tools:
        yield "test", ("pytest",)
    for name, argv in (("mypy", ("mypy",)), ("ruff", ("ruff", "check"))):
        if name in tools:
            yield name, argv


def _kind(name: str, argv: tuple[str, ...]) -> str:
    line = " ".join(argv)
    return next(
        (kind for kind, words in _KINDS.items() if kind == name.lower() or words.search(line)), ""
    )


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _slug(value: Any) -> str:
    return re.sub(r"[^a-z0-9_.-]+", "-", value.lower()).strip("-") if isinstance(value, str) else ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")

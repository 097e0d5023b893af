"""Commands that a project checks itself with, found in its own files: CI workflows, Makefile, package.json, tox, nox, pyproject.

Each is known by its own name (a target, a script, a job, a step), and by what it does: test, lint, typecheck, build, format.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ..model.values import dataclass
from ..text.yaml_nodes import compose, construct

WORKFLOWS = ".github/workflows"
FILES = ("Makefile", "makefile", "GNUmakefile", "package.json", "pnpm-lock.yaml", "yarn.lock", "tox.ini", "noxfile.py", "pyproject.toml")
_TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?![:=])", re.MULTILINE)
_SESSION = re.compile(r"^@(?:nox\.)?session\b.*\n(?:@.*\n)*def (\w+)", re.MULTILINE)
_TOX = re.compile(r"^\[testenv:([\w.-]+)\]", re.MULTILINE)
# What a shell would read something into, and what only GitHub knows: such a line is not a plain command.
_SHELL = re.compile(r"[|&;<>`$*?~\\]|\$\{\{|^\s*(?:if|for|while|cd|export|set|echo|source|\.)\b")
_KINDS = {
    "test": re.compile(
        r"\b(?:pytest|tox|nox|unittest|rspec|jest|vitest|mocha)\b"
        r"|\b(?:go|cargo|npm|yarn|pnpm|mvn|gradle|make|just|mix|dotnet|run) test\b"
    ),
    "typecheck": re.compile(r"\b(?:mypy|pyright|tsc|typecheck|type-check)\b"),
    "format": re.compile(r"\bformat\b|\bfmt\b|\bprettier\b|\bblack\b"),
    "lint": re.compile(r"\b(?:lint|ruff|flake8|pylint|eslint|clippy|golangci-lint|pre-commit|vet|shellcheck)\b"),
    "build": re.compile(r"\bbuild\b|\bcompile\b"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A command as an argument list, and the file that it comes from."""

    argv: tuple[str, ...]
    source: str


def discover(files: Mapping[str, bytes]) -> Mapping[str, Found]:
    """Commands by name. Of two with one name the first counts: what CI runs goes before what the project merely has."""
    found: dict[str, Found] = {}
    every = [*_all(files)]
    for name, command in every:
        found.setdefault(name, command)
    for name, command in every:
        if kind := _kind(name, command.argv):
            found.setdefault(kind, command)
    return found


def _all(files: Mapping[str, bytes]) -> Iterator[tuple[str, Found]]:
    for path in sorted(files):
        if path.startswith(f"{WORKFLOWS}/"):
            yield from ((name, Found(argv, path)) for name, argv in _workflow(files[path]))
    for path in (name for name in FILES[:3] if name in files):
        yield from ((name, Found(("make", name), path)) for name in _TARGET.findall(_text(files[path])) if "%" not in name)
    if "package.json" in files:
        manager = next((tool for tool, lock in (("pnpm", "pnpm-lock.yaml"), ("yarn", "yarn.lock")) if lock in files), "npm")
        yield from ((name, Found((manager, "run", name), "package.json")) for name in _scripts(files["package.json"]))
    if "tox.ini" in files:
        yield from ((name, Found(("tox", "-e", name), "tox.ini")) for name in _TOX.findall(_text(files["tox.ini"])))
        yield "test", Found(("tox",), "tox.ini")
    if "noxfile.py" in files:
        yield from ((name, Found(("nox", "-s", name), "noxfile.py")) for name in _SESSION.findall(_text(files["noxfile.py"])))
    if "pyproject.toml" in files:
        yield from ((name, Found(argv, "pyproject.toml")) for name, argv in _pyproject(_text(files["pyproject.toml"])))


def _workflow(data: bytes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each plain line of the steps, by the step's id or name; by the job's where it is the job's only one."""
    import yaml

    try:
        jobs = _mapping(_mapping(construct(compose(data))).get("jobs"))
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    for job, body in jobs.items():
        steps = _mapping(body).get("steps")
        rows = [row for step in map(_mapping, steps if isinstance(steps, list) else ()) for row in _step(step)]
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
    import tomllib

    try:
        tools = _mapping(tomllib.loads(text).get("tool"))
    except (tomllib.TOMLDecodeError, RecursionError):
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
    return next((kind for kind, words in _KINDS.items() if kind == name.lower() or words.search(line)), "")


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _slug(value: Any) -> str:
    return re.sub(r"[^a-z0-9_.-]+", "-", value.lower()).strip("-") if isinstance(value, str) else ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")

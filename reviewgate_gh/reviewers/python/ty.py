"""ty over some files of a tree: what it says of uses that cannot work. It gets our configuration,
an empty environment and nothing of the project but Python files, so that nothing in the project
decides what it reports."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from ...system import process
from ...text import strict

Problem = Literal["imports", "arguments", "attributes", "names"]

PROGRAM = "ty"
_MISSING = "missing-argument"
# https://docs.astral.sh/ty/reference/rules: two rules got other names in 0.0.100, one more in
# 0.0.105. An attribute that one type of a union lacks is a rule of its own since then.
RULES: Mapping[str, Problem] = {
    "import-not-found": "imports",
    "missing-module-member": "imports",
    "unresolved-import": "imports",
    _MISSING: "arguments",
    "unknown-argument": "arguments",
    "too-many-positional-arguments": "arguments",
    "parameter-already-assigned": "arguments",
    "positional-only-parameter-as-kwarg": "arguments",
    "missing-attribute": "attributes",
    "unresolved-attribute": "attributes",
    "unresolved-reference": "names",
}
_IN_UNION = (" in union ", "possibly")
_EXITS = (0, 1)
MOST_MEMORY = 1_000 * process.MEGABYTE
_PYTHON = "3.13"
_KEPT = ("TMPDIR", "LANG", "LC_ALL")


class TyFailed(Exception):
    """It gave no answer; why is the message."""


class Diagnostic(NamedTuple):
    """One remark about a use: lines and columns count from 1. `at_call`: it stands where the call
    does, not at one of its arguments."""

    path: str
    line: int
    column: int
    last: int
    problem: Problem
    message: str
    at_call: bool = False

    @property
    def place(self) -> tuple[str, int, int, Problem]:
        """What makes it the same on both sides, whose files are equal. Messages hold types, which
        change without a mistake."""
        return self.path, self.line, self.column, self.problem


class TyRun(Struct, frozen=True):
    """How it is asked: the program, the folder that holds the tree, another for its configuration
    and home, and the folders that modules are imported from."""

    program: str
    tree: Path
    home: Path
    roots: Sequence[str]
    variables: Mapping[str, str]

    @property
    def settings(self) -> str:
        """What of its configuration decides its answer; the rest has ty's defaults."""
        roots = json.dumps([f"./{root}" if root else "." for root in self.roots])
        return (
            f'[environment]\npython-version = "{_PYTHON}"\npython-platform = "all"\n'
            f"root = {roots}\n"
        )

    def write_config(self) -> Path:
        """The configuration file, and the empty environment that it names: without one ty takes
        that of the folder that it is installed in."""
        environment = self.home / "environment"
        (environment / "lib" / f"python{_PYTHON}" / "site-packages").mkdir(parents=True)
        (environment / "bin").mkdir()
        cfg = f"home = {environment / 'bin'}\nversion = {_PYTHON}\n"
        (environment / "pyvenv.cfg").write_text(cfg, "utf-8")
        for root in self.roots:  # ty ends where one is missing
            (self.tree / root).mkdir(parents=True, exist_ok=True)
        file = self.home / "ty.toml"
        file.write_text(f"{self.settings}python = {json.dumps(str(environment))}\n", "utf-8")
        return file


def check(run: TyRun, config: Path, paths: Iterable[str], seconds: float) -> tuple[Diagnostic, ...]:
    """What it says of these files.

    Raises:
        TyFailed: it crashed, or needed more time or memory than it has.
    """
    if seconds <= 0:
        raise TyFailed("no time was left for ty")
    argv = [run.program, "check", "--config-file", str(config), "--project", str(run.tree)]
    argv += ["--output-format", "gitlab", "--no-progress", "--"]
    answer = process.run_process(
        [*argv, *paths],
        cwd=run.tree,
        env=_environment(run),
        deadline=seconds,
        memory_cap=MOST_MEMORY,
    )
    try:
        if answer.killed_reason == "deadline":
            raise TyFailed(f"ty was stopped after {answer.seconds:.0f} s")
        if answer.killed_reason:
            raise TyFailed(f"ty was stopped: {answer.killed_reason}")
        if answer.code not in _EXITS:
            last = (answer.err.splitlines() or ["no error output"])[-1]
            raise TyFailed(f"ty ended with exit code {answer.code}: {last}")
        return tuple(parse(answer.out, os.path.realpath(run.tree)))
    except ValueError as error:
        raise TyFailed(str(error)) from None
    finally:
        answer.close()


def _environment(run: TyRun) -> dict[str, str]:
    """Nothing by which it could find a Python environment or settings of a user: no VIRTUAL_ENV, no
    CONDA_PREFIX, no python on PATH, an empty home."""
    kept = {name: run.variables[name] for name in _KEPT if name in run.variables}
    home = str(run.home)
    return {**kept, "PATH": home, "HOME": home, "XDG_CONFIG_HOME": home, "NO_COLOR": "1"}


class _Point(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber = 1


class _Positions(Struct, frozen=True):
    begin: _Point
    end: _Point


class _Location(Struct, frozen=True):
    path: str
    positions: _Positions


class _Row(Struct, frozen=True):
    check_name: str
    description: str
    location: _Location


def parse(data: bytes, root: str) -> Iterator[Diagnostic]:
    """The remarks that matter here, in the format for GitLab.

    Raises:
        ValueError: the output is not in that format.
    """
    what = "ty's JSON"
    plain = strict.load_json(strict.decode(data, what), what)
    for row in strict.checked(plain, tuple[_Row, ...], what):
        problem = RULES.get(row.check_name)
        message = row.description.removeprefix(f"{row.check_name}: ")
        if problem and not any(words in message for words in _IN_UNION):
            start, end = row.location.positions.begin, row.location.positions.end
            path = strict.relative_path(row.location.path, root)
            last = max(start.line, end.line)
            told = f"ty says: {message.removesuffix('.')}."
            at_call = row.check_name == _MISSING
            yield Diagnostic(path, start.line, start.column, last, problem, told, at_call)

"""Runs a linter plug-in's real program as the gate does."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviewgate_gh.model.finding import Finding
from reviewgate_gh.reviewers.linters import _shared
from reviewgate_gh.reviewers.linters._job import file_matcher
from reviewgate_gh.reviewers.linters._run import batches, printed_lines
from reviewgate_gh.reviewers.linters._shared import LEFT_OUT
from reviewgate_gh.system import process
from tests.quiet_path import MACHINE_PATH
from tests.support import run, tool

ODD = "x b/ü '"  # a folder
DATA = Path(_shared.__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the program did, and what the plug-in read out of it."""

    code: int | None
    out: bytes
    err: str
    findings: tuple[Finding, ...]

    def weights(self) -> dict[str, str]:
        """Priority by rule, the highest of each."""
        return {
            f.rule: f.priority.value
            for f in sorted(self.findings, key=lambda f: f.priority, reverse=True)
        }


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)


def found_in(module: ModuleType, text: str) -> list[tuple[str, str, int, str]]:
    """What the plug-in reads out of an output: rule, path, line, and priority or `left out`."""
    return [
        (f.rule, f.path, f.line_start, f.category if f.category == LEFT_OUT else f.priority.value)
        for f in module.parse(text.encode().splitlines(keepends=True))
        if f.path
    ]


def program_of(module: Any) -> str:
    found = tool(module.PROGRAM)
    # rustup has a `cargo` without the one that it stands for
    if not found or (module.PROGRAM == "cargo" and not _starts(found)):
        pytest.skip(f"no {module.PROGRAM} on PATH, and none built by tests/peers/install.sh")
    return found


@cache
def _starts(program: str) -> bool:
    return run([program, "--version"], Path.cwd()).code == 0


def takes(module: Any, path: str, head: bytes = b"") -> bool:
    """Whether the linter reads a file of that path that begins like this."""
    return file_matcher(module)(path, head)


def ask(
    module: Any,
    folder: Path,
    files: Mapping[str, str | bytes],
    *,
    own_config: bool = False,
    program: str = "",
    args: Sequence[str] = (),
) -> Asked:
    """Write the files, run the tool over them in that folder, parse what it printed; paths come
    back relative."""
    write(folder, files)
    config = DATA / module.DEFAULT_CONFIG if module.DEFAULT_CONFIG and not own_config else None
    paths = [name for name in files if takes(module, name, _head(files[name]))]
    words = [word for batch in batches(paths) for word in batch]
    argv = [
        *module.argv(program or program_of(module), config, args),
        *([] if getattr(module, "WHOLE_TREE", False) else words),
    ]
    env = process.clean_environment(_environment(argv[0]), getattr(module, "ENVIRONMENT", {}))
    answer = process.run_process(argv, cwd=folder, env=env, deadline=120)
    found = (
        tuple(
            _shared.place_finding(f, str(folder.resolve()))
            for f in module.parse(printed_lines(module, answer))
        )
        if answer.code in (*module.CLEAN_EXITS, *module.FOUND_EXITS)
        else ()
    )
    return Asked(answer.code, answer.out, answer.err, found)


def _head(content: str | bytes) -> bytes:
    return (content.encode() if isinstance(content, str) else content)[:256]


def _environment(program: str) -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(program).parent}:{MACHINE_PATH}"}

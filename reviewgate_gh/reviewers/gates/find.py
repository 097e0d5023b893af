"""Where the external review gate is, and the two commits that it is asked about."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ...git import Git
from ...git.client import quote_alternate
from ...git.snapshot import objects_environment
from ...model.errors import GateError
from ...system.environment import Environment
from ...system.search_path import absolute_folders, find_in_folders

GATE_PROGRAM = "review-gate"
GATE_PLUGIN = "cerberus"
_OURS = b"reviewgate_gh"
_HEAD = 8192  # bytes
_INSTALL = (
    "install the Cerberus plug-in in Claude Code, name the program with `path`, or use another "
    "reviewer"
)


class GateMissing(GateError):
    """No external gate is installed, or it may not be run."""


def find_gate(path: str, environment: Environment) -> Path:
    """The program of the external gate. `path` is absolute, begins with ~/, or is a bare name to be
    found on PATH.

    Raises:
        GateMissing: there is none that may be run.
    """
    refused = []
    for program in _named(path, environment) if path else _plugged_in(environment):
        why = _refusal(program)
        if not why:
            return program
        refused.append(f"{program} {why}")
    if refused:
        raise GateMissing(f"the Cerberus review-gate cannot be used: {refused[0]}", _INSTALL)
    where = (
        f"{path} is not on PATH"
        if path
        else f"{_registry(environment)} lists no {GATE_PLUGIN} plug-in"
    )
    raise GateMissing(f"the Cerberus review-gate is not installed: {where}", _INSTALL)


def _refusal(program: Path) -> str:
    """Why this one cannot be it; "" where it can."""
    if not program.is_file():
        return "does not exist"
    if not os.access(program, os.X_OK):
        return "is not executable"
    return (
        "is reviewgate-gh's own script, which cannot be its own reviewer"
        if is_own_script(program)
        else ""
    )


def is_own_script(program: Path) -> bool:
    """The script of this installation or of another one, or something that starts it by name."""
    try:
        if program.samefile(Path(sys.executable).with_name(GATE_PROGRAM)):
            return True
    except OSError:
        pass
    try:
        with program.open("rb") as file:
            return _OURS in file.read(_HEAD)
    except OSError:
        return False


def _named(path: str, environment: Environment) -> Iterator[Path]:
    if path.startswith("~/"):
        yield Path(environment.variables.get("HOME", "/"), path[2:])
    elif "/" in path:
        yield Path(path)
    else:
        for folder in absolute_folders(environment.variables.get("PATH", "")):
            if found := find_in_folders(path, [folder]):
                yield Path(found)


def _plugged_in(environment: Environment) -> Iterator[Path]:
    """The programs of the plug-ins that Claude Code lists, then those in the places where it keeps
    them."""
    folder = _registry(environment).parent
    for entry in _entries(_registry(environment)):
        if (
            isinstance(entry, dict)
            and isinstance(entry.get("installPath"), str)
            and os.path.isabs(entry["installPath"])
        ):
            yield Path(entry["installPath"], "bin", GATE_PROGRAM)
    kept = [
        folder / "marketplaces" / GATE_PLUGIN / "bin" / GATE_PROGRAM,
        *sorted(
            folder.glob(f"cache/{GATE_PLUGIN}/{GATE_PLUGIN}/*/bin/{GATE_PROGRAM}"), reverse=True
        ),
    ]
    yield from (program for program in kept if program.exists())


def _entries(registry: Path) -> list[object]:
    """What the registry lists under names with the plug-in's; nothing where it cannot be read."""
    try:
        plain = json.loads(registry.read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    plugins = plain.get("plugins") if isinstance(plain, dict) else None
    found: list[object] = []
    for name, entries in plugins.items() if isinstance(plugins, dict) else ():
        if GATE_PLUGIN in name.lower():
            found += entries if isinstance(entries, list) else [entries]
    return found


def _registry(environment: Environment) -> Path:
    home = Path(
        environment.variables.get("CLAUDE_CONFIG_DIR")
        or Path(environment.variables.get("HOME", "/"), ".claude")
    )
    return home / "plugins" / "installed_plugins.json"


_NOBODY = {
    "GIT_AUTHOR_NAME": "reviewgate-gh", "GIT_AUTHOR_EMAIL": "reviewgate-gh@localhost",
    "GIT_COMMITTER_NAME": "reviewgate-gh", "GIT_COMMITTER_EMAIL": "reviewgate-gh@localhost",
}  # fmt: skip


def make_commits(git: Git, base: str, head: str) -> tuple[str, str]:
    """Two commits or trees as commits.

    Raises:
        GitFailed: git makes no commit of a tree here.
    """
    first = git.resolve(base) or _commit(git, base, ())
    return first, git.resolve(head) or _commit(git, head, (first,))


def _commit(git: Git, tree: str, parents: tuple[str, ...]) -> str:
    words = [word for parent in parents for word in ("-p", parent)]
    env = {**objects_environment(git, git.private_folder), **_NOBODY}
    return git.run("commit-tree", tree, *words, "-m", "for review", env=env).decode().strip()


def made_objects_environment(git: Git) -> dict[str, str]:
    """The environment in which any git finds what `as_commits` made."""
    made = git.private_folder / "objects"
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_alternate(made)} if made.exists() else {}

"""The project's own commands: found in its files, run in the user's work tree."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.values import dataclass
from ..reporters._doors import block
from ..system import process
from ..system.git import Git
from ..system.git.objects import list_folders, read_blobs, read_files
from ..system.world import World
from ..text.globs import any_of

if TYPE_CHECKING:
    from ..steps.discover import Found

# What names a repository in the environment of a git hook; a program that is started there would work on that one.
_OF_A_HOOK = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
    "GIT_PREFIX",
)  # fmt: skip


_MOST_LINES = 60  # of a failed command's output


@dataclass(frozen=True, slots=True)
class Ran:
    """One command: `error` says why it failed, "" when it did not; `output` are its last lines."""

    ref: str
    argv: tuple[str, ...]
    error: str
    seconds: float
    output: str = ""


def discovered(git: Git, revision: str) -> "Mapping[str, Found]":
    """The commands that the project's files of this revision hold."""
    from ..steps.discover import FILES, WORKFLOWS, discover

    files = read_files(git, revision, FILES)
    flows = list_folders(git, revision, [f"{WORKFLOWS}/"], any_of(["?*.yml", "?*.yaml"]))
    blobs = read_blobs(git, (entry.oid for entry in flows))
    return discover({**files, **{entry.path: blobs[entry.oid] for entry in flows if entry.oid in blobs}})


def run_command(ref: str, argv: tuple[str, ...], tree: Path, world: World, deadline: float) -> Ran:
    """Run one to its end, or to its deadline in seconds."""
    try:
        answer = process.run(argv, cwd=tree, env=own_environment(world), deadline=deadline)
    except process.ToolMissing as error:
        return Ran(ref, argv, error.message, 0)
    try:
        why = f"stopped: {answer.stopped}" if answer.stopped else f"exit code {answer.code}" if answer.code else ""
        return Ran(ref, argv, why, round(answer.seconds, 3), _tail(answer) if why else "")
    finally:
        answer.close()


def _tail(answer: process.Answer) -> str:
    """The last lines of both streams."""
    lines = answer.out[-20_000:].decode("utf-8", "replace").splitlines() + answer.err.splitlines()
    return block("\n".join(lines[-_MOST_LINES:]))


def own_environment(world: World, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The user's whole environment, for programs that the user's config starts in the user's work tree."""
    return {name: value for name, value in world.env.items() if name not in _OF_A_HOOK} | dict(extra or {})

"""The proof that a push starts the gate: a real push, to a repository that exists for a moment only."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..model.values import dataclass
from . import process
from .git import Git
from .git.door import git_environment, user_config
from .git.snapshot import objects_environment
from .hook_script import PROBE
from .lease import temporary

_DEADLINE = 120
_WHO = {f"GIT_{role}_{part}": "probe" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of a push: whether it reached the gate, which was told the refs; whether it was refused when the gate refused, and went
    through when it did not (None: it took too long); and git's words."""

    reached: bool
    listed: bool = False
    refused: bool | None = None
    passed: bool | None = None
    words: str = ""


def probe(git: Git, env: Mapping[str, str]) -> Probe:
    """Push to the gate, which refuses, and once more, and it does not. Nothing in the repository changes and nothing leaves it."""
    with temporary("probe") as folder:
        bare, marker = folder / "probe.git", folder / "reached"
        form = git.text("rev-parse", "--show-object-format")
        options = ("--bare", "--quiet", "--template=", f"--object-format={form}")
        process.run(["git", "init", *options, str(bare)], cwd=folder, env=git_environment(env), deadline=30).close()
        start, own = git.tree or git.directory, _environment(git, env, marker)
        argv = _argv(bare, _commit(git))
        first = process.run(argv, cwd=start, env=own, deadline=_DEADLINE)
        words = f"stopped: {first.stopped}" if first.stopped else first.err
        if not marker.exists():
            return Probe(False, words=words)
        listed, refused = bool(marker.read_text()), None if first.stopped else first.code != 0
        if not refused:
            return Probe(True, listed, refused, words=words)
        second = process.run(argv, cwd=start, env=own, deadline=_DEADLINE)
        return Probe(True, listed, refused, None if second.stopped else second.code == 0, second.err)


def _commit(git: Git) -> str:
    """A commit that only the scratch folder holds."""
    env = {**objects_environment(git, git.scratch), **_WHO}
    tree = git.run("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"", env=env).decode().strip()
    return git.run("commit-tree", tree, "-m", "probe", env=env).decode().strip()


def _argv(bare: Path, commit: str) -> list[str]:
    """A plain push: no signature, no tags, no submodules, whatever the user's configuration adds to one."""
    pins = ("-c", "protocol.file.allow=always", "-c", "push.negotiate=false")
    options = ("--quiet", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")
    return ["git", *pins, "push", *options, str(bare), f"{commit}:refs/heads/probe"]


def _environment(git: Git, env: Mapping[str, str], marker: Path) -> dict[str, str]:
    """The environment of the user's own push, which hooks may need all of."""
    own = {name: value for name, value in env.items() if not name.startswith("GIT_")}
    return {**own, **user_config(env), **objects_environment(git, git.scratch), "GIT_TERMINAL_PROMPT": "0", PROBE: os.fspath(marker)}

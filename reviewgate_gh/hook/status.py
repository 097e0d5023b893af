"""Whether the gate runs before every push, proven by a real push to a temporary repository."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ..git import Git
from ..git.client import git_environment, user_config
from ..git.snapshot import objects_environment
from ..model.errors import Exit
from ..system import process
from ..system.environment import Environment
from ..system.temp_dirs import is_in_use, temp_dir
from ..text.escape import terminal_line
from .install import CALL_LINE, HookLocation, find_hook_location
from .script import PROBE_VARIABLE

_DEADLINE = 120
_WHO = {
    f"GIT_{role}_{part}": "probe" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
}


class ProbeResult(Struct, frozen=True):
    """What came of a push: whether it reached the gate, which was told the refs; whether it was
    refused when the gate refused, and went through when it did not (None: it took too long); and
    git's words."""

    reached: bool
    listed: bool = False
    refused: bool | None = None
    passed: bool | None = None
    output: str = ""


def probe_hook(git: Git, env: Mapping[str, str]) -> ProbeResult:
    """Push to the gate, which refuses, and once more, and it does not.

    Nothing in the repository changes and nothing leaves it.
    """
    with temp_dir("probe") as folder:
        bare, marker = folder / "probe.git", folder / "reached"
        form = git.text("rev-parse", "--show-object-format")
        options = ("--bare", "--quiet", "--template=", f"--object-format={form}")
        process.run_process(
            ["git", "init", *options, str(bare)], cwd=folder, env=git_environment(env), deadline=30
        ).close()
        start, own = git.tree or git.directory, _environment(git, env, marker)
        argv = _argv(bare, _commit(git))
        first = process.run_process(argv, cwd=start, env=own, deadline=_DEADLINE)
        words = f"stopped: {first.killed_reason}" if first.killed_reason else first.err
        if not marker.exists():
            return ProbeResult(False, output=words)
        listed, refused = bool(marker.read_text()), None if first.killed_reason else first.code != 0
        if not refused:
            return ProbeResult(True, listed, refused, output=words)
        second = process.run_process(argv, cwd=start, env=own, deadline=_DEADLINE)
        return ProbeResult(
            True, listed, refused, None if second.killed_reason else second.code == 0, second.err
        )


def answer_probe(probe: str, listed: bool) -> Exit | None:
    """Show a probe that the gate was reached, and whether with refs, in the file that it names.

    It refuses the first of a probe's pushes, and lets the second one through. None where nobody
    waits for the answer: the variable was left set, and this is a push like any other.
    """
    file = Path(probe)
    if not is_in_use(file.parent):
        return None
    second = file.exists()
    file.write_text("refs" * listed)
    return Exit.OK if second else Exit.BLOCK


def _commit(git: Git) -> str:
    """A commit that only the scratch folder holds."""
    env = {**objects_environment(git, git.private_folder), **_WHO}
    tree = (
        git.run("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"", env=env).decode().strip()
    )
    return git.run("commit-tree", tree, "-m", "probe", env=env).decode().strip()


def _argv(bare: Path, commit: str) -> list[str]:
    """A plain push: no signature, no tags, no submodules, whatever the user's configuration adds to
    one."""
    pins = ("-c", "protocol.file.allow=always", "-c", "push.negotiate=false")
    options = ("--quiet", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")
    return ["git", *pins, "push", *options, str(bare), f"{commit}:refs/heads/probe"]


def _environment(git: Git, env: Mapping[str, str], marker: Path) -> dict[str, str]:
    """The environment of the user's own push, which hooks may need all of."""
    own = {name: value for name, value in env.items() if not name.startswith("GIT_")}
    return {
        **own,
        **user_config(env),
        **objects_environment(git, git.private_folder),
        "GIT_TERMINAL_PROMPT": "0",
        PROBE_VARIABLE: os.fspath(marker),
    }


def hook_status(git: Git, environment: Environment) -> int:
    """Print what is installed and whether it fires; 0 when it does, else 1."""
    place = find_hook_location(git, environment.variables)
    if not place.caller:
        print(
            f"not installed: no hook in {place.folder} calls reviewgate-gh\n"
            "  to install it: reviewgate-gh hook install"
        )
        return 1
    print(f"{'installed' if place.installed else 'called from'}: {place.caller}")
    if place.installed and place.chained.exists():
        print(f"runs first: {place.chained}")
    wrong = _wrong(probe_hook(git, environment.variables), place)
    print(
        wrong
        or (
            "fires: a test push to a throw-away repository reached the hook, which refused it "
            "as asked"
        )
    )
    return 1 if wrong else Exit.OK


def _wrong(seen: ProbeResult, location: HookLocation) -> str:
    """What keeps the gate from stopping a push, or ""."""
    if not seen.reached:
        said = terminal_line(seen.output, 600) or "nothing"
        anew = (
            "check that the file is executable; to reinstall it: reviewgate-gh hook uninstall "
            "&& reviewgate-gh hook install"
        )
        return (
            "DOES NOT FIRE: a test push to a throw-away repository did not run it\n"
            f"  git said: {said}\n  {anew}"
        )
    instead = (
        f"\n  instead of the call, put this at the top of {location.caller}, below its #! "
        f"line: {CALL_LINE}"
    )
    if seen.refused is False:
        return f"DOES NOT STOP A PUSH: {location.caller} continues after the gate refuses{instead}"
    if seen.refused is None or seen.passed is None:
        return f"UNKNOWN whether it stops a push: {location.caller} takes too long to tell{instead}"
    if not seen.passed:
        said = terminal_line(seen.output, 600) or "nothing"
        anew = "fix what else fails there, then run this again"
        return (
            f"UNKNOWN whether it stops a push: {location.caller} also refuses a push that the "
            f"gate allows\n  git said: {said}\n  {anew}"
        )
    if not seen.listed:
        return (
            f"SEES NO REFS: a command before it in {location.caller} consumes the list of "
            f"refs{instead}"
        )
    return ""

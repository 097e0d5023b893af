"""The native pre-push hook in a repository: where git looks for it, and putting it there and away
without touching others' files."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from ..git import Git
from ..git.client import git_environment, user_config
from ..model.errors import UsageError
from ..system import process
from ..system.files import write_atomic
from ..trust.audit_log import record
from ..trust.own_state import HOOK_KIND, INSTALLED, REMOVED, hook_is_due
from .script import CHAINED_NAME, HOOK_MARK, hook_text

# For a script of others: the list of refs is there for what comes after it, its exit code counts
# without `set -e`, and where the list cannot be kept nothing is pushed.
CALL_LINE = (
    'refs=$(mktemp) && cat > "$refs" && exec < "$refs" 3< "$refs" && rm -f "$refs" && '
    'reviewgate-gh hook run "$@" <&3 3<&- || exit; exec 3<&-'
)
_CALLS = (b"reviewgate-gh hook run", b"reviewgate_gh hook run", HOOK_MARK.encode())
_FRAMEWORK = ".pre-commit-config.yaml"


class HookLocation(Struct, frozen=True):
    """The folder in which git looks for hooks, and the work tree that it may lie in."""

    folder: Path
    tree: Path | None

    @property
    def hook(self) -> Path:
        """The file that git starts before a push."""
        return self.folder / "pre-push"

    @property
    def chained(self) -> Path:
        """The hook that was there before ours."""
        return self.folder / CHAINED_NAME

    @property
    def installed(self) -> bool:
        """The hook is one that we wrote."""
        return HOOK_MARK.encode() in _content(self.hook)

    @property
    def caller(self) -> Path | None:
        """The file that calls the gate on a push: our hook, or one of the user's or of a hook
        manager's."""
        # What the pre-commit framework makes of a hook that was there first
        legacy = self.folder / "pre-push.legacy"
        for path in (
            self.hook,
            legacy,
            *([self.folder.parent / "pre-push"] if self.folder.name == "_" else []),
        ):
            if any(call in _content(path) for call in _CALLS):
                return path
        config = self.tree / _FRAMEWORK if self.tree else None
        if (
            config
            and b"pre-commit" in _content(self.hook)
            and any(call in _content(config) for call in (b"id: reviewgate-gh", *_CALLS))
        ):
            return config
        return None


def find_hook_location(git: Git, env: Mapping[str, str]) -> HookLocation:
    """Where git looks for this repository's hooks, by the user's configuration.

    Raises:
        UsageError: hooks are switched off.
    """
    start, own = git.tree or git.directory, git_environment(env) | user_config(env)
    answer = process.run_process(
        ["git", "rev-parse", "--git-path", "hooks"], cwd=start, env=own, deadline=30
    )
    folder = start / os.fsdecode(answer.out).removesuffix("\n")
    if answer.code != 0 or (folder.exists() and not folder.is_dir()):
        raise UsageError(
            f"git runs no hooks here: core.hooksPath is {folder}",
            "find out where it is set: git config --show-origin core.hooksPath",
        )
    return HookLocation(folder.resolve(), git.tree)


def install_hook_file(git: Git, location: HookLocation, python: str) -> tuple[str, ...]:
    """Put the hook there, before one that is there already; says what it did, a line each.

    Raises:
        UsageError: the folder's files belong to somebody else, or cannot be written.
    """
    wanted = hook_text(python).encode()
    if location.installed:
        if not hook_is_due(git):
            _recorded(git, INSTALLED, location)
        if is_up_to_date(location, python):
            return (f"already installed: {location.hook}",)
        _write(location.hook, wanted)
        return (f"updated: {location.hook}",)
    if location.caller:
        return (f"nothing to do: {location.caller} calls reviewgate-gh",)
    if refused := install_obstacle(git, location):
        raise refused
    had = _set_aside(location)
    _write(location.hook, wanted)
    _recorded(git, INSTALLED, location)
    said = [f"installed: {location.hook}"]
    if had:
        said.append(
            f"your own hook runs first, as {location.chained.name}; reviewgate-gh hook uninstall "
            "restores it"
        )
    if not _in_repository(git, location):
        said.append(
            "core.hooksPath is shared: the hook runs for every repository that uses this folder"
        )
    return tuple(said)


def is_up_to_date(location: HookLocation, python: str) -> bool:
    """The hook is the very one that `install` would write."""
    return _content(location.hook) == hook_text(python).encode() and os.access(
        location.hook, os.X_OK
    )


def _recorded(git: Git, done: str, location: HookLocation) -> None:
    record(git.common, git.user[0], [(HOOK_KIND, {"done": done, "place": str(location.hook)})])


def hook_is_gone(git: Git, env: Mapping[str, str]) -> str:
    """That the pre-push hook which was installed here is not run any more; "" where it is."""
    if not hook_is_due(git):
        return ""
    try:
        location = find_hook_location(git, env)
    except UsageError as error:
        return f"the pre-push hook is not run any more: {error.message}"
    if location.caller and (location.caller != location.hook or os.access(location.hook, os.X_OK)):
        return ""
    return (
        f"the pre-push hook is not run any more: git looks for it at {location.hook}; put it back "
        "with reviewgate-gh hook install"
    )


def uninstall_hook_file(git: Git, location: HookLocation) -> tuple[str, ...]:
    """Take our hook away and put back the one before it; says what it did, a line each.

    Raises:
        UsageError: what is there is not ours.
    """
    said = _uninstalled(location)
    if hook_is_due(git):
        _recorded(git, REMOVED, location)
    return said


def _uninstalled(location: HookLocation) -> tuple[str, ...]:
    if not location.installed:
        if os.path.lexists(location.chained):
            raise UsageError(
                f"{location.hook} was not installed by reviewgate-gh, but {location.chained} "
                "exists",
                "keep the one that you want as pre-push",
            )
        more = (
            f"; {location.caller} calls reviewgate-gh: edit it yourself" if location.caller else ""
        )
        return (f"not installed: {location.hook}{more}",)
    with _explained(location.hook):
        if os.path.lexists(location.chained):
            os.replace(location.chained, location.hook)
            return (f"removed; your own hook is back: {location.hook}",)
        location.hook.unlink()
    return (f"removed: {location.hook}",)


def install_obstacle(git: Git, location: HookLocation) -> UsageError | None:
    """Why no hook is put before the one that is there, with what to do instead; None where one can
    be."""
    if file := _managed(git, location):
        return UsageError(
            f"{location.folder} is committed or written by a hook manager",
            f"add this line at the top of {file}, below its #! line: {CALL_LINE}",
        )
    if location.hook.is_dir():
        return UsageError(
            f"{location.hook} is a folder, not a hook", "check what it is for, and move it"
        )
    if os.path.lexists(location.hook) and os.path.lexists(location.chained):
        both = f"there is a hook at {location.hook}, and an earlier one at {location.chained}"
        return UsageError(both, "keep one of the two, then run this again")
    return None


def _managed(git: Git, location: HookLocation) -> Path | None:
    """The file for the user to edit, in a folder that a hook manager writes or that is committed:
    there no file is ours to rename."""
    if (
        not location.tree
        or not location.folder.is_relative_to(location.tree)
        or location.folder.is_relative_to(git.common)
    ):
        return None
    generated = location.folder.name == "_"
    if generated or git.run("ls-files", "-z", "--", str(location.folder), in_tree=True):
        return (location.folder.parent if generated else location.folder) / "pre-push"
    return None


def _in_repository(git: Git, location: HookLocation) -> bool:
    return any(
        location.folder.is_relative_to(home.resolve()) for home in (git.common, git.tree) if home
    )


def _set_aside(location: HookLocation) -> bool:
    """Rename the hook that is there; whether there is one before ours."""
    if not os.path.lexists(location.hook):
        return os.path.lexists(location.chained)
    with _explained(location.hook):
        os.rename(location.hook, location.chained)
    return True


def _write(hook: Path, data: bytes) -> None:
    with _explained(hook):
        write_atomic(hook, data)
        hook.chmod(0o755)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot change {path}: {error.strerror}",
            "check who owns the folder, or set core.hooksPath",
        ) from None


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(1_000_000)
    except OSError:
        return b""

"""shellcheck: sh, bash, dash and ksh scripts. It prints paths as given and one JSON document in
every case."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ...model.finding import Finding
from ...model.languages import interpreter
from ..imports import shellcheck_json1 as shellcheck_json1

PROGRAM = "shellcheck"
DEFAULT = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = False
CONFIG = (".shellcheckrc", "shellcheckrc")
DEFAULT_CONFIG: str | None = "shellcheckrc"
CLEAN_EXITS = (0,)
# https://github.com/koalaman/shellcheck/blob/master/shellcheck.1.md#return-values
FOUND_EXITS = (1,)
LANGUAGES = ("Shell",)
INSTALL = "install it with `pip install 'reviewgate-gh[linters]'` or your system's package manager"

_SUFFIXES = (".sh", ".bash", ".ksh", ".dash")
_SHELLS = ("sh", "bash", "dash", "ksh", "ash", "busybox")


def takes(path: str, head: bytes) -> bool:
    """A shell script by its suffix or its `#!` line, which wins; zsh and fish are other
    languages."""
    if head.startswith(b"#!"):
        return interpreter(head) in _SHELLS
    return path.lower().endswith(_SUFFIXES)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--rcfile={config}"] if config else []
    return [program, *ours, *args, "--format=json1", "--color=never"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not json1, or cut short.
    """
    return shellcheck_json1.parse(b"".join(lines))

"""shellcheck: sh, bash, dash and ksh scripts. It prints paths as given and one JSON document in
every case."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...model.languages import interpreter
from ..imports import shellcheck_json1 as shellcheck_json1
from ._edits import Edit, with_edits
from ._weights import weight

PROGRAM = "shellcheck"
DEFAULT = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".shellcheckrc", "shellcheckrc")
DEFAULT_CONFIG: str | None = "shellcheckrc"
CLEAN_EXITS = (0,)
# https://github.com/koalaman/shellcheck/blob/master/shellcheck.1.md#return-values
FOUND_EXITS = (1,)
LANGUAGES = ("Shell",)
INSTALL = "install it with `pip install 'reviewgate-gh[linters]'` or your system's package manager"

_DECIDED_ELSEWHERE = ("shellcheck/SC2154", "shellcheck/SC2164")
_READS_OTHERS = re.compile(rb"(?m)(?:^|[;&|])[ \t]*(?:\.|source)[ \t]+[^ \t|;&]")
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
    return [_finding(row) for row in shellcheck_json1.read_comments(b"".join(lines))]


def _finding(row: shellcheck_json1.Comment) -> Finding:
    found = shellcheck_json1.finding_of(row)
    priority = weight("shellcheck", found.rule.partition("/")[2]) or found.priority
    edits = [
        Edit(each.line, each.column, each.end_line, each.end_column, each.replacement)
        for each in (row.fix.replacements if row.fix else ())
    ]
    return with_edits(replace(found, priority=priority), edits)


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; another script may have assigned a variable, or set -e."""
    elsewhere = finding.rule in _DECIDED_ELSEWHERE and _READS_OTHERS.search(read())
    return replace(finding, priority=Priority.P3) if elsewhere else finding

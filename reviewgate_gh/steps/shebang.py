"""The interpreter that a file's `#!` line names."""

import re
from collections.abc import Iterator

_LINE = re.compile(rb"#![ \t]*([^\s\[][^\n\r]*)")  # `#![` begins an attribute of Rust
_ASSIGNMENT = re.compile(r"\w+=")
_VERSION = re.compile(r"[-.]?\d[\w.-]*\Z|-preview\Z|\.exe\Z")
_SPLIT = re.compile(r"-[a-zA-Z0]*?S(.*)|--split-string=(.*)")
# Programs that start the one which is named after them.
_STARTERS = frozenset(
    (
        "env",
        "sudo",
        "doas",
        "nice",
        "nohup",
        "exec",
        "stdbuf",
        "time",
        "timeout",
        "busybox",
        "toybox",
        "npx",
        "bunx",
        "pnpx",
        "bundle",
        "poetry",
        "pipenv",
        "hatch",
        "rye",
        "pdm",
        "run",
    )
)
# https://www.gnu.org/software/coreutils/manual/html_node/env-invocation.html
_WITH_VALUE = frozenset(("-u", "--unset", "-C", "--chdir", "-a", "--argv0", "-n"))


def interpreter(head: bytes) -> str:
    """Its name in lower case, without its folder, `env` and the like; "" without such a line."""
    found = _LINE.match(head)
    if not found:
        return ""
    last = ""
    for word in _words(found[1].decode("ascii", "replace").split()):
        last = word.rpartition("/")[2].lower()
        if last not in _STARTERS:
            break
    return last


def without_version(name: str) -> str:
    """`python` for `python3.12`."""
    return _VERSION.sub("", name)


def _words(words: list[str]) -> Iterator[str]:
    """Those that can be programs: no options with what belongs to them, no assignments, no numbers."""
    after_option = False
    for word in words:
        split = _SPLIT.fullmatch(word)
        if split:
            word = split[1] or split[2] or "-"
        if after_option:
            after_option = False
        elif word.startswith("-"):
            after_option = word in _WITH_VALUE
        elif not _ASSIGNMENT.match(word) and not word.isdecimal():
            yield word.strip("'\"")

"""Which shell commands a reviewing agent may run: one reading command of git's, written so plainly that no shell can read it otherwise."""

import re
import shlex

_READING = (
    "blame", "cat-file", "describe", "diff", "diff-tree", "log", "ls-files", "ls-tree", "merge-base", "name-rev", "rev-list", "rev-parse",
    "shortlog", "show", "status",
)  # fmt: skip
_GLOBAL = ("--no-pager", "--no-optional-locks")
# Options that write files, start programs, or read what is outside of the repository; git takes shortened names, too.
_DENIED = (
    "--output", "--ext-diff", "--textconv", "--filters", "--no-index", "--contents", "--open-files-in-pager", "--upload-pack", "--exec",
    "--ignore-revs-file", "--exclude-from", "--pathspec-from-file", "--batch-command", "--git-dir", "--work-tree", "--resolve-git-dir",
    "--shared-index-path",
)  # fmt: skip
_DENIED_SHORT = {"blame": ("-S",), "ls-files": ("-X",), "diff": ("-O",), "log": ("-O",), "show": ("-O",), "diff-tree": ("-O",)}
_SHELL = re.compile(r"[;&|<>$`\\{}()!#\x00-\x1f\x7f]|(?:^|(?<=[\s=:'\"]))~")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_GLOB = re.compile(r"[*?\[\]]")


def refused(command: str) -> str:
    """Why a command may not run; "" when it may."""
    if found := _SHELL.search(command):
        return f"only a single git command is allowed, without {found[0]!r}"
    if _GLOB.search(_QUOTED.sub("", command)):
        return "quote patterns"
    try:
        words = shlex.split(command)
    except ValueError:
        return "unbalanced quotes"
    if words[:1] != ["git"]:
        return "only git may be run"
    rest = words[1:]
    while rest and rest[0] in _GLOBAL:
        rest = rest[1:]
    if not rest or rest[0] not in _READING:
        return f"only git commands that read are allowed: {', '.join(_READING)}"
    return _refused_option(rest[0], rest[1:])


def _refused_option(verb: str, words: list[str]) -> str:
    for word in words:
        name = word.partition("=")[0]
        long = len(name) > 2 and any(denied.startswith(name) for denied in _DENIED) and name != "--no"
        if word.startswith("/") or word == ".." or "../" in word:  # of two such files git shows the difference, wherever they are
            return f"{word} is outside the folder"
        if long or any(word.startswith(short) for short in _DENIED_SHORT.get(verb, ())):
            return f"git {verb} must not be used with {name}"
    return ""

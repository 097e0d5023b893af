"""What a command line that an agent is about to run would do to the gate.

It is read as text, with its quotes taken away, so that what a nested shell would run counts as
well. Text alone cannot show everything that a shell might do: the git hook and the CI review what
is pushed, whatever the command line said.
"""

import re
from itertools import pairwise

from msgspec import Struct

from ..model.variables import AGENT_MARKS, SKIP_VARIABLE

_QUOTES = re.compile(r"[\"'\\]")
_WORDS = re.compile(r"[^\s;|&()<>`{}\[\]$]+")
_SETTERS = {"export", "declare", "typeset", "set", "setenv", "local", "readonly", "read", "env"}
_SKIP_SET = re.compile(rf"\b{SKIP_VARIABLE}\b\]?\s*:?\+?=")
# Shorter beginnings can mean --no-verbose, too: https://git-scm.com/docs/gitcli
_NO_VERIFY = re.compile(r"--no-veri(?:f(?:y)?)?")
_HOOKS_SET = re.compile(r"core\.hookspath(?:\s*=|\s+[^\s;|&-])|unset\w*\s+core\.hookspath")
_CHANGES = {"rm", "mv", "chmod", "unlink", "ln", "cp", "tee", "truncate", "dd", "install", "sed"}
_HOOK_FILE = "hooks/pre-push"
_OWN_STATE = ("reviewgate-gh/trust.json", "reviewgate-gh/agents/")
_HARMLESS = {"--list", "--dry-run", "--revoke", "--help", "-h"}


class CommandLine(Struct, frozen=True):
    """Whether it pushes, whether it commits before that, and what in it only a person may do."""

    pushes: bool
    commits: bool
    forbidden: tuple[str, ...]


def read_command(text: str) -> CommandLine:
    """What the command line would do."""
    plain = _QUOTES.sub("", text)
    words = _WORDS.findall(plain)
    names = [word.rpartition("/")[2] for word in words]
    git = "git" in names
    pushes = (git and "push" in words) or not {"git-push", "send-pack", "git-send-pack"}.isdisjoint(
        names
    )
    return CommandLine(
        pushes, git and "commit" in words, tuple(_forbidden(plain, words, names, pushes))
    )


def _forbidden(plain: str, words: list[str], names: list[str], pushes: bool) -> list[str]:
    ours = {"reviewgate-gh", "reviewgate_gh", "review-gate"} & set(names)
    changes = bool(_CHANGES & set(names)) or ">" in plain
    hides = any(word.partition("=")[0] in AGENT_MARKS for word in words) or (
        "env" in names and bool({"-i", "-", "--ignore-environment"} & set(words))
    )
    found = {
        f"skip the review with {SKIP_VARIABLE}": SKIP_VARIABLE in plain
        and (pushes or bool(_SKIP_SET.search(plain)) or bool(_SETTERS & set(words))),
        "push without the hook (--no-verify)": pushes and any(map(_NO_VERIFY.fullmatch, words)),
        "change where git looks for hooks": bool(_HOOKS_SET.search(plain.lower())),
        "change the pre-push hook": _HOOK_FILE in plain and changes,
        "remove the pre-push hook": bool(ours) and _follows(words, "hook", "uninstall"),
        "change what the gate keeps in the git directory": changes
        and any(name in plain for name in _OWN_STATE),
        "hide from the gate that an agent runs it": hides and (pushes or bool(ours)),
        "accept findings": bool(ours) and _follows(words, "waive", "add"),
        "approve what may run": bool(ours)
        and "trust" in words
        and not _HARMLESS & set(words)
        and words.index("trust") == _place(names, ours) + 1,
    }
    return [what for what, is_so in found.items() if is_so]


def _follows(words: list[str], first: str, second: str) -> bool:
    return (first, second) in pairwise(words)


def _place(names: list[str], ours: set[str]) -> int:
    return next(at for at, name in enumerate(names) if name in ours)

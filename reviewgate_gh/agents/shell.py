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
_GIT = re.compile(r"(?<![\w.])git(?!\w)")
_PUSH = re.compile(r"(?<![\w-])push(?![\w-])|(?<!\w)(?:git-push|send-pack)(?!\w)")
_COMMIT = re.compile(r"(?<![\w-])commit(?![\w-])")
_SETTERS = {"export", "declare", "typeset", "set", "setenv", "local", "readonly", "read", "env"}
_SKIP_SET = re.compile(rf"\b{SKIP_VARIABLE}\b\]?\s*:?\+?=")
# Shorter beginnings can mean --no-verbose, too: https://git-scm.com/docs/gitcli
_NO_VERIFY = re.compile(r"(?<![\w-])--no-veri(?:fy?)?(?![\w-])")
# Settings by which git finds other hooks; a name alone is how they are read
_HOOKS_SET = re.compile(
    r"(?:core\.hookspath|include(?:if\.\S*?)?\.path)(?:\s*=|\s+[^\s;|&-])"
    r"|unset\w*\s+core\.hookspath"
)
_SETTINGS_MOVED = re.compile(
    r"\b(?:GIT_CONFIG\w*|GIT_DIR|GIT_COMMON_DIR|GIT_EXEC_PATH|HOME|XDG_CONFIG_HOME)="
)
_OWN_FILES = r"(?:hooks/|\.git/config|reviewgate-gh/(?:trust\.json|agents/))"
_OWN_FILE, _WRITTEN = re.compile(_OWN_FILES), re.compile(rf">>?\|?\s*[^\s;|&]*{_OWN_FILES}")
_CHANGERS = {"rm", "mv", "chmod", "unlink", "ln", "cp", "tee", "truncate", "dd", "install"}
_OURS = {"reviewgate-gh", "reviewgate_gh"}
_HARMLESS = {"--list", "--dry-run", "--revoke", "--help", "-h"}


class CommandLine(Struct, frozen=True):
    """Whether it pushes, whether it commits before that, and what in it only a person may do."""

    pushes: bool
    commits: bool
    forbidden: tuple[str, ...]


def read_command(text: str) -> CommandLine:
    """What the command line would do."""
    plain = _QUOTES.sub("", text)
    git = _GIT.search(plain) is not None
    pushes = git and _PUSH.search(plain) is not None
    return CommandLine(
        pushes, git and _COMMIT.search(plain) is not None, tuple(_forbidden(plain, pushes))
    )


def _forbidden(plain: str, pushes: bool) -> list[str]:
    words = _WORDS.findall(plain)
    names = [word.rpartition("/")[2] for word in words]
    ours = not _OURS.isdisjoint(names)
    found = {
        f"skip the review with {SKIP_VARIABLE}": SKIP_VARIABLE in plain
        and (pushes or bool(_SKIP_SET.search(plain)) or not _SETTERS.isdisjoint(words)),
        "push without the hook (--no-verify)": pushes and bool(_NO_VERIFY.search(plain)),
        "change where git looks for hooks": bool(_HOOKS_SET.search(plain.lower()))
        or (pushes and bool(_SETTINGS_MOVED.search(plain))),
        "change hooks, git's settings or approvals": _changes_own_files(plain, words, names),
        "remove the pre-push hook": ours and ("hook", "uninstall") in pairwise(words),
        "hide from the gate that an agent runs it": (pushes or ours) and _hides(plain, words),
        "accept findings": ours and ("waive", "add") in pairwise(words),
        "approve what may run": ours
        and _HARMLESS.isdisjoint(words)
        and any(name in _OURS and word == "trust" for name, word in pairwise(names)),
    }
    return [what for what, is_so in found.items() if is_so]


def _changes_own_files(plain: str, words: list[str], names: list[str]) -> bool:
    edits = "sed" in names and any(word.startswith(("-i", "--in-place")) for word in words)
    changes = edits or not _CHANGERS.isdisjoint(names)
    return bool(_WRITTEN.search(plain)) or (changes and bool(_OWN_FILE.search(plain)))


def _hides(plain: str, words: list[str]) -> bool:
    """It takes the variables away that show an agent, by name or all of them."""
    cleared = "env" in words and not {"-i", "-", "--ignore-environment"}.isdisjoint(words)
    return cleared or any(mark in plain for mark in AGENT_MARKS)

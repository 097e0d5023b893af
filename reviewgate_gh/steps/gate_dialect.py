"""The two ways in which review gates are spoken to, and how to tell them apart by what `--help` prints."""

import re
from collections.abc import Sequence
from typing import Literal

from ..model.values import dataclass

Dialect = Literal["spec", "v1"]
SPAWN, SPAWN_EPIC = "spawn-code-review", "spawn-epic-verify"
STALE = "already active"
RESOLVE = ("resolve", "--reason", "left over from an earlier review")
_NOTHING = re.compile(r"no changes found", re.IGNORECASE)
_DIFF = re.compile(r"(?<![\w-])--diff(?![\w-])")
_COMMIT = re.compile(r"(?<![\w-])--commit(?![\w-])")
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Scope:
    """What a gate is to look at: commits of which the last is the head, or two revisions, or (with neither) the work tree."""

    commits: tuple[str, ...] = ()
    base: str = ""
    head: str = ""


def dialect_of(help_text: str) -> Dialect:
    """The dialect, by the help of `spawn-code-review`: only the documented contract has `--diff`."""
    return "spec" if _DIFF.search(help_text) else "v1"


def takes_commits(help_text: str) -> bool:
    """The help of `spawn-epic-verify` knows of commits to look at."""
    return bool(_COMMIT.search(help_text))


def review_words(dialect: Dialect, base: str, head: str, context: str, extra: Sequence[str]) -> list[str]:
    """The arguments that spawn a review of a range; `context` is a file's path or ""."""
    told = ["--context-file", context] if context else []
    return [SPAWN, "--diff", f"{base}..{head}", *told, *extra] if dialect == "spec" else [SPAWN, *told, *extra, f"{base}..{head}"]


def epic_words(file: str, scope: Scope, help_text: str, extra: Sequence[str]) -> list[str]:
    """The arguments that spawn the verification of an epic. A gate that knows of no commits gets the file alone."""
    if not takes_commits(help_text):
        return [SPAWN_EPIC, *extra, file]
    if scope.commits:
        return [SPAWN_EPIC, file, *extra, "--commit", *scope.commits]
    return [SPAWN_EPIC, file, *extra, f"{scope.base}..{scope.head}" if scope.base else "--uncommitted"]


def wait_words(key: str, session: str, seconds: int, extra: Sequence[str]) -> list[str]:
    """The arguments that wait: for the key that the spawn printed, else for our session id. A timeout among `extra` is taken, not ours."""
    who = ["--session-key", key] if key else ["--finalize", "--session-id", session]
    own = any(word == "--timeout" or word.startswith("--timeout=") for word in extra)
    return ["wait", "--json", *who, *([] if own else ["--timeout", str(seconds)]), *extra]


def nothing_to_review(said: str) -> bool:
    """The gate found no change in what it was given."""
    return bool(_NOTHING.search(said))


def name_part(text: str) -> str:
    """The text as a part of a file's name or of a session id: letters, digits, dot, underscore and dash."""
    return _NAME.sub("-", text).strip("-.")[:_LONGEST_NAME] or "review"

"""Single objects from a `git cat-file` that is kept running: a small question costs no start of a process."""

import re
import threading
import time
from collections.abc import Sequence

from ...model.values import dataclass
from ..companion import Companion, Silent
from .door import Git, failure

_AT_ONCE = 150  # questions: a pipe holds them all, so that neither side waits for the other
_FOUND = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?) (commit|tree|blob|tag) (\d+)")
_NONE = (b" missing", b" ambiguous")
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Object:
    """An object of the store: its id, `kind` (commit, tree, blob, tag), size in bytes, and content where that was asked for."""

    oid: str
    kind: str
    size: int
    data: bytes = b""


def contents(git: Git, names: Sequence[str]) -> list[Object | None]:
    """The objects behind these names (without line breaks), None for each that is not there."""
    return _asked(git, "contents", names)


def sizes(git: Git, names: Sequence[str]) -> list[Object | None]:
    """The same without their content."""
    return _asked(git, "info", names)


def _asked(git: Git, command: str, names: Sequence[str]) -> list[Object | None]:
    found: list[Object | None] = []
    end = time.monotonic() + git.deadline
    with _LOCK:
        companion = _companion(git)
        try:
            for start in range(0, len(names), _AT_ONCE):
                part = names[start : start + _AT_ONCE]
                companion.say("".join(f"{command} {name}\n" for name in part).encode("utf-8", "surrogateescape"))
                found += [_answer(companion, end, command == "contents") for _ in part]
        except Silent as error:
            raise failure(("cat-file",), str(error)) from None
        finally:
            if len(found) < len(names):  # what is still to come would be taken for the next answer
                companion.leave()
    return found


def _companion(git: Git) -> Companion:
    """The one that runs; a new one where there is none, and where it knows too few folders of objects."""
    key = len(git.alternates)
    kept = git.companions.get(key)
    if kept is None or not kept.ours:
        argv, folder, env = git.order("cat-file", "--batch-command")
        kept = git.companions[key] = Companion(argv, cwd=folder, env=env)
    return kept


def _answer(companion: Companion, end: float, whole: bool) -> Object | None:
    line = companion.line(end)
    found = _FOUND.fullmatch(line)
    if not found and not line.endswith(_NONE):
        raise Silent("unexpected output from git cat-file")
    if not found:
        return None
    size = int(found[3])
    data = companion.take(size + 1, end)[:-1] if whole else b""
    return Object(found[1].decode(), found[2].decode(), size, data)

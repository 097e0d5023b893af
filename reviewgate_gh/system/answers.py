"""Answers of language models on disk: the cache of local runs, and recordings to replay. What is damaged is no answer."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..model.asked import Reply
from ..model.codec import from_plain, to_plain
from ..model.digest import sha256_hex
from ..model.errors import UsageError
from ..model.values import dataclass
from .store import HOME, write_atomic

_MOST_KEPT = 2000
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def question_digest(*parts: Any) -> str:
    """64 hex digits of a question: whom it is put to, with which options, and its text."""
    return sha256_hex(json.dumps(parts, sort_keys=True, default=str))


@dataclass(frozen=True, slots=True)
class Answers:
    """A folder of answers by name and digest of the question."""

    folder: Path

    def get(self, name: str, digest: str) -> Reply | None:
        """The answer to this very question; None where there is none, or a damaged one."""
        try:
            entry = json.loads(self._path(name, digest).read_bytes(), parse_constant=_refuse)
            if entry["question"] != digest or entry["sha256"] != _checksum(entry["reply"]):
                return None
            reply: Reply = from_plain(Reply, entry["reply"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return reply

    def put(self, name: str, digest: str, reply: Reply) -> None:
        """Keep an answer.

        Raises:
            UsageError: it cannot be written.
        """
        plain = to_plain(reply)
        entry = {"question": digest, "asked": name, "sha256": _checksum(plain), "reply": plain}
        path = self._path(name, digest)
        try:
            write_atomic(path, json.dumps(entry, indent=1).encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}", "make sure the disk is not full") from None

    def _path(self, name: str, digest: str) -> Path:
        return self.folder / f"{_NAME.sub('-', name)}-{digest[:32]}.json"


def kept_answers(common: Path) -> Answers:
    """The cache below the git directory; the oldest beyond 2,000 go."""
    folder = common / HOME / "cache" / "answers"
    for path in _by_age(folder)[:-_MOST_KEPT]:
        with suppress(OSError):  # no file, or another run was faster: the others go all the same
            os.unlink(path)
    return Answers(folder)


def _by_age(folder: Path) -> list[str]:
    with suppress(OSError):
        return [path for _, path in sorted((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in os.scandir(folder))]
    return []


def _refuse(constant: str) -> None:
    """No number that is none gets into a report, whoever wrote it here."""
    raise ValueError(constant)


def _checksum(plain: Any) -> str:
    return sha256_hex(json.dumps(plain, sort_keys=True))

"""The object ids of names, from a git that stays: a request asks for several, and a test makes
thousands of requests."""

import os
import subprocess
import threading
import weakref
from collections.abc import Mapping


class Names:
    """One `git cat-file --batch-check` for a repository, which reads its refs anew for every name;
    it ends with this value."""

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        self._folder, self._env, self._lock = folder, env, threading.Lock()
        self._git: subprocess.Popen[bytes] | None = None

    def find(self, name: str) -> str:
        """The object id of a revision, or "" when there is none."""
        if not name or "\n" in name or "\0" in name:
            return ""
        with self._lock:
            git = self._git = self._git or self._start()
            git.stdin.write(os.fsencode(name) + b"\n")  # type: ignore[union-attr]
            git.stdin.flush()  # type: ignore[union-attr]
            words = git.stdout.readline().decode("utf-8", "replace").split()  # type: ignore[union-attr]
        return words[0] if len(words) == 3 and words[2].isdecimal() else ""

    def _start(self) -> "subprocess.Popen[bytes]":
        argv = [
            "git",
            f"--git-dir={self._folder}",
            "-c",
            "core.bare=true",
            "cat-file",
            "--batch-check",
        ]
        git = subprocess.Popen(
            argv,
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        weakref.finalize(self, _end, git)
        return git


def _end(git: "subprocess.Popen[bytes]") -> None:
    git.communicate()

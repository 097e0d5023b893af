"""What GitHub knows of a repository's contents: read from a real one on disk, by object ids."""

import os
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .git_names import Names

_STATUS = {
    "A": "added",
    "D": "removed",
    "M": "modified",
    "R": "renamed",
    "C": "copied",
    "T": "changed",
}
_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--full-index",
    "-M",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_COMMIT = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01"


@dataclass(frozen=True, slots=True)
class DiffFile:
    """A file of a diff; `patch` starts at the first hunk and is empty where there is not text."""

    path: str
    old_path: str
    status: str
    sha: str
    additions: int
    deletions: int
    binary: bool
    patch: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's own fields; `author` and `committer` are (name, email, ISO time)."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str, str]
    committer: tuple[str, str, str]
    message: str


class GitError(Exception):
    """git did not do it."""


class Git:
    """One repository; what depends on object ids alone is asked once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        inside = _git(
            "-C", os.fspath(path), "rev-parse", "--path-format=absolute", "--git-common-dir"
        )
        self.folder = inside.decode().rstrip("\n")
        self._names = Names(self.folder, _environment())
        self.merge_base, self.is_ancestor = cache(self._merge_base), cache(self._is_ancestor)
        self.files, self.diff, self.commits = (
            cache(self._files),
            cache(self._diff),
            cache(self._commits),
        )

    def __deepcopy__(self, memo: object) -> "Git":
        return self

    def run(self, *args: str, stdin: bytes = b"") -> bytes:
        """git's output; bare, so that no work tree and no attributes of it count."""
        return _git(
            f"--git-dir={self.folder}",
            "-c",
            "core.bare=true",
            "-c",
            "core.quotePath=false",
            *args,
            stdin=stdin,
        )

    def rev(self, name: str) -> str:
        """The object id of a revision, or "" when there is none."""
        return self._names.find(name)

    def commit_id(self, name: str) -> str:
        """The commit that a branch, a tag or an object id names, or ""."""
        heads = (f"refs/heads/{name}^{{commit}}", f"refs/{name}^{{commit}}", f"{name}^{{commit}}")
        return next(filter(None, map(self.rev, heads)), "")

    def point(self, ref: str, sha: str) -> None:
        """Let a ref be at a commit."""
        self.run("update-ref", ref, sha)

    def blob(self, sha: str) -> bytes:
        """The contents of a blob."""
        return self.run("cat-file", "blob", sha)

    def entries(self, commit: str, path: str) -> list[tuple[str, str, str, str]]:
        """What is at a path, as (mode, type, object id, full path): itself, or with a slash at the
        end what it holds."""
        listed = self.run("ls-tree", "-z", commit, *(["--", path] if path else [])).split(b"\0")[
            :-1
        ]
        split = (
            (
                *line.split(b"\t", 1)[0].decode().split(),
                line.split(b"\t", 1)[1].decode("utf-8", "replace"),
            )
            for line in listed
        )
        return [(mode, kind, sha, name) for mode, kind, sha, name in split]

    def merged(self, base: str, head: str) -> str:
        """A test merge commit of two commits, or "" when they conflict."""
        try:
            tree = self.run("merge-tree", "--write-tree", base, head).decode().split("\n", 1)[0]
        except GitError:
            return ""
        who = ["-c", "user.name=GitHub", "-c", "user.email=noreply@github.com"]
        return (
            self.run(
                *who, "commit-tree", tree, "-p", base, "-p", head, "-m", f"Merge {head} into {base}"
            )
            .decode()
            .strip()
        )

    def _merge_base(self, one: str, other: str) -> str:
        try:
            return self.run("merge-base", one, other).decode().split("\n", 1)[0]
        except GitError:
            return ""

    def _is_ancestor(self, old: str, new: str) -> bool:
        return self._merge_base(old, new) == old

    def _diff(self, old: str, new: str) -> bytes:
        return self.run(*_DIFF, old, new)

    def _commits(self, base: str, head: str) -> tuple[Commit, ...]:
        """The commits of head that base has not, oldest first; base "" gives head alone."""
        span = ["--reverse", "--topo-order", f"{base}..{head}"] if base else ["--no-walk", head]
        text = self.run("log", _COMMIT, *span).decode("utf-8", "replace")
        return tuple(_commit(record.lstrip("\n").split("\0")) for record in text.split("\x01")[:-1])

    def _files(self, old: str, new: str) -> tuple[DiffFile, ...]:
        raw = self.run(*_DIFF, "--raw", "--no-abbrev", "-z", old, new).split(b"\0")
        counts = _counts(self.run(*_DIFF, "--numstat", "-z", old, new).split(b"\0"))
        sections = _sections(self.diff(old, new))
        return tuple(_file(entry, counts, sections) for entry in _entries(raw))


def _git(*args: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", *args],
        env=_environment(),
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise GitError(f"git {args}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout


def _environment() -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return env | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }


def _commit(fields: list[str]) -> Commit:
    sha, tree, parents, *people, message = fields
    return Commit(
        sha,
        tree,
        tuple(parents.split()),
        tuple(people[:3]),
        tuple(people[3:]),
        message.rstrip("\n"),
    )


def _entries(raw: list[bytes]) -> list[tuple[str, str, str, str]]:
    """(status letter, object id, old path, new path) of every record of `--raw -z`; what is removed
    keeps its old id."""
    found, rest = [], iter(raw[:-1])
    for meta in rest:
        _, _, before, after, letter = meta.decode().split()
        old = next(rest).decode("utf-8", "replace")
        new = next(rest).decode("utf-8", "replace") if letter[0] in "RC" else old
        found.append((letter[0], before if letter == "D" else after, old, new))
    return found


def _counts(records: list[bytes]) -> dict[str, tuple[int, int, bool]]:
    """Additions, deletions and whether it is binary, by new path, of `--numstat -z`."""
    counts, rest = {}, iter(records[:-1])
    for record in rest:
        added, deleted, path = record.split(b"\t", 2)
        if not path:
            next(rest)
            path = next(rest)
        binary = added == b"-"
        counts[path.decode("utf-8", "replace")] = (
            (0, 0, True) if binary else (int(added), int(deleted), False)
        )
    return counts


def _sections(diff: bytes) -> list[str]:
    """The patch of every `diff --git`, from its first hunk on, in order."""
    parts = (b"\n" + diff).split(b"\ndiff --git ")[1:]
    hunks = (part.partition(b"\n@@ ") for part in parts)
    return [
        (mark[1:] + rest).decode("utf-8", "replace").removesuffix("\n") for _, mark, rest in hunks
    ]


def _file(
    entry: tuple[str, str, str, str], counts: dict[str, tuple[int, int, bool]], sections: list[str]
) -> DiffFile:
    letter, sha, old, new = entry
    patch = sections.pop(0)
    if letter == "T":  # git shows another kind of file as one removed and one added
        patch = f"{patch}\n{sections.pop(0)}"
    added, deleted, binary = counts.get(new, (0, 0, False))
    return DiffFile(new, old, _STATUS[letter], sha, added, deleted, binary, patch)

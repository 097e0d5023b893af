"""The one diff command, with every option pinned that a config could change, and its output as
values."""

import time
from collections.abc import Iterator, Sequence

from ..model.change import FileDiff, Hunk
from ..model.errors import InternalError
from ..system.streaming import ProcessEnded, StreamingProcess
from ..text.patterns import lazy_pattern
from .client import MAX_OUTPUT_BYTES, Git, git_error

_COMMAND = "diff-tree"
_RAW = (
    "-r",
    "-z",
    "--raw",
    "--find-renames=50%",
    "-l1000",
    "--no-relative",
    "--ignore-submodules=none",
    "--no-commit-id",
)
# Some of these mean --patch by themselves, so a list alone is asked for without them.
# https://git-scm.com/docs/git-diff-tree
_PATCH = (
    "--patch", "--full-index", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
    "--indent-heuristic", "--no-color",
    "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
)  # fmt: skip


def diff_trees(
    git: Git,
    base: str,
    head: str,
    patch: bool = True,
    paths: Sequence[str] = (),
    as_text: bool = False,
) -> bytes:
    """Raw records and patch between two object ids (commits or trees), as `git.diff` reads them;
    only of these paths where given. As text, none counts as binary."""
    options = (*_RAW, *(_PATCH if patch else ()), *(["--text"] if as_text else []))
    return git.run(_COMMAND, *options, base, head, "--", *paths, env={"GIT_LITERAL_PATHSPECS": "1"})


class StreamedDiff:
    """The same of all paths, from a git whose raw records are read before it has made the patch."""

    def __init__(self, git: Git, base: str, head: str) -> None:
        argv, folder, env = git.command_line(_COMMAND, *_RAW, *_PATCH, base, head, "--")
        self._end = time.monotonic() + git.deadline
        self._program = StreamingProcess(argv, cwd=folder, env=env)

    def records(self) -> bytes:
        """The raw records, with the NUL that ends them.

        Raises:
            GitFailed: git failed, or its deadline passed.
            UsageError: a partial clone lacks an object.
        """
        try:
            return self._program.read_until(b"\0\0", self._end)
        except ProcessEnded as error:
            raise git_error((_COMMAND,), str(error)) from None

    def all_output(self) -> bytes:
        """Raw records and patch. Raises what `records` does."""
        try:
            return self._program.read_rest(self._end, MAX_OUTPUT_BYTES)
        except ProcessEnded as error:
            raise git_error((_COMMAND,), str(error)) from None

    def stop(self) -> None:
        """No more is wanted."""
        self._program.leave()


def diff_commits(git: Git, commits: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The same of each commit against its parent, named with its id; none of a commit without
    changes. Oldest first.

    Of a merge the combined form, as `reviewers.builtin` reads it.
    """
    options = (*(option for option in _RAW if option != "--no-commit-id"), *_PATCH, "-c")
    data = git.run(
        _COMMAND,
        "--stdin",
        "--root",
        *options,
        stdin="".join(f"{oid}\n" for oid in commits).encode(),
    )
    # A path could look like the line that begins a commit, but not with the id of a later one: ids
    # are not known before.
    named, at = "", 0
    for oid in commits:
        mark = f"{oid}\0".encode()
        found = data.find(mark, at)
        if found >= 0:
            if named:
                yield named, data[at:found]
            named, at = oid, found + len(mark)
    if named:
        yield named, data[at:]


_RECORD = lazy_pattern(rb":(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([AMDRCTU])\d*\0([^\0]+)\0")
_HUNK = lazy_pattern(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@([^\n]*)\n")
_BODY = lazy_pattern(rb"(?:[ +\-\\][^\n]*+\n)*+")
_LARGE = 200  # files from which on several processes are faster
_ARGUMENT_BYTES = 500_000
_SECTION = b"diff --git "
_TWO_PATHS = ("R", "C")


def parse_raw(data: bytes) -> tuple[list[FileDiff], int]:
    """The changed files without hunks, and where the patch begins in `data`."""
    files, at = [], 0
    while found := _RECORD.match(data, at):
        at = found.end()
        old_mode, mode, old_oid, oid, status = (word.decode() for word in found.groups()[:5])
        old_path = path = _text(found[6])
        if status in _TWO_PATHS:
            end = data.find(b"\0", at)
            if end < 0:
                raise InternalError("git's list of changed files is truncated")
            path, at = _text(data[at:end]), end + 1
        files.append(FileDiff(path, old_path, status, old_mode, mode, old_oid, oid))
    if at < len(data) and data[at : at + 1] != b"\0":
        raise InternalError("git's list of changed files ends in something that is not a record")
    return files, at + 1


def parse_patch(files: list[FileDiff], data: bytes, at: int) -> tuple[FileDiff, ...]:
    """The files with their hunks.

    A type change has one record and two sections: its hunks are joined.
    """
    done = []
    for file in files:
        hunks: list[Hunk] = []
        binary = False
        for _section in range(2 if file.status == "T" else 1):
            at = _skip_header_start(data, at, file.path)
            at, section_binary = _skip_header(data, at)
            binary = binary or section_binary
            at = _read_hunks(data, at, hunks)
        done.append(
            FileDiff(
                file.path,
                file.old_path,
                file.status,
                file.old_mode,
                file.mode,
                file.old_oid,
                file.oid,
                binary,
                tuple(hunks),
            )
        )
    if at < len(data):
        raise InternalError("git's patch has more sections than its list of changed files")
    return tuple(done)


def parse_diff(data: bytes) -> tuple[FileDiff, ...]:
    """The changed files of one `diff-tree` output.

    Raises:
        InternalError: the output is not what git writes (cut short, sections and records do not
            match).
    """
    files, at = parse_raw(data)
    return parse_patch(files, data, at)


def split_paths(files: Sequence[FileDiff], most: int) -> list[list[str]]:
    """The paths of a large change, dealt into so many parts for as many git processes; one part
    where that does not pay.

    Files whose name or existence changed stay together, since renames are found among them.
    """
    if len(files) < _LARGE or most < 2:
        return [[file.path for file in files]]
    edited = [file.path for file in files if file.status in ("M", "T")]
    others = sorted(
        {
            path
            for file in files
            if file.status not in ("M", "T")
            for path in (file.path, file.old_path)
        }
    )
    parts = [edited[start::most] for start in range(most)]
    parts[-1] += others
    fits = all(
        sum(len(path.encode("utf-8", "surrogateescape")) + 1 for path in part) < _ARGUMENT_BYTES
        for part in parts
    )
    return [part for part in parts if part] if fits else [[file.path for file in files]]


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _skip_header_start(data: bytes, at: int, path: str) -> int:
    if not data.startswith(_SECTION, at):
        raise InternalError(f"git's patch has no section for {path!r}")
    return _next_line(data, at)


def _skip_header(data: bytes, at: int) -> tuple[int, bool]:
    """Past the extended header (git quotes names there, so each entry is one line); and whether it
    says binary."""
    binary = False
    while at < len(data) and not data.startswith((b"@@ -", _SECTION), at):
        binary = binary or data.startswith(b"Binary files ", at)
        at = _next_line(data, at)
    return at, binary


def _read_hunks(data: bytes, at: int, hunks: list[Hunk]) -> int:
    while head := _HUNK.match(data, at):
        old_count = int(head[2]) if head[2] is not None else 1
        new_count = int(head[4]) if head[4] is not None else 1
        end = _body_end(data, head.end(), old_count, new_count)
        hunks.append(
            Hunk(
                int(head[1]),
                old_count,
                int(head[3]),
                new_count,
                head[5].strip(),
                data[head.end() : end],
            )
        )
        at = end
    return at


def _body_end(data: bytes, at: int, old: int, new: int) -> int:
    """Where the hunk's body ends: its lines alone begin with a sign, and the header's counts must
    fit them."""
    found = _BODY.match(data, at)
    body = b"\n" + found[0] if found else b"\n"
    context = body.count(b"\n ")
    if (context + body.count(b"\n-"), context + body.count(b"\n+")) != (old, new):
        raise InternalError("git's patch has a hunk whose line counts do not match its lines")
    return at + len(body) - 1


def _next_line(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end + 1

"""A change: what differs between two trees, how it was asked for, and what is approved of it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

NO_BRANCH = ""


class RunGrant(Struct, frozen=True):
    """Whose commits belong to an orchestrated run beside the user's.

    `agents` are e-mail addresses of authors, and absolute paths of clones in which such authors
    commit; `commits` are those that the run's fixers made.
    """

    run_id: str
    agents: tuple[str, ...] = ()
    commits: frozenset[str] = frozenset()


class Approvals(Struct, frozen=True):
    """`files` are (path, blob id) pairs, `waivers` digests of single entries, `trees` ids of whole
    trees that were approved, `grants` those of the runs that have not ended.

    `branch` is the full name of the ref whose settings count for changes that are not approved; ""
    where none was recorded.
    """

    files: frozenset[tuple[str, str]] = frozenset()
    waivers: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    branch: str = NO_BRANCH
    grants: frozenset[RunGrant] = frozenset()

    def grant_of(self, run_id: str) -> RunGrant:
        """What was granted to this run; an empty grant without one."""
        found = (grant for grant in self.grants if run_id and grant.run_id == run_id)
        return next(found, RunGrant(run_id))

    def is_approved(self, path: str, oid: str) -> bool:
        """This very content was approved at this path."""
        return (path, oid) in self.files

    def approved_blobs(self, path: str) -> frozenset[str]:
        """The blobs that were approved at this path."""
        return frozenset(oid for name, oid in self.files if name == path)


_LINE = re.compile(rb"([ +\-\\])([^\n]*)\n?")
_AT_HEAD = (b" ", b"+")
MAX_COMMITS = 10_000  # of a change that are looked at one by one; one more stands for all others
EMPTY_BLOBS = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_RUN = re.compile(rb"(?:\+[^\n]*\n?)+|(?: [^\n]*\n?)+|(?:[-\\][^\n]*\n?)+")


class HunkLine(NamedTuple):
    """A line of a hunk: sign is " ", "+" or "-"; a side on which it does not exist has number 0."""

    sign: str
    old: int
    new: int
    text: bytes


class Hunk(Struct, frozen=True):
    """One `@@` block; `body` holds its lines with their signs, as git wrote them."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: bytes
    body: bytes

    def lines(self) -> Iterator[HunkLine]:
        """The lines in order; the marker of a missing newline is left out."""
        old, new = self.old_start, self.new_start
        for found in _LINE.finditer(self.body):
            sign, text = found[1], found[2]
            if sign == b" ":
                yield HunkLine(" ", old, new, text)
                old, new = old + 1, new + 1
            elif sign == b"-":
                yield HunkLine("-", old, 0, text)
                old += 1
            elif sign == b"+":
                yield HunkLine("+", 0, new, text)
                new += 1

    def added_lines(self) -> Iterator[HunkLine]:
        """The lines that the change adds."""
        return (line for line in self.lines() if line.sign == "+")

    def head_lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and text of the lines that are there at head."""
        number = self.new_start
        for row in self.body.split(b"\n"):
            if row[:1] in _AT_HEAD:
                yield number, row[1:]
                number += 1

    def base_lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and text of the lines that were there at base."""
        return ((line.old, line.text) for line in self.lines() if line.old)

    def added_runs(self) -> Iterator[tuple[int, int]]:
        """First and last number of each block of added lines; much faster than going line by
        line."""
        new = self.new_start
        for found in _RUN.finditer(self.body):
            block = found[0]
            if block[0] in b"-\\":
                continue
            count = block.count(b"\n") + (not block.endswith(b"\n"))
            if block[0] == 43:
                yield new, new + count - 1
            new += count


class FileDiff(Struct, frozen=True):
    """One changed file.

    Status is git's letter: A M D R C T; modes are git's six digits; an absent side has mode
    "000000".
    """

    path: str
    old_path: str
    status: str
    old_mode: str
    mode: str
    old_oid: str
    oid: str
    binary: bool = False
    hunks: tuple[Hunk, ...] = ()

    @property
    def is_text_file(self) -> bool:
        """A regular file with text at head: what a linter can read."""
        return self.mode.startswith("100") and not self.binary

    @property
    def is_without_hunks(self) -> bool:
        """Text whose new lines nobody has written down, because it is too large for that: whoever
        claims to have read it saw none."""
        return self.is_text_file and not self.hunks and self.oid not in (self.old_oid, *EMPTY_BLOBS)

    @property
    def is_symlink(self) -> bool:
        """A symbolic link at head."""
        return self.mode == "120000"

    @property
    def is_submodule(self) -> bool:
        """A gitlink at head."""
        return self.mode == "160000"

    def added_lines(self) -> Iterator[HunkLine]:
        """The lines that the change adds to this file."""
        for hunk in self.hunks:
            yield from hunk.added_lines()


class Commit(Struct, frozen=True):
    """One commit of the range."""

    oid: str
    subject: str
    author: str = ""


class Change(Struct, frozen=True):
    """What is reviewed. `base` and `head` are full object ids of commits or trees;
    `settings_commit` names the side that config comes from.

    `trusted` says that the user has approved the change, `made_here` that its commits seem to be
    made here by the user: that never suffices for anything to run. `approvals` are those of this
    clone, as far as they count at this entry point: files of the head with approved content serve
    as settings like those of `settings_commit`. `notes` tell a person how the range was found.
    `tags` are the ids of the annotated tags that are published with it.
    """

    repo: str
    base: str
    head: str
    trusted: bool
    settings_commit: str
    commits: tuple[Commit, ...] = ()
    files: tuple[FileDiff, ...] = ()
    notes: tuple[str, ...] = ()
    whole_tree: bool = field(default=False)
    made_here: bool = False
    approvals: Approvals = Approvals()
    tags: tuple[str, ...] = ()

    @property
    def suppressions_hold(self) -> bool:
        """Suppressions in the code hold: the change is approved, or it is a whole tree, in which
        none is new."""
        return self.trusted or self.whole_tree

    def file(self, path: str) -> FileDiff | None:
        """The changed file of that path at head, if there is one."""
        return next((f for f in self.files if f.path == path), None)


class Selection(Struct, frozen=True, forbid_unknown_fields=True):
    """At most one of these is set; none means: what is not yet on the upstream."""

    base: str = ""
    range: str = ""
    commit: str = ""
    staged: bool = False
    uncommitted: bool = False
    all_files: bool = False

    @property
    def selected_options(self) -> tuple[str, ...]:
        """The options that were given, as written on the command line."""
        return tuple(
            f"--{name.replace('_', '-')}" for name in self.__struct_fields__ if getattr(self, name)
        )


class Range(Struct, frozen=True):
    """Two object ids (commits or trees) and how they were found; `whole_tree` means: every file
    counts as changed.

    `is_local` says that head was never committed: the index or the work tree; `is_foreign` that it
    is somebody else's, wherever its commits were made.
    """

    base: str
    head: str
    notes: tuple[str, ...] = ()
    is_local: bool = False
    whole_tree: bool = False
    is_foreign: bool = False
    tags: tuple[str, ...] = ()

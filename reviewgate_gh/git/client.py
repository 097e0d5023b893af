"""git, called hardened: no shell, no hooks, no filters, nothing fetched, no prompt; and finding the
repository."""

import errno
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.errors import GateError, NoRepository, UsageError
from ..system import process
from ..system.search_path import outside_work_tree
from ..system.temp_dirs import make_temp_dir, remove_temp_dir
from ..text.patterns import lazy_pattern

if TYPE_CHECKING:
    from ..system.streaming import StreamingProcess


# The hooks at the end: a fetch is given the user's variables, which can define some;
# `without_hooks` is about those in its files.
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-corefsmonitor
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-protocolallow
# https://git-scm.com/docs/git-config#Documentation/git-config.txt-corehooksPath
_PINNED = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null",
    "core.quotePath=true", "core.pager=cat",
    "core.untrackedCache=false", "protocol.allow=never", "submodule.recurse=false",
    "safe.bareRepository=explicit", "diff.external=",
    "diff.suppressBlankEmpty=false", "diff.orderFile=/dev/null", "diff.noprefix=false",
    "diff.mnemonicPrefix=false", "diff.relative=false",
    "color.ui=false", "log.showSignature=false", "core.bigFileThreshold=512m", "gc.auto=0",
    "maintenance.auto=false",
    "i18n.logOutputEncoding=UTF-8", "hook.reference-transaction.enabled=false",
    "hook.post-index-change.enabled=false",
    "hook.post-checkout.enabled=false",
)  # fmt: skip
PINNED_OPTIONS = tuple(word for pin in _PINNED for word in ("-c", pin))
# https://git-scm.com/docs/git (environment variables)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull, "GIT_ATTR_NOSYSTEM": "1", "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_ASKPASS": "true", "LC_ALL": "C",
    "REVIEWGATE_GH_OFF": "false", "REVIEWGATE_GH_NONE": "",
}  # fmt: skip
# What starts no hook: it writes no ref, no index and no work tree.
_READS = frozenset({
    "cat-file", "commit-tree", "config", "diff", "diff-tree", "for-each-ref", "grep",
    "hash-object", "log",
    "ls-files", "ls-remote", "ls-tree",
    "merge-base", "mktree", "rev-list", "rev-parse", "version",
})  # fmt: skip
_OWN = ("local", "worktree")  # scopes of settings that may have come with the repository
_NO_FILTER = {
    "clean": "REVIEWGATE_GH_NONE",
    "process": "REVIEWGATE_GH_NONE",
    "required": "REVIEWGATE_GH_OFF",
}
# Where git and the user's own settings are; what names a repository, an index or an object store
# never passes.
_KEPT = ("GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
# The user's own git configuration: where its files are, and what is set without a file. The rest of
# GIT_* belongs to whatever command started this one. https://git-scm.com/docs/git-config
# (environment)
_USER_CONFIG = lazy_pattern(r"GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|(?:KEY|VALUE)_\d+)")
# https://github.com/git/git/blob/master/t/oid-info/hash-info
_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_OID = lazy_pattern(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# https://git-scm.com/docs/partial-clone
_NOT_FETCHED = "from promisor remote"
_NO_ROOM = "write failure on standard output"
_CUT = "to stdout"  # of an object that it could not write out whole, or not read
MAX_OUTPUT_BYTES = 4000 * process.MEGABYTE  # of output
_PAGE = 4096  # bytes: what a file system hands out at least


class GitFailed(GateError):
    """git said no; `stderr` holds its words."""

    def __init__(self, argv: Sequence[str], stderr: str) -> None:
        said = [line for line in stderr.splitlines() if not line.startswith("hint:")]
        super().__init__(f"git {argv[0]} failed: {said[-1] if said else 'no reason given'}")
        self.stderr = stderr


def git_error(argv: Sequence[str], said: str) -> GateError:
    """What to raise for git's words."""
    if _NOT_FETCHED in said:
        return UsageError(
            "this partial clone does not contain the files to review",
            "fetch them: git fetch --refetch --no-filter",
        )
    return GitFailed(argv, said)


@dataclass(frozen=True)
class Git:
    """One repository. `directory` is the absolute git directory, `common` the one that worktrees
    share, `tree` the work tree if any. `user_path` is the PATH by which other programs are found:
    git's own leaves the work tree out."""

    directory: Path
    common: Path
    tree: Path | None
    env: Mapping[str, str] = field(repr=False)
    deadline: float = 300
    hash: str = "sha1"  # or sha256: what this repository's object ids are made by
    index: Path | None = (
        None  # the index of the commit that is being made, where git runs us as its hook
    )
    user_path: str = ""

    def __post_init__(self) -> None:
        """Make the private folder now: two threads that ask for it first would make two."""
        self._folder  # noqa: B018 - made by asking

    def run(
        self,
        *argv: str,
        stdin: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        in_tree: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        """git's standard output. Bare and from an empty folder unless `in_tree`, so no attributes
        of the work tree apply.

        Raises:
            GitFailed: another exit code than `ok`, the deadline passed, or too much output.
        UsageError: a partial clone lacks an object.
        """
        command, folder, own = self.command_line(*argv, in_tree=in_tree)
        answer = process.run_process(
            command,
            cwd=folder,
            env={**own, **(env or {})},
            stdin=stdin,
            deadline=self.deadline,
            cap=MAX_OUTPUT_BYTES,
        )
        try:
            if answer.code:
                _check_room(answer, answer.code not in ok)
            if answer.code not in ok:
                raise git_error(
                    argv, f"stopped: {answer.killed_reason}" if answer.killed_reason else answer.err
                )
            return answer.out
        finally:
            answer.close()

    def run_within(
        self, *argv: str, stdin: bytes, limits: tuple[float, int], ok: tuple[int, ...] = (0,)
    ) -> tuple[bytes, bool]:
        """git's standard output as far as it came within so many seconds and bytes, and whether
        that is all of it: for searches whose first answers are worth something.

        Raises:
            GitFailed: another exit code than `ok`.
        """
        command, folder, own = self.command_line(*argv)
        seconds, most = limits
        answer = process.run_process(
            command, cwd=folder, env=own, stdin=stdin, deadline=seconds, cap=most
        )
        try:
            if answer.code is not None and answer.code not in ok:
                raise git_error(argv, answer.err)
            answer.out_file.seek(0)
            return answer.out_file.read(most), answer.code is not None
        finally:
            answer.close()

    def command_line(
        self, *argv: str, in_tree: bool = False
    ) -> tuple[list[str], Path, dict[str, str]]:
        """The whole command, the folder to run it in and its environment, for `run` and for what is
        kept running."""
        folder = self.tree if in_tree and self.tree else self.private_folder / "empty"
        pins = () if argv[0] in _READS else self.without_hooks
        if argv[0] == "status":
            pins = (*pins, *self.without_filters)
        return self._argv((*pins, *argv), in_tree), folder, {**self.env, **self.alternates}

    def text(self, *argv: str, ok: tuple[int, ...] = (0,)) -> str:
        """git's one-line answer, without its newline."""
        return os.fsdecode(self.run(*argv, ok=ok)).strip()

    def resolve(self, revision: str, kind: str = "commit") -> str | None:
        """The full object id behind a revision, or None where there is none of that kind."""
        if not revision or "\0" in revision:
            return None
        # The text that is looked for ends with the revision, so nothing can follow
        if revision.startswith(":/") and kind:
            return self.resolve(self.resolve(revision, "") or "", kind)
        name = f"{revision}^{{{kind}}}" if kind else revision
        out = self.run(
            "rev-parse", "--quiet", "--verify", "--end-of-options", name, ok=(0, 1, 128)
        ).strip()
        return out.decode() if _OID.fullmatch(out) else None

    def exists(self, oid: str) -> bool:
        """The object is in the store (nothing is fetched to find out)."""
        return (self.is_id(oid) or self.resolve(oid, "") is not None) and self._has(oid)

    def is_id(self, revision: str) -> bool:
        """It is a whole object id of this repository's hash, of which git asks nothing."""
        return (
            len(revision) == len(self.empty_tree)
            and _OID.fullmatch(revision.encode("ascii", "replace")) is not None
        )

    def _has(self, oid: str) -> bool:
        try:
            self.run("cat-file", "-e", oid)
        except (GitFailed, UsageError):
            return False
        return True

    @cached_property
    def without_hooks(self) -> tuple[str, ...]:
        """The options that switch off each hook that the configuration defines (git 2.54 and
        newer); hooksPath is of files alone."""
        keys = os.fsdecode(
            self.run("config", "--null", "--name-only", "--get-regexp", r"^hook\..", ok=(0, 1))
        ).split("\0")
        names = dict.fromkeys(key.partition(".")[2].rpartition(".")[0] for key in keys)
        # The name may hold a `=`
        return tuple(
            f"--config-env=hook.{name}.enabled=REVIEWGATE_GH_OFF" for name in names if name
        )

    @cached_property
    def without_filters(self) -> tuple[str, ...]:
        """The options that switch off each filter that the repository's own configuration defines:
        git starts them for a file whose content it has to compare
        (https://git-scm.com/docs/gitattributes#_filter)."""
        command = ("config", "--null", "--name-only", "--show-scope", "--get-regexp", r"^filter\..")
        rows = os.fsdecode(self.run(*command, ok=(0, 1))).split("\0")
        own = (key for scope, key in zip(rows[::2], rows[1::2], strict=False) if scope in _OWN)
        names = dict.fromkeys(key.partition(".")[2].rpartition(".")[0] for key in own)
        return tuple(
            f"--config-env=filter.{name}.{key}={value}"
            for name in names
            for key, value in _NO_FILTER.items()
        )

    @cached_property
    def user(self) -> tuple[str, str]:
        """Name and e-mail address that commits made here carry; empty where they are not set."""
        rows = os.fsdecode(
            self.run("config", "--null", "--get-regexp", r"^user\.(name|email)$", ok=(0, 1))
        ).split("\0")
        found = dict(row.split("\n", 1) for row in rows if "\n" in row)
        return found.get("user.name", ""), found.get("user.email", "")

    @cached_property
    def remotes(self) -> tuple[tuple[str, str], ...]:
        """Name and address of the configured remotes; one that is fetched from here and pushed to
        there stands here twice."""
        rows = os.fsdecode(
            self.run("config", "--null", "--get-regexp", r"^remote\..*\.(url|pushurl)$", ok=(0, 1))
        ).split("\0")
        pairs = (row.partition("\n")[::2] for row in rows if row)
        return tuple((key.rpartition(".")[0].removeprefix("remote."), url) for key, url in pairs)

    @cached_property
    def empty_tree(self) -> str:
        """The id of the empty tree in this repository's hash."""
        return _EMPTY_TREES[self.hash]

    @cached_property
    def running_processes(self) -> dict[int, "StreamingProcess"]:
        """The processes of `batch` that are kept running."""
        return {}

    @cached_property
    def trees(self) -> dict[str, dict[bytes, tuple[bytes, bytes]]]:
        """What was read of trees, by revision or object id: mode and object id by name. Objects do
        not change."""
        return {}

    @property
    def private_folder(self) -> Path:
        """A private folder that lasts as long as this value: an `empty` folder to run in, and
        snapshots' objects."""
        return self._folder

    @property
    def alternates(self) -> dict[str, str]:
        """The variable that names a second folder of objects, where there is one."""
        objects = self.private_folder / "objects"  # there once a snapshot was taken
        return (
            {"GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_alternate(objects)}
            if objects.exists()
            else {}
        )

    @cached_property
    def _folder(self) -> Path:
        folder = make_temp_dir("git")
        weakref.finalize(self, remove_temp_dir, folder)
        (folder / "empty").mkdir()
        return folder

    def _argv(self, argv: Sequence[str], in_tree: bool) -> list[str]:
        where = [f"--git-dir={self.directory}"]
        where += [f"--work-tree={self.tree}"] if in_tree and self.tree else ["-c", "core.bare=true"]
        return ["git", "--no-pager", *where, *PINNED_OPTIONS, *argv]


def _check_room(answer: process.ProcessResult, failed: bool) -> None:
    """A program that had no room for its answer may have none for its words either, and its code
    says nothing.

    Raises:
        OSError: no room is left for temporary files.
    """
    said, file, disk = answer.err, answer.out_file, os.fstatvfs(answer.out_file.fileno())
    # Another thread may have given some back by now; whoever fails for any other reason says why.
    full = disk.f_bavail * disk.f_frsize < 16 * _PAGE
    if _NO_ROOM in said or (full and failed and (not said or _CUT in said)):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    size = file.seek(0, os.SEEK_END)
    file.write(b"\n" * _PAGE)
    file.flush()
    file.truncate(size)


def quote_alternate(objects: Path) -> str:
    """A folder of objects as git's list of them takes it, where a colon would end it."""
    quoted = str(objects).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def user_config(source: Mapping[str, str]) -> dict[str, str]:
    """The variables with which the user configures git."""
    return {name: value for name, value in source.items() if _USER_CONFIG.fullmatch(name)}


def git_environment(source: Mapping[str, str]) -> dict[str, str]:
    """The environment git runs in: no `GIT_*` of the caller's (a hook inherits them), none of its
    credentials."""
    return process.clean_environment(
        source, {name: source[name] for name in _KEPT if name in source} | _ENVIRONMENT
    )


_DEADLINE = 30  # seconds
_NONE = "not a git repository"


def open_repository(start: Path, source: Mapping[str, str], itself: bool = False) -> Git:
    """The repository that holds `start`; with `itself` the git directory `start`, which git was
    told by name and does not question.

    Raises:
        UsageError: there is none, it is itself a file of another one, or git is missing.
    """
    if not start.is_dir():
        raise UsageError(
            f"{start} is not a folder", "name a folder in a git repository with --repo"
        )
    env = git_environment(source)
    path = env.get("PATH", "")
    if path:
        env["PATH"] = outside_work_tree(path, str(start), "git")
    asked = (
        "--absolute-git-dir",
        "--git-common-dir",
        "--is-inside-work-tree",
        "--show-object-format",
        "--show-cdup",
    )
    named = (f"--git-dir={start.absolute()}", "-c", "core.bare=true") if itself else ()
    try:
        # Whom the user trusts (safe.directory) may stand in the environment alone.
        # https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory
        answer = process.run_process(
            ["git", *named, "rev-parse", *asked],
            cwd=start,
            env=env | user_config(source),
            deadline=_DEADLINE,
        )
    except process.ToolMissing as error:
        raise UsageError(
            error.message, "install git 2.39 or newer, and run this inside a repository"
        ) from None
    if answer.code != 0:
        raise _why_not(start, answer.err)
    directory, common, inside, name, *up = os.fsdecode(answer.out).removesuffix("\n").split("\n")
    if len(up) > 1:
        raise UsageError("the path of the repository contains a line break", "rename the folder")
    if start.resolve().is_relative_to(Path(directory).resolve()):
        _refuse_planted(Path(directory), env)
    tree = (start / "".join(up)).resolve() if inside == "true" else None
    return Git(
        Path(directory),
        (start / common).resolve(),
        tree,
        env,
        hash=name,
        index=_index_in(Path(directory), start, source),
        user_path=path,
    )


def _refuse_planted(directory: Path, env: dict[str, str]) -> None:
    """A folder of somebody's branch can pose as a git directory: its settings, reflogs and so whom
    to trust would be theirs.

    Raises:
        UsageError: a repository around this one tracks it, or cannot be asked.
    """
    if ".git" in directory.parts:  # git tracks nothing of that name
        return
    argv = ["git", *PINNED_OPTIONS, "ls-files", "-z", "--", str(directory)]
    around = process.run_process(
        argv, cwd=directory.parent, env=env | {"GIT_LITERAL_PATHSPECS": "1"}, deadline=_DEADLINE
    )
    if around.out or (around.code != 0 and _NONE not in around.err):
        raise UsageError(
            f"{directory} looks like a git repository, but is part of another one",
            "run this in the top folder of the outer repository",
        )


def _index_in(directory: Path, start: Path, source: Mapping[str, str]) -> Path | None:
    """The index that git names for a hook (`git commit FILE` makes one of its own), never one of
    another repository."""
    named = (start / source.get("GIT_INDEX_FILE", "")).resolve()
    return named if named.is_relative_to(directory.resolve()) and named.is_file() else None


def _why_not(start: Path, said: str) -> UsageError:
    """git's own words (another owner, a broken config), which say what to do, unless there simply
    is not a repository."""
    words = " ".join(said.split()).removeprefix("fatal: ")
    if words and _NONE not in words:
        return UsageError(words)
    return NoRepository(
        f"{start} is not in a git repository",
        "run this inside a git repository, or name one with --repo",
    )

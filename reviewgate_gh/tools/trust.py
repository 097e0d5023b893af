"""`trust`: what the settings here would run or loosen, shown and approved by its content; what was
approved, and taking it back."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git
from ..git.history import commits_between
from ..git.objects import read_files
from ..git.ranges import resolve_range
from ..git.tree_files import read_own_file
from ..model.change import MAX_COMMITS, Approvals, Selection
from ..model.config import KEYLESS, Config
from ..model.errors import ConfigError, UsageError
from ..reviewers.linters._settings import find_linter_settings
from ..settings.check import ConfigSource, check_config
from ..system import plugins
from ..text.config_file import CONFIG_FILE, WAIVER_FILE, parse_settings, read_waivers
from ..trust.approvals import change_approvals, content_ids, git_blob_id, load_approvals, with_files
from ..trust.may_run import args_may_execute, option_texts, runs_in_tree
from ..trust.named_files import direct_files, named_files
from ..trust.provenance import settings_side, trusted_branch

_OWN_FOLDERS = (".reviewgate-gh/lenses/", ".reviewgate-gh/templates/")
_HERE = "work tree"


class ApprovalItem(Struct, frozen=True):
    """One file: its path, the blob id of the content (`oid` "": it cannot be approved), why it is
    listed, and what it makes run or do.

    `stored` is the blob id with the line ends that git may store, where that is another one.
    """

    path: str
    oid: str
    why: str
    does: tuple[str, ...] = ()
    stored: str = ""

    @classmethod
    def from_content(
        cls, path: str, oids: Sequence[str], why: str, does: tuple[str, ...] = ()
    ) -> "ApprovalItem":
        """The row of a file with these ids (`content_ids`)."""
        oid, stored = (*oids, "", "")[:2]
        return cls(path, oid, why, does, stored)


def list_approvable(git: Git) -> tuple[ApprovalItem, ...]:
    """Everything in the work tree that executes or loosens something, and the trusted branch's
    config where that is another one.

    Raises:
        ConfigError: the config or the waivers file of the work tree is not valid.
        UsageError: there is no work tree.
    """
    found: dict[tuple[str, str], ApprovalItem] = {}
    for row in _rows(git):
        found.setdefault((row.path, row.oid), row)
    return tuple(found.values())


def _rows(git: Git) -> Iterator[ApprovalItem]:
    named: dict[str, tuple[str, ...]] = {}
    for where, data in _configs(git).items():
        config = parse_settings(data, Config, CONFIG_FILE)
        check_config(config, [ConfigSource(CONFIG_FILE, data)])
        for words in _reviewers(config):
            named |= named_files(git, words)
        for argv in _triggered(config):
            named |= direct_files(git, argv)
        yield ApprovalItem.from_content(
            CONFIG_FILE,
            content_ids(git, data),
            f"the configuration ({where})",
            tuple(config_actions(config)),
        )
    for path, oids in sorted(named.items()):
        yield ApprovalItem.from_content(path, oids, "named by the configuration")
    waivers = read_own_file(git, WAIVER_FILE)
    if waivers is not None:
        count = len(read_waivers(waivers, WAIVER_FILE))
        yield ApprovalItem.from_content(
            WAIVER_FILE, content_ids(git, waivers), f"accepts {count} finding{'s' * (count != 1)}"
        )
    for path, data in _own_files(git).items():
        yield ApprovalItem.from_content(path, content_ids(git, data), "instructions for reviewers")
    yield from _linter_settings(git)


def _configs(git: Git) -> Mapping[str, bytes]:
    """The config of the work tree and that of the trusted branch, by where it comes from; equal
    ones once."""
    here = read_own_file(git, CONFIG_FILE)
    there = read_files(git, _trusted_side(git), [CONFIG_FILE]).get(CONFIG_FILE)
    found = {_HERE: here} if here is not None else {}
    if there is not None and there != here:
        try:
            check_config(parse_settings(there, Config, CONFIG_FILE))
            found["trusted branch"] = there
        except ConfigError:
            pass  # a review says so; here it is about what can be approved
    return found


def _trusted_side(git: Git) -> str:
    """The commit whose settings count for the commits at HEAD; the empty tree where no branch is
    known."""
    branch, head = load_approvals(git).branch, git.resolve("HEAD")
    return (
        settings_side(git, head, branch)
        if head and trusted_branch(git, branch)[0]
        else git.empty_tree
    )


def _own_files(git: Git) -> Mapping[str, bytes]:
    tree = git.tree
    if tree is None:
        return {}
    names = [
        f"{folder}{name}"
        for folder in _OWN_FOLDERS
        if (tree / folder).is_dir()
        for name in sorted(os.listdir(tree / folder))
    ]
    found = {
        name: tree / name
        for name in names
        if (tree / name).is_file() and not (tree / name).is_symlink()
    }
    return {name: path.read_bytes() for name, path in found.items()}


def _linter_settings(git: Git) -> Iterator[ApprovalItem]:
    """Settings of linters: those that run code, with what they name, and those that the trusted
    side does not have like this."""
    side = _trusted_side(git)
    for tool in find_linter_settings(git):
        if tool.executes:
            for path, oids in sorted(
                named_files(git, [plugins.load("linters", tool.name).PROGRAM], tool.paths).items()
            ):
                yield ApprovalItem.from_content(
                    path,
                    oids,
                    f"run by {tool.name}",
                    (f"{tool.name} runs it, or reads what to run from it",) * (path in tool.paths),
                )
            continue
        there = read_files(git, side, tool.paths)
        for path, oids in _blobs(git, tool.paths).items():
            if path not in there or git_blob_id(git, there[path]) not in oids:
                yield ApprovalItem.from_content(path, oids, f"settings of {tool.name}")


def _blobs(git: Git, paths: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    return {
        path: content_ids(git, data)
        for path in paths
        if (data := read_own_file(git, path)) is not None
    }


def config_actions(config: Config) -> Iterator[str]:
    """What a config makes run, or where it sends code, a line each."""
    for name, entry in config.reviewers.items():
        if entry.type not in KEYLESS:
            said = " ".join(f"{key}={_shown(value)}" for key, value in entry.options.items())
            yield f"reviewers.{name}: {entry.type} {said}".rstrip()
    for name, options in config.linters.items():
        if options.args and args_may_execute(name):
            yield f"linters.{name}.args: {shlex.join(options.args)}"
    for name, argv in config.commands.items():
        yield f"commands.{name}: {shlex.join(argv)}"
    for name, argv in (("resume", config.remediation.resume), ("fixer", config.remediation.fixer)):
        if argv:
            yield f"remediation.{name}: {shlex.join(argv)}"
    if config.validation_triggers != Config().validation_triggers or config.per_issue_review:
        yield "validation_triggers: commands and reviews when a session, an epic or a run ends"
    if config.epic_verification != Config().epic_verification:
        yield f"epic_verification: {config.epic_verification.reviewer_type}"
    if config.tracker.type not in ("local", "none"):
        pairs = " ".join(f"{k}={_shown(v)}" for k, v in config.tracker.options.items())
        yield f"tracker: {config.tracker.type} {pairs}".rstrip()


def _shown(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{shlex.join(map(str, value))}]"
    return shlex.quote(str(value))


def _reviewers(config: Config) -> list[list[str]]:
    """The words of each reviewer that runs in the work tree."""
    return [
        [*option_texts(entry.options)] for entry in config.reviewers.values() if runs_in_tree(entry)
    ]


def _triggered(config: Config) -> list[tuple[str, ...]]:
    """The command lines that triggers start."""
    return [*config.commands.values(), config.remediation.resume, config.remediation.fixer]


def approve_items(git: Git, rows: Sequence[ApprovalItem]) -> Approvals:
    """Record these contents.

    Raises:
        UsageError: the file of approvals cannot be written.
    """
    pairs = [(row.path, oid) for row in rows for oid in (row.oid, row.stored) if oid]
    return change_approvals(git, lambda known: with_files(known, pairs))


class ApprovedTree(Struct, frozen=True):
    """A change that was approved: the tree of its head, and what a person calls it."""

    tree: str
    words: str


def approve_change(git: Git, text: str) -> ApprovedTree:
    """Approve the tree at the head of a range (A..B) or of a commit.

    Raises:
        UsageError: it names nothing, or the approvals cannot be written.
    """
    wanted = resolve_range(git, Selection(range=text) if ".." in text else Selection(commit=text))
    tree = git.resolve(wanted.head, "tree")
    if tree is None:
        raise UsageError(f"{text!r} has no tree", "name a commit or a range A..B")
    commits = len(commits_between(git, wanted.base, wanted.head))
    count = (
        f"more than {MAX_COMMITS} commits"
        if commits > MAX_COMMITS
        else f"{commits} commit{'s' * (commits != 1)}"
    )
    change_approvals(git, lambda known: replace(known, trees=known.trees | {tree}))
    return ApprovedTree(tree, f"{text}: {count}, head {wanted.head[:12]}")


def record_trusted_branch(git: Git, name: str = "") -> str:
    """Record the branch whose settings count: the named one, else the default that is there now
    unless one was recorded before.

    Returns its full name, or "" without one.

    Raises:
        UsageError: the name is not a branch, or the approvals cannot be written.
    """
    if name:
        full = _full_name(git, name)
        if not full.startswith(("refs/heads/", "refs/remotes/")):
            raise UsageError(
                f"{name!r} is not a branch here",
                "name one that git branch -a lists, such as: reviewgate-gh trust --branch "
                "origin/main",
            )
        return change_approvals(git, lambda known: replace(known, branch=full)).branch
    known = load_approvals(git).branch
    found = known or _full_name(git, trusted_branch(git, "")[0])
    return (
        change_approvals(git, lambda before: replace(before, branch=found)).branch
        if found != known
        else known
    )


def _full_name(git: Git, name: str) -> str:
    """The full name of a branch, behind a symbolic one such as origin/HEAD; "" where it names
    none."""
    if not name or not git.resolve(name):
        return ""
    return git.text("rev-parse", "--symbolic-full-name", name, ok=(0, 1, 128))


def revoke_approvals(git: Git, paths: Sequence[str]) -> int:
    """Take back the approvals of these files, or all; says how many. The recorded branch stays.

    Raises:
        UsageError: one of the files was never approved, or the approvals cannot be written.
    """
    before = load_approvals(git)
    known = {path for path, _oid in before.files}
    for path in paths:
        if path not in known:
            raise UsageError(
                f"{path} was never approved", "to list the approvals: reviewgate-gh trust --list"
            )
    kept = frozenset((path, oid) for path, oid in before.files if paths and path not in paths)
    rest = before if paths else Approvals()
    after = change_approvals(
        git,
        lambda now: replace(
            now, files=kept, waivers=rest.waivers, trees=rest.trees, grants=rest.grants
        ),
    )
    return sum(
        len(getattr(before, key)) - len(getattr(after, key))
        for key in ("files", "waivers", "trees", "grants")
    )

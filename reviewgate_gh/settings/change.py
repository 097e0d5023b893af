"""From a range to a change: the diff, its commits, whose work it is, and the text in files that git
calls binary."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git
from ..git.diff import StreamedDiff, diff_trees, parse_diff, parse_raw, split_paths
from ..git.history import commits_between
from ..git.objects import read_blobs, read_sizes
from ..git.ranges import resolve_range
from ..model.change import MAX_COMMITS, Approvals, Change, Commit, FileDiff, Range, Selection
from ..system.environment import Environment
from ..system.parallel import BackgroundCall, call_once
from ..trust.approvals import load_approvals
from ..trust.provenance import commits_made_here, settings_side, trusted_branch

# https://github.com/git/git/blob/master/xdiff-interface.c
_SNIFFED = 8000  # bytes: as far as git itself looks for a NUL
_SOURCE = (
    r"\.(?:py|pyi|pyw|pyx|rb|php|phtml|pl|pm|t|sh|bash|zsh|ksh|dash|fish|js|mjs|cjs|jsx|ts|mts"
    r"|cts|tsx|vue|svelte|astro|go|java|kts?|scala"
    r"|groovy|gradle|[ch]|cc|cpp|cxx|hh|hpp|hxx|mm?|cs|fs|vb|rs|swift|dart|lua|r|jl|exs?|erl|hrl"
    r"|clj[cs]?|hs|mli?|sql|tf|tfvars|hcl|nix|ps1|psm1"
    r"|bat|cmd|html?|s?css|less|xml|svg|ya?ml|jsonc?|toml|ini|cfg|conf|env|properties|md|mdx|rst"
    r"|txt|csv|ipynb|tfstate|pem|key|p8|asc"
    r"|npmrc|pypirc|netrc|htpasswd|pgpass|dockercfg)\Z"
    r"|(?:\A|/)(?:Dockerfile|Containerfile|Makefile|Jenkinsfile|Rakefile|Gemfile|Vagrantfile"
    r"|Procfile|\.env)[^/]*\Z"
)
# Bytes: an MPEG transport stream has the suffix of TypeScript, and a G at the start of each packet
_VIDEO_PACKET = 188


def needs_content_check(path: str) -> bool:
    """The name alone does not say whether it is text."""
    return "." not in path.rpartition("/")[2] or path.lower().endswith(".ts")


def is_text_content(path: str, head: bytes | None) -> bool:
    """Code or text by its name, or by the beginning of its content where that is known."""
    if head is not None and b"\0" not in head[:_SNIFFED]:
        return True
    if (
        head is not None
        and head[:1] == head[_VIDEO_PACKET : _VIDEO_PACKET + 1] == b"G"
        and path.lower().endswith(".ts")
    ):
        return False
    return re.search(_SOURCE, path, re.IGNORECASE) is not None or (head or b"").startswith(b"#!")


_BATCH = 200
_MOST_SNIFFED = 5_000_000  # bytes
# https://github.com/git/git/blob/master/xdiff-interface.h
# Bytes: git holds both sides and its patch in memory, and by itself compares no larger ones
_MOST_COMPARED = 512 * 1024 * 1024


def add_text_hunks(
    git: Git, base: str, head: str, files: Sequence[FileDiff]
) -> tuple[FileDiff, ...]:
    """The files, those among the binary ones that are text with their lines.

    Text that is too large for that stays without any: see `FileDiff.is_uncompared`.
    """
    doubted = [file for file in files if file.binary and file.mode.startswith("100")]
    if not doubted:
        return tuple(files)
    heads = _heads(git, doubted)
    masked = [file for file in doubted if is_text_content(file.path, heads.get(file.path))]
    large = _too_large(git, masked)
    compared = _batches([file for file in masked if file.path not in large])
    patches = (diff_trees(git, base, head, paths=_paths(batch), as_text=True) for batch in compared)
    shown = {
        file.path: file.hunks for patch in patches for file in parse_diff(patch)
    } | dict.fromkeys(large, ())
    wanted = {file.path for file in masked}
    return tuple(
        replace(f, binary=False, hunks=shown[f.path]) if f.path in wanted and f.path in shown else f
        for f in files
    )


def _too_large(git: Git, files: Iterable[FileDiff]) -> list[str]:
    sides = {file.path: (file.old_oid, file.oid) for file in files}
    sizes = read_sizes(git, (oid for pair in sides.values() for oid in pair))
    return [
        path
        for path, pair in sides.items()
        if max(sizes.get(oid, 0) for oid in pair) > _MOST_COMPARED
    ]


def _heads(git: Git, files: Iterable[FileDiff]) -> Mapping[str, bytes]:
    """The content of files whose name says too little; of all where an attribute of this clone may
    have called them binary."""
    attributes = git.common / "info" / "attributes"
    named = attributes.exists() and attributes.stat().st_size > 0
    oids = {file.path: file.oid for file in files if named or needs_content_check(file.path)}
    sizes = read_sizes(git, oids.values())
    blobs = read_blobs(
        git, (oid for oid in oids.values() if sizes.get(oid, _MOST_SNIFFED) < _MOST_SNIFFED)
    )
    return {path: blobs[oid] for path, oid in oids.items() if oid in blobs}


def _batches(files: Sequence[FileDiff]) -> Iterator[Sequence[FileDiff]]:
    return (files[at : at + _BATCH] for at in range(0, len(files), _BATCH))


def _paths(files: Iterable[FileDiff]) -> list[str]:
    return sorted({path for file in files for path in (file.old_path, file.path)})


class LoadingChange(Struct, frozen=True):
    """A change that git is still writing down: `without_hunks` has its files without hunks,
    `complete` waits for all of it."""

    without_hunks: Change
    complete: Callable[[], Change]


def load_change(git: Git, wanted: Range, environment: Environment, trusted: bool) -> Change:
    """The change of a range, with everything."""
    return start_loading(git, wanted, environment, trusted).complete()


def start_loading(
    git: Git, wanted: Range, environment: Environment, trusted: bool
) -> LoadingChange:
    """The change of a range, as soon as its files are known.

    Trusted: the user said so, or has approved the tree of its head (never in CI). Who made the
    commits decides nothing here.
    """
    diff = StreamedDiff(git, wanted.base, wanted.head)
    listing = BackgroundCall(lambda: tuple(parse_raw(diff.records())[0]))
    patch = BackgroundCall(_patches, git, wanted, diff, listing)
    side = BackgroundCall(_side, git, wanted, environment, trusted)
    made = (
        BackgroundCall(commits_made_here, git, environment.run_id)
        if not (
            trusted
            or (environment.in_ci and not environment.run_id)
            or wanted.whole_tree
            or wanted.is_local
            or wanted.is_foreign
        )
        else None
    )
    commits = (
        ()
        if wanted.is_local or wanted.whole_tree
        else commits_between(git, wanted.base, wanted.head)
    )
    approved, rules, approvals = side.result()
    listed = Change(
        repo=str(git.directory),
        base=wanted.base,
        head=wanted.head,
        trusted=approved,
        made_here=approved
        or (wanted.is_local and not environment.in_ci)
        or (made is not None and _all_of(commits, made.result())),
        settings_commit=rules,
        approvals=approvals,
        commits=commits,
        files=listing.result(),
        notes=wanted.notes,
        whole_tree=wanted.whole_tree,
        tags=wanted.tags,
    )
    return LoadingChange(
        listed, call_once(lambda: replace(listed, files=_with_hunks(git, listed, patch.result())))
    )


def _side(
    git: Git, wanted: Range, environment: Environment, trusted: bool
) -> tuple[bool, str, Approvals]:
    """Whether the change is approved, the revision whose settings count, and the approvals of this
    clone.

    In CI that is the base, which the workflow's event names; a whole tree has none, so its own
    settings serve.
    """
    if trusted:
        return True, wanted.head, Approvals()
    if environment.in_ci or wanted.is_foreign:
        return False, wanted.head if wanted.whole_tree else wanted.base, Approvals()
    approvals = load_approvals(git)
    if approvals.trees and git.resolve(wanted.head, "tree") in approvals.trees:
        return True, wanted.head, approvals
    if wanted.whole_tree:
        name, commit = trusted_branch(git, approvals.branch)
        return False, commit or (git.empty_tree if name else wanted.head), approvals
    return False, settings_side(git, wanted.base, approvals.branch), approvals


def start_loading_selection(
    git: Git, selection: Selection, environment: Environment, trusted: bool
) -> tuple[Range, LoadingChange | None]:
    """The same for what the command line selects; nothing is read for an overridden run."""
    wanted = resolve_range(git, selection)
    return wanted, None if environment.skip_requested else start_loading(
        git, wanted, environment, trusted
    )


def diff_between(git: Git, base: str, head: str) -> tuple[FileDiff, ...]:
    """The files that differ between two commits, with their hunks."""
    return add_text_hunks(git, base, head, parse_diff(diff_trees(git, base, head)))


def _all_of(commits: Sequence[Commit], made: frozenset[str]) -> bool:
    return 0 < len(commits) <= MAX_COMMITS and all(commit.oid in made for commit in commits)


def _patches(
    git: Git, wanted: Range, diff: StreamedDiff, listing: BackgroundCall[tuple[FileDiff, ...]]
) -> list[bytes]:
    """The patch; git makes that of a large change in several portions at once."""
    parts = split_paths(listing.result(), os.cpu_count() or 1)
    if len(parts) < 2:
        return [diff.all_output()]
    diff.stop()
    patches = [
        BackgroundCall(diff_trees, git, wanted.base, wanted.head, True, paths) for paths in parts
    ]
    return [patch.result() for patch in patches]


def _with_hunks(git: Git, listed: Change, patches: list[bytes]) -> tuple[FileDiff, ...]:
    """The changed files whole: read when they are wanted, since until then there is enough else to
    do."""
    read = {file.path: file for patch in patches for file in parse_diff(patch)}
    patches.clear()  # the only user: a large change takes many megabytes
    return add_text_hunks(
        git, listed.base, listed.head, tuple(read[file.path] for file in listed.files)
    )

"""A case as a repository in a temporary folder, which holds the change and the configuration to
review it with."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from ...git import Git, open_repository
from ...git.objects import TreeEntry, list_tree, read_blobs
from ...git.snapshot import CommitPair, borrow_objects, store_commits, temporary_repository
from ...model.change import Range
from ...model.errors import ConfigError, UsageError
from ...system.environment import Environment
from ...text.config_file import CONFIG_FILE, WAIVER_FILE
from ...trust.approvals import approve_content
from .case import Case, CommitSource, Files, PatchSource, PullSource, TreeSource
from .patch import read_sides

_NO_SOURCES = "the data set names commits of other repositories, and nobody says where these are"
_CLONES = "name the folder that holds clones of them: --sources DIR (docs/bench.md)"


class CaseSetup(Struct, frozen=True):
    """What all cases share: the folder with clones, and the configuration, which may run programs
    and send code away where it is approved."""

    environment: Environment
    sources: Path | None = None
    config: bytes | None = None
    approved: bool = False


_Put = Mapping[str, tuple[TreeEntry, bytes] | None]


@contextmanager
def open_case(case: Case, setup: CaseSetup) -> Iterator[tuple[Git, Range]]:
    """The repository of this case, and what to review in it, for as long as the context lasts.

    The change is a stranger's: nothing of it is run, and no setting of it counts. Equal cases have
    equal commits, so that recorded answers fit.

    Raises:
        GateError: the change cannot be made.
    """
    variables = setup.environment.variables
    if isinstance(case.source, PatchSource | TreeSource):
        with temporary_repository(variables, "sha1") as git:
            base, head = _sides(case.source)
            yield git, _stored(case, setup, git, (_entries(base), _entries(head), None))
        return
    lender, ends, left_out = _found(case, case.source, setup)
    with temporary_repository(variables, lender.hash) as git:
        borrow_objects(git, lender)
        trees = CommitPair(*(_tree(lender, commit) for commit in (ends.base, ends.head)))
        put = {left_out: _old_version(lender, trees.base, left_out)} if left_out else {}
        yield git, _stored(case, setup, git, ({}, put, trees))


def _stored(
    case: Case, setup: CaseSetup, git: Git, sides: tuple[_Put, _Put, CommitPair | None]
) -> Range:
    """Both sides with our configuration in the place of theirs."""
    base, head, trees = sides
    config = None if setup.config is None else (TreeEntry("100644", "", CONFIG_FILE), setup.config)
    ours: _Put = {CONFIG_FILE: config, WAIVER_FILE: None}
    pair = store_commits(git, {**base, **ours}, {**head, **ours}, trees)
    if git.resolve(pair.base, "tree") == git.resolve(pair.head, "tree"):
        raise ConfigError("the case changes nothing", "correct it, or take it out")
    if setup.approved and setup.config is not None:
        approve_content(git, [(CONFIG_FILE, setup.config)])
    return Range(pair.base, pair.head, (f"case {case.id}",), is_foreign=True)


def _sides(source: PatchSource | TreeSource) -> tuple[Files, Files]:
    if isinstance(source, TreeSource):
        return source.base, source.head
    try:
        return read_sides(source.patch, source.base)
    except ValueError as error:
        raise ConfigError(str(error), "correct the patch") from None


def _entries(files: Files) -> _Put:
    return {path: (TreeEntry(mode, "", path), data) for path, (mode, data) in files.items()}


def _found(
    case: Case, source: CommitSource | PullSource, setup: CaseSetup
) -> tuple[Git, CommitPair, str]:
    """The repository with the objects of a case, its two ends there, and the file that head keeps
    as it was."""
    if isinstance(source, PullSource):
        lender, number = _pull_repository(source, setup)
        return lender, _pull_ends(lender, number), ""
    if case.folder:
        place = Path(case.folder, source.repository)
        lender = open_repository(place, setup.environment.variables)
    else:
        found = _clone(source.repository, setup)
        if found is None:
            raise _not_there(source.repository, setup)
        lender = found
    return lender, CommitPair(source.base, source.head), source.left_out


def _tree(lender: Git, commit: str) -> str:
    found = lender.resolve(commit, "tree")
    if not found:
        raise UsageError(f"commit {commit[:12]} is not in {lender.common}", "fetch it there")
    return found


def _old_version(git: Git, tree: str, path: str) -> tuple[TreeEntry, bytes] | None:
    entry = next((entry for entry in list_tree(git, tree) if entry.path == path), None)
    return None if entry is None else (entry, read_blobs(git, [entry.oid])[entry.oid])


def _pull_repository(source: PullSource, setup: CaseSetup) -> tuple[Git, int]:
    for name, number in source.pulls:
        lender = _clone(name, setup)
        if lender is not None and lender.resolve(f"refs/pull/{number}/head"):
            return lender, number
    name, number = source.pulls[-1]
    missing = _not_there(name, setup)
    fetch = f"git fetch origin refs/pull/{number}/head:refs/pull/{number}/head"
    raise UsageError(
        f"{missing.message}, or it has no refs/pull/{number}/head", f"in a clone of {name}: {fetch}"
    )


def _pull_ends(git: Git, number: int) -> CommitPair:
    """Base and head of a pull request: since it left the default branch, also where it was merged
    since."""
    head = git.resolve(f"refs/pull/{number}/head") or ""
    base = _merge_base(git, "HEAD", head)
    if base == head:
        options = ("--first-parent", "--ancestry-path", "--reverse", f"{head}..HEAD")
        merged = git.text("rev-list", *options).split()
        base = _merge_base(git, f"{merged[0]}^1", head) if merged else head
    if base in ("", head):
        raise UsageError(
            f"what pull request {number} adds to the default branch is not known in {git.common}",
            "fetch the whole history there: git fetch --unshallow",
        )
    return CommitPair(base, head)


def _merge_base(git: Git, one: str, other: str) -> str:
    return git.run("merge-base", one, other, ok=(0, 1)).decode().strip()


def _not_there(name: str, setup: CaseSetup) -> UsageError:
    return UsageError(f"{setup.sources} has no clone of {name}", "clone it there (docs/bench.md)")


def _clone(name: str, setup: CaseSetup) -> Git | None:
    """The clone of this repository in the folder of sources, as OWNER/NAME, OWNER+NAME or NAME,
    bare or not."""
    if setup.sources is None:
        raise UsageError(_NO_SOURCES, _CLONES)
    for below in (name, name.replace("/", "+"), name.rpartition("/")[2]):
        for end in ("", ".git", "/repo"):
            place = setup.sources / f"{below}{end}"
            if (found := _opened(place, setup.environment.variables)) is not None:
                return found
    return None


def _opened(place: Path, variables: Mapping[str, str]) -> Git | None:
    bare = (place / "HEAD").is_file() and (place / "objects").is_dir()
    if not bare and not (place / ".git").exists():
        return None
    return open_repository(place, variables, itself=bare)

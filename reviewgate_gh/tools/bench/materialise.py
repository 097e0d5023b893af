"""A case as a repository in a temporary folder, which holds the change and the configuration to
review it with."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from ...git import Git, open_repository
from ...git.objects import TreeEntry, list_tree, read_blobs
from ...git.snapshot import CommitPair, borrow_objects, store_commits, temporary_repository
from ...git.tree_files import read_or_none
from ...model.change import Range
from ...model.errors import ConfigError, UsageError
from ...system.environment import Environment
from ...text.config_file import CONFIG_FILE, WAIVER_FILE
from ...trust.approvals import approve_content
from .case import Case, CommitSource, Files, Origin, OriginSource, PatchSource, TreeSource
from .patch import read_sides

FOLDER = ".reviewgate-gh"  # lenses and rules of one's own
_NO_SOURCES = (
    "the data set refers to commits of other repositories, and no folder of clones is given"
)
_CLONES = "name the folder that holds the clones: --sources DIR (see docs/bench.md)"


class CaseSetup(Struct, frozen=True):
    """What all cases share: the folder with clones, and the user's settings by their paths in a
    repository, whose configuration may run programs and send code away where it is approved."""

    environment: Environment
    sources: Path | None = None
    settings: Mapping[str, bytes] = field(default_factory=dict)
    approved: bool = False


class _Ends(Struct, frozen=True):
    """Base and head of a change in a repository."""

    git: Git
    base: str
    head: str


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
    source = (
        _found_origin(case.source, setup) if isinstance(case.source, OriginSource) else case.source
    )
    if isinstance(source, PatchSource | TreeSource):
        with temporary_repository(variables, "sha1") as git:
            base, head = _sides(source)
            yield git, _stored(case, setup, git, (_entries(base), _entries(head), None))
        return
    lender = source.git if isinstance(source, _Ends) else _lender(case, source, setup)
    left_out = source.left_out if isinstance(source, CommitSource) else ""
    with temporary_repository(variables, lender.hash) as git:
        borrow_objects(git, lender)
        trees = CommitPair(*(_tree(lender, commit) for commit in (source.base, source.head)))
        put = {left_out: _old_version(lender, trees.base, left_out)} if left_out else {}
        yield git, _stored(case, setup, git, ({}, put, trees))


def _stored(
    case: Case, setup: CaseSetup, git: Git, sides: tuple[_Put, _Put, CommitPair | None]
) -> Range:
    """Both sides with the user's settings in the place of theirs."""
    base, head, trees = sides
    settings = {path: ("100644", data) for path, data in setup.settings.items()}
    ours: _Put = {**dict.fromkeys((CONFIG_FILE, WAIVER_FILE, FOLDER)), **_entries(settings)}
    pair = store_commits(git, {**base, **ours}, {**head, **ours}, trees)
    if git.resolve(pair.base, "tree") == git.resolve(pair.head, "tree"):
        raise ConfigError("the case changes nothing", "correct it, or take it out")
    if setup.approved and (config := setup.settings.get(CONFIG_FILE)) is not None:
        approve_content(git, [(CONFIG_FILE, config)])
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


def _lender(case: Case, source: CommitSource, setup: CaseSetup) -> Git:
    """The repository with the objects of a case."""
    if case.folder:
        place = Path(case.folder, source.repository)
        return open_repository(place, setup.environment.variables)
    if (found := _clone(source.repository, setup)) is None:
        raise _not_there(source.repository, setup)
    return found


def _tree(lender: Git, commit: str) -> str:
    found = lender.resolve(commit, "tree")
    if not found:
        raise UsageError(f"commit {commit[:12]} is not in {lender.common}", "fetch it there")
    return found


def _old_version(git: Git, tree: str, path: str) -> tuple[TreeEntry, bytes] | None:
    entry = next((entry for entry in list_tree(git, tree) if entry.path == path), None)
    return None if entry is None else (entry, read_blobs(git, [entry.oid])[entry.oid])


def _found_origin(source: OriginSource, setup: CaseSetup) -> "PatchSource | _Ends":
    """The change in the first place where it is."""
    for origin in source.origins:
        if (patch := _patch(origin, setup)) is not None:
            return PatchSource(patch)
        lender = _clone(origin.repository, setup)
        if lender is None:
            continue
        if origin.commit and lender.resolve(f"{origin.commit}^"):
            return _Ends(lender, f"{origin.commit}^", origin.commit)
        if origin.number and lender.resolve(f"refs/pull/{origin.number}/head"):
            return _pull_ends(lender, origin.number)
    last = source.origins[-1]
    what = f"refs/pull/{last.number}/head" if last.number else last.commit
    raise UsageError(
        f"{setup.sources} has neither a patch of {last.name} nor a clone with {what}",
        f"in a clone of {last.repository}: git fetch origin {what}"
        + (f":{what}" if last.number else ""),
    )


def _patch(origin: Origin, setup: CaseSetup) -> bytes | None:
    """`OWNER+NAME-NUMBER.patch` or the like, as `gh pr diff` prints it."""
    ending = origin.number or origin.commit
    for place in _places(origin.repository, setup):
        for suffix in (".patch", ".diff"):
            if (data := read_or_none(Path(f"{place}-{ending}{suffix}"))) is not None:
                return data
    return None


def _pull_ends(git: Git, number: int) -> _Ends:
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
    return _Ends(git, base, head)


def _merge_base(git: Git, one: str, other: str) -> str:
    return git.run("merge-base", one, other, ok=(0, 1)).decode().strip()


def _not_there(name: str, setup: CaseSetup) -> UsageError:
    return UsageError(f"{setup.sources} has no clone of {name}", "clone it there (docs/bench.md)")


def require_sources(cases: Iterable[Case], setup: CaseSetup) -> None:
    """Raise where a case is in another repository, and nobody says where clones are.

    Raises:
        UsageError: so it is.
    """
    if setup.sources is None and any(_is_elsewhere(case) for case in cases):
        raise UsageError(_NO_SOURCES, _CLONES)


def _is_elsewhere(case: Case) -> bool:
    return isinstance(case.source, OriginSource | CommitSource) and not case.folder


def _places(name: str, setup: CaseSetup) -> list[Path]:
    """Where what belongs to a repository may be among the sources: OWNER/NAME, OWNER+NAME, NAME."""
    if setup.sources is None:
        return []
    below = (name, name.replace("/", "+"), name.rpartition("/")[2])
    return [setup.sources / each for each in below]


def _clone(name: str, setup: CaseSetup) -> Git | None:
    """The clone of this repository among the sources, bare or not."""
    for place in _places(name, setup):
        for end in ("", ".git", "/repo"):
            found = _opened(Path(f"{place}{end}"), setup.environment.variables)
            if found is not None:
                return found
    return None


def _opened(place: Path, variables: Mapping[str, str]) -> Git | None:
    bare = (place / "HEAD").is_file() and (place / "objects").is_dir()
    if not bare and not (place / ".git").exists():
        return None
    return open_repository(place, variables, itself=bare)

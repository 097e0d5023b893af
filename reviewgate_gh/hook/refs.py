"""The refs of a push as git lists them to a pre-push hook, and the commits that each of them would
publish."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..git import Git
from ..git.client import open_repository
from ..git.objects import read_object_sizes, read_objects
from ..git.ranges import remote_branches, remote_default
from ..git.snapshot import file_tree
from ..model.change import Range
from ..model.errors import UsageError
from ..text.patterns import lazy_pattern


class PushedRef(Struct, frozen=True):
    """Names, what is sent, and what the remote has there; an empty id means: nothing."""

    local_ref: str
    local_oid: str
    remote_ref: str
    remote_oid: str


_MOST_TAGS = 100  # of tags of tags
_UNKNOWN = ""  # in place of a remote's name: a URL that none of them has
_MOST_EDGES = 1000
_MANY = 4  # refs
_NO_REMOTE = (
    "the URL is not a remote of this clone, so only these refs of it count as published; git "
    "remote add and git fetch add the others"
)


def pushing_repository(cwd: Path, env: Mapping[str, str]) -> Git:
    """The repository whose push started this process: git says so in GIT_DIR where the folder alone
    does not tell."""
    named = cwd / env["GIT_DIR"] if env.get("GIT_DIR") else None
    try:
        here = open_repository(cwd, env)
    except UsageError:
        if named is None:
            raise
        return _named_repository(named, env)
    return (
        _named_repository(named, env)
        if named and named.resolve() != here.directory.resolve()
        else here
    )


def _named_repository(directory: Path, env: Mapping[str, str]) -> Git:
    """As git's own commands find it there; else (a bare one under safe.bareRepository, or somebody
    else's) by its name."""
    try:
        return open_repository(directory, env)
    except UsageError:
        return open_repository(directory, env, itself=True)


def refs_to_publish(git: Git, pushes: Sequence[PushedRef], remote: str) -> Sequence[PushedRef]:
    """Those of many refs that may publish something: what is asked of git for each of them alone
    takes its time."""
    sent = [push for push in pushes if push.local_oid]
    if len(sent) < _MANY:
        return sent
    heads = _commits_of(git, [push.local_oid for push in sent])
    known = _commits_of(git, _advertised(pushes))
    asked = "".join([*(f"{oid}\n" for oid in heads if oid), *(f"^{oid}\n" for oid in known if oid)])
    new = git.run(
        "rev-list", "--stdin", "--not", *_refs(git, _remote_name(git, remote)), stdin=asked.encode()
    )
    # What is not a commit, or not here, is not told of by a list of commits
    left = {"", *new.decode().split()}
    return [push for push, head in zip(sent, heads, strict=True) if head in left]


def _commits_of(git: Git, names: Sequence[str]) -> list[str]:
    """The commit behind each object id, a tag's too; "" for anything else."""

    return [
        found.oid if found and found.kind == "commit" else ""
        for found in read_object_sizes(git, [f"{name}^{{}}" for name in names])
    ]


def _advertised(pushes: Iterable[PushedRef]) -> list[str]:
    """What the remote has at the refs of a push."""
    return list(dict.fromkeys(push.remote_oid for push in pushes if push.remote_oid))


def range_of_push(
    git: Git, push: PushedRef, remote: str, among: Sequence[PushedRef] = ()
) -> Range | None:
    """What this ref would publish on the remote (its name, or a URL); None when that is nothing
    new. `among` are all refs of the push."""
    if not push.local_oid:
        return None
    known = git.resolve(push.remote_oid) or ""
    name = _remote_name(git, remote)
    others = (
        [oid for oid in _commits_of(git, _advertised(among)) if oid] if name == _UNKNOWN else []
    )
    new, edges = _walk(git, push.local_oid, [*([known] if known else []), *others], name)
    head = git.resolve(push.local_oid)
    if not head:
        return _of_no_commit(git, push)
    tags = _tag_objects(git, push.local_oid) if head != push.local_oid else ()
    if not new:
        if not tags or push.local_oid == push.remote_oid:
            return None
        note = f"{push.remote_ref}: no new commit, the message of its tag alone"
        return Range(head, head, (note,), tags=tags)
    who = name or "this URL"
    base = _best(git, head, edges, name) if edges else git.empty_tree
    since = (
        f"since {_called(git, base, name)}"
        if edges
        else f"with no known commit of {who} to compare with"
    )
    notes = (*_unknown_tip(push, known, who), *((_NO_REMOTE,) if name == _UNKNOWN else ()))
    return Range(base, head, (f"{push.remote_ref}: {_commits(new)} {since}", *notes), tags=tags)


def _tag_objects(git: Git, oid: str) -> tuple[str, ...]:
    """An annotated tag, and the tags that it is about: each is published with its message."""
    found: list[str] = []
    while len(found) < _MOST_TAGS:
        [tag] = read_objects(git, [oid])
        if tag is None or tag.kind != "tag":
            break
        found.append(oid)
        oid = tag.data.partition(b"object ")[2].partition(b"\n")[0].decode("ascii", "replace")
    return tuple(found)


def _of_no_commit(git: Git, push: PushedRef) -> Range:
    """A tag may name a tree, or a file alone: reviewed whole, since neither has a history to
    compare with."""
    tree = git.resolve(push.local_oid, "tree")
    if tree:
        return Range(
            git.empty_tree,
            tree,
            (f"{push.remote_ref}: a tree, not a commit: all of it",),
            whole_tree=True,
        )
    blob, name = (
        git.text("rev-parse", "--verify", f"{push.local_oid}^{{blob}}"),
        push.remote_ref.rpartition("/")[2],
    )
    return Range(
        git.empty_tree,
        file_tree(git, name, blob),
        (f"{push.remote_ref}: a file, not a commit: all of it",),
        whole_tree=True,
    )


def _walk(git: Git, head: str, known: Sequence[str], remote: str) -> tuple[int, list[str]]:
    """How many commits are new to the remote, and the published ones that they build on; none for
    what is not a commit."""
    rows = git.text("rev-list", "--boundary", head, "--not", *known, *_refs(git, remote)).split()
    edges = [row[1:] for row in rows if row[0] == "-"]
    return len(rows) - len(edges), edges


def _remote_name(git: Git, remote: str) -> str:
    """The configured remote of that name or URL."""
    names = {name for name, _url in git.remotes}
    return (
        remote
        if remote in names
        else next((name for name, url in git.remotes if url == remote), _UNKNOWN)
    )


def _refs(git: Git, remote: str) -> tuple[str, ...]:
    return remote_branches(git, remote) if remote else ()


def _best(git: Git, head: str, edges: list[str], remote: str) -> str:
    """The edge whose range holds the least that was published before, other people's work on the
    default branch first of all."""
    if len(edges) > 1:
        edges = git.text("merge-base", "--independent", *edges[:_MOST_EDGES]).split()
    if len(edges) == 1:
        return edges[0]
    default = remote_default(git, _main_remote(remote))

    def published(edge: str) -> tuple[int, int]:
        size = _count(git, head, edge)
        return (size - _count(git, head, edge, default[1]) if default else 0), size

    return min(edges, key=published)


def _count(git: Git, head: str, *without: str) -> int:
    return int(git.text("rev-list", "--count", head, "--not", *without))


def _called(git: Git, base: str, remote: str) -> str:
    """What a person calls this commit: a remote branch that is there, or the default branch that
    has it, or its id."""
    default = remote_default(git, _main_remote(remote))
    prefix = f"refs/remotes/{remote}" if remote else "refs/remotes"
    names = git.text(
        "for-each-ref", f"--points-at={base}", "--format=%(refname:lstrip=2)", prefix
    ).splitlines()
    known = [name for name in names if not name.endswith("/HEAD")]
    if known:
        return known[0]
    return default[0] if default and _count(git, base, default[1]) == 0 else base[:12]


def _main_remote(remote: str) -> str:
    return remote or "origin"


def _unknown_tip(push: PushedRef, known: str, who: str) -> tuple[str, ...]:
    if known or not push.remote_oid:
        return ()
    return (
        (
            f"{who} has {push.remote_oid[:12]} at {push.remote_ref}, which is not in this clone: "
            "compared with its other known refs"
        ),
    )


def _commits(number: int) -> str:
    return f"{number:,} new commit" if number == 1 else f"{number:,} new commits"


_OID = lazy_pattern(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def parse_pushes(lines: bytes) -> tuple[PushedRef, ...]:
    """The refs of a push, in git's order.

    Raises:
        UsageError: a line is not of that form.
    """
    return tuple(_parse(line) for line in lines.split(b"\n") if line)


def _parse(line: bytes) -> PushedRef:
    fields = line.rsplit(b" ", 3)  # the first may hold spaces: HEAD@{2 days ago}
    if (
        len(fields) != 4
        or not all(fields)
        or not _OID.fullmatch(fields[1])
        or not _OID.fullmatch(fields[3])
    ):
        raise UsageError(
            f"git's list of pushed refs has an invalid line: {line[:200]!r}",
            "pass git's standard input to the hook unchanged",
        )
    # https://git-scm.com/docs/githooks (pre-push)
    local_ref, local, remote_ref, remote = (
        field.decode("utf-8", "surrogateescape") for field in fields
    )
    return PushedRef(local_ref, _present(local), remote_ref, _present(remote))


def _present(oid: str) -> str:
    return oid if oid.strip("0") else ""

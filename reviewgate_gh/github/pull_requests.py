"""The pull request, its changed files, and the trees of its commits, by the API."""

from base64 import b64decode
from collections.abc import Mapping
from hashlib import sha1, sha256

from msgspec import Struct

from ..model.change import EMPTY_BLOBS
from ..model.errors import UpstreamError
from ..model.pull_request import Comparison, PullFile, PullRequest
from ..text.patterns import lazy_pattern
from . import identity
from .answer import PER_PAGE
from .client import Client
from .reading import JsonPart, MalformedAnswer, NotFound, Refused

_MOST_COMPARED = 300


def read_pull(client: Client, number: int) -> PullRequest:
    """The pull request as it stands now."""
    found = client.get(client.path("pulls", number))
    base, head = found["base"], found["head"]
    fork = head.maybe("repo")
    return PullRequest(
        number=found.number("number"),
        repository=base["repo"].text("full_name"),
        base=base.oid("sha"),
        head=head.oid("sha"),
        base_ref=base.text("ref"),
        author=identity.account_from_rest(found.maybe("user")),
        head_repository=fork.text("full_name") if fork else "",
        state="merged" if found.flag("merged") else found.text("state"),
        draft=found.flag("draft"),
        changed_files=found.number("changed_files"),
        merge_commit=found.oid("merge_commit_sha") if found.maybe("merge_commit_sha") else "",
        node=found.text("node_id"),
        labels=frozenset(label.text("name") for label in found.items("labels")),
        url=found.text("html_url"),
    )


def find_pull_number(
    client: Client, repository: str, branch: str, head: str, parted: str = ""
) -> int:
    """The number of the open pull request from this branch whose head is this very commit; 0 where
    there is none.

    Of several, which go to different branches, the one whose branch it has left at the commit
    `parted`, else the newest.
    """
    owner = repository.partition("/")[0]
    found = []
    for each in client.pages(client.path("pulls"), state="open", head=f"{owner}:{branch}").items:
        fork = each["head"].maybe("repo")
        if (
            each["head"].oid("sha") == head
            and fork
            and fork.text("full_name").lower() == repository.lower()
        ):
            found.append((each.number("number"), each["base"].text("ref")))
    if len(found) > 1:
        found = [
            each for each in found if read_merge_base(client, each[1], head) == parted
        ] or found
    return found[0][0] if found else 0


def read_merge_base(client: Client, base: str, head: str) -> str:
    """The commit at which the diff of two commits starts."""
    return _compared(client, base, head)["merge_base_commit"].oid("sha")


def read_comparison(client: Client, base: str, head: str) -> Comparison:
    """How `head` stands to `base`; "unknown" where GitHub does not have one of them any more."""
    try:
        found = _compared(client, base, head)
    except NotFound:
        return Comparison("unknown")
    files = found.items("files")
    paths = {
        path
        for each in files
        for path in (each.text("filename"), each.optional("previous_filename"))
        if path
    }
    return Comparison(
        found.text("status"),
        found.number("ahead_by"),
        frozenset(paths) if len(files) < _MOST_COMPARED else None,
    )


def _compared(client: Client, base: str, head: str) -> JsonPart:
    return client.get(client.path("compare", f"{base}...{head}"), per_page=1)


_HUNK = lazy_pattern(r"(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def read_diff_lines(client: Client, base: str, commit: str) -> Mapping[str, tuple[range, ...]]:
    """The lines at `commit` of each hunk, by path; none of a file whose patch GitHub leaves out,
    nothing where it does not answer."""
    try:
        found = client.get(client.path("compare", f"{base}...{commit}"), per_page=1).items("files")
        return {each.text("filename"): _hunks(each.optional("patch")) for each in found}
    except (Refused, MalformedAnswer):
        return {}


def _hunks(patch: str) -> tuple[range, ...]:
    spans = ((int(found[1]), int(found[2] or 1)) for found in _HUNK.finditer(patch))
    return tuple(range(start, start + count) for start, count in spans)


_MOVED = "the pull request changed while its files were being read"
_MOST_AGAIN = 200
_NO_CHANGE = ("renamed", "copied")


class ChangedFiles(Struct, frozen=True):
    """The rows; `unread` are the paths whose change GitHub does not show whole, `missing` counts
    the files that it does not list."""

    rows: tuple[PullFile, ...]
    unread: tuple[str, ...] = ()
    missing: int = 0


def read_changed_files(client: Client, pull: PullRequest) -> ChangedFiles:
    """The files of a pull request at the head that was read.

    Raises:
        UpstreamError: the head moved meanwhile, or GitHub cannot be asked.
    """
    more = _Again(client, client.path("pulls", pull.number, "files"))
    listed = [_row(each) for each in client.pages(more.path, identity="filename").items]
    rows: list[PullFile] = []
    for start in range(0, len(listed), PER_PAGE):
        rows += more.settled(start, listed[start : start + PER_PAGE], PER_PAGE)
    if client.get(client.path("pulls", pull.number))["head"].oid("sha") != pull.head:
        raise UpstreamError(_MOVED, "run again")
    unread = tuple(
        row.path for row in rows if row.path in more.unsure or not is_patch_complete(row)
    )
    return ChangedFiles(tuple(rows), unread, max(0, pull.changed_files - len(rows)))


def read_blob(client: Client, oid: str) -> bytes:
    """A file's content by its object id, which the content must have.

    Raises:
        MalformedAnswer: it has not.
    """
    found = client.get(client.path("git", "blobs", oid))
    try:
        data = b64decode(found.text("content"), validate=False)
    except ValueError:
        data = b""
    if compute_blob_id(data, len(oid)) != oid:
        raise MalformedAnswer(f"GitHub's blob {oid} does not match its id")
    return data


def is_patch_complete(row: PullFile) -> bool:
    """The row's patch has every line that GitHub counts; without one, nothing in the file
    changed."""
    if row.patch is None:
        return not row.additions + row.deletions and (
            row.status in _NO_CHANGE or row.oid in EMPTY_BLOBS
        )
    signs = [line[:1] for line in row.patch.split("\n")]
    return (signs.count("+"), signs.count("-")) == (row.additions, row.deletions)


class _Again:
    """Rows at the end of an answer that show nothing, asked for again in smaller answers.

    Past about 20,000 lines of patches GitHub empties the rest of an answer and marks nothing; a row
    that it shows after them proves that those before were not emptied.
    """

    def __init__(self, client: Client, path: str) -> None:
        self.path = path
        self.unsure: set[str] = set()
        self._client, self._left = client, _MOST_AGAIN

    def settled(self, start: int, rows: list[PullFile], size: int) -> list[PullFile]:
        """The rows from number `start` on, which came in an answer of at most `size`, as they
        are."""
        first = len(rows)
        while first and _silent(rows[first - 1]):
            first -= 1
        if first == len(rows) or size == 1:
            return rows
        smaller = size // 10
        first -= first % smaller
        found = rows[:first]
        for at in range(first, len(rows), smaller):
            found += self._asked(start + at, rows[at : at + smaller], smaller)
        return found

    def _asked(self, start: int, rows: list[PullFile], size: int) -> list[PullFile]:
        if not self._left:
            self.unsure.update(row.path for row in rows if _silent(row))
            return rows
        self._left -= 1
        again = [
            _row(each)
            for each in self._client.get(self.path, per_page=size, page=start // size + 1)
        ]
        if [row.path for row in again] != [row.path for row in rows]:
            raise UpstreamError(_MOVED, "run again")
        return self.settled(start, again, size)


def _silent(row: PullFile) -> bool:
    return row.patch is None and not row.additions + row.deletions and row.oid not in EMPTY_BLOBS


def _row(part: JsonPart) -> PullFile:
    path = part.text("filename")
    return PullFile(
        path=path,
        old_path=part.optional("previous_filename") or path,
        status=part.text("status"),
        additions=part.number("additions"),
        deletions=part.number("deletions"),
        oid=part.optional("sha"),
        patch=part.text("patch") if part.maybe("patch") else None,
    )


def compute_blob_id(data: bytes, length: int) -> str:
    """The object id of a file's content, in a hash of so many hex digits."""
    whole = b"blob %d\0" % len(data) + data
    return (
        sha1(whole, usedforsecurity=False).hexdigest()
        if length == 40
        else sha256(whole).hexdigest()
    )


_MODE = lazy_pattern(r"100644|100755|120000|160000")
_FOLDER = "tree"


class StoredFile(Struct, frozen=True):
    """One path of a commit: six-digit mode, object id, bytes (0 for what is not a file)."""

    mode: str
    oid: str
    size: int


class CommitListing(Struct, frozen=True):
    """The paths of a commit; `whole` is false where GitHub cuts a very long list."""

    paths: dict[str, StoredFile]
    whole: bool = True


def list_commit(client: Client, commit: str) -> CommitListing:
    """Every file, link and submodule of a commit, under names that git itself would give them.

    Raises:
        Refused: the token may not read the contents.
    """
    found = client.get(client.path("git", "trees", commit), recursive=1)
    rows = (each for each in found.items("tree") if each.text("type") != _FOLDER)
    paths = {each.text("path"): _stored(each) for each in rows}
    return CommitListing(
        {path: stored for path, stored in paths.items() if _plain(path)},
        not found.flag("truncated"),
    )


def _plain(path: str) -> bool:
    return "\0" not in path and not {"", ".", "..", ".git"} & set(path.lower().split("/"))


def _stored(part: JsonPart) -> StoredFile:
    mode = part.text("mode")
    return StoredFile(
        mode if _MODE.fullmatch(mode) else "100644", part.oid("sha"), part.count("size")
    )

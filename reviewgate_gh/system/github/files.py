"""The changed files by the API, where git has not got the commits. GitHub leaves out much and says little: what is not sure is "unread"."""

from base64 import b64decode
from dataclasses import dataclass
from hashlib import sha1, sha256

from ...model.errors import UpstreamError
from ...model.pull import PullFile, PullRequest
from .client import PER_PAGE, Client
from .errors import Malformed
from .read import Part

# Past about 20,000 lines of patches in one answer, rows come back with no patch and no changes, and nothing marks them.
_MANY_LINES = 10_000
_SMALL_PAGE = 10
_MOVED = "the pull request moved while its files were read"
_NO_CHANGE = ("renamed", "copied")
_EMPTY = {
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}


@dataclass(frozen=True, slots=True)
class Files:
    """The rows; `unread` are the paths whose change GitHub does not show whole, `missing` counts the files that it does not list."""

    rows: tuple[PullFile, ...]
    unread: tuple[str, ...] = ()
    missing: int = 0


def read_files(client: Client, pull: PullRequest) -> Files:
    """The files of a pull request at the head that was read.

    Raises:
        UpstreamError: the head moved meanwhile, or GitHub cannot be asked.
    """
    path = client.path("pulls", pull.number, "files")
    parts = client.pages(path, identity="filename").items
    rows: list[PullFile] = []
    for start in range(0, len(parts), PER_PAGE):
        page = [_row(each) for each in parts[start : start + PER_PAGE]]
        rows += _again(client, path, start, page) if _left_out(page) else page
    if client.get(client.path("pulls", pull.number))["head"].oid("sha") != pull.head:
        raise UpstreamError(_MOVED, "run again")
    unread = tuple(row.path for row in rows if not shown_whole(row))
    return Files(tuple(rows), unread, max(0, pull.changed_files - len(rows)))


def read_blob(client: Client, oid: str) -> bytes:
    """A file's content by its object id, which the content must have.

    Raises:
        Malformed: it has not.
    """
    found = client.get(client.path("git", "blobs", oid))
    try:
        data = b64decode(found.text("content"), validate=False)
    except ValueError:
        data = b""
    if _oid(data, len(oid)) != oid:
        raise Malformed(f"GitHub's blob {oid} does not hold what its name says")
    return data


def shown_whole(row: PullFile) -> bool:
    """The row's patch has every line that GitHub counts; without one, nothing in the file changed."""
    if row.patch is None:
        return not row.additions + row.deletions and (row.status in _NO_CHANGE or row.oid in _EMPTY)
    signs = [line[:1] for line in row.patch.split("\n")]
    return (signs.count("+"), signs.count("-")) == (row.additions, row.deletions)


def _left_out(page: list[PullFile]) -> bool:
    lines = sum(row.patch.count("\n") + 1 for row in page if row.patch)
    return lines > _MANY_LINES and any(row.patch is None and not row.additions + row.deletions for row in page)


def _again(client: Client, path: str, start: int, page: list[PullFile]) -> list[PullFile]:
    """The same rows in small answers."""
    numbers = range(start // _SMALL_PAGE + 1, (start + len(page) - 1) // _SMALL_PAGE + 2)
    answers = (client.get(path, per_page=_SMALL_PAGE, page=number) for number in numbers)
    rows = [_row(each) for answer in answers for each in answer]
    if [row.path for row in rows] != [row.path for row in page]:
        raise UpstreamError(_MOVED, "run again")
    return rows


def _row(part: Part) -> PullFile:
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


def _oid(data: bytes, length: int) -> str:
    whole = b"blob %d\0" % len(data) + data
    return sha1(whole, usedforsecurity=False).hexdigest() if length == 40 else sha256(whole).hexdigest()

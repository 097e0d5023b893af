"""The changed files by the API, where git has not got the commits. GitHub leaves out much and says little: what is not sure is "unread"."""

from base64 import b64decode
from hashlib import sha1, sha256

from ...model.change import EMPTY_BLOBS
from ...model.errors import UpstreamError
from ...model.pull import PullFile, PullRequest
from ...model.values import dataclass
from .client import PER_PAGE, Client
from .errors import Malformed
from .read import Part

_MOVED = "the pull request changed while its files were being read"
_MOST_AGAIN = 200
_NO_CHANGE = ("renamed", "copied")


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
    more = _Again(client, client.path("pulls", pull.number, "files"))
    listed = [_row(each) for each in client.pages(more.path, identity="filename").items]
    rows: list[PullFile] = []
    for start in range(0, len(listed), PER_PAGE):
        rows += more.settled(start, listed[start : start + PER_PAGE], PER_PAGE)
    if client.get(client.path("pulls", pull.number))["head"].oid("sha") != pull.head:
        raise UpstreamError(_MOVED, "run again")
    unread = tuple(row.path for row in rows if row.path in more.unsure or not shown_whole(row))
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
    if blob_id(data, len(oid)) != oid:
        raise Malformed(f"GitHub's blob {oid} does not match its id")
    return data


def shown_whole(row: PullFile) -> bool:
    """The row's patch has every line that GitHub counts; without one, nothing in the file changed."""
    if row.patch is None:
        return not row.additions + row.deletions and (row.status in _NO_CHANGE or row.oid in EMPTY_BLOBS)
    signs = [line[:1] for line in row.patch.split("\n")]
    return (signs.count("+"), signs.count("-")) == (row.additions, row.deletions)


class _Again:
    """Rows at the end of an answer that show nothing, asked for again in smaller answers.

    Past about 20,000 lines of patches GitHub empties the rest of an answer and marks nothing; a row that it shows after
    them proves that those before were not emptied.
    """

    def __init__(self, client: Client, path: str) -> None:
        self.path = path
        self.unsure: set[str] = set()
        self._client, self._left = client, _MOST_AGAIN

    def settled(self, start: int, rows: list[PullFile], size: int) -> list[PullFile]:
        """The rows from number `start` on, which came in an answer of at most `size`, as they are."""
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
        again = [_row(each) for each in self._client.get(self.path, per_page=size, page=start // size + 1)]
        if [row.path for row in again] != [row.path for row in rows]:
            raise UpstreamError(_MOVED, "run again")
        return self.settled(start, again, size)


def _silent(row: PullFile) -> bool:
    return row.patch is None and not row.additions + row.deletions and row.oid not in EMPTY_BLOBS


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


def blob_id(data: bytes, length: int) -> str:
    """The object id of a file's content, in a hash of so many hex digits."""
    whole = b"blob %d\0" % len(data) + data
    return sha1(whole, usedforsecurity=False).hexdigest() if length == 40 else sha256(whole).hexdigest()

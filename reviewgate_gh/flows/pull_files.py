"""Both sides of a pull request's files by the API: contents by object id, as far as GitHub and our limits go, and nothing guessed."""

from collections.abc import Iterable, Iterator

from ..model.errors import UpstreamError
from ..model.pull import PullFile, PullRequest
from ..model.values import dataclass
from ..reporters._words import counted
from ..steps.unpatch import unpatched
from ..system import plugins
from ..system.git.objects import Entry
from ..system.github.client import Client
from ..system.github.errors import Malformed, RateLimited, Refused
from ..system.github.files import blob_id, read_blob, read_files
from ..system.github.trees import Listing, Stored, list_commit
from ..system.settings import CONFIG_FILE, WAIVER_FILE
from ..text.globs import any_of

# Without a token GitHub answers sixty times an hour.
_MOST_BLOBS, _MOST_WITHOUT_TOKEN = 500, 40
_MOST_SETTINGS = 30
_MOST_FILE, _MOST_BYTES = 5_000_000, 100_000_000
_SUBMODULE = "160000"
Side = dict[str, tuple[Entry, bytes]]


@dataclass(frozen=True, slots=True)
class PullFiles:
    """The files of each side by path; settings of the base are on both. `unread` names changed files that could not be had."""

    base: Side
    head: Side
    unread: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def changed(self) -> set[str]:
        """The paths at which the sides differ."""
        return {path for path in {**self.base, **self.head} if self.base.get(path) != self.head.get(path)}


def pull_files(client: Client, pull: PullRequest, base: str) -> PullFiles:
    """What changed between the commit `base` and the pull request's head, and the settings that hold at the base.

    Raises:
        UpstreamError: GitHub refuses the lists or the gate's own configuration, or cannot be reached.
    """
    files = read_files(client, pull)
    before, after = list_commit(client, base), list_commit(client, pull.head)
    blobs = _Blobs(client)
    settings = dict(_settings(before, files.rows, blobs))
    found = PullFiles(settings, dict(settings), (), ())
    unread = [row.path for row in files.rows if not _add(found, row, before, after, blobs)]
    missing = [f"{counted(files.missing, 'file')} that GitHub does not list"] if files.missing else []
    return PullFiles(found.base, found.head, (*unread, *missing), tuple(_notes(before, blobs)))


class _Blobs:
    """Contents by object id, as many and as large as the limits allow; `over` says why no more are read."""

    def __init__(self, client: Client) -> None:
        self.over = ""
        self._client, self._left, self._bytes = client, _MOST_BLOBS if client.has_token else _MOST_WITHOUT_TOKEN, _MOST_BYTES

    def read(self, stored: Stored) -> bytes | None:
        """The content (a submodule has none here); None where it is too large, refused, or not what its id says."""
        if stored.mode == _SUBMODULE:
            return b""
        if self._left <= 0 or stored.size > self._bytes:
            self.over = self.over or "too many files to request from the API"
        if self.over or stored.size > _MOST_FILE:
            return None
        self._left, self._bytes = self._left - 1, self._bytes - stored.size
        try:
            return read_blob(self._client, stored.oid)
        except RateLimited as error:
            self.over = error.message
        except (Refused, Malformed):
            pass
        return None


def _add(found: PullFiles, row: PullFile, before: Listing, after: Listing, blobs: _Blobs) -> bool:
    """Add a changed file to the sides that have it; false, and nothing is added, where one of them cannot be had."""
    old_path = row.path if row.status == "copied" else row.old_path
    then, now = before.paths.get(old_path), after.paths.get(row.path)
    if not (then or now) or (now is None and not after.whole):
        return False
    data = blobs.read(now) if now else b""
    old = _older(row, then, now, data, blobs) if then and data is not None else b""
    if data is None or old is None:
        return False
    if then:
        found.base[old_path] = Entry(then.mode, then.oid, old_path), old
    if now:
        found.head[row.path] = Entry(now.mode, now.oid, row.path), data
    if old_path not in after.paths:
        found.head.pop(old_path, None)
    return True


def _older(row: PullFile, then: Stored, now: Stored | None, data: bytes, blobs: _Blobs) -> bytes | None:
    """The content at the base: out of the patch, which spares a request, where that leads to the object id; else by the id."""
    if now and then.oid == now.oid:
        return data
    patched = unpatched(data, row.patch) if row.patch is not None else None
    return patched if patched is not None and blob_id(patched, len(then.oid)) == then.oid else blobs.read(then)


def _settings(listing: Listing, rows: Iterable[PullFile], blobs: _Blobs) -> Iterator[tuple[str, tuple[Entry, bytes]]]:
    """The gate's own files and those of the linters: at the root, in `.github`, and in and above the changed files' folders."""
    names = {glob for name in plugins.names("linters") for glob in plugins.load("linters", name).CONFIG}
    fits = any_of(names)
    folders = {"", ".github"} | {folder for row in rows for path in (row.path, row.old_path) for folder in _above(path)}
    ours = [path for path in (CONFIG_FILE, WAIVER_FILE) if path in listing.paths]
    theirs = [path for path in listing.paths if path.rpartition("/")[0] in folders and fits(path.rpartition("/")[2])]
    for path in [*ours, *sorted(theirs, key=lambda path: path.count("/"))[:_MOST_SETTINGS]]:
        stored = listing.paths[path]
        data = blobs.read(stored)
        if data is not None:
            yield path, (Entry(stored.mode, stored.oid, path), data)
        elif path in ours:
            raise UpstreamError(f"cannot read {path} of the base", "clone the repository and review the pull request by its number")


def _above(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _notes(before: Listing, blobs: _Blobs) -> Iterator[str]:
    if not before.whole:
        yield "GitHub does not list all files of the base: some settings may be missing"
    if blobs.over:
        yield f"not every file was read: {blobs.over}"

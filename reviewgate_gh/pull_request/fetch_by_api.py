"""A pull request without a clone: both sides of its files by GitHub's API, in a temporary
repository."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from ..gate.exclusion import excluded_by_name
from ..gate.policy import decide_verdict
from ..git import Git
from ..git.objects import TreeEntry
from ..git.snapshot import store_commits, temporary_repository
from ..github.client import Client
from ..github.pull_requests import (
    CommitListing,
    StoredFile,
    compute_blob_id,
    list_commit,
    read_blob,
    read_changed_files,
    read_merge_base,
    read_pull,
)
from ..github.reading import MalformedAnswer, RateLimited, Refused
from ..model.change import Range
from ..model.errors import UpstreamError
from ..model.pull_request import PullFile, PullRequest
from ..model.report import Report
from ..reporters._words import count_noun
from ..settings.settings import read_config_at
from ..system import plugins
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE, WAIVER_FILE
from ..text.paths import glob_matcher
from ..text.patterns import lazy_pattern

_HUNK = lazy_pattern(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINES = lazy_pattern(rb"[^\n]*\n|[^\n]+")
_OLD, _NEW = b" -", b" +"


def reverse_patch(head: bytes, patch: str) -> bytes | None:
    """The content before; None where the patch does not fit: its lines must stand in `head` at the
    very places that it names."""
    new, rows = _LINES.findall(head), patch.encode("utf-8", "surrogatepass").split(b"\n")
    old: list[bytes] = []
    done = at = 0
    while at < len(rows):
        header, end = _HUNK.match(rows[at]), _end(rows, at + 1)
        if not header:
            return None
        before, after = _side(rows[at + 1 : end], _OLD), _side(rows[at + 1 : end], _NEW)
        if (len(before), len(after)) != (_count(header[1]), _count(header[3])):
            return None
        # https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html
        start = int(header[2]) - bool(after)  # a hunk that leaves nothing names the line before it
        if start < done or new[start : start + len(after)] != after:
            return None
        old += [*new[done:start], *before]
        done, at = start + len(after), end
    return b"".join([*old, *new[done:]])


def _end(rows: Sequence[bytes], at: int) -> int:
    """Where the hunk ends that begins here."""
    return next((end for end in range(at, len(rows)) if rows[end].startswith(b"@@")), len(rows))


def _side(rows: Sequence[bytes], signs: bytes) -> list[bytes]:
    """The lines of one side with their newlines; the mark behind a line says that it has none."""
    marks = [*rows[1:], b""]
    return [
        row[1:] + (b"" if mark[:1] == b"\\" else b"\n")
        for row, mark in zip(rows, marks, strict=False)
        if row and row[0] in signs
    ]


def _count(number: bytes | None) -> int:
    return 1 if number is None else int(number)


# Without a token GitHub answers sixty times an hour.
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
_MOST_BLOBS, _MOST_WITHOUT_TOKEN = 500, 40
_MOST_SETTINGS = 30
_MOST_FILE, _MOST_BYTES = 5_000_000, 100_000_000
_SUBMODULE = "160000"
FilesByPath = dict[str, tuple[TreeEntry, bytes]]


class PullRequestFiles(Struct, frozen=True):
    """The files of each side by path; settings of the base are on both.

    `unread` names changed files that could not be had.
    """

    base: FilesByPath
    head: FilesByPath
    unread: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def changed(self) -> set[str]:
        """The paths at which the sides differ."""
        return {
            path
            for path in {**self.base, **self.head}
            if self.base.get(path) != self.head.get(path)
        }


def read_pull_files(client: Client, pull: PullRequest, base: str) -> PullRequestFiles:
    """What changed between the commit `base` and the pull request's head, and the settings that
    hold at the base.

    Raises:
        UpstreamError: GitHub refuses the lists or the gate's own configuration, or cannot be
            reached.
    """
    files = read_changed_files(client, pull)
    before, after = list_commit(client, base), list_commit(client, pull.head)
    blobs = _Blobs(client)
    settings = dict(_settings(before, files.rows, blobs))
    found = PullRequestFiles(settings, dict(settings), (), ())
    unread = [row.path for row in files.rows if not _add(found, row, before, after, blobs)]
    missing = (
        [f"{count_noun(files.missing, 'file')} that GitHub does not list"] if files.missing else []
    )
    return PullRequestFiles(
        found.base, found.head, (*unread, *missing), tuple(_notes(before, blobs))
    )


class _Blobs:
    """Contents by object id, as many and as large as the limits allow; `over` says why no more are
    read."""

    def __init__(self, client: Client) -> None:
        self.over = ""
        self._client, self._left, self._bytes = (
            client,
            _MOST_BLOBS if client.has_token else _MOST_WITHOUT_TOKEN,
            _MOST_BYTES,
        )

    def read(self, stored: StoredFile) -> bytes | None:
        """The content (a submodule has none here); None where it is too large, refused, or not what
        its id says."""
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
        except (Refused, MalformedAnswer):
            pass
        return None


def _add(
    found: PullRequestFiles,
    row: PullFile,
    before: CommitListing,
    after: CommitListing,
    blobs: _Blobs,
) -> bool:
    """Add a changed file to the sides that have it; false, and nothing is added, where one of them
    cannot be had."""
    old_path = row.path if row.status == "copied" else row.old_path
    then, now = before.paths.get(old_path), after.paths.get(row.path)
    if not (then or now) or (now is None and not after.whole):
        return False
    data = blobs.read(now) if now else b""
    old = _older(row, then, now, data, blobs) if then and data is not None else b""
    if data is None or old is None:
        return False
    if then:
        found.base[old_path] = TreeEntry(then.mode, then.oid, old_path), old
    if now:
        found.head[row.path] = TreeEntry(now.mode, now.oid, row.path), data
    if old_path not in after.paths:
        found.head.pop(old_path, None)
    return True


def _older(
    row: PullFile, then: StoredFile, now: StoredFile | None, data: bytes, blobs: _Blobs
) -> bytes | None:
    """The content at the base: out of the patch, which spares a request, where that leads to the
    object id; else by the id."""
    if now and then.oid == now.oid:
        return data
    patched = reverse_patch(data, row.patch) if row.patch is not None else None
    return (
        patched
        if patched is not None and compute_blob_id(patched, len(then.oid)) == then.oid
        else blobs.read(then)
    )


def _settings(
    listing: CommitListing, rows: Iterable[PullFile], blobs: _Blobs
) -> Iterator[tuple[str, tuple[TreeEntry, bytes]]]:
    """The gate's own files and those of the linters: at the root, in `.github`, and in and above
    the changed files' folders."""
    names = {
        glob for name in plugins.names("linters") for glob in plugins.load("linters", name).CONFIG
    }
    fits = glob_matcher(names)
    folders = {"", ".github"} | {
        folder for row in rows for path in (row.path, row.old_path) for folder in _above(path)
    }
    ours = [path for path in (CONFIG_FILE, WAIVER_FILE) if path in listing.paths]
    theirs = [
        path
        for path in listing.paths
        if path.rpartition("/")[0] in folders and fits(path.rpartition("/")[2])
    ]
    for path in [*ours, *sorted(theirs, key=lambda path: path.count("/"))[:_MOST_SETTINGS]]:
        stored = listing.paths[path]
        data = blobs.read(stored)
        if data is not None:
            yield path, (TreeEntry(stored.mode, stored.oid, path), data)
        elif path in ours:
            raise UpstreamError(
                f"cannot read {path} of the base",
                "clone the repository and review the pull request by its number",
            )


def _above(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _notes(before: CommitListing, blobs: _Blobs) -> Iterator[str]:
    if not before.whole:
        yield "GitHub does not list all files of the base: some settings may be missing"
    if blobs.over:
        yield f"not every file was read: {blobs.over}"


def with_unread_paths(report: Report, paths: Collection[str]) -> Report:
    """The report with these files among those that were not reviewed, and the verdict that follows;
    an override stays one."""
    if not paths or report.skipped:
        return report
    not_reviewed = tuple(sorted({*report.verdict.not_reviewed, *paths}))
    return replace(
        report,
        verdict=decide_verdict(
            report.findings, report.reviews, not_reviewed, report.threshold, report.coverage
        ),
    )


_LIMITS = "read through the API without a clone: no history, and no unchanged files except settings"


class ApiPullRequest(Struct, frozen=True):
    """A pull request in a private repository: its stand-ins for the two commits, the real ones, and
    what could not be had."""

    git: Git
    range: Range
    pull: PullRequest
    base: str
    files: PullRequestFiles

    def with_real_commits(self, report: Report, policy: str, environment: Environment) -> Report:
        """The report about the real commits, with the files that were not read."""
        config = read_config_at(self.git, self.range.base, environment, policy)
        seen = {path for file in report.change.files for path in (file.path, file.old_path)}
        unread = {*self.files.unread, *(self.files.changed - seen)}
        change = replace(
            report.change, base=self.base, head=self.pull.head, rules=self.base, commits=()
        )
        report = replace(report, change=change, notices=(*report.notices, *self.files.notes))
        return with_unread_paths(report, unread - excluded_by_name(unread, config.policy.exclude))


@contextmanager
def open_pull_by_api(
    client: Client, number: int, environment: Environment
) -> Iterator[ApiPullRequest]:
    """The pull request's changed files as two commits, for as long as the context lasts.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    pull = read_pull(client, number)
    base = read_merge_base(client, pull.base, pull.head)
    files = read_pull_files(client, pull, base)
    with temporary_repository(
        environment.variables, "sha256" if len(pull.head) == 64 else "sha1"
    ) as git:
        sides = store_commits(git, files.base, files.head)
        notes = (
            (
                f"{client.repository}#{number}: {pull.head[:12]}, since the merge base with "
                f"{pull.base_ref}"
            ),
            _LIMITS,
        )
        yield ApiPullRequest(
            git, Range(sides.base, sides.head, notes, is_foreign=True), pull, base, files
        )

"""A case: a change, and the findings that a reviewer should make of it; none where it is clean."""

import json
from collections.abc import Mapping

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ...model.finding import Finding, Priority, sha256_hex
from ...text.patterns import lazy_pattern

_COMMIT = lazy_pattern(r"[0-9a-f]{7,64}")
# NUL, and half a character: U+DC80 to DCFF alone stand for bytes that are no UTF-8
_NO_NAME = lazy_pattern("[\0\ud800-\udc7f\udd00-\udfff]")
Files = Mapping[str, tuple[str, bytes]]  # by path: git's mode and the content


class ExpectedPlace(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of a file at head; line 0 stands for the whole file."""

    path: str
    line_start: int = 0
    line_end: int = 0

    @property
    def location(self) -> str:
        """`path:line` for people."""
        return f"{self.path}:{self.line_start}" if self.line_start else self.path

    @property
    def numbers(self) -> range:
        """The lines' numbers; none for the whole file."""
        last = max(self.line_start, self.line_end)
        return range(self.line_start, last + 1) if self.line_start else range(0)

    def holds(self, path: str, first: int, last: int) -> bool:
        """Whether it shares a line with these."""
        if path != self.path:
            return False
        end = max(self.line_start, self.line_end)
        return not (self.line_start and first) or (first <= end and self.line_start <= last)


class ExpectedFinding(Struct, frozen=True, forbid_unknown_fields=True):
    """What should be found: at one of these places (anywhere without any), and meaning this text
    (whatever it means where that is empty)."""

    text: str
    places: tuple[ExpectedPlace, ...] = ()
    priority: Priority | None = None

    def as_findings(self) -> tuple[Finding, ...]:
        """Findings that merging would join with the right one, a place each."""
        title, _, body = self.text.partition("\n")
        priority = self.priority or Priority.P2
        return tuple(
            Finding(
                priority, "", "", at.path, at.line_start, max(at.line_start, at.line_end), title,
                body, placed=at.line_start > 0,
            )
            for at in self.places or (ExpectedPlace(""),)
        )  # fmt: skip


class PatchSource(Struct, frozen=True, tag=True):
    """A unified diff, and the files that it changes where these are known."""

    patch: bytes
    base: Files | None = None


class TreeSource(Struct, frozen=True, tag=True):
    """All files of both sides."""

    base: Files
    head: Files


class CommitSource(Struct, frozen=True, tag=True):
    """Two commits of a repository: `owner/name` among the sources, or for a case with a folder the
    repository at that path from there. Head keeps base's version of the file `left_out`."""

    base: str
    head: str
    repository: str = ""
    left_out: str = ""


class Origin(Struct, frozen=True):
    """A pull request by its number, or a commit by its id, of the repository `owner/name`."""

    repository: str
    number: int = 0
    commit: str = ""

    @property
    def name(self) -> str:
        """For people: `owner/name#1`, `owner/name@4f8aed2`."""
        return f"{self.repository}{f'#{self.number}' if self.number else f'@{self.commit}'}"


class OriginSource(Struct, frozen=True, tag=True):
    """The first of these that is among the sources: as a patch, or in a clone."""

    origins: tuple[Origin, ...]


Source = PatchSource | TreeSource | CommitSource | OriginSource


class Case(Struct, frozen=True):
    """`folder` is where the case stands on this machine, where it has a folder of its own."""

    id: str
    source: Source
    expected: tuple[ExpectedFinding, ...] = ()
    folder: str = ""

    @property
    def digest(self) -> str:
        """32 hex digits over all that the case says, wherever it stands."""
        plain = to_builtins(replace(self, folder=""))
        return sha256_hex(json.dumps(plain, sort_keys=True), 32)


def check_path(path: str) -> str:
    """The path.

    Raises:
        ValueError: it is none of a file in a repository.
    """
    parts = path.split("/")
    if _NO_NAME.search(path) or {"", ".", ".."} & {*parts} or ".git" in map(str.lower, parts):
        raise ValueError(f"{path!r} is not a valid path in a repository")
    return path


def check_commit(text: str) -> str:
    """The id of a commit.

    Raises:
        ValueError: it is none.
    """
    if not _COMMIT.fullmatch(text):
        raise ValueError(f"{text!r} is not a commit ID")
    return text

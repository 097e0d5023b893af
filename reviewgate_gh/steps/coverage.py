"""Who read which changed file, and the code that nobody read who knows its language.

The built-in checks look for secrets and hidden text in everything; that is not a review of code.
"""

from collections.abc import Callable, Collection, Iterable

from ..model.change import EMPTY_BLOBS, Change, FileDiff
from ..model.coverage import ALLOWED, Coverage, CoveragePolicy, CoverageRow, How
from ..model.values import dataclass

EVERYTHING: frozenset[str] = frozenset({"*"})
_KIND = {"120000": "a symbolic link", "160000": "a submodule", "000000": "deleted"}
_MOVED = "it was not {what} before, so its earlier content is not part of the diff"


@dataclass(frozen=True, slots=True)
class Reading:
    """One reviewer's word: the files it read, and the languages that it knows."""

    name: str
    paths: frozenset[str]
    languages: frozenset[str] = EVERYTHING

    def knows(self, file: FileDiff, language: str) -> bool:
        """It read this file, and reads this language."""
        return file.path in self.paths and (self.languages is EVERYTHING or language in self.languages)


@dataclass(frozen=True, slots=True)
class Known:
    """What coverage is made from: each file's language now and before, the paths left out now and before, those that nobody read,
    and who could read a language."""

    language: Callable[[FileDiff], str]
    before: Callable[[FileDiff], str]
    excluded: Collection[str]
    left_out_before: Collection[str]
    unread: Collection[str]
    could: Callable[[str], str]


def cover(change: Change, readings: Iterable[Reading], known: Known, policy: CoveragePolicy) -> Coverage:
    """A row for each changed file."""
    readings = tuple(readings)
    allowed = {name.lower() for name in policy.allow}
    rows = tuple(_row(file, readings, known, allowed) for file in change.files)
    return Coverage(rows, policy.unread, sum(file.path in known.excluded for file in change.files))


def _row(file: FileDiff, readings: Iterable[Reading], known: Known, allowed: Collection[str]) -> CoverageRow:
    language = known.language(file) if file.is_text_file else ""
    by = tuple(dict.fromkeys(reading.name for reading in readings if reading.knows(file, language)))
    how = How.UNREAD if file.path in known.unread else How.REVIEWED if by else How.SCANNED
    if why := _needs_none(file, language, known):
        return CoverageRow(file.path, language, how, by, why=why)
    moved = _moved(file, language, known)
    if how is How.UNREAD or (how is How.REVIEWED and not moved):
        return CoverageRow(file.path, language, how, by)
    if language.lower() in allowed:
        return CoverageRow(file.path, language, How.SCANNED, by, why=ALLOWED)
    return CoverageRow(file.path, language, How.SCANNED, by, True, moved or known.could(language))


def _needs_none(file: FileDiff, language: str, known: Known) -> str:
    """Why nobody need review it; "" for code that somebody must."""
    if file.mode in _KIND:
        return _KIND[file.mode]
    if file.binary:
        return "binary"
    if file.path in known.excluded:
        return "policy.exclude"
    if not language:
        return "no code"
    if file.oid in EMPTY_BLOBS:
        return "empty"
    if file.status != "A" and file.oid == file.old_oid and not _moved(file, language, known):
        return "unchanged content"
    return ""


def _moved(file: FileDiff, language: str, known: Known) -> str:
    """A new name, mode or `#!` line makes code of what was none, or another language's: what stood there counts as new."""
    if file.status == "A" or not file.old_mode.startswith("100"):
        return ""
    if file.old_path in known.left_out_before and file.path not in known.excluded:
        return _MOVED.format(what="subject to review")
    return _MOVED.format(what=language) if known.before(file) != language else ""


def could_read(linters: Iterable[str]) -> str:
    """Who could read a language; `linters` says what each one that can would need."""
    own = "; ".join(linters)
    model = "add a language model as a reviewer (docs/models.md)"
    return f"{own}; or {model}" if own else f"no linter supports it; {model}"

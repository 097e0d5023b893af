"""The file of results: a line on how they were made, and one for each case that is done, so that a
run that ended early goes on where it was."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec import Struct, convert, to_builtins

from ...git.tree_files import read_existing
from ...model.errors import ConfigError, UsageError
from ...model.finding import Finding
from ...model.report import ReviewRow
from ...system.files import file_lock, write_atomic
from ...text.strict import load_json
from .case import Case, ExpectedFinding

SCHEMA: Final = 1
_LOCK_SECONDS = 1.0
_OTHER_FILE = "name another file with --results, or begin this one anew with --fresh"
T = TypeVar("T")


class CaseStatus(StrEnum):
    """How a case ended. Only one that was reviewed says how good the gate is: an inconclusive
    review or a broken case has found nothing, and was not right in that."""

    REVIEWED = "reviewed"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"


class CaseResult(Struct, frozen=True, forbid_unknown_fields=True):
    """What the gate said of a case. `shown` tells for each expected finding with a place whether a
    language model would be given that place; `seconds` is wall time."""

    case: str
    digest: str
    status: CaseStatus
    reason: str = ""
    expected: tuple[ExpectedFinding, ...] = ()
    findings: tuple[Finding, ...] = ()
    reviews: tuple[ReviewRow, ...] = ()
    shown: tuple[bool, ...] = ()
    seconds: float = 0.0


class ResultsHeader(Struct, frozen=True, forbid_unknown_fields=True):
    """How the results of a file were made; runs that differ in any of it do not share one.

    `cases` is how many the data set has; who is `left_out` cannot review cases.
    """

    dataset: str
    layout: str
    cases: int
    config: str
    reviewers: tuple[str, ...]
    left_out: tuple[str, ...]
    replay: bool
    version: str
    schema_version: Literal[1] = SCHEMA


class Results(Struct, frozen=True):
    """A file of results as it was read; `damaged` counts lines that say nothing any more."""

    header: ResultsHeader
    cases: tuple[CaseResult, ...]
    damaged: int = 0


def read_results(path: Path) -> Results:
    """The results in a file; of a case with several lines the last counts.

    Raises:
        UsageError: there is no such file.
        ConfigError: it is no file of results.
    """
    first, *lines = read_existing(path).split(b"\n")
    header = _value(first, ResultsHeader)
    if header is None:
        raise ConfigError(
            f"{path} is not a results file of this version", "name one that `bench run` has written"
        )
    found, damaged = dict[str, CaseResult](), 0
    for line in filter(None, lines):
        result = _value(line, CaseResult)
        damaged += result is None
        if result is not None:
            found[result.case] = result
    return Results(header, tuple(found.values()), damaged)


class ResultsFile:
    """A file of results that a run adds to."""

    def __init__(self, path: Path, header: ResultsHeader, kept: tuple[CaseResult, ...]) -> None:
        self.path, self.kept = path, kept
        data = b"".join(map(_line, (header, *kept)))
        try:
            # Whole: without the lines that say nothing any more, and those of cases that are asked
            # again
            write_atomic(path, data)
        except OSError as error:
            raise _not_written(path, error) from None

    def add(self, result: CaseResult) -> None:
        """A case is done; its line is on the disk when this returns.

        Raises:
            UsageError: it cannot be written.
        """
        try:
            with self.path.open("ab") as file:
                file.write(_line(result))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _not_written(self.path, error) from None


@contextmanager
def open_results(
    path: Path, header: ResultsHeader, cases: Sequence[Case], fresh: bool
) -> Iterator[ResultsFile]:
    """The file for one run at a time, with what earlier runs like this one have reviewed of these
    cases, which are all of the data set.

    Raises:
        UsageError: another run writes to it, its runs were made otherwise, or it cannot be written.
        ConfigError: it is no file of results, and so is not replaced.
    """
    lock = path.with_name(f".{path.name}.lock")
    with file_lock(lock, _LOCK_SECONDS) as held:
        if not held:
            raise UsageError(
                f"cannot lock {path}: another run uses it, or its folder cannot be written",
                "wait for the other run, or name another file with --results",
            )
        try:
            before = read_results(path) if path.exists() else None
            if before is not None and not fresh:
                _require_same(before.header, header, path)
                _require_known(before.cases, cases, path)
            known = {(case.id, case.digest) for case in cases}
            kept = (
                each
                for each in (before.cases if before and not fresh else ())
                if each.status is CaseStatus.REVIEWED and (each.case, each.digest) in known
            )
            yield ResultsFile(path, header, tuple(kept))
        finally:
            lock.unlink(missing_ok=True)


def _require_known(before: Sequence[CaseResult], cases: Sequence[Case], path: Path) -> None:
    """Another data set may have the same name."""
    if before and {each.case for each in before}.isdisjoint(case.id for case in cases):
        raise UsageError(f"{path} has results of other cases", _OTHER_FILE)


def _require_same(before: ResultsHeader, header: ResultsHeader, path: Path) -> None:
    old, new = to_builtins(before), to_builtins(header)
    if differ := [name for name in old if name != "cases" and old[name] != new[name]]:
        raise UsageError(
            f"{path} has results of another run (other {', '.join(differ)})",
            _OTHER_FILE,
        )


def _value(line: bytes, kind: type[T]) -> T | None:
    try:
        return convert(load_json(line, "JSON", unique=True), kind)
    except ValueError:
        return None


def _line(value: Struct) -> bytes:
    return json.dumps(to_builtins(value)).encode() + b"\n"


def _not_written(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {error.strerror}", "name another file with --results")

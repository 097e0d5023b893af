"""Running one linter: its batches, and its output line by line."""

import os
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...findings.differ import SYNTAX_CATEGORY
from ...model.config import LinterOptions
from ...model.finding import Finding, Priority
from ...model.review import ReviewStatus
from ...system import process
from ...text import strict
from .._context import ReviewContext
from . import _shared
from ._edits import settle_edits
from ._shared import LEFT_OUT, place_finding

_MOST = 500_000
_LONGEST_WHY = 200  # characters
_EXIT_CODES = 256  # https://man7.org/linux/man-pages/man3/exit.3.html
_FEW = 3  # lines
_SKIPPED = "the tool did not read it"
# https://man7.org/linux/man-pages/man2/execve.2.html (limits on arguments)
_POINTER = 9  # bytes beside each argument's own: its address and its end


def batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """The paths in their order, none of them in the form of an option, of a file of options as
    javac and compilers read it, of what is below the home, or of a pattern of what to leave out:
    https://docs.oracle.com/en/java/javase/21/docs/specs/man/javac.html
    """
    batch: list[str] = []
    size = 0
    for path in paths:
        word = f"./{path}" if path.startswith(("-", "@", "~", "!")) else path
        length = len(os.fsencode(word)) + _POINTER
        if batch and size + length > _MOST:
            yield batch
            batch, size = [], 0
        batch.append(word)
        size += length
    if batch:
        yield batch


class LinterFailed(Exception):
    """The tool gave no answer; why is the message."""

    def __init__(self, status: ReviewStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class LinterJob(Struct, frozen=True):
    """One tool's work: its module, options, program, environment, paths, and where and with which
    config it runs.

    `newly_read` are those of the paths that it did not read before this change, by their name, mode
    or `#!` line. `compared`: it can be asked about the base, too.
    """

    name: str
    tool: Any
    options: LinterOptions
    program: str
    env: Mapping[str, str]
    paths: tuple[str, ...]
    root: Path
    config: Path | None
    newly_read: frozenset[str] = frozenset()
    compared: bool = False

    def limited_to(self, paths: Collection[str] | None) -> "LinterJob":
        """The same work on those of its files alone; on all without any."""
        if paths is None:
            return self
        return replace(self, paths=tuple(path for path in self.paths if path in paths))


def ask_linter(
    job: LinterJob, context: ReviewContext, meanwhile: Callable[[], object] | None = None
) -> Iterator[Finding]:
    """All that the tool says about its paths; `meanwhile` is for when it is at work.

    Raises:
        LinterFailed: it crashed, was too slow or said too much.
        ValueError: what it printed is not its format.
    """
    left, root = min(job.options.timeout, context.timeout), str(job.root.resolve())
    placed = _relocation(job, root)
    calls = [*_calls(job)]
    while calls:
        folder, batch = calls.pop(0)
        argv = [*job.tool.argv(job.program, job.config, job.options.args), *batch]
        answer = process.run_process(
            argv,
            cwd=os.path.join(root, folder),
            env=job.env,
            deadline=max(0.1, left),
            meanwhile=meanwhile,
        )
        left -= answer.seconds
        call = _Call(folder, batch, max(0.1, left))
        with closing(answer):
            rest = yield from _told(job, call, answer, placed)
        if rest:
            calls.insert(0, (folder, rest))


class _Call(Struct, frozen=True):
    """Where below its root the tool ran, with which paths, and for how many more seconds it may be
    asked."""

    folder: str
    batch: list[str]
    seconds: float


def _told(
    job: LinterJob,
    call: _Call,
    answer: process.ProcessResult,
    placed: Callable[[Finding], Finding],
) -> Generator[Finding, None, list[str]]:
    """What the tool says in one call; returns those of its paths that are still to be asked about,
    where one of them has stopped the tool."""
    wrong = wrong_exit(answer, job, (*job.tool.CLEAN_EXITS, *job.tool.FOUND_EXITS))
    # Interrupted, or more output than anybody should read
    if wrong and answer.killed_reason not in ("", "deadline"):
        raise wrong
    if wrong and (unread := _unreadable(job, call.batch, answer.err)):
        yield unread
        return [path for path in call.batch if os.path.normpath(path) != unread.path]
    if not answer.killed_reason and _passed_over(job, answer):
        left_out = call.batch or _in_folder(job, call.folder)
        yield from (_shared.left_out(job.name, path, _SKIPPED) for path in left_out)
        return []
    said = _LinterOutput(job.tool)
    try:
        for raw in job.tool.parse(printed_lines(job.tool, answer)):
            said.count(raw)
            finding = placed(_below(call.folder, raw))
            said.paths.add(finding.path)
            yield finding
    except ValueError as error:
        if not wrong:  # why it broke says more than what that made of its output
            raise ValueError(f"{error}{_words_beside(job, answer)}") from None
    if wrong:
        raise wrong
    said.check(answer.code, partial(_words_beside, job, answer))
    if getattr(job.tool, "stopped", _unknown)(answer.err):
        return _others(job, call.batch, said.paths, answer)
    read = _read(job, call.batch, answer, call.seconds)
    left_out = [path for path in call.batch if path not in read]
    left_out += _not_listed(job, call.folder, call.seconds)
    yield from (_shared.left_out(job.name, path, _SKIPPED) for path in left_out)
    return []


def printed_lines(tool: Any, answer: process.ProcessResult) -> Iterator[bytes]:
    """Its report; one that some versions print on standard error, others print where most do."""
    yield from answer.lines()
    if getattr(tool, "STDERR", False):
        yield from answer.error_lines()


def _passed_over(job: LinterJob, answer: process.ProcessResult) -> bool:
    """It says that it has read none of the files of this call, and nothing else."""
    if not hasattr(job.tool, "passed_over"):
        return False
    said = b"".join(islice(answer.lines(), _FEW))
    return bool(job.tool.passed_over(said.decode("utf-8", "replace"), answer.err))


def _in_folder(job: LinterJob, folder: str) -> list[str]:
    return [path for path in job.paths if path.rpartition("/")[0] == folder]


def _not_listed(job: LinterJob, folder: str, seconds: float) -> list[str]:
    """Those of a package's files that the tool has left out, asked where one of them looks like
    it; all of them where it does not say."""
    if not hasattr(job.tool, "lists"):
        return []
    paths = _in_folder(job, folder)
    if not any(job.tool.may_leave_out(path, (job.root / path).read_bytes()) for path in paths):
        return []
    answer = process.run_process(
        job.tool.lists(job.program), cwd=job.root / folder, env=job.env, deadline=seconds
    )
    try:
        told = {os.fsdecode(line.rstrip(b"\n")) for line in answer.lines()}
        return [path for path in paths if path.rpartition("/")[2] not in told]
    finally:
        answer.close()


def _unreadable(job: LinterJob, batch: Sequence[str], err: str) -> Finding | None:
    """Word of the one file that stopped the tool, if it names one of those that it was given: it is
    asked about the others."""
    path, why = getattr(job.tool, "unreadable", _unnamed)(err)
    if not path or path not in batch:
        return None
    if getattr(job.tool, "LAGS", False):
        return _shared.left_out(job.name, os.path.normpath(path), strict.one_line(why))
    return replace(
        strict.tool_finding(
            job.name, "unreadable", Priority.P1, path, (1, 1), f"{job.name} cannot read this file"
        ),
        path=os.path.normpath(path),
        category=SYNTAX_CATEGORY,
        body=f"{strict.one_line(why, _LONGEST_WHY)}. Nobody has looked for what {job.name} finds. "
        "Write the line in a form that it reads, or have a person review the file.".lstrip(". "),
    )


def _others(
    job: LinterJob, batch: Sequence[str], named: Collection[str], answer: process.ProcessResult
) -> list[str]:
    """Those of the batch that are still to be asked about, where others of it have stopped the
    tool.

    Raises:
        LinterFailed: what stopped it is none of them.
    """
    rest = [path for path in batch if os.path.normpath(path) not in named]
    if len(rest) == len(batch):
        raise LinterFailed(ReviewStatus.FAILED, _reason(job, answer))
    return rest


def _unnamed(_err: str) -> tuple[str, str]:
    return "", ""


def _read(
    job: LinterJob, batch: Sequence[str], answer: process.ProcessResult, seconds: float
) -> Collection[str]:
    """Those of the batch that the tool has read, as far as it says; raises as `_counted` does."""
    if hasattr(job.tool, "reads"):
        told = {
            os.path.normpath(os.fsdecode(path)) for path in job.tool.reads(answer.error_lines())
        }
        return {path for path in batch if os.path.normpath(path) in told}
    if hasattr(job.tool, "answered"):
        read = set(map(os.path.normpath, job.tool.answered(answer.lines())))
        return {path for path in batch if os.path.normpath(path) in read}
    if hasattr(job.tool, "counts") and _number(job, answer) < len(batch):
        return _counted(job, batch, seconds)
    return batch


def _counted(job: LinterJob, batch: Sequence[str], seconds: float) -> set[str]:
    """Those that the tool reads, of which it only says how many they are: where that is not all of
    them, each half is asked for.

    Raises:
        LinterFailed: it came to no end.
        ValueError: it does not say.
    """
    wanted, read = [tuple(batch)], set[str]()
    while wanted:
        some = wanted.pop()
        argv = [*job.tool.argv(job.program, job.config, job.options.args), *some]
        answer = process.run_process(argv, cwd=job.root, env=job.env, deadline=seconds)
        try:
            if _passed_over(job, answer):
                continue
            if wrong := wrong_exit(answer, job, (*job.tool.CLEAN_EXITS, *job.tool.FOUND_EXITS)):
                raise wrong
            number = _number(job, answer)
        finally:
            answer.close()
        if number >= len(some):
            read.update(some)
        elif number:
            half = len(some) // 2
            wanted += [some[:half], some[half:]]
    return read


def _number(job: LinterJob, answer: process.ProcessResult) -> int:
    """How many files the tool says that it has read."""
    aside = getattr(job.tool, "COUNTS_ASIDE", False)
    return int(job.tool.counts(answer.error_lines() if aside else answer.lines()))


def _calls(job: LinterJob) -> Iterator[tuple[str, list[str]]]:
    """Where below its root the tool runs, and with which paths."""
    if not getattr(job.tool, "WHOLE_TREE", False):
        alone = getattr(job.tool, "ONE_BY_ONE", False)
        parts = ((path,) for path in job.paths) if alone else (job.paths,)
        yield from (("", batch) for part in parts for batch in batches(part))
    else:
        yield from (
            (folder, [])
            for folder in (
                job.tool.folders(job.root, job.paths) if hasattr(job.tool, "folders") else [""]
            )
        )


def _below(folder: str, raw: Finding) -> Finding:
    return replace(raw, path=os.path.normpath(os.path.join(folder, raw.path))) if folder else raw


def _relocation(job: LinterJob, root: str) -> Callable[[Finding], Finding]:
    """How a finding comes to the line of its file where the tool counts otherwise, and its edits
    become lines."""
    relocate = getattr(job.tool, "relocate", lambda finding, _read: finding)
    read = cache(lambda path: Path(root, path).read_bytes())
    lines = cache(lambda path: _line_count(read(path)))
    given = {os.path.normpath(path) for path in job.paths}

    def located(raw: Finding) -> Finding:
        finding = _inside(raw, root)
        if finding.path not in given:
            return settle_edits(finding, bytes)
        at = partial(read, finding.path)
        found = relocate(finding, at)
        return settle_edits(_within(found, lines(found.path)), at)

    return located


def _line_count(data: bytes) -> int:
    """As a diff counts."""
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def _within(finding: Finding, last: int) -> Finding:
    """The finding at the last line, where its tool means the end of the file by the line after it:
    a bracket that nothing closes."""
    if max(finding.line_start, finding.line_end) <= last:
        return finding
    start = min(finding.line_start, last)
    return replace(finding, line_start=start, line_end=last, column_start=0, column_end=0)


def _inside(raw: Finding, root: str) -> Finding:
    finding = place_finding(raw, root)
    if finding.path.startswith("/"):
        raise ValueError(f"it reports about {finding.path}, which it was not given")
    return finding


class _LinterOutput:
    """What a tool printed in one call, beside what its exit code says of it: where the two differ,
    neither can be believed."""

    def __init__(self, tool: Any) -> None:
        self._tool, self._spared = tool, getattr(tool, "spared", _none)
        self._found = self._failing = self._heard = 0
        self.paths: set[str] = set()

    def count(self, finding: Finding) -> None:
        self._heard += 1
        if finding.category == LEFT_OUT:
            return
        self._found += 1
        self._failing += not self._spared(finding)

    def check(self, code: int | None, beside: Callable[[], str]) -> None:
        silent = not self._heard if code in self._tool.CLEAN_EXITS else not self._found
        if silent and code not in self._tool.CLEAN_EXITS[:1]:
            raise LinterFailed(
                ReviewStatus.FAILED,
                f"exit code {code} means findings, but it printed none{beside()}",
            )
        if self._failing and code not in self._tool.FOUND_EXITS:
            raise LinterFailed(
                ReviewStatus.FAILED,
                f"exit code {code} means no findings, but it printed some: {self._failing}",
            )
        if getattr(self._tool, "EXIT_COUNTS", False) and self._failing % _EXIT_CODES != code:
            raise LinterFailed(
                ReviewStatus.FAILED,
                f"exit code {code} means as many errors, but it printed {self._failing}",
            )


def _words_beside(job: LinterJob, answer: process.ProcessResult) -> str:
    """Why it printed nothing, as far as it says so on standard error."""
    if getattr(job.tool, "STDERR", False) or not answer.err or any(answer.lines()):
        return ""
    return f": {strict.one_line(_reason(job, answer), _LONGEST_WHY)}"


def _reason(job: LinterJob, answer: process.ProcessResult) -> str:
    return str(getattr(job.tool, "why", _last_line)(answer.err))


def _none(_finding: Finding) -> bool:
    return False


def wrong_exit(
    answer: process.ProcessResult, job: LinterJob, well: tuple[int, ...]
) -> LinterFailed | None:
    """Why the run was no good, whatever it printed; None where it came to its end."""
    if answer.killed_reason == "deadline":
        more = f"linters.{job.name}.timeout and the run's deadline limit it"
        return LinterFailed(ReviewStatus.TIMEOUT, f"stopped after {answer.seconds:.0f} s; {more}")
    if answer.killed_reason:
        return LinterFailed(
            ReviewStatus.FAILED, f"stopped after {answer.seconds:.0f} s: {answer.killed_reason}"
        )
    if answer.code not in well:
        why = _reason(job, answer) if answer.err else "no error output"
        return LinterFailed(ReviewStatus.FAILED, f"exit code {answer.code}: {why}")
    crashed = getattr(job.tool, "crashed", _unknown)(answer.err) if answer.err else ""
    return LinterFailed(ReviewStatus.FAILED, crashed) if crashed else None


def _unknown(_err: str) -> str:
    return ""


def _last_line(err: str) -> str:
    return err.splitlines()[-1]

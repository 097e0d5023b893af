"""Running one linter: its batches, its output line by line, and what the change broke elsewhere in
its files."""

import os
import re
import site
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...findings.scope import ChangedLines
from ...model.change import Change
from ...model.config import LinterOptions
from ...model.finding import Finding
from ...model.review import Review, ReviewRequest, ReviewStatus
from ...system import process
from ...system.parallel import BackgroundCall
from ...text.strict import relative_path
from .._context import ReviewContext
from .._lines import OTHER_LINE_ENDS, as_file_finding
from .._program import VERSION_SECONDS, ProgramVersion, linter_version
from ._shared import LEFT_OUT, place_finding

_INFO = ".dist-info"


def package_version(program: str) -> str:
    """The version of the package with the program's name that brought this very file, by its own
    list of files; "" where none did."""
    name = os.path.basename(program)
    for folder in site.getsitepackages():
        with suppress(OSError, ValueError):
            for info in os.listdir(folder):
                if (
                    info.startswith(f"{name}-")
                    and info.endswith(_INFO)
                    and _brought(Path(folder), info, program)
                ):
                    return info.removeprefix(f"{name}-").removesuffix(_INFO)
    return ""


def _brought(folder: Path, info: str, program: str) -> bool:
    """The list has the program, with the size that it has."""
    listed = (folder / info / "RECORD").read_text("utf-8")
    size = os.stat(program).st_size
    rows = re.findall(
        rf"^([^,\n]*/{re.escape(os.path.basename(program))}),[^,\n]*,{size}$", listed, re.MULTILINE
    )
    return any(os.path.realpath(folder / row) == os.path.realpath(program) for row in rows)


_MOST = 500_000
# https://man7.org/linux/man-pages/man2/execve.2.html (limits on arguments)
_POINTER = 9  # bytes beside each argument's own: its address and its end


def batches(paths: Iterable[str]) -> Iterator[list[str]]:
    """The paths in their order, none of them in the form of an option."""
    batch: list[str] = []
    size = 0
    for path in paths:
        word = f"./{path}" if path.startswith("-") else path
        length = len(os.fsencode(word)) + _POINTER
        if batch and size + length > _MOST:
            yield batch
            batch, size = [], 0
        batch.append(word)
        size += length
    if batch:
        yield batch


_NONE = ("\0",)  # begins no rule


class LinterFailed(Exception):
    """The tool gave no answer; why is the message."""

    def __init__(self, status: ReviewStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class LinterJob(Struct, frozen=True):
    """One tool's work: its module, options, program, environment, paths, and where and with which
    config it runs."""

    name: str
    tool: Any
    options: LinterOptions
    program: str
    env: Mapping[str, str]
    paths: tuple[str, ...]
    root: Path
    config: Path | None


def run_linter(job: LinterJob, request: ReviewRequest, context: ReviewContext) -> Review:
    """The tool's review; findings on unchanged lines are counted, and kept only where this change
    caused them."""
    if not job.paths:
        return Review(
            "linters",
            job.name,
            ReviewStatus.SKIPPED,
            error="none of its files is text",
            required=False,
        )
    heard, started = _Heard(job, request), context.environment.clock()
    beside = cache(lambda: _SideQueries(job, context))
    try:
        for finding in _findings(job, context, beside):
            heard.take(finding)
        heard.kept += _caused_here(heard.elsewhere, job, request.change, context)
        covered, known = beside().covered(), beside().version.result()
        if known.error:
            raise LinterFailed(ReviewStatus.FAILED, known.error)
    except (LinterFailed, ValueError) as error:
        status = error.status if isinstance(error, LinterFailed) else ReviewStatus.UNPARSABLE
        return replace(
            heard.review(status), error=str(error), seconds=context.environment.clock() - started
        )
    covered = tuple(path for path in covered if path not in heard.left_out)
    return replace(heard.review(ReviewStatus.OK), covered=covered, version=known.number)


class _Heard:
    """What the tool has said so far: it stays when the tool breaks after that, since a broken tool
    may still be right."""

    def __init__(self, job: LinterJob, request: ReviewRequest) -> None:
        self._job = job
        self._scope = cache(lambda: _scope(request))
        self._odd = cache(
            lambda path: OTHER_LINE_ENDS.search((job.root / path).read_bytes()) is not None
        )
        self.kept: list[Finding] = []
        self.elsewhere: list[Finding] = []
        self.left_out: set[str] = set()
        self._found = 0

    def take(self, finding: Finding) -> None:
        """Keep it where it is about the change; `elsewhere` has those that the change may have
        caused."""
        if finding.category == LEFT_OUT:
            self.left_out.add(finding.path)
            return
        self._found += 1
        if self._scope().covers(finding):
            self.kept.append(finding)
        elif self._scope().diff_lines(finding.path) and self._odd(finding.path):
            self.kept.append(as_file_finding(finding, "as the tool counts"))
        elif finding.rule.startswith(getattr(self._job.tool, "CAUSED_ELSEWHERE", _NONE)):
            self.elsewhere.append(finding)

    def review(self, status: ReviewStatus) -> Review:
        """A review of that status with these findings."""
        return Review(
            "linters",
            self._job.name,
            status,
            tuple(self.kept),
            self._found,
            self._found - len(self.kept),
        )


class _SideQueries:
    """What is asked while the tool is at work: its version, and what it reads where the project's
    own settings decide that."""

    def __init__(self, job: LinterJob, context: ReviewContext) -> None:
        self.version = BackgroundCall(_version, job, context)
        read = (
            _read
            if hasattr(job.tool, "shows")
            else _counted
            if hasattr(job.tool, "counts")
            else None
        )
        self._read = (
            BackgroundCall(read, job, context)
            if read and (job.config is None or job.options.args)
            else None
        )
        self._given = job.paths
        context.while_running()

    def covered(self) -> tuple[str, ...]:
        return self._read.result() if self._read else self._given


def _scope(request: ReviewRequest) -> "ChangedLines":
    """The changed lines, asked for when the tool has ended: by then the hunks are there, and the
    program is read."""
    return ChangedLines(request.change)


def _findings(
    job: LinterJob, context: ReviewContext, meanwhile: Callable[[], object] | None = None
) -> Iterator[Finding]:
    """All that the tool says about its paths; `meanwhile` is for when it is at work.

    Raises:
        LinterFailed: it crashed, was too slow or said too much.
        ValueError: what it printed is not its format.
    """
    left, root = min(job.options.timeout, context.timeout), str(job.root.resolve())
    for folder, batch in _calls(job):
        argv = [*job.tool.argv(job.program, job.config, job.options.args), *batch]
        answer = process.run_process(
            argv,
            cwd=os.path.join(root, folder),
            env=job.env,
            deadline=max(0.1, left),
            meanwhile=meanwhile,
        )
        left -= answer.seconds
        try:
            wrong = _wrong(answer, job, (*job.tool.CLEAN_EXITS, *job.tool.FOUND_EXITS))
            # Interrupted, or more output than anybody should read
            if wrong and answer.killed_reason not in ("", "deadline"):
                raise wrong
            said = _LinterOutput(job.tool)
            try:
                for raw in job.tool.parse(answer.lines()):
                    said.count(raw)
                    yield _inside(
                        replace(raw, path=os.path.normpath(os.path.join(folder, raw.path)))
                        if folder
                        else raw,
                        root,
                    )
            except ValueError:
                if not wrong:  # why it broke says more than what that made of its output
                    raise
            if wrong:
                raise wrong
            said.check(answer.code)
        finally:
            answer.close()


def _calls(job: LinterJob) -> Iterator[tuple[str, list[str]]]:
    """Where below its root the tool runs, and with which paths."""
    if not getattr(job.tool, "WHOLE_TREE", False):
        yield from (("", batch) for batch in batches(job.paths))
    else:
        yield from (
            (folder, [])
            for folder in (
                job.tool.folders(job.root, job.paths) if hasattr(job.tool, "folders") else [""]
            )
        )


def _read(job: LinterJob, context: ReviewContext) -> tuple[str, ...]:
    """Those of the paths that the tool looks into.

    Raises:
        LinterFailed: it does not say.
    """
    root, read = str(job.root.resolve()), set()
    for batch in batches(job.paths):
        answer = process.run_process(
            [*job.tool.shows(job.program, job.config, job.options.args), *batch],
            cwd=job.root,
            env=job.env,
            deadline=context.timeout,
        )
        try:
            if wrong := _wrong(answer, job, job.tool.CLEAN_EXITS):
                raise wrong
            read |= {
                relative_path(os.fsdecode(line.rstrip(b"\n")), root) for line in answer.lines()
            }
        finally:
            answer.close()
    return tuple(path for path in job.paths if path in read)


def _counted(job: LinterJob, context: ReviewContext) -> tuple[str, ...]:
    """The same of a tool that only says how many files it has read: where that is not all of them,
    each half is asked for.

    Raises:
        LinterFailed: it came to no end.
        ValueError: it does not say.
    """
    wanted, read = [tuple(batch) for batch in batches(job.paths)], set[str]()
    while wanted:
        some = wanted.pop()
        argv = [*job.tool.argv(job.program, job.config, job.options.args), *some]
        answer = process.run_process(argv, cwd=job.root, env=job.env, deadline=context.timeout)
        try:
            if wrong := _wrong(answer, job, (*job.tool.CLEAN_EXITS, *job.tool.FOUND_EXITS)):
                raise wrong
            number = job.tool.counts(answer.lines())
        finally:
            answer.close()
        if number >= len(some):
            read.update(some)
        elif number:
            half = len(some) // 2
            wanted += [some[:half], some[half:]]
    return tuple(path for path in job.paths if path in read)


def _caused_here(
    suspects: list[Finding], job: LinterJob, change: Change, context: ReviewContext
) -> list[Finding]:
    """Of the findings on unchanged lines, those that were not there before: a removed import breaks
    a line far away.

    They become findings of the whole file.
    """
    files = [
        file
        for path in sorted({f.path for f in suspects})
        if (file := change.file(path)) and file.status != "A"
    ]
    if not files:
        return []
    root, config = context.checkout.folder_at_base(files), job.config
    older = replace(job, paths=tuple(file.old_path for file in files), root=root, config=config)
    names = {file.old_path: file.path for file in files}
    before = Counter(
        (names.get(f.path, f.path), f.rule, f.title) for f in _findings(older, context)
    )
    new = []
    for suspect in suspects:
        key = (suspect.path, suspect.rule, suspect.title)
        if before[key]:
            before[key] -= 1
        else:
            new.append(as_file_finding(suspect, "by this change"))
    return new


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
        self._found = self._failing = 0

    def count(self, finding: Finding) -> None:
        if finding.category == LEFT_OUT:
            return
        self._found += 1
        self._failing += not self._spared(finding)

    def check(self, code: int | None) -> None:
        if not self._found and code not in self._tool.CLEAN_EXITS:
            raise LinterFailed(
                ReviewStatus.FAILED, f"exit code {code} means findings, but it printed none"
            )
        if self._failing and code not in self._tool.FOUND_EXITS:
            raise LinterFailed(
                ReviewStatus.FAILED,
                f"exit code {code} means no findings, but it printed some: {self._failing}",
            )


def _none(_finding: Finding) -> bool:
    return False


def _wrong(
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
        why = getattr(job.tool, "why", _last_line)(answer.err) if answer.err else "no error output"
        return LinterFailed(ReviewStatus.FAILED, f"exit code {answer.code}: {why}")
    return None


def _last_line(err: str) -> str:
    return err.splitlines()[-1]


def _version(job: LinterJob, context: ReviewContext) -> ProgramVersion:
    """The one that was installed with us; of others what they say of themselves."""
    if packed := package_version(job.program):
        return ProgramVersion(packed)
    return linter_version(
        job.program, job.tool, job.env, min(VERSION_SECONDS, job.options.timeout, context.timeout)
    )

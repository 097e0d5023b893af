"""Running one linter: its batches, its answer line by line, and what the change broke elsewhere in its files."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..linters._shared import placed
from ..model.change import Change
from ..model.config import LinterOptions
from ..model.finding import Finding
from ..model.review import Request, Review, Status
from ..model.values import dataclass
from ..steps.strict import relative_path
from ..system import process
from ..system.kit import Kit
from ..system.together import Later
from ._batches import batches
from ._line_ends import OTHERS, of_the_file
from ._wheel import wheel_version

if TYPE_CHECKING:
    from ..steps.scope import Scope

_NONE = ("\0",)  # begins no rule


class Broken(Exception):
    """The tool gave no answer; why is the message."""

    def __init__(self, status: Status, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Job:
    """One tool's work: its module, options, program, environment, paths, and where and with which config it runs."""

    name: str
    tool: Any
    options: LinterOptions
    program: str
    env: Mapping[str, str]
    paths: tuple[str, ...]
    root: Path
    config: Path | None


def ask(job: Job, request: Request, kit: Kit) -> Review:
    """The tool's review; findings on unchanged lines are counted, and kept only where this change caused them."""
    if not job.paths:
        return Review("linters", job.name, Status.SKIPPED, error="none of its files is text", required=False)
    kept: list[Finding] = []
    elsewhere: list[Finding] = []
    found, started = 0, kit.world.clock()
    beside = cache(lambda: _Beside(job, kit))
    odd = cache(lambda path: OTHERS.search((job.root / path).read_bytes()) is not None)
    scope: Scope | None = None
    try:
        for finding in _findings(job, kit, beside):
            found += 1
            scope = scope or _scope(request)
            if scope.covers(finding):
                kept.append(finding)
            elif scope.shown(finding.path) and odd(finding.path):
                kept.append(of_the_file(finding, "as the tool counts"))
            elif finding.rule.startswith(getattr(job.tool, "CAUSED_ELSEWHERE", _NONE)):
                elsewhere.append(finding)
        kept += _caused_here(elsewhere, job, request.change, kit)
        covered = beside().covered()
    except Broken as broken:
        return Review("linters", job.name, broken.status, error=str(broken), seconds=kit.world.clock() - started)
    except ValueError as error:
        return Review("linters", job.name, Status.UNPARSABLE, error=str(error), seconds=kit.world.clock() - started)
    return Review("linters", job.name, Status.OK, tuple(kept), found, found - len(kept), covered, version=beside().version.result())


class _Beside:
    """What is asked while the tool is at work: its version, and what it reads where the project's own settings decide that."""

    def __init__(self, job: Job, kit: Kit) -> None:
        self.version = Later(_version, job)
        self._read = Later(_read, job, kit) if job.config is None and hasattr(job.tool, "shows") else None
        self._given = job.paths
        kit.meanwhile()

    def covered(self) -> tuple[str, ...]:
        return self._read.result() if self._read else self._given


def _scope(request: Request) -> "Scope":
    """The changed lines, asked for when the tool has ended: by then the hunks are there, and the program is read."""
    from ..steps.scope import Scope

    return Scope(request.change)


def _findings(job: Job, kit: Kit, meanwhile: Callable[[], object] | None = None) -> Iterator[Finding]:
    """All that the tool says about its paths; `meanwhile` is for when it is at work.

    Raises:
        Broken: it crashed, was too slow or said too much.
        ValueError: what it printed is not its format.
    """
    left, root = min(job.options.timeout, kit.timeout), str(job.root.resolve())
    for folder, batch in _calls(job):
        argv = [*job.tool.argv(job.program, job.config, job.options.args), *batch]
        answer = process.run(argv, cwd=os.path.join(root, folder), env=job.env, deadline=max(0.1, left), meanwhile=meanwhile)
        left -= answer.seconds
        try:
            _check(answer, job)
            for raw in job.tool.parse(answer.lines()):
                yield _inside(replace(raw, path=os.path.normpath(os.path.join(folder, raw.path))) if folder else raw, root)
        finally:
            answer.close()


def _calls(job: Job) -> Iterator[tuple[str, list[str]]]:
    """Where below its root the tool runs, and with which paths."""
    if not getattr(job.tool, "WHOLE_TREE", False):
        yield from (("", batch) for batch in batches(job.paths))
    else:
        yield from ((folder, []) for folder in (job.tool.folders(job.root, job.paths) if hasattr(job.tool, "folders") else [""]))


def _read(job: Job, kit: Kit) -> tuple[str, ...]:
    """Those of the paths that the tool looks into.

    Raises:
        Broken: it does not say.
    """
    root, read = str(job.root.resolve()), set()
    for batch in batches(job.paths):
        answer = process.run([*job.tool.shows(job.program, job.options.args), *batch], cwd=job.root, env=job.env, deadline=kit.timeout)
        try:
            _check(answer, job)
            read |= {relative_path(os.fsdecode(line.rstrip(b"\n")), root) for line in answer.lines()}
        finally:
            answer.close()
    return tuple(path for path in job.paths if path in read)


def _caused_here(suspects: list[Finding], job: Job, change: Change, kit: Kit) -> list[Finding]:
    """Of the findings on unchanged lines, those that were not there before: a removed import breaks a line far away.

    They become findings of the whole file.
    """
    files = [file for path in sorted({f.path for f in suspects}) if (file := change.file(path)) and file.status != "A"]
    if not files:
        return []
    root, config = kit.files.older(files), job.config
    older = replace(job, paths=tuple(file.old_path for file in files), root=root, config=config)
    names = {file.old_path: file.path for file in files}
    before = Counter((names.get(f.path, f.path), f.rule, f.title) for f in _findings(older, kit))
    new = []
    for suspect in suspects:
        key = (suspect.path, suspect.rule, suspect.title)
        if before[key]:
            before[key] -= 1
        else:
            new.append(of_the_file(suspect, "by this change"))
    return new


def _inside(raw: Finding, root: str) -> Finding:
    finding = placed(raw, root)
    if finding.path.startswith("/"):
        raise ValueError(f"it reports about {finding.path}, which it was not given")
    return finding


def _check(answer: process.Answer, job: Job) -> None:
    if answer.stopped == "deadline":
        more = f"linters.{job.name}.timeout and the run's deadline limit it"
        raise Broken(Status.TIMEOUT, f"stopped after {answer.seconds:.0f} s; {more}")
    if answer.stopped:
        raise Broken(Status.FAILED, f"stopped after {answer.seconds:.0f} s: {answer.stopped}")
    if answer.code not in job.tool.OK_EXITS:
        why = getattr(job.tool, "why", _last_line)(answer.err) if answer.err else "it said nothing"
        raise Broken(Status.FAILED, f"exit code {answer.code}: {why}")


def _last_line(err: str) -> str:
    return err.splitlines()[-1]


def _version(job: Job) -> str:
    """The one that was installed with us; for others the first word with a dot and a digit in what `--version` prints."""
    if packed := wheel_version(job.program):
        return packed
    answer = process.run([job.program, "--version"], cwd="/", env=job.env, deadline=10)
    found = re.search(rb"\d+\.\d[\w.+-]*", answer.out)
    answer.close()
    return found[0].decode() if found else ""

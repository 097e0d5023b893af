"""One linter's review: what it says of the head and of the base of some files; and of all such
answers together, which of that is new, and which files it read."""

import os
import re
import site
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...findings.differ import SYNTAX_CATEGORY
from ...findings.scope import ChangedLines
from ...git.objects import read_blobs
from ...model.change import Change, FileDiff
from ...model.finding import Finding, Priority
from ...model.review import PartialReview, Review, ReviewRequest, ReviewStatus
from ...system import process
from ...system.parallel import BackgroundCall
from ...text.strict import relative_path
from .._context import ReviewContext
from .._lines import OTHER_LINE_ENDS, as_file_finding
from .._meant_broken import MeantBroken
from .._program import VERSION_SECONDS, ProgramVersion, linter_version
from ..checks._paths import is_foreign
from ._base import BaseTool, ask_base, base_decides, compare_with_base
from ._explain import explain_findings
from ._injected import weigh_injected
from ._required_php import without_unproven
from ._run import LinterFailed, LinterJob, ask_linter, batches, wrong_exit
from ._shared import LEFT_OUT
from ._targets import FILES, HEADINGS, without_known_targets
from ._uninstalled_php import without_unknown_packages
from ._unsaid import weigh_unsaid

_UNDEFINED, _RIGHTS = "ruff/F821", "zizmor/excessive-permissions"
_NONE = ("\0",)  # begins no rule
_WORK_TREE_ONLY = (
    "not compared with the base (it runs in the work tree alone): "
    "only findings on changed lines count"
)
_READS_FILES = (
    "the change's expressions read files, and the tool's answer would tell what these hold, so it "
    "runs only on changes that you made or approved"
)
NO_TEXT_FILES = "none of its files is text"
_GRAVEST = (
    ReviewStatus.FAILED, ReviewStatus.UNPARSABLE, ReviewStatus.TIMEOUT, ReviewStatus.UNAVAILABLE,
    ReviewStatus.SKIPPED, ReviewStatus.OK,
)  # fmt: skip
_LEAST_SECONDS = 1.0  # for the base, when the head took all the time there was


def ask_files(job: LinterJob, request: ReviewRequest, context: ReviewContext) -> PartialReview:
    """What the tool says of the job's files, at head and where the base decides at base."""
    if not job.paths:
        return PartialReview(
            Review("linters", job.name, ReviewStatus.SKIPPED, error=NO_TEXT_FILES, required=False)
        )
    withheld = _withheld(job, request.without_hunks)
    job = job.limited_to([path for path in job.paths if path not in withheld])
    if not job.paths:
        return PartialReview(
            Review("linters", job.name, ReviewStatus.SKIPPED, error=_READS_FILES, required=False)
        )
    meant = MeantBroken(request.without_hunks, context.checkout.read_trusted)
    heard, started = _Heard(job, request, meant), context.environment.clock()
    beside = cache(lambda: _SideQueries(job, context))
    try:
        for finding in ask_linter(job, context, beside):
            heard.take(finding)
        seconds = context.environment.clock() - started
        left = replace(context, timeout=max(_LEAST_SECONDS, context.timeout - seconds))
        heard.ask_base(left, lambda: beside().version.result().number)
        covered, known = beside().covered(), beside().version.result()
        if known.error:
            raise LinterFailed(ReviewStatus.FAILED, known.error)
    except (LinterFailed, ValueError) as error:
        status = error.status if isinstance(error, LinterFailed) else ReviewStatus.UNPARSABLE
        seconds = context.environment.clock() - started
        return heard.answer(status, error=str(error), seconds=seconds)
    covered = tuple(path for path in covered if path not in heard.left_out)
    covered = _without_new_parts(covered, job, request.change, context)
    return heard.answer(ReviewStatus.OK, covered=covered, version=known.number)


def _withheld(job: LinterJob, change: Change) -> frozenset[str]:
    """The paths that the tool must not read in a change of somebody else's: it would read files of
    this machine for them."""
    if change.trusted or change.made_here or not hasattr(job.tool, "withheld"):
        return frozenset()
    named: frozenset[str] = job.tool.withheld(job.root, job.paths)
    return named


def _without_new_parts(
    paths: tuple[str, ...], job: LinterJob, change: Change, context: ReviewContext
) -> tuple[str, ...]:
    """The paths but those in which the change puts something that the tool leaves out."""
    if not hasattr(job.tool, "unread_parts"):
        return paths
    files = {file.path: file for file in change.files}

    def brings_some(path: str) -> bool:
        file = files[path]
        parts = job.tool.unread_parts(path, lambda: (job.root / path).read_bytes())
        if parts and file.status != "A" and path not in job.newly_read:
            old = read_blobs(context.git, [file.old_oid]).get(file.old_oid, b"")
            parts -= job.tool.unread_parts(file.old_path, lambda: old)
        return bool(parts)

    return tuple(path for path in paths if not brings_some(path))


def join_parts(
    parts: Sequence[PartialReview], job: LinterJob, request: ReviewRequest, context: ReviewContext
) -> Review:
    """The tool's review of all files, which the base has decided about together: code that was
    moved is old wherever it stands now. Findings on unchanged lines are counted, and kept only
    where this change caused them."""
    started, joined = context.environment.clock(), join_reviews(parts)
    undecided = [finding for part in parts for finding in part.undecided]
    if undecided:
        base = BaseTool(job, context, lambda: _version(job, context).number)
        on_base = [finding for part in parts for finding in part.on_base]
        error = next((part.base_error for part in parts if part.base_error), "")
        scope = ChangedLines(request.change)
        comparison = compare_with_base(undecided, on_base, base, scope, error)
        unreviewed = set(comparison.unreviewed)
        joined = replace(
            joined,
            findings=(*joined.findings, *comparison.kept),
            covered=tuple(path for path in joined.covered if path not in unreviewed),
            note=comparison.note or joined.note,
        )
    outside = joined.found - len(joined.findings)
    note = joined.note or (_WORK_TREE_ONLY if outside and not job.compared else "")
    # A link that leads somewhere was never found; nothing else may be lost here
    left = _without_known_targets(joined.findings, request, context)
    found = joined.found - (len(joined.findings) - len(left))
    findings = _weigh(left, request, context)
    joined = replace(joined, found=found, outside=outside, note=note, findings=findings)
    joined = without_unproven(joined, context.checkout.read_trusted)
    joined = without_unknown_packages(joined, job.root)
    if joined.status is not ReviewStatus.OK or not hasattr(job.tool, "explain") or not job.program:
        return joined
    seconds = context.timeout - (context.environment.clock() - started)
    return replace(joined, findings=explain_findings(joined.findings, job, seconds))


def join_reviews(parts: Sequence[PartialReview]) -> Review:
    """The answers about several pieces as one, which is whole where all are; what is undecided is
    not in it."""
    reviews = [part.review for part in parts]
    reviews = [each for each in reviews if each.error != NO_TEXT_FILES] or reviews[:1]
    first = min(reviews, key=lambda each: _GRAVEST.index(each.status))
    failed = sum(each.status is not ReviewStatus.OK for each in reviews)
    where = f"{failed} of {len(reviews)} parts: " if failed and len(reviews) > 1 else ""
    versions = dict.fromkeys(each.version for each in reviews if each.version)
    return replace(
        first,
        error=f"{where}{first.error}",
        findings=tuple(finding for each in reviews for finding in each.findings),
        found=sum(each.found for each in reviews),
        outside=sum(each.outside for each in reviews),
        covered=tuple(path for each in reviews for path in each.covered),
        version=", ".join(versions),
        note="; ".join(dict.fromkeys(each.note for each in reviews if each.note)),
        required=any(each.required for each in reviews),
        seconds=round(sum(each.seconds for each in reviews), 3),
        began=min(each.began for each in reviews),
    )


def _weigh(
    findings: tuple[Finding, ...], request: ReviewRequest, context: ReviewContext
) -> tuple[Finding, ...]:
    """What other files, or the base, say about how much a finding weighs."""
    rules = {finding.rule for finding in findings}
    if _UNDEFINED in rules:
        findings = weigh_injected(findings, request.change, context.git)
    if _RIGHTS in rules:
        findings = weigh_unsaid(findings, request.change, context.git)
    return tuple(map(_weigh_copy, findings))


def _without_known_targets(
    findings: tuple[Finding, ...], request: ReviewRequest, context: ReviewContext
) -> tuple[Finding, ...]:
    if not any(finding.rule in (HEADINGS, FILES) for finding in findings):
        return findings
    return without_known_targets(findings, request.change, context.git)


def _weigh_copy(finding: Finding) -> Finding:
    """In the copy of a library, which nobody here writes, a finding below P1 is a hint."""
    if finding.priority is not Priority.P2 or not is_foreign(finding.path):
        return finding
    return replace(finding, priority=Priority.P3)


class _Heard:
    """What the tool has said so far: it stays when the tool breaks after that, since a broken tool
    may still be right."""

    def __init__(self, job: LinterJob, request: ReviewRequest, meant: MeantBroken) -> None:
        self._job, self._meant = job, meant
        # When the tool has ended, the hunks are there
        self._scope = cache(lambda: ChangedLines(request.change))
        self._odd = cache(
            lambda path: OTHER_LINE_ENDS.search((job.root / path).read_bytes()) is not None
        )
        self.left_out: set[str] = set()
        self._kept: list[Finding] = []
        self._compared: list[Finding] = []
        self._undecided: tuple[Finding, ...] = ()
        self._on_base: Sequence[Finding] = ()
        self._found, self._base_error = 0, ""
        self._goes: bool | None = None

    def take(self, finding: Finding) -> None:
        """Keep it where the changed lines alone decide; the base decides about the others."""
        if finding.category == LEFT_OUT:
            self.left_out.add(finding.path)
            return
        scope, finding = self._scope(), self._meant.weigh(finding)
        file = scope.files.get(finding.path)
        if finding.category == SYNTAX_CATEGORY and not finding.priority.reaches("P1"):
            self.left_out.add(finding.path)  # the tool cannot read it, and that may be meant
        if base_decides(self._job.tool, finding) and not self._has_base(file):
            self.left_out.add(finding.path)
            return
        self._found += 1
        covered = scope.covers(finding)
        if file and self._is_for_the_base(file, finding, covered):
            self._compared.append(finding)
        elif covered:
            self._kept.append(finding)
        elif file and self._odd(finding.path):
            self._kept.append(as_file_finding(finding, "as the tool counts"))

    def _has_base(self, file: FileDiff | None) -> bool:
        """The tool read the file before, and can be asked about that."""
        was = file is not None and file.status != "A" and file.path not in self._job.newly_read
        return was and self._job.compared

    def _is_for_the_base(self, file: FileDiff, finding: Finding, covered: bool) -> bool:
        """The base may have it: not that nobody could read the file, which no base excuses."""
        if finding.category == SYNTAX_CATEGORY and not finding.line_start:
            return False
        if self._job.compared and (file.status != "A" or self._something_goes()):
            return not self._odd(finding.path)
        if file.status != "A" and finding.path in self._job.newly_read:
            return not self._odd(finding.path)
        suspects = getattr(self._job.tool, "CAUSED_ELSEWHERE", _NONE)
        return not covered and finding.rule.startswith(suspects)

    def _something_goes(self) -> bool:
        """The change takes code away, which may stand elsewhere now."""
        if self._goes is None:
            self._goes = any(f.status in "MRD" for f in self._scope().files.values())
        return self._goes

    def ask_base(self, context: ReviewContext, version: Callable[[], str]) -> None:
        """Hear what it says of the base, if that is to decide about something."""
        if self._compared:
            base = BaseTool(self._job, context, version)
            self._on_base, self._base_error = ask_base(self._compared, base, self._scope())
        self._undecided, self._compared = tuple(self._compared), []

    def answer(self, status: ReviewStatus, **more: Any) -> PartialReview:
        """An answer of that status with these findings; of a tool that broke before the base was
        asked, changed lines decide."""
        kept = (*self._kept, *filter(self._scope().covers, self._compared))
        review = Review("linters", self._job.name, status, kept, self._found, **more)
        return PartialReview(
            review,
            undecided=self._undecided,
            on_base=tuple(self._on_base),
            base_error=self._base_error,
        )


class _SideQueries:
    """What is asked while the tool is at work: its version, and what it reads where it can say."""

    def __init__(self, job: LinterJob, context: ReviewContext) -> None:
        self.version = BackgroundCall(_version, job, context)
        asked = hasattr(job.tool, "shows")
        self._read = BackgroundCall(_read, job, context) if asked else None
        self._given = job.paths
        context.while_running()

    def covered(self) -> tuple[str, ...]:
        return self._read.result() if self._read else self._given


def _read(job: LinterJob, context: ReviewContext) -> tuple[str, ...]:
    """Those of the paths that the tool looks into: all, with our settings and the program that was
    installed with us. Another one that says nothing may have read nothing.

    Raises:
        LinterFailed: it does not say.
    """
    if job.config is not None and not job.options.args and package_version(job.program):
        return job.paths
    root, read = str(job.root.resolve()), set()
    for batch in batches(job.paths):
        answer = process.run_process(
            [*job.tool.shows(job.program, job.config, job.options.args), *batch],
            cwd=job.root,
            env=job.env,
            deadline=context.timeout,
        )
        try:
            if wrong := wrong_exit(answer, job, job.tool.CLEAN_EXITS):
                raise wrong
            read |= {
                relative_path(os.fsdecode(line.rstrip(b"\n")), root) for line in answer.lines()
            }
        finally:
            answer.close()
    return tuple(path for path in job.paths if path in read)


def _version(job: LinterJob, context: ReviewContext) -> ProgramVersion:
    """The one that was installed with us; of others what they say of themselves."""
    if packed := package_version(job.program):
        return ProgramVersion(packed)
    return linter_version(
        job.program, job.tool, job.env, min(VERSION_SECONDS, job.options.timeout, context.timeout)
    )


_INFO = ".dist-info"


@cache
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

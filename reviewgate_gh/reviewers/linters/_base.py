"""The same linter on the base: which of its findings the change did not bring, wherever they
stand."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import compress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ... import __version__
from ...findings.differ import (
    OFF_DIFF,
    SYNTAX_CATEGORY,
    ComparedFinding,
    describe,
    find_new,
    renamed_units,
    spoken_key,
)
from ...findings.lines import quote_unshown
from ...findings.scope import ChangedLines
from ...findings.source_text import SourceText
from ...git.objects import read_blobs
from ...model.change import FileDiff
from ...model.finding import Finding, FindingState, Priority, sha256_hex
from ...model.review import ReviewStatus
from ...text.visible import is_valid_unicode, show_hidden
from .._context import ReviewContext
from .._known_answers import open_known_answers
from ._job import file_matcher
from ._run import LinterFailed, LinterJob, ask_linter

MOST_COMPARED = 20_000  # findings of one tool
_ON_BASE = "{tool} also reports it on the base"
_EDITED = " The statement that stood here had the same before this change."
_NOT_COMPARED = "not compared with the base ({why}): only findings on changed lines count"
_DECIDING = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE")  # variables
_NONE = ("\0",)  # begins no rule
_MOST_SOURCES = 200  # files from which code may have been moved


class BaseComparison(Struct, frozen=True):
    """The findings that count, and old ones on changed lines with the reason why they do not.

    `unreviewed` are files that the tool could not parse before either, or in which it found things
    elsewhere that might be new; `note` says why.
    """

    kept: tuple[Finding, ...] = ()
    unreviewed: tuple[str, ...] = ()
    note: str = ""


class BaseTool:
    """The tool's answers about the files as they were."""

    def __init__(self, job: LinterJob, context: ReviewContext, version: Callable[[], str]) -> None:
        self.job, self.context, self._version = job, context, version
        # Our defaults are about the files alone
        self._neighbours = getattr(job.tool, "NEIGHBOURS", ()) if job.config is None else ()

    def ask(self, files: Sequence[FileDiff]) -> Sequence[Finding]:
        """What it says of these files.

        Raises:
            LinterFailed, ValueError: as `ask_linter`.
        """
        if not files:
            return ()
        if not self.job.program:
            why = f"{self.job.tool.PROGRAM} is not installed here"
            raise LinterFailed(ReviewStatus.UNAVAILABLE, why)
        context = self.context
        root = context.checkout.folder_at_base(files, self._neighbours)
        job = replace(self.job, paths=tuple(file.old_path for file in files), root=root)
        known = open_known_answers(
            context.git.common, "linters", Finding, context.environment.in_ci
        )
        digest = self._digest(job)
        found = known.get(digest) if digest else None
        if found is None:
            found = tuple(ask_linter(job, context))
            if digest:
                known.save(digest, found)
        return found

    def _digest(self, job: LinterJob) -> str:
        """Of everything that decides the answer; "" where the program does not say its version."""
        version = self._version()
        try:
            program = os.stat(job.program)
        except OSError:
            return ""
        if not version:
            return ""
        parts = (
            __version__,
            job.name,
            version,
            f"{os.path.realpath(job.program)} {program.st_size} {program.st_mtime_ns}",
            str(job.config),
            *job.options.args,
            *(f"{name}={job.env[name]}" for name in _DECIDING if name in job.env),
            "",
            *job.paths,
            "",
            self.context.checkout.base_digest(self._neighbours),
        )
        return sha256_hex("\n".join(parts))


def ask_base(
    found: Sequence[Finding], base: BaseTool, changed_lines: ChangedLines
) -> tuple[tuple[Finding, ...], str]:
    """What the tool says of the base of the files in which it has found something, and which it had
    read before; or why it says nothing."""
    if len(found) > MOST_COMPARED:
        return (), ""
    try:
        return tuple(base.ask(_before(found, base.job, changed_lines))), ""
    except (LinterFailed, ValueError) as error:
        return (), str(error)


def _before(
    found: Sequence[Finding], job: LinterJob, changed_lines: ChangedLines
) -> list[FileDiff]:
    undecided = dict.fromkeys(
        finding.path
        for finding in found
        if base_decides(job.tool, finding) or not _is_added(finding, changed_lines)
    )
    return [changed_lines.files[path] for path in undecided if path not in job.newly_read]


def compare_with_base(
    found: Sequence[Finding],
    on_base: Sequence[Finding],
    base: BaseTool,
    changed_lines: ChangedLines,
    error: str = "",
) -> BaseComparison:
    """Which of the findings are new, by what the tool says of the base; it is asked once more about
    files from which the code of others may have been moved.

    A base that it cannot read (`error`) decides nothing: then the changed lines say what is new.
    What the tool said of a base in an earlier run is known, if its version is ("": it is not).
    """
    if not found:
        return BaseComparison()
    job = base.job
    if len(found) > MOST_COMPARED:
        return _by_lines(found, changed_lines, f"it has more than {MOST_COMPARED:,} findings")
    if error:
        return _without_doubts(job, _by_lines(found, changed_lines, error))
    sides = _Sides(found, changed_lines.files, base.context)
    before = _before(found, job, changed_lines)
    try:
        sides.read_base(on_base)
        is_new = sides.find_new(changed_lines)
        moved = {sides.first_line(finding) for finding in compress(found, is_new)} - {b""}
        sources = _losing(moved, job, changed_lines, base.context) if moved else []
        sources = [file for file in sources if file not in before]
        if sources:
            sides.read_base(base.ask(sources))
            is_new = sides.find_new(changed_lines)
    except (LinterFailed, ValueError) as failed:
        return _without_doubts(job, _by_lines(found, changed_lines, str(failed)))
    old = [finding for finding, new in zip(found, is_new, strict=True) if not new]
    unparsed = tuple(dict.fromkeys(f.path for f in old if f.category == SYNTAX_CATEGORY))
    doubted = {finding.path for finding in old if base_decides(job.tool, finding)}
    kept = tuple(
        finding
        for finding in _kept(sides.counted(is_new), is_new, job.name, changed_lines, sides)
        if not (finding.path in doubted and base_decides(job.tool, finding))
    )
    note = _unparsed_note([path for path in unparsed if path not in doubted])
    return BaseComparison(kept, unparsed, note)


def base_decides(tool: Any, finding: Finding) -> bool:
    """The finding says something only if the base has none like it."""
    return finding.rule.startswith(getattr(tool, "BASE_DECIDES", _NONE))


def _without_doubts(job: LinterJob, comparison: BaseComparison) -> BaseComparison:
    doubts = [finding for finding in comparison.kept if base_decides(job.tool, finding)]
    kept = tuple(finding for finding in comparison.kept if finding not in doubts)
    unread = dict.fromkeys((*comparison.unreviewed, *(finding.path for finding in doubts)))
    return replace(comparison, kept=kept, unreviewed=tuple(unread))


def _as_edit(finding: Finding) -> Finding:
    """The statement is another one than before, and no better."""
    if finding.priority is not Priority.P2:
        return finding
    return replace(finding, priority=Priority.P3, body=f"{finding.body}{_EDITED}".strip())


def _unparsed_note(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    return f"it cannot parse {show_hidden(paths[0])}{more}, and could not before this change"


def _is_added(finding: Finding, changed_lines: ChangedLines) -> bool:
    """It stands on new lines of a file that loses none: no base has it there."""
    lines = changed_lines.diff_lines(finding.path)
    span = finding.line_start, finding.line_end
    return finding.line_start > 0 and lines is not None and lines.only_adds(*span)


def _by_lines(found: Iterable[Finding], changed_lines: ChangedLines, why: str) -> BaseComparison:
    """What stands on changed lines counts. Nobody knows what of the rest is new, so that its files
    are not reviewed."""
    kept, unsure = list[Finding](), dict[str, None]()
    for finding in found:
        if changed_lines.covers(finding):
            kept.append(finding)
        else:
            unsure[finding.path] = None
    return BaseComparison(tuple(kept), tuple(unsure), _NOT_COMPARED.format(why=why))


class _Sides:
    """The findings at head, and the texts of both sides, read when they are asked for."""

    def __init__(
        self, found: Sequence[Finding], files: Mapping[str, FileDiff], context: ReviewContext
    ) -> None:
        self._found, self._all, self._git = found, files, context.git
        self.files = [files[path] for path in dict.fromkeys(f.path for f in found)]
        self._names = {file.old_path: path for path, file in files.items()}
        self._spoken = {spoken_key(finding) for finding in found}
        self._before: list[ComparedFinding] = []
        self._broken: set[str] = set()
        self._blobs: dict[str, bytes] = {}
        self._lines = cache(lambda path: self._blob(files[path].oid).split(b"\n"))
        self.head = cache(lambda path: SourceText(path, self._blob(files[path].oid)))
        self._base = cache(lambda path: SourceText(path, self._blob(files[path].old_oid)))
        self._renamed = cache(self._renamed_units)

    def read_base(self, findings: Iterable[Finding]) -> None:
        """Take what may be the same as at head; a base with syntax errors shows the tool little
        else."""
        for finding in findings:
            path = self._names.get(finding.path, "")
            if finding.category == SYNTAX_CATEGORY:
                self._broken.add(path)
            if path and spoken_key(finding) in self._spoken:
                text = partial(self._base, path)
                self._before.append(describe(finding, path, text))

    def find_new(self, changed_lines: ChangedLines) -> tuple[bool, ...]:
        """Of each finding at head, whether it is new; where the base has syntax errors, what stands
        on changed lines is."""
        compared = [
            finding.category == SYNTAX_CATEGORY or finding.path not in self._broken
            for finding in self._found
        ]
        now = [
            describe(f, f.path, partial(self.head, f.path)) for f in compress(self._found, compared)
        ]
        is_new = iter(find_new(now, self._before, self._renamed))
        return tuple(
            next(is_new) if by_base else changed_lines.covers(finding)
            for finding, by_base in zip(self._found, compared, strict=True)
        )

    def count_older(self, is_new: Sequence[bool]) -> list[int]:
        """Of each new finding, how many old ones are about an equal statement of the same
        definition; of an old one 0."""
        said = [(f.path, *spoken_key(f)) for f in self._found]
        alike = {s for s, new in zip(said, is_new, strict=True) if new} & {
            s for s, new in zip(said, is_new, strict=True) if not new
        }
        keys = [self._key(f) if s in alike else () for f, s in zip(self._found, said, strict=True)]
        old = Counter(key for key, new in zip(keys, is_new, strict=True) if key and not new)
        return [old[key] if new else 0 for key, new in zip(keys, is_new, strict=True)]

    def counted(self, is_new: Sequence[bool]) -> list[Finding]:
        """The findings, each with the number of old ones like it; on an edited statement with less
        weight."""
        older, edited = self.count_older(is_new), self.find_edited(is_new)
        found = [replace(f, older=n) if n else f for f, n in zip(self._found, older, strict=True)]
        return [_as_edit(f) if at in edited else f for at, f in enumerate(found)]

    def find_edited(self, is_new: Sequence[bool]) -> frozenset[int]:
        """Which new findings are about statements that the change edits: the same definition had
        at least as many that said the same."""
        said = {before.words for before in self._before}
        now = dict[int, tuple[object, ...]]()
        for at, finding in enumerate(self._found):
            told = describe(finding, finding.path, partial(self.head, finding.path))
            if not told.is_syntax and told.words in said and told.unit:
                unit = self._renamed(told.path).get(told.unit, told.unit)
                now[at] = told.path, unit, *told.words
        most = Counter(now.values())
        base = Counter((each.path, each.unit, *each.words) for each in self._before if now)
        return frozenset(at for at, key in now.items() if is_new[at] and most[key] <= base[key])

    def _key(self, finding: Finding) -> tuple[object, ...]:
        told = describe(finding, finding.path, partial(self.head, finding.path))
        return told.path, told.unit, *told.code

    def first_line(self, finding: Finding) -> bytes:
        """Where the finding begins, without the spaces around it."""
        lines = self._lines(finding.path)
        at = finding.line_start
        return lines[at - 1].strip() if 0 < at <= len(lines) else b""

    def _renamed_units(self, path: str) -> Mapping[str, str]:
        return renamed_units(self.head(path).units, self._base(path).units)

    def _blob(self, oid: str) -> bytes:
        if oid not in self._blobs:
            wanted = {each for file in self.files for each in (file.oid, file.old_oid)} | {oid}
            self._blobs |= dict.fromkeys(wanted, b"")
            self._blobs |= read_blobs(self._git, sorted(wanted))
        return self._blobs[oid]


def _losing(
    lines: set[bytes], job: LinterJob, changed_lines: ChangedLines, context: ReviewContext
) -> list[FileDiff]:
    """The files that lose such a line, and that the tool read."""
    is_taken = file_matcher(job.tool)
    found = [
        file
        for path, file in changed_lines.files.items()
        if file.status in "MRD"
        and file.old_mode.startswith("100")
        and path not in context.excluded
        and path not in job.newly_read
        and is_valid_unicode(file.old_path)
        and is_taken(file.old_path, b"")
        and any(
            row[:1] == b"-" and row[1:].strip() in lines
            for hunk in file.hunks
            for row in hunk.body.split(b"\n")
        )
    ]
    return found[:_MOST_SOURCES]


def _kept(
    found: Sequence[Finding],
    is_new: Sequence[bool],
    tool: str,
    changed_lines: ChangedLines,
    sides: _Sides,
) -> Iterator[Finding]:
    """New ones count wherever they stand; of old ones those on changed lines are kept."""
    for finding, new in zip(found, is_new, strict=True):
        here = changed_lines.covers(finding)
        if not new and here:
            note = _ON_BASE.format(tool=tool)
            yield replace(finding, state=FindingState.OUTSIDE_DIFF, note=note)
        elif new and _is_shown(finding, changed_lines):
            yield replace(finding, compared=True)
        elif new:
            quote = quote_unshown(finding, sides.head(finding.path).line)
            yield replace(finding, compared=True, excerpt=quote, note=OFF_DIFF)


def _is_shown(finding: Finding, changed_lines: ChangedLines) -> bool:
    """The diff shows its line; or it is about the file as a whole."""
    lines = changed_lines.diff_lines(finding.path)
    shown = lines is not None and lines.text(finding.line_start) is not None
    return shown or not finding.line_start

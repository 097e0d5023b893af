"""Suppressions in the code itself: ours, and the tools' own.

Ours is `reviewgate-gh: ignore[rule] reason` on the line or alone on the line above; without a
reason it does nothing. In a change that is not trusted, a suppression on an added line is the
change's word against the reviewer's, and one in a statement that the change edits was made for
other code, as was one to which the change gives more to silence: tools get a copy in which it is
defused, and afterwards it may clear a P2 or P3 but never a P0 or P1.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property

from msgspec.structs import replace

from ..model.change import FileDiff
from ..model.finding import Finding, FindingState, Priority
from ..text.patterns import lazy_pattern
from .lines import DiffLines
from .scope import ChangedLines
from .source_text import SourceText
from .suppression_blocks import BlockSuppression, block_suppressions, widened_suppressions
from .suppression_comments import DEFUSED, defuse, find_suspects

_OURS = lazy_pattern(r"reviewgate-gh:\s*ignore\[([^\]\n]+)\][ \t:,-]*(.*)")
_COMMENT_ONLY = lazy_pattern(r"\s*(?:#|//|/\*|--|;|<!--|%|\*)")
_ENDS = lazy_pattern(r"\s*(?:\*/|-->)\s*$")
_OWN_RULES = "builtin/"  # the tools' comments never spoke to these
_CLEARED_BY_NEW = (Priority.P2, Priority.P3)
# The codes of ruff, bandit, shellcheck and the like; others name rules in words of their own
_RULE_CODE = lazy_pattern(r"\b(?:[A-Z]{1,7}\d{2,5})\b")
_OF_OTHER_CODE = "the suppression on line {line} was made for other code, so it does not apply"
_NOT_CLEARED = "a suppression added by this change does not apply to it"
# How the note of a finding begins whose own tool says that a comment excuses it
SUPPRESSED_NOTE = "suppressed in the source"


class SuppressionFilter:
    """What tools may see of the files of a change that is not trusted, and what they were not shown
    for it; `files` waits for the hunks."""

    def __init__(self, files: Callable[[], Iterable[FileDiff]]) -> None:
        self._files = files
        self._widened: dict[str, Sequence[BlockSuppression]] = {}

    def at_head(self, path: str, data: bytes) -> bytes:
        """The content with every tool suppression on an added line, in a statement with one, or
        with more to silence than before made unreadable; all positions stay."""
        file = self._by_path[path]
        widened = self._widened[path] = widened_suppressions(file, data)
        return _neutralised(file, data, frozenset(each.line for each in widened))

    def at_base(self, old_path: str, data: bytes) -> bytes:
        """The content at base, where those with more to silence at head count no more either, nor
        those that the change spells in another way: what they silenced is old."""
        path = self._names.get(old_path, "")
        numbers = {*block_suppressions(data)} if self.widened(path) else set[int]()
        numbers |= _respelt(self._by_path[path]) if path else set()
        if not numbers:
            return data
        rows = data.split(b"\n")
        for number in numbers:
            rows[number - 1] = defuse(rows[number - 1])
        return b"\n".join(rows)

    def widened(self, path: str) -> Sequence[BlockSuppression]:
        """The suppressions at head that no tool saw because the change gives them more to
        silence."""
        return self._widened.get(path, ())

    @cached_property
    def _by_path(self) -> Mapping[str, FileDiff]:
        return {file.path: file for file in self._files()}

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {file.old_path: path for path, file in self._by_path.items() if file.status != "C"}


def _neutralised(file: FileDiff, data: bytes, widened: frozenset[int]) -> bytes:
    shown, parts, done, number = DiffLines(file), list[bytes](), 0, 1
    text = cache(lambda: SourceText(file.path, data))
    before = 0
    for start, end in sorted(set(find_suspects(data))):
        number += data.count(b"\n", before, start)
        before = start
        if number in widened or shown.adds(number, number) or _edits(shown, text(), number):
            parts += [data[done:start], defuse(data[start:end])]
            done = end
    return b"".join([*parts, data[done:]])


def _respelt(file: FileDiff) -> set[int]:
    """The lines of the base whose code stays, with another suppression behind it."""
    old, new = dict[int, bytes](), set[bytes]()
    hunks = (hunk for hunk in file.hunks if next(find_suspects(hunk.body), None))
    for sign, before, _after, row in (line for hunk in hunks for line in hunk.lines()):
        if defuse(row) == row:
            continue
        code = (
            row[: found.start()].rstrip(_COMMENT_SIGNS) if (found := DEFUSED.search(row)) else row
        )
        if code and sign == "-":
            old[before] = code
        elif code and sign == "+":
            new.add(code)
    return {number for number, code in old.items() if code in new}


_COMMENT_SIGNS = b" \t#/*-;"


def _edits(shown: DiffLines, text: SourceText, number: int) -> bool:
    """The change adds a line to the statement at this line, or below this comment."""
    below = _COMMENT_ONLY.match(text.line(number)) is not None
    rows = text.rows(number + below)
    return bool(rows) and shown.adds(rows[0], rows[-1])


def apply_suppressions(
    findings: Iterable[Finding],
    changed_lines: ChangedLines,
    trusted: bool,
    widened: Callable[[str], Sequence[BlockSuppression]] = lambda path: (),
) -> tuple[Finding, ...]:
    """Open findings that the code itself excuses become `waived`, as far as the change may say so;
    what it may not say is open again. `widened` are the lines of `SuppressionFilter`."""
    return tuple(
        _judge(
            _doubted(finding, changed_lines, trusted),
            changed_lines,
            trusted,
            widened(finding.path),
        )
        for finding in findings
    )


def _doubted(finding: Finding, changed_lines: ChangedLines, trusted: bool) -> Finding:
    """Another program has read the change as it is, with its comments: where these are new, a
    critical finding is open."""
    excused = finding.state is FindingState.WAIVED and finding.note.startswith(SUPPRESSED_NOTE)
    if trusted or not excused or finding.priority in _CLEARED_BY_NEW:
        return finding
    shown = changed_lines.diff_lines(finding.path)
    new = shown is not None and shown.adds(finding.line_start - 1 or 1, finding.line_end)
    return replace(finding, state=FindingState.OPEN, note=_NOT_CLEARED) if new else finding


def _judge(
    finding: Finding,
    changed_lines: ChangedLines,
    trusted: bool,
    widened: Sequence[BlockSuppression],
) -> Finding:
    shown = changed_lines.diff_lines(finding.path)
    if finding.state is not FindingState.OPEN or shown is None or not finding.line_start:
        return finding
    at, why = _ours(finding, shown)
    # Nor did they ever speak to a model
    if not why and not trusted and finding.rule and not finding.rule.startswith(_OWN_RULES):
        at, why = _tools(finding, shown, widened)
    if not why:
        return finding
    if not trusted and finding.priority not in _CLEARED_BY_NEW:
        # What stands there unchanged is no finding of this change, so its code is new
        note = _NOT_CLEARED if shown.adds(at, at) else _OF_OTHER_CODE.format(line=at)
        return replace(finding, note=note)
    return replace(finding, state=FindingState.WAIVED, note=why)


def _ours(finding: Finding, shown: DiffLines) -> tuple[int, str]:
    for number in (finding.line_start, finding.line_start - 1):
        text = shown.text(number) or ""
        found = _OURS.search(text)
        if not found or (number < finding.line_start and not _COMMENT_ONLY.match(text)):
            continue
        # Models' findings have no rule, and no name is not theirs
        rules = {rule.strip() for rule in found[1].split(",")} - {""}
        reason = _ENDS.sub("", found[2]).strip()
        if reason and rules & {finding.rule, finding.rule.rpartition("/")[2]}:
            return number, f"ignored in the code: {reason}"
    return 0, ""


def _tools(
    finding: Finding, shown: DiffLines, widened: Sequence[BlockSuppression]
) -> tuple[int, str]:
    """The line of a tool's suppression that the tool was not shown, and what it means here."""
    quoted = {line.number: line.text for line in finding.excerpt}
    near = (finding.line_start, finding.line_end, finding.line_start - 1)
    texts = [(n, shown.text(n) or quoted.get(n) or "") for n in near]
    texts += [(w.line, w.text) for w in widened if w.line < finding.line_start <= w.last]
    for number, text in texts:
        if text and _is_about(text, finding.rule):
            return number, "suppressed in the code by this change"
    return 0, ""


def _is_about(text: str, rule: str) -> bool:
    """The line holds a suppression for this rule, or for all."""
    row = text.encode("utf-8", "surrogateescape")
    if defuse(row) == row:
        return False
    codes = _RULE_CODE.findall(text[_start(row) :])
    code = rule.rpartition("/")[2]
    return not codes or any(code.startswith(each) for each in codes)


def _start(row: bytes) -> int:
    """Where the line's first suppression begins, in characters."""
    found = DEFUSED.search(row)
    return len(row[: found.start()].decode("utf-8", "replace")) if found else 0

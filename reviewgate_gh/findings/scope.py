"""Which findings are about this change: marks, never drops."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from ..model.change import Change, FileDiff
from ..model.finding import Finding, FindingState
from .lines import DiffLines

# A parser's complaint often stands far from the edit that caused it, so it belongs to the changed
# file as a whole.
_WHOLE_FILE = ("syntax",)
# The category of what stands in a commit between base and head, perhaps in a file that neither of
# them has
HISTORY_CATEGORY = "history"


class ChangedLines:
    """The change's lines, indexed once per file and on demand."""

    def __init__(self, change: Change) -> None:
        self._files = {file.path: file for file in change.files}
        self._shown: dict[tuple[str, str], DiffLines] = {}

    @property
    def files(self) -> Mapping[str, FileDiff]:
        """The changed files by their path at head."""
        return self._files

    def diff_lines(self, path: str, side: str = "RIGHT") -> DiffLines | None:
        """The shown lines of a changed file, at head or ("LEFT") at base."""
        if (path, side) not in self._shown:
            if path not in self._files:
                return None
            self._shown[path, side] = DiffLines(self._files[path], side)
        return self._shown[path, side]

    def shows(self, path: str, line: int) -> bool:
        """The diff shows this line at head."""
        shown = self.diff_lines(path)
        return shown is not None and shown.text(line) is not None

    def covers(self, finding: Finding) -> bool:
        """The finding is new by comparison with the base; or it is about lines that the change
        adds, or about a changed file as a whole; or nobody knows what it is about."""
        if finding.compared or (not finding.rule and not finding.placed):
            return True
        shown = self.diff_lines(finding.path)
        if shown is None:
            return finding.category == HISTORY_CATEGORY
        # A model was shown the hunks, and a change breaks the lines beside it as well
        if not finding.rule:
            return (
                finding.side == "LEFT"
                or not finding.line_start
                or shown.text(finding.line_start) is not None
            )
        if finding.side == "LEFT":
            return True
        return finding.category in _WHOLE_FILE or shown.adds(finding.line_start, finding.line_end)

    def origin(self, path: str) -> str:
        """The path that identity uses: the old one of a renamed file."""
        file = self._files.get(path)
        return file.old_path if file is not None and file.status == "R" else path


def anchor_findings(
    findings: Iterable[Finding], changed_lines: ChangedLines, source: str
) -> tuple[Finding, ...]:
    """Findings with their quoted code, origin and source filled in; `placed` says that the diff
    shows the place.

    Those of models (they have no rule) stay where they are: `quote` has placed them, or found no
    place for them.
    """
    return tuple(
        anchor_finding(finding, changed_lines, source)
        if finding.rule
        else replace(finding, sources=finding.sources or (source,))
        for finding in findings
    )


def anchor_finding(finding: Finding, changed_lines: ChangedLines, source: str) -> Finding:
    """One finding with its quoted code, at the lines that it names; where the diff shows none of
    them, its own quote stays."""
    shown = changed_lines.diff_lines(finding.path, finding.side)
    quoted = (
        shown.quote(finding.line_start, max(finding.line_start, finding.line_end))
        if shown and finding.line_start
        else ()
    )
    excerpt = quoted or finding.excerpt
    inside = [line.text for line in excerpt if finding.anchors(line)]
    return replace(
        finding,
        excerpt=excerpt,
        anchor="\n".join(inside),
        placed=bool(quoted)
        or (
            finding.line_start == 0 and (shown is not None or finding.category == HISTORY_CATEGORY)
        ),
        origin=changed_lines.origin(finding.path),
        sources=finding.sources or (source,),
    )


def mark_outside_change(
    findings: Iterable[Finding], changed_lines: ChangedLines
) -> tuple[Finding, ...]:
    """Open findings off the changed lines become `outside_diff`."""
    return tuple(
        finding
        if finding.state is not FindingState.OPEN or changed_lines.covers(finding)
        else replace(finding, state=FindingState.OUTSIDE_DIFF, note="on unchanged lines")
        for finding in findings
    )

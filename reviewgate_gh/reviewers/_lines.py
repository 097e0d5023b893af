"""Lines as other tools count them: where they see more line ends than git does, their numbers lead
to other lines."""

from msgspec.structs import replace

from ..findings.scope import ChangedLines
from ..git import Git
from ..git.objects import read_blobs
from ..model.change import Change
from ..model.finding import Finding, FindingState
from ..model.review import Review
from ..text.patterns import lazy_pattern

# A carriage return alone, and the line and paragraph separators of Unicode.
OTHER_LINE_ENDS = lazy_pattern(rb"\r(?!\n)|\xe2\x80[\xa8\xa9]")


def adjust_line_ends(review: Review, change: Change, git: Git) -> Review:
    """The review; what seems to lie off the changed lines of a file with such line ends, or beyond
    the file's last line, is about that file as a whole."""
    changed_lines = ChangedLines(change)
    astray = {
        f.path
        for f in review.findings
        if f.state is FindingState.OPEN and not changed_lines.covers(f)
    }
    oids = {
        file.path: file.oid for file in change.files if file.path in astray and file.is_text_file
    }
    blobs = read_blobs(git, oids.values())
    texts = {path: blobs[oid] for path, oid in oids.items() if oid in blobs}
    odd = {path for path, data in texts.items() if OTHER_LINE_ENDS.search(data)}
    last = {path: data.count(b"\n") + 1 for path, data in texts.items()}

    def adjust(finding: Finding) -> Finding:
        if finding.path not in texts or changed_lines.covers(finding):
            return finding
        if finding.path in odd:
            return as_file_finding(finding, "as the tool counts")
        is_beyond = finding.side == "RIGHT" and finding.line_start > last[finding.path]
        return as_file_finding(finding, "which the file does not have") if is_beyond else finding

    return replace(review, findings=tuple(map(adjust, review.findings))) if texts else review


def as_file_finding(finding: Finding, why: str) -> Finding:
    """The finding about its file as a whole, since the diff does not show its line."""
    return replace(
        finding,
        title=f"{finding.title} (line {finding.line_start}, {why})",
        line_start=0,
        line_end=0,
        suggestion=None,
    )

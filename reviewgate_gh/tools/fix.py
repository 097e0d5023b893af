"""Applying a report's suggestions to the work tree, one file at a time, each after a yes."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from ..findings.lines import MAX_QUOTED_CHARACTERS, redact_line
from ..git import Git, tree_files
from ..git.tree_files import uncommitted_files, watched_files
from ..model.errors import UsageError
from ..model.finding import Finding, FindingState
from ..pull_request.publish_kept import read_stored_report
from ..reporters._words import join_first

_REDACTED = "[REDACTED:"


class FixedFile(Struct, frozen=True):
    """A file's new content, the findings whose suggestions are in it, and the others with the
    reason why not."""

    data: bytes
    applied: tuple[Finding, ...]
    not_applied: tuple[tuple[Finding, str], ...]


def fixable_findings(findings: Iterable[Finding]) -> Mapping[str, tuple[Finding, ...]]:
    """The open findings that say what to write instead, by path, from the end of each file to its
    beginning."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if (
            finding.state is FindingState.OPEN
            and finding.suggestion is not None
            and finding.is_located
            and finding.line_start
            and finding.side == "RIGHT"
        ):
            found.setdefault(finding.path, []).append(finding)
    return {
        path: tuple(sorted(each, key=lambda f: (-f.line_start, -f.line_end)))
        for path, each in sorted(found.items())
    }


def apply_suggestions(data: bytes, findings: Iterable[Finding]) -> FixedFile:
    """The content with every suggestion that fits; the order of the findings is that of
    `fixable`."""
    rows = data.split(b"\n")
    applied, left, edge = [], [], len(rows) + 1
    for finding in findings:
        first, last = finding.line_start, max(finding.line_start, finding.line_end)
        if why := _obstacle(finding, rows, last, edge):
            left.append((finding, why))
            continue
        rows[first - 1 : last] = _written(finding.suggestion or "", rows[last - 1])
        applied.append(finding)
        edge = first
    return FixedFile(b"\n".join(rows), tuple(applied), tuple(left))


def difference_text(path: str, old: bytes, new: bytes) -> str:
    """The difference of two contents as people read it."""
    before, after = (data.decode("utf-8", "backslashreplace").splitlines() for data in (old, new))
    return "\n".join(difflib.unified_diff(before, after, f"{path}", f"{path}, fixed", lineterm=""))


def _obstacle(finding: Finding, rows: list[bytes], last: int, edge: int) -> str:
    """Why a suggestion cannot be applied; "" where it can."""
    if last >= edge:
        return "another suggestion changes these lines"
    if _REDACTED in (finding.suggestion or ""):
        return "it contains a secret, which the report redacts"
    reviewed = {line.number: line.text for line in finding.excerpt if finding.anchors(line)}
    if len(reviewed) != last - finding.line_start + 1 or last > len(rows):
        return "the report does not contain all of its lines"
    if any(
        redact_line(rows[number - 1])[:MAX_QUOTED_CHARACTERS] != text
        or len(text) == MAX_QUOTED_CHARACTERS
        for number, text in reviewed.items()
    ):
        return "its lines have changed since the review"
    return ""


def _written(suggestion: str, like: bytes) -> list[bytes]:
    """The lines to write, with the line end that the old ones have; none where the suggestion is to
    delete them."""
    if not suggestion:
        return []
    end = b"\r" if like.endswith(b"\r") else b""
    return [
        line.encode("utf-8", "surrogateescape").rstrip(b"\r") + end
        for line in suggestion.removesuffix("\n").split("\n")
    ]


_NAMED = 5


class FixOffer(Struct, frozen=True):
    """One file: its content, what would change in it, and that as a difference for people."""

    path: str
    data: bytes
    fixed: FixedFile
    difference: str


class FixSummary(Struct, frozen=True):
    """How many suggestions were applied in how many files, and what was left with the reasons."""

    applied: int
    files: int
    not_applied: tuple[str, ...]


class FixPlan(Struct, frozen=True):
    """What a report's suggestions would change, a file each, and what was left with the reasons."""

    offers: tuple[FixOffer, ...]
    not_applied: tuple[str, ...]


def plan_fixes(report: Path | None, git: Git) -> FixPlan:
    """What would be offered; nothing is asked or written.

    Raises:
        UsageError: there is no report or no work tree.
    """
    found = fixable_findings(read_stored_report(report, git).findings)
    tree, tracked = tree_files.top_folder(git), watched_files(git)
    offers, left = list[FixOffer](), list[str]()
    for path, findings in found.items():
        data = _content(tree, path) if path in tracked else None
        if data is None:
            left += [
                f"{each.location}: the file is missing, or git does not track it in the work tree"
                for each in findings
            ]
            continue
        made = apply_suggestions(data, findings)
        left += [f"{finding.location}: {why}" for finding, why in made.not_applied]
        if made.applied:
            offers.append(FixOffer(path, data, made, difference_text(path, data, made.data)))
    return FixPlan(tuple(offers), tuple(left))


def offer_fixes(report: Path | None, git: Git, agree: Callable[[FixOffer], bool]) -> FixSummary:
    """Offer each file's suggestions and write those that are agreed to. Nothing is committed,
    posted or approved.

    Raises:
        UsageError: there is no report or no work tree, it holds work that is not committed, or a
            file cannot be written.
    """
    plan, tree = plan_fixes(report, git), tree_files.top_folder(git)
    _check_clean(git)
    applied, files, left = 0, 0, [*plan.not_applied]
    for offer in plan.offers:
        made = offer.fixed
        if not agree(offer):
            left += [f"{finding.location}: declined" for finding in made.applied]
        elif _content(tree, offer.path) != offer.data:
            left += [
                f"{finding.location}: the file has changed in the meantime"
                for finding in made.applied
            ]
        else:
            tree_files.replace_file(tree / offer.path, made.data)
            applied, files = applied + len(made.applied), files + 1
    return FixSummary(applied, files, tuple(left))


def _check_clean(git: Git) -> None:
    """Once, before the first question: files written after a yes must not block the next one.

    Raises:
        UsageError: otherwise our changes would mix with the user's own and could not be undone
            separately.
    """
    if changed := uncommitted_files(git):
        hint = "nothing was written; commit or stash these files, then run this again"
        raise UsageError(f"the work tree is not clean: {join_first(changed, _NAMED)}", hint)


def _content(tree: Path, path: str) -> bytes | None:
    """The file in the work tree; None for a path that leads out of it, or into git's own files."""
    place = tree / path
    inside = place.resolve() == tree.resolve() / path and ".git" not in path.lower().split("/")
    return tree_files.read_or_none(place) if inside and place.is_file() else None

"""Where links in Markdown lead: rumdl looks for their targets on the disk, where only the changed
files lie, and names headings as GitHub does, where the pages of a site may name them otherwise."""

import posixpath
import re
from collections.abc import Collection, Sequence
from urllib.parse import unquote

from ...git import Git
from ...git.objects import list_paths, read_files
from ...model.change import Change
from ...model.finding import Finding
from ...text.patterns import lazy_pattern

# https://rumdl.dev/md051/, https://rumdl.dev/md057/
HEADINGS, FILES = "rumdl/MD051", "rumdl/MD057"
_HERE = lazy_pattern(r"^Link anchor '#(?P<anchor>[^']*)' does not exist")
_THERE = lazy_pattern(r"^Link fragment '(?P<anchor>[^']*)' not found in '(?P<path>[^']*)'")
_FILE = lazy_pattern(r"^Relative link '(?P<path>[^']*)' does not exist")
_HEADING = lazy_pattern(
    r"(?m)^[ \t>]*#{1,6}[ \t]+(?P<text>.+)$|^(?P<under>[^\n]+)\n[ \t]*(?:=+|-+)[ \t]*$"
)
_NAMED = lazy_pattern(
    r"\{[^{}\n]*#(?P<own>[\w.:-]+)[^{}\n]*\}|\b(?:id|name)=[\"'](?P<html>[^\"']+)"
)


def without_known_targets(
    findings: Sequence[Finding], change: Change, git: Git
) -> tuple[Finding, ...]:
    """The findings without those whose target the head has: a file or folder, a heading however a
    site spells its name, or a name that the text gives it."""
    paths = {finding: path for finding in findings if (path := _target(finding)) is not None}
    if not paths:
        return tuple(findings)
    known = frozenset(list_paths(git, change.head))
    documents = {path for finding, path in paths.items() if finding.rule == HEADINGS}
    texts = read_files(git, change.head, sorted(documents & known))
    return tuple(
        finding
        for finding in findings
        if finding not in paths or not _is_there(finding, paths[finding], known, texts)
    )


def _target(finding: Finding) -> str | None:
    """The path that a link of a document leads to; None where the finding is about none."""
    if finding.rule == HEADINGS and _HERE.match(finding.title):
        return finding.path
    found = {HEADINGS: _THERE, FILES: _FILE}.get(finding.rule, _NONE).match(finding.title)
    if found is None:
        return None
    named = unquote(found["path"].partition("#")[0].partition("?")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(finding.path), named))


_NONE = lazy_pattern(r"(?!)")


def _is_there(finding: Finding, path: str, known: Collection[str], texts: dict[str, bytes]) -> bool:
    if finding.rule == FILES:
        return path in known or any(each.startswith(f"{path}/") for each in known)
    found = _HERE.match(finding.title) or _THERE.match(finding.title)
    text = texts.get(path, b"").decode("utf-8", "replace")
    return found is not None and _bare(found["anchor"]) in _names(text)


def _names(text: str) -> set[str]:
    """What the headings and the marks of a document are called, in letters and digits alone."""
    headings = (found["text"] or found["under"] for found in _HEADING.finditer(text))
    marks = (found["own"] or found["html"] for found in _NAMED.finditer(text))
    return {_bare(each) for each in (*headings, *marks)}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", unquote(text)).lower()

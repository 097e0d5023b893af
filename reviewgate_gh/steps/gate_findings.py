"""The issues of an external gate as findings."""

import re
from dataclasses import replace

from ..model.contract import ReviewIssue
from ..model.finding import Finding, Priority
from .scope import Scope, anchored
from .strict import one_line, relative_path

_MARK = re.compile(r"\[P[0-3]\]\s*")
_UNRANKED = 2


def as_finding(issue: ReviewIssue, root: str, scope: Scope) -> Finding:
    """The finding; `root` is the folder that absolute paths lie in. An issue without a priority is a P2.

    One that is not about a changed line stays without a place, so that a severe one leaves the run without a verdict.
    """
    title = one_line(_MARK.sub("", issue.title, count=1)) or "an issue without a title"
    body = f"{issue.body}\n\nReported by {issue.reviewer}." if issue.reviewer else issue.body
    priority = list(Priority)[_UNRANKED if issue.priority is None else issue.priority]
    path = relative_path(issue.file, root) if issue.file else ""
    bare = Finding(priority, "review", "", path, issue.line_start, issue.line_end, title, body.strip())
    found = replace(anchored(bare, scope, ""), sources=())
    if found.placed and scope.covers(found):
        return found
    where = f"{bare.location}, which is not a changed line" if path else "no file"
    return replace(bare, line_start=0, line_end=0, origin=scope.origin(path), note=f"the gate names {where}")

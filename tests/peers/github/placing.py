"""Where review comments stand: refused when the line is not in the diff, moved or outdated when the
head moves."""

from dataclasses import replace
from typing import Any

from . import hunks
from .model import Place, Pull, Repository, ReviewComment

_THREAD = "Pull request review thread"
_HUNK = "diff hunk can't be blank"


class Unplaced(Exception):
    """A comment that has no place in the diff; `fields` are (field, what is wrong)."""

    def __init__(self, *fields: tuple[str, str]) -> None:
        super().__init__()
        self.fields = fields

    def sentence(self, wording: str) -> str:
        """How GitHub says it in an answer for a whole review: without naming the comment."""
        if wording == "resolved":
            return (
                "Path could not be resolved"
                if self.fields[0][0] == "path"
                else "Line could not be resolved"
            )
        said = [f"{_THREAD} {field} {what}" for field, what in self.fields]
        if all(field != "start line" or "precede" not in what for field, what in self.fields):
            said.append(f"{_THREAD} {_HUNK}")
        return " and ".join(said) if len(said) < 3 else ", ".join(said[:-1]) + ", and " + said[-1]


def placed(repo: Repository, pull: Pull, commit: str, wanted: dict[str, Any]) -> tuple[Place, str]:
    """The place that a comment asks for on the diff up to `commit`, and its hunk."""
    patch = _patch(repo, pull, commit, wanted["path"])
    if wanted.get("subject_type") == "file":
        return Place(wanted["path"], 0), patch.split("\n")[0]
    side = wanted.get("side") or "RIGHT"
    start_side = wanted.get("start_side") or side
    line, start = wanted.get("line") or 0, wanted.get("start_line") or 0
    end = hunks.at(patch, side, line)
    problems = [] if end else [("line", "must be part of the diff")]
    if start:
        problems += _start(patch, (start_side, start), (side, line), end)
    if problems or end is None:
        raise Unplaced(*problems)
    return Place(wanted["path"], line, side, start, start_side, end.position), hunks.shown(
        patch, end
    )


def settle(repo: Repository, pull: Pull, comment: ReviewComment) -> ReviewComment:
    """The comment as it stands on the pull request's head of now."""
    now = _now(repo, pull, comment)
    return replace(comment, now=now, commit_id=pull.head_sha if now else comment.commit_id)


def _patch(repo: Repository, pull: Pull, commit: str, path: str) -> str:
    found = next(
        (
            file
            for file in repo.git.files(repo.merge_base(pull, commit), commit)
            if file.path == path
        ),
        None,
    )
    if found is None:
        raise Unplaced(("path", "is invalid"))
    return found.patch


def _start(
    patch: str, start: tuple[str, int], end: tuple[str, int], found: hunks.Spot | None
) -> list[tuple[str, str]]:
    if start[0] == end[0] and start[1] >= end[1]:
        return [("start line", "must precede the end line.")]
    first = hunks.at(patch, *start)
    same = first is not None and found is not None and first.hunk == found.hunk
    return [] if same else [("start line", "must be part of the same hunk as the line.")]


def _now(repo: Repository, pull: Pull, comment: ReviewComment) -> Place | None:
    origin = comment.origin
    try:
        patch = _patch(repo, pull, pull.head_sha, origin.path)
    except Unplaced:
        return None
    if comment.subject == "file":
        return origin
    line, start = (_moved(repo, pull, comment, side, number) for side, number in _ends(origin))
    end = hunks.at(patch, origin.side, line)
    if end is None or (origin.start_line and hunks.at(patch, origin.start_side, start) is None):
        return None
    return replace(origin, line=line, start_line=start, position=end.position)


def _ends(place: Place) -> tuple[tuple[str, int], tuple[str, int]]:
    return (place.side, place.line), (place.start_side, place.start_line)


def _moved(repo: Repository, pull: Pull, comment: ReviewComment, side: str, line: int) -> int:
    if not line:
        return 0
    if side == "RIGHT":
        return hunks.moved(
            repo.git, comment.origin_commit, pull.head_sha, comment.origin.path, line
        )
    old, new = repo.merge_base(pull, comment.origin_commit), repo.merge_base(pull)
    return hunks.moved(repo.git, old, new, comment.origin.path, line)

"""From a GitHub event to a range: every rule of the table in README.md that is about the Action."""

from ..git import Git
from ..git.ranges import first_parent, from_merge_base, is_shallow, merge_base, remote_default
from ..github.runner import SCHEDULE, GitHubEvent
from ..model.change import Range
from ..model.errors import UsageError

_DAY = 24 * 60 * 60  # seconds
_FETCH = "check out with fetch-depth: 0"


def event_range(event: GitHubEvent, git: Git, base: str) -> Range:
    """The range of an event; `base` is the user's own choice, which wins.

    Raises:
        UsageError: the commits are not in this clone.
    """
    head = _present(git, event.head)
    if base:
        found = git.resolve(base) or git.resolve(f"refs/remotes/origin/{base}")
        if not found:
            raise UsageError(f"the input base: {base!r} is not a commit here", _FETCH)
        return from_merge_base(git, found, head, base)
    if event.compare_trees:
        return Range(
            _present(git, event.base), head, (f"{event.name} {event.base[:12]}..{head[:12]}",)
        )
    if event.name == SCHEDULE:
        return _last_day(git, head)
    if event.name == "push":
        return _pushed(event, git, head)
    if event.base:
        return from_merge_base(git, _present(git, event.base), head, event.base[:12])
    return _last_commit(git, head) if event.on_default else _since_default(event, git, head)


def _pushed(event: GitHubEvent, git: Git, head: str) -> Range:
    """Since the tip before the push. Where that is gone or unrelated, what a branch adds to the
    default branch holds all that is new."""
    known = git.resolve(event.base)
    if known and merge_base(git, known, head):
        return from_merge_base(git, known, head, event.base[:12])
    if not event.on_default:
        return _since_default(event, git, head)
    if not event.base:
        return Range(git.empty_tree, head, ("the first push of this branch: everything is new",))
    if known and not is_shallow(git):
        return Range(
            known,
            head,
            (f"{event.base[:12]} and {head[:12]} have no common history: compared directly",),
        )
    raise UsageError(
        f"{event.base[:12]}, the head of the branch before this push, is not in this clone, or "
        "its history is truncated",
        f"{_FETCH}; after a force-push also run: git fetch origin {event.base}",
    )


def _since_default(event: GitHubEvent, git: Git, head: str) -> Range:
    """What a branch adds to the default branch."""
    name, found = _default(event, git)
    if not found:
        raise UsageError(
            f"nothing to compare {head[:12]} with: {name} is not in this clone", _FETCH
        )
    if not merge_base(git, found, head) and not is_shallow(git):
        return Range(git.empty_tree, head, (f"no common history with {name}: everything is new",))
    return from_merge_base(git, found, head, name)


def _default(event: GitHubEvent, git: Git) -> tuple[str, str | None]:
    if event.default_branch:
        name = f"origin/{event.default_branch}"
        return name, git.resolve(f"refs/remotes/{name}")
    return remote_default(git, "origin") or ("origin's default branch", None)


def _last_day(git: Git, head: str) -> Range:
    """What came to the branch in the 24 hours before its newest commit."""
    newest = git.text("show", "--no-patch", "--format=%ct", head)
    before = f"--before={int(newest) - _DAY}"
    base = git.text("rev-list", "--max-count=1", "--first-parent", before, head)
    if base:
        return Range(base, head, (f"the day before {head[:12]}",))
    if is_shallow(git):
        raise UsageError(f"the history before {head[:12]} is not in this clone", _FETCH)
    return Range(git.empty_tree, head, ("the first day of this branch: everything is new",))


def _last_commit(git: Git, head: str) -> Range:
    try:
        return Range(first_parent(git, head), head, (f"commit {head[:12]}",))
    except UsageError as error:
        raise UsageError(error.message, _FETCH) from None


def _present(git: Git, oid: str) -> str:
    found = git.resolve(oid)
    if not found:
        raise UsageError(f"the commit {oid[:12]} is not in this clone", _FETCH)
    return found

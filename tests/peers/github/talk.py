"""Making issues, conversation comments and labels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .model import Account, Comment, Issue, Label, Repository
from .posting import MOST_CHARACTERS
from .routes import invalid

if TYPE_CHECKING:
    from .world import World

_TOO_LONG = f"Body is too long (maximum is {MOST_CHARACTERS} characters)"
_LONGEST_TITLE = 256


def make_issue(
    world: "World",
    repo: Repository,
    author: Account,
    title: str,
    body: str,
    labels: Sequence[str] = (),
) -> Issue:
    """A new issue with the next number; labels that are new are made."""
    if not title.strip():
        raise invalid("Issue", "title", "missing_field")
    if len(title) > _LONGEST_TITLE:
        raise invalid(
            "Issue",
            "title",
            "custom",
            f"title is too long (maximum is {_LONGEST_TITLE} characters)",
        )
    _check(body, "Issue", blank=True)
    now = world.now()
    number = max(repo.issues, default=0) + 1
    made = Issue(next(world.ids), number, author, title, body, now, now)
    set_labels(world, repo, made, labels)
    repo.issues[number] = made
    return made


def make_comment(
    world: "World", repo: Repository, number: int, author: Account, body: str
) -> Comment:
    """A new comment in the conversation of an issue or a pull request."""
    _check(body, "IssueComment")
    now = world.now()
    made = Comment(next(world.ids), number, author, body, now, now)
    repo.comments.append(made)
    return made


def edit(world: "World", comment: Comment, body: str) -> None:
    """Another text for a comment."""
    _check(body, "IssueComment")
    comment.body = body
    comment.updated = comment.edited = world.now()


def set_labels(world: "World", repo: Repository, issue: Issue, names: Sequence[str]) -> None:
    """Let an issue have these labels and no other."""
    for name in names:
        repo.labels.setdefault(name, Label(next(world.ids), name))
    issue.labels = list(dict.fromkeys(names))


def set_state(world: "World", issue: Issue, state: str, reason: str | None = None) -> None:
    """Close or reopen an issue or a pull request."""
    issue.state, issue.updated = state, world.now()
    issue.closed = world.now() if state == "closed" else None
    issue.state_reason = (reason or "completed") if state == "closed" else "reopened"


def _check(body: str, resource: str, blank: bool = False) -> None:
    if not blank and not body.strip():
        raise invalid(resource, "body", "missing_field", "Body can't be blank")
    if len(body) > MOST_CHARACTERS:
        raise invalid(resource, "data", "unprocessable", _TOO_LONG)

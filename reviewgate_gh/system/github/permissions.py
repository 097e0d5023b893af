"""Who may do what: people in this repository, and our own token before the work begins."""

from collections.abc import Iterable
from typing import Literal

from ...model.pull import Account, PullRequest
from ...model.values import dataclass
from . import people
from .client import Client
from .errors import BadCredentials, Forbidden, Refused

Permission = Literal[
    "pull-requests: write", "issues: write", "checks: write", "checks: read", "statuses: read", "contents: read", "actions: read"
]
_BODIES: dict[str | int, dict[str, int]] = {"sub_issue": {"sub_issue_id": 0}}
_WRITERS = ("admin", "maintain", "write")


@dataclass(frozen=True, slots=True)
class Missing:
    """A permission that the token lacks, as a workflow spells it, and what GitHub said."""

    permission: Permission
    said: str


def may_write(client: Client, account: Account) -> bool:
    """Whether somebody may write to the repository: they, by their number, not whoever has the login today."""
    if not account.login or not account.id:
        return False
    try:
        found = client.get(client.path("collaborators", account.login, "permission"))
    except Refused:
        return False
    return account.same_as(people.from_rest(found.maybe("user"))) and found.text("permission") in _WRITERS


def missing_permissions(client: Client, pull: PullRequest, wanted: Iterable[Permission]) -> tuple[Missing, ...]:
    """Which of the wanted permissions the token lacks.

    Reading is tried. Writing is tried on number 0, which nothing has: GitHub asks for the permission before it looks. For
    `contents: write`, which resolving a thread asks for, there is no such try.
    """
    found = (_missing(client, pull, each) for each in wanted)
    return tuple(each for each in found if each)


def _missing(client: Client, pull: PullRequest, permission: Permission) -> Missing | None:
    method, parts = _tries(pull)[permission]
    path = client.path(*parts)
    try:
        if method == "GET":
            client.get(path, per_page=1)
        else:
            client.write(method, path, _BODIES.get(parts[-1], {} if method == "PATCH" else None))
    except (Forbidden, BadCredentials) as error:
        return Missing(permission, error.reason)
    except Refused:
        return None  # it is not there, and the token might have changed it
    return None


def _tries(pull: PullRequest) -> dict[Permission, tuple[str, tuple[str | int, ...]]]:
    return {
        "pull-requests: write": ("DELETE", ("pulls", pull.number, "reviews", 0)),
        # What most addresses of issues do, `pull-requests: write` allows, too.
        "issues: write": ("DELETE", ("issues", 0, "sub_issue")),
        "checks: write": ("PATCH", ("check-runs", 0)),
        "checks: read": ("GET", ("commits", pull.head, "check-runs")),
        "statuses: read": ("GET", ("commits", pull.head, "status")),
        "contents: read": ("GET", ("commits", pull.head)),
        "actions: read": ("GET", ("actions", "runs", 0)),
    }

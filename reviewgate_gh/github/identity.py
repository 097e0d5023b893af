"""Who we are at GitHub, who did something, and who may do what."""

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from ..model.errors import UpstreamError
from ..model.pull_request import Account, PullRequest
from . import graphql
from .client import Client
from .reading import (
    BadCredentials,
    Forbidden,
    JsonPart,
    MalformedAnswer,
    RateLimited,
    Refused,
)
from .token import TokenKind

_BOT = "[bot]"


def read_viewer(client: Client) -> Account | None:
    """The account behind the token; None where GitHub does not say, and then nothing counts as
    ours.

    Raises:
        GitHubUnreachable: it could not be asked: whoever takes that for None posts everything
            again.
    """
    if not client.has_token:
        return None
    try:
        return account_of_viewer(client.graphql(graphql.VIEWER, {})["viewer"])
    except (Refused, MalformedAnswer):
        return None


def read_user(client: Client) -> Account | None:
    """The person behind the token by REST, which does not say it of an app (None)."""
    try:
        return account_from_rest(client.get("/user"))
    except BadCredentials:
        raise
    except (Refused, MalformedAnswer):
        return None


def account_of_viewer(viewer: JsonPart) -> Account | None:
    """Whom GraphQL's viewer is.

    To the schema every viewer is a User; no person's login can hold a bracket.
    """
    login, number = viewer.text("login"), viewer.count("databaseId")
    return Account(number, login, "Bot" if login.endswith(_BOT) else "User") if number else None


DELETED_ACCOUNT = Account()


def account_from_rest(user: JsonPart | None) -> Account:
    """An account of REST; nobody for a deleted one."""
    return (
        DELETED_ACCOUNT
        if user is None
        else Account(user.number("id"), user.text("login"), user.text("type"))
    )


def account_from_graphql(actor: JsonPart | None) -> Account:
    """An actor of GraphQL; without a number it equals nobody."""
    return (
        DELETED_ACCOUNT
        if actor is None
        else Account(actor.count("databaseId"), actor.text("login"), actor.text("__typename"))
    )


Permission = Literal[
    "pull-requests: write",
    "issues: write",
    "checks: write",
    "checks: read",
    "statuses: read",
    "contents: read",
    "actions: read",
]
_BODIES: dict[str | int, dict[str, int]] = {"sub_issue": {"sub_issue_id": 0}}
_WRITERS = ("admin", "maintain", "write")


class MissingPermission(Struct, frozen=True):
    """A permission that the token lacks, as a workflow spells it, and what GitHub said; `unknown`
    where GitHub does not tell whether it lacks it."""

    permission: Permission
    message: str
    unknown: bool = False


def may_write(client: Client, account: Account) -> bool:
    """Whether somebody may write to the repository: they, by their number, not whoever has the
    login today."""
    if not account.login or not account.id:
        return False
    try:
        found = client.get(client.path("collaborators", account.login, "permission"))
    except Refused:
        return False
    allowed = found.text("permission") in _WRITERS
    return allowed and account.same_as(account_from_rest(found.maybe("user")))


def read_commit_accounts(client: Client, oid: str) -> tuple[Account, ...]:
    """The accounts that made a commit: its author and its committer, as far as GitHub knows them.

    GitHub tells nobody who pushed, so these stand for it.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    commit = client.get(client.path("commits", oid))
    people = (commit.maybe("author"), commit.maybe("committer"))
    accounts = (account_from_rest(each) for each in people if each is not None)
    return tuple({each.id: each for each in accounts if each.kind == "User" and each.id}.values())


def missing_permissions(
    client: Client, pull: PullRequest, wanted: Iterable[Permission]
) -> tuple[MissingPermission, ...]:
    """Which of the wanted permissions the token lacks, or may lack.

    Reading is tried. Writing is tried on number 0, which nothing has: GitHub asks for the
    permission before it looks. For `contents: write`, which resolving a thread asks for, there is
    no such try.
    """
    found = (_missing(client, pull, each) for each in wanted)
    return tuple(each for each in found if each)


def _missing(client: Client, pull: PullRequest, permission: Permission) -> MissingPermission | None:
    method, parts = _tries(pull)[permission]
    path = client.path(*parts)
    try:
        if method == "GET":
            client.get(path, per_page=1)
        else:
            client.write(method, path, _BODIES.get(parts[-1], {} if method == "PATCH" else None))
    except (Forbidden, BadCredentials) as error:
        return MissingPermission(permission, error.reason)
    except RateLimited:
        raise
    except Refused as error:
        return _not_there(permission, error, client.token_kind, parts[-1] in (0, "sub_issue"))
    except UpstreamError as error:
        return MissingPermission(permission, error.message, unknown=True)
    return None


def _not_there(
    permission: Permission, error: Refused, kind: TokenKind, asked_for_nothing: bool
) -> MissingPermission | None:
    """What "not found" means: to a token with permissions, that it has this one. A classic token is
    told the same where it lacks the scope, and GitHub names its scopes beside."""
    scopes = None if error.scopes is None else re.split(r"[,\s]+", error.scopes)
    if scopes is None and asked_for_nothing and kind in (TokenKind.APP, TokenKind.FINE_GRAINED):
        return None
    if scopes is None or not asked_for_nothing:
        return MissingPermission(permission, error.message, unknown=True)
    if "repo" in scopes:
        return None
    message = f"the token has the scopes {error.scopes or 'none'}, not repo"
    return MissingPermission(permission, message, unknown="public_repo" in scopes)


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

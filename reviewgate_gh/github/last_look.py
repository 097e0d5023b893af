"""What one GraphQL query tells after CI was read: how many rules the branch has, whether anything
reported at the test merge, and how the pull request stands by then."""

from msgspec import Struct
from msgspec.structs import replace

from ..model.pull_request import PullRequest
from . import graphql
from .client import Client
from .reading import (
    BadCredentials,
    Forbidden,
    GitHubUnreachable,
    JsonPart,
    MalformedAnswer,
    Refused,
)

# https://docs.github.com/en/graphql/reference/enums#pullrequeststate
_STATES = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}


class LastLook(Struct, frozen=True):
    """`rules` is None where nobody says how many there are, `failure` why GitHub failed to.

    `merge_is_bare`: no check and no status has reported at the test merge. `pull`: the pull request
    with its head, state and draft as they are now; None where only REST can tell.
    """

    rules: int | None = None
    failure: str = ""
    merge_is_bare: bool = False
    pull: PullRequest | None = None


def read_last_look(client: Client, pull: PullRequest) -> LastLook:
    """Ask for all of it; whatever is not answered in so many words stays unknown.

    Asked last: a rule that was made since counts as missing, one that was removed does not.
    """
    if not client.has_token:
        return LastLook()
    try:
        try:
            found = _asked(client, pull, checks=bool(pull.merge_commit))
        except Forbidden:
            # One field that the token may not read takes the whole answer with it:
            # https://github.com/facebook/sapling/issues/993
            found = _asked(client, pull, checks=False)
        return _look(found, pull)
    except BadCredentials:
        raise
    except (Refused, MalformedAnswer):
        return LastLook()  # an older server has no such field, and a token may be refused it
    except GitHubUnreachable as error:
        if not error.reached:
            raise
        return LastLook(failure=error.message)


def _asked(client: Client, pull: PullRequest, checks: bool) -> JsonPart:
    owner, _, name = client.repository.partition("/")
    values = {
        "owner": owner,
        "name": name,
        "number": pull.number,
        "branch": f"refs/heads/{pull.base_ref}",
        "merge": pull.merge_commit or pull.head,
        "checks": checks,
    }
    return client.graphql(graphql.LAST_LOOK, values)["repository"]


def _look(found: JsonPart, pull: PullRequest) -> LastLook:
    branch, commit, now = found.maybe("ref"), found.maybe("object"), found.maybe("pullRequest")
    rules = branch.maybe("rules") if branch else None
    return LastLook(
        rules.number("totalCount") if rules else None,
        merge_is_bare=commit is not None and _is_bare(commit, pull),
        pull=_now(now, pull) if now else None,
    )


def _is_bare(commit: JsonPart, pull: PullRequest) -> bool:
    """GitHub says null of that very commit; a field that is left out says nothing."""
    return (
        commit.optional("oid") == pull.merge_commit
        and commit.value.get("statusCheckRollup", "") is None
    )


def _now(found: JsonPart, pull: PullRequest) -> PullRequest | None:
    state = _STATES.get(found.text("state"))
    if state is None:
        return None
    return replace(pull, head=found.oid("headRefOid"), state=state, draft=found.flag("isDraft"))

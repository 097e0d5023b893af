"""A pull request of the repository that this clone comes from: its objects fetched, and nothing of
the clone moved."""

import base64
from collections.abc import Mapping

from msgspec import Struct

from ..git import Git
from ..git.fetch import RemoteRefs, fetch_refs, kept_refs, list_remote
from ..git.ranges import from_merge_base
from ..github.addresses import may_see_token
from ..model.change import Range
from ..model.errors import UpstreamError
from ..model.pull_request import PullRequest
from ..system.environment import Environment

_DEPENDABOT = "dependabot[bot]"


class PullOrigin(Struct, frozen=True):
    """Where a pull request is fetched from, its number, and the name under which it is kept
    here."""

    remote: str
    number: int
    target: str


class FetchedPull(Struct, frozen=True):
    """The pull request's range, and whether its head comes from outside: then it is reviewed like a
    fork."""

    range: Range
    fork: bool


def fetch_pull(
    git: Git, origin: PullOrigin, base: str, pull: PullRequest | None, environment: Environment
) -> FetchedPull:
    """Fetch a pull request's head and the branch it goes to, and find what it adds; `pull` is None
    where GitHub is not asked.

    Raises:
        UpstreamError: the remote cannot be reached or has no such pull request.
        UsageError: there is nothing to compare with.
    """
    remote, number = origin.remote, origin.number
    theirs = f"refs/pull/{number}/head"
    there = list_remote(git, environment.variables, remote, theirs, "refs/heads/*")
    if theirs not in there.refs:
        raise UpstreamError(
            f"{remote} has no pull request {number}",
            "for a pull request of another repository, give its full URL",
        )
    if pull and pull.head != there.refs[theirs]:
        raise UpstreamError(
            f"GitHub reports pull request {number} at {pull.head:.12}, but {remote} has it at "
            f"{there.refs[theirs]:.12}",
            f"run this again; if they still differ, {remote} is not {pull.repository}",
        )
    branch = _branch(base, pull, there, remote)
    ours, ours_base = kept_refs(origin.target)
    named = {f"refs/heads/{branch}": ours_base} if f"refs/heads/{branch}" in there.refs else {}
    fetch_refs(git, environment.variables, remote, {theirs: ours, **named})
    head, onto = (
        _fetched(git, ours),
        _fetched(git, ours_base) if named else _known(git, base or branch, remote),
    )
    if pull and pull.state == "merged" and not base and git.resolve(pull.base):
        onto = pull.base  # the branch has it all by now
    found = from_merge_base(git, onto, head, branch)
    notes = (f"pull request {number} of {remote}: {head[:12]}, since the merge base with {branch}",)
    branches = {oid for name, oid in there.refs.items() if name.startswith("refs/heads/")}
    # Where GitHub is not asked, a head that no branch of the remote is at may be anybody's.
    return FetchedPull(
        Range(found.base, head, notes, is_foreign=True),
        is_from_outside(pull) if pull else head not in branches,
    )


def _branch(base: str, pull: PullRequest | None, there: RemoteRefs, remote: str) -> str:
    """The branch to compare with, as the remote calls it: what the user says, else GitHub, else the
    remote's default branch."""
    asked = base.removeprefix("refs/heads/").removeprefix(f"{remote}/")
    found = asked or (pull.base_ref if pull else there.default)
    if not found:
        raise UpstreamError(
            f"{remote} does not report its default branch",
            "name the branch to compare with: --base BRANCH",
        )
    return found


def _fetched(git: Git, ref: str) -> str:
    found = git.resolve(ref)
    if not found:
        raise UpstreamError(f"what was fetched to {ref} is not a commit", "run this again")
    return found


def _known(git: Git, base: str, remote: str) -> str:
    """A commit of this clone that is not a branch of the remote."""
    found = git.resolve(base)
    if not found:
        raise UpstreamError(
            f"{base!r} is neither a branch of {remote} nor a commit in this clone",
            "name the branch to compare with: --base BRANCH",
        )
    return found


def is_from_outside(pull: PullRequest) -> bool:
    """The head comes from another repository, from one that is gone, or from Dependabot."""
    return (
        pull.head_repository.lower() != pull.repository.lower() or pull.author.login == _DEPENDABOT
    )


def fetch_head(
    git: Git, origin: PullOrigin, pull: PullRequest, env: Mapping[str, str]
) -> tuple[str, str]:
    """Fetch the pull request's head as GitHub has named it, and the branch that it goes to; the two
    commits, base first.

    Raises:
        UpstreamError: the remote cannot be reached, or has another head by now.
    """
    ours, ours_base = kept_refs(origin.target)
    wanted = {f"refs/pull/{pull.number}/head": ours, f"refs/heads/{pull.base_ref}": ours_base}
    fetch_refs(git, env, origin.remote, wanted)
    if not git.resolve(pull.head):
        raise UpstreamError(
            f"{pull.head:.12}, the head of pull request {pull.number}, is not at {origin.remote} "
            "any more",
            "run this again",
        )
    return git.resolve(pull.base) or _fetched(git, ours_base), pull.head


def variables_with_token(environment: Environment, token: str) -> dict[str, str]:
    """The variables for a fetch, with the token for addresses of this GitHub and no others: the
    checkout of a job should keep no credentials."""
    env = dict(environment.variables)
    server = env.get("GITHUB_SERVER_URL", "").rstrip("/")
    if not may_see_token(server):
        return env
    count = env.get("GIT_CONFIG_COUNT", "")
    number = int(count) if count.isdecimal() else 0
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    # https://git-scm.com/docs/git-config (http.<url>.*, http.extraHeader)
    return env | {
        "GIT_CONFIG_COUNT": str(number + 1),
        f"GIT_CONFIG_KEY_{number}": f"http.{server}/.extraHeader",
        f"GIT_CONFIG_VALUE_{number}": f"Authorization: Basic {secret}",
    }

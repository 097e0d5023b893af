"""Which commits a GitHub event is about. Everything in an event is data: ids are checked, names are
only compared."""

import re
from collections.abc import Mapping
from typing import Any

from ..model.errors import UsageError
from ..model.values import dataclass

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DEPENDABOT = "dependabot[bot]"
WHOLE_LABEL = "review: whole"
_WHOLE_ON = ("opened", "reopened", "ready_for_review")
PULL_REQUESTS = ("pull_request", "pull_request_target")


@dataclass(frozen=True, slots=True)
class GitHubEvent:
    """The ids of an event: `base` is "" where it names none; `exact` says to compare the two trees
    as they are.

    `default_branch` is the repository's, "" where unknown; `on_default` says that the event is
    about that very branch; `fork` says that the head comes from another repository or from
    Dependabot; `number` is the pull request's, 0 where there is none. `whole`: language models read
    all of it, whatever was reviewed before.
    """

    name: str
    base: str
    head: str
    compare_trees: bool = False
    default_branch: str = ""
    on_default: bool = False
    fork: bool = False
    number: int = 0
    whole_pull_request: bool = False

    @property
    def read_only(self) -> bool:
        """GitHub gives the run a token that may only read, and no secrets."""
        return self.fork and self.name == PULL_REQUESTS[0]


def read_event(name: str, payload: Mapping[str, Any], sha: str) -> GitHubEvent | None:
    """The event's commits; `sha` is GITHUB_SHA. None where nothing is left to review (a deleted
    branch).

    Raises:
        UsageError: the event has no commits to review, or its ids are no ids.
    """
    branch = _text(payload, "repository", "default_branch")
    on_default = bool(branch) and _text(payload, "ref") == f"refs/heads/{branch}"
    if name in PULL_REQUESTS:
        base, head = (
            _oid(payload, "pull_request", "base", "sha"),
            _oid(payload, "pull_request", "head", "sha"),
        )
        fork, number, whole = _without_secrets(payload), _number(payload), _is_whole(payload)
        return GitHubEvent(
            name,
            base,
            head,
            default_branch=branch,
            fork=fork,
            number=number,
            whole_pull_request=whole,
        )
    if name == "merge_group":
        return GitHubEvent(
            name,
            _oid(payload, "merge_group", "base_sha"),
            _oid(payload, "merge_group", "head_sha"),
            True,
            branch,
        )
    if name == "push":
        before, after = _oid(payload, "before"), _oid(payload, "after")
        return (
            None
            if is_null_id(after)
            else GitHubEvent(
                name, "" if is_null_id(before) else before, after, False, branch, on_default
            )
        )
    if name == "workflow_dispatch":
        return GitHubEvent(name, "", _checked(sha, "GITHUB_SHA"), False, branch, on_default)
    raise UsageError(
        f"the event {name!r} has no commits to review",
        "run the Action on pull_request, push, merge_group or workflow_dispatch",
    )


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A workflow run that has finished: the head it ran on, and the repository and branch that head
    comes from."""

    head: str
    repository: str
    branch: str


def read_finished(payload: Mapping[str, Any]) -> FinishedRun:
    """What a `workflow_run` event says of the run of a pull request.

    Raises:
        UsageError: it was no run of a pull request.
    """
    if _text(payload, "workflow_run", "event") != PULL_REQUESTS[0]:
        raise UsageError(
            "the finished workflow run was not triggered by pull_request",
            "set on.workflow_run.workflows to the workflow that reviews pull requests",
        )
    head = _oid(payload, "workflow_run", "head_sha")
    names = [
        _text(payload, "workflow_run", *keys)
        for keys in (("head_repository", "full_name"), ("head_branch",))
    ]
    return FinishedRun(head, *names)


def is_null_id(oid: str) -> bool:
    """The all-zero id of any length: no commit."""
    return set(oid) <= {"0"}


def _without_secrets(payload: Mapping[str, Any]) -> bool:
    """Another repository's head, one whose repository is gone, or Dependabot's."""
    ours, theirs = (
        _text(payload, "repository", "full_name"),
        _text(payload, "pull_request", "head", "repo", "full_name"),
    )
    return (
        not theirs
        or ours != theirs
        or _text(payload, "pull_request", "user", "login") == _DEPENDABOT
    )


def _is_whole(payload: Mapping[str, Any]) -> bool:
    """It is new to reviewers, or somebody who may label it asks for everything."""
    labels = payload["pull_request"].get("labels")
    names = [_text(label, "name") for label in labels] if isinstance(labels, list) else []
    return _text(payload, "action") in _WHOLE_ON or WHOLE_LABEL in names


def _number(payload: Mapping[str, Any]) -> int:
    number = payload.get("number")
    return number if type(number) is int and number > 0 else 0


def _text(payload: Any, *keys: str) -> str:
    for key in keys:
        payload = payload.get(key) if isinstance(payload, Mapping) else None
    return payload if isinstance(payload, str) else ""


def _oid(payload: Mapping[str, Any], *keys: str) -> str:
    return _checked(_text(payload, *keys), f"the event's {'.'.join(keys)}")


def _checked(oid: str, what: str) -> str:
    if not _OID.fullmatch(oid):
        raise UsageError(
            f"{what} is not a commit id",
            "run this inside a GitHub workflow, or use reviewgate-gh review --base REF",
        )
    return oid

"""GitHub's runner: the event and which commits it is about, the inputs, the log's commands, and the
files of results.

Everything in an event is data: ids are checked, names are only compared.
"""

import json
import os.path
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..model.errors import UsageError
from ..model.pull_request import Account
from ..system.environment import Environment
from ..text.patterns import lazy_pattern

_OID = lazy_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DEPENDABOT = "dependabot[bot]"
WHOLE_LABEL = "review: whole"
_WHOLE_ON = ("opened", "reopened", "ready_for_review")
SCHEDULE = "schedule"
PULL_REQUESTS = ("pull_request", "pull_request_target")
COMMENT = "issue_comment"


class GitHubEvent(Struct, frozen=True):
    """The ids of an event: `base` is "" where it names none; `compare_trees` says to compare the
    two trees as they are.

    `default_branch` is the repository's, "" where unknown; `on_default` says that the event is
    about that very branch; `fork` says that the head comes from another repository or from
    Dependabot; `number` is the pull request's, 0 where there is none. `whole_pull_request`:
    language models read all of it, whatever was reviewed before.
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
    def foreign_code_is_danger(self) -> bool:
        """The job holds secrets and a token that may write, whoever wrote the commits."""
        return self.name in (PULL_REQUESTS[1], COMMENT)

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
    if name == SCHEDULE:  # https://docs.github.com/en/actions/reference/events (schedule)
        return GitHubEvent(name, "", _checked(sha, "GITHUB_SHA"), False, branch, True)
    raise UsageError(
        f"the event {name!r} has no commits to review",
        "run the Action on pull_request, push, merge_group, schedule or workflow_dispatch",
    )


class CommentEvent(Struct, frozen=True):
    """A comment that somebody wrote, as the event has it, and the number of the pull request.
    `ignored` says why it is none to answer."""

    number: int
    comment: int
    author: Account
    body: str
    ignored: str = ""


def read_comment_event(payload: Mapping[str, Any]) -> CommentEvent:
    """What an `issue_comment` event says.

    Raises:
        UsageError: it is not such an event.
    """
    issue, comment = payload.get("issue"), payload.get("comment")
    user = comment.get("user") if isinstance(comment, Mapping) else None
    if not (isinstance(issue, Mapping) and isinstance(comment, Mapping)):
        raise UsageError("the event has no comment", "run this on: issue_comment")
    who = user if isinstance(user, Mapping) else {}
    found = CommentEvent(
        _count(issue.get("number")),
        _count(comment.get("id")),
        Account(_count(who.get("id")), _text(who, "login"), _text(who, "type")),
        _text(comment, "body"),
    )
    sender = payload.get("sender")
    ignored = (
        (_text(payload, "action") != "created", "only new comments are answered"),
        (not isinstance(issue.get("pull_request"), Mapping), "it is not on a pull request"),
        (found.author.kind != "User", "it was not written by a person"),
        (
            not isinstance(sender, Mapping) or sender.get("id") != found.author.id,
            "somebody else than its author has sent it",
        ),
        (not (found.number and found.comment and found.author.id), "the event does not name it"),
    )
    return replace(found, ignored=next((why for holds, why in ignored if holds), ""))


class FinishedRun(Struct, frozen=True):
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
    return _count(payload.get("number"))


def _count(number: Any) -> int:
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


_EVENT_BYTES = 30_000_000
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
_SUMMARY_BYTES = 1_000_000


def event_payload(environment: Environment) -> Mapping[str, Any]:
    """The event that started the workflow.

    Raises:
        UsageError: there is none, or it cannot be read.
    """
    path = environment.variables.get("GITHUB_EVENT_PATH", "")
    try:
        with Path(path).open("rb") as file:
            data = file.read(_EVENT_BYTES + 1)
        payload = json.loads(data) if len(data) <= _EVENT_BYTES else None
    except (OSError, ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise UsageError(
            "GITHUB_EVENT_PATH names no readable event",
            "run this inside a GitHub workflow, or use reviewgate-gh review",
        )
    return payload


def read_input(environment: Environment, name: str) -> str:
    """An input of the action."""
    return environment.variables.get(
        f"REVIEWGATE_GH_INPUT_{name.upper().replace('-', '_')}", ""
    ).strip()


def read_flag(environment: Environment, name: str) -> bool:
    """A yes/no input of the action.

    Raises:
        UsageError: it is neither.
    """
    text = read_input(environment, name).lower()
    if text not in ("", "true", "false"):
        raise UsageError(f"the input {name} must be true or false, not {text!r}")
    return text == "true"


def workspace_path(environment: Environment, name: str) -> Path:
    """Where a file that an input names lies: absolute, or in the working folder, which holds the
    reviewed commits.

    Raises:
        UsageError: a symbolic link in the working folder leads elsewhere.
    """
    folder = environment.cwd.resolve()
    path = Path(os.path.normpath(folder / name))
    if path.is_relative_to(folder) and os.path.realpath(path) != str(path):
        raise UsageError(
            f"{name!r} is, or lies behind, a symbolic link in the checkout",
            "use a path that the reviewed commits cannot change",
        )
    return path


def temporary_path(environment: Environment, name: str) -> Path:
    """A file in the runner's temporary folder."""
    return Path(environment.variables.get("RUNNER_TEMP") or environment.cwd) / name


def set_output(environment: Environment, values: Mapping[str, str]) -> None:
    """Hand results to later steps; the random delimiter keeps a value from setting another name.

    Raises:
        UsageError: the runner's file cannot be written.
    """
    blocks = (
        (name, value, f"reviewgate_{secrets.token_hex(16)}") for name, value in values.items()
    )
    # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    _append(
        environment,
        "GITHUB_OUTPUT",
        "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value, end in blocks),
    )


def add_summary(environment: Environment, text: str) -> None:
    """Add to the job's summary page, cut where GitHub would refuse it.

    Raises:
        UsageError: the runner's file cannot be written.
    """
    _append(
        environment,
        "GITHUB_STEP_SUMMARY",
        text.encode("utf-8", "backslashreplace")[:_SUMMARY_BYTES].decode("utf-8", "ignore"),
    )


class StepLog:
    """The step's log, in which no text is taken as a workflow command until `with_commands` says
    so."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(16)
        # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
        self.stop = f"::stop-commands::{self._token}\n"

    def with_commands(self, text: str) -> str:
        """Workflow commands that shall be obeyed; after them nothing is again."""
        ended = text if text.endswith("\n") or not text else f"{text}\n"
        return f"::{self._token}::\n{ended}{self.stop}"


def _append(environment: Environment, variable: str, text: str) -> None:
    path = environment.variables.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(
            f"cannot write {variable}: {error.strerror}", "check that the runner's disk is not full"
        ) from None

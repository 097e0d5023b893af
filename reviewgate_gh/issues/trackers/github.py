"""Issues and epics of the repository at GitHub. Our part of a body is a hidden marker and the block
below it."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from ...findings.markers import FINGERPRINT_PATTERN
from ...git.remote import github_repository
from ...github.addresses import api_host
from ...github.client import Client, open_github
from ...github.reading import JsonPart, NotFound, Refused, UncertainWrite, write_was_accepted
from ...github.reviews import PendingPosts, open_pending_posts
from ...model.errors import GateError, UpstreamError
from ...model.finding import Priority
from ...model.limits import ConfigSection
from ...text.patterns import lazy_pattern
from ...text.safe import markdown_paragraphs
from ..epics import Epic
from ..plan import LABEL, read_own_issue
from ..tracked import IssueStatus, TrackedIssue, Workspace

IN_CLONE = False
_OURS = lazy_pattern(
    rf"<!-- reviewgate-gh:issue (?P<name>{FINGERPRINT_PATTERN.pattern}) "
    r"-->\n```text\n(?P<notes>.*?)\n```",
    re.DOTALL,
)
# https://github.com/trstringer/manual-approval/issues/89
_MOST_BODY = 30_000  # characters: GitHub refuses more than 65,536, and our block comes after it
_LABEL = "priority:"


class Options(ConfigSection, frozen=True):
    """Labels that every issue gets besides ours."""

    labels: tuple[str, ...] = ()


def lacks(options: Options, workspace: Workspace) -> str:
    """A repository with a name, and a token: whether that may write issues, GitHub says to `publish
    PR --preflight`."""
    try:
        return (
            ""
            if _client(workspace).has_token
            else "no token here: set GITHUB_TOKEN, with `issues: write`"
        )
    except GateError as error:
        return f"{error.message}; {error.hint}"


@contextmanager
def opened(options: Options, workspace: Workspace) -> Iterator["GitHubIssues"]:
    """The issues. Another machine may have made the same ones meanwhile: of two the older one
    stays.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    client = _client(workspace)
    outbox = open_pending_posts(
        None if workspace.temporary else workspace.git.common,
        client.repository,
        "issues",
        workspace.environment,
    )
    left, ledger = outbox.unconfirmed(), GitHubIssues(client, options, outbox)
    yield ledger
    ledger.close_twins()
    workspace.messages.extend(left)
    outbox.clear()


def epic(options: Options, workspace: Workspace, name: str) -> Epic | None:
    """The issue of that number with those below it; None where there is no such issue.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """

    return epic_at(_client(workspace), name)


def issue(options: Options, workspace: Workspace, name: str) -> Epic | None:
    """An issue alone; None where there is none of that number.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """

    return issue_at(_client(workspace), name)


def _client(workspace: Workspace) -> "Client":
    env = workspace.environment.variables
    return workspace.client or open_github(
        workspace.environment,
        env.get("GITHUB_REPOSITORY") or github_repository(workspace.git, api_host(env, None)),
    )


class GitHubIssues:
    """The issues with our label, which only people who may write can set: a stranger's copy of a
    marker is none of ours."""

    def __init__(self, client: "Client", options: Options, outbox: "PendingPosts") -> None:
        self._client, self._options, self._outbox = client, options, outbox
        self._all: list[TrackedIssue] | None = None
        self._made: dict[int, str] = {}

    def find(self, names: Collection[str] | None) -> Sequence[TrackedIssue]:
        """Ours, open and closed, all pages, oldest first."""
        if self._all is None:
            self._all = self._listed()
        wanted = None if names is None else frozenset(names)
        return [
            issue
            for issue in self._all
            if wanted is None or wanted & {issue.fingerprint, issue.place}
        ]

    def add(self, issue: TrackedIssue) -> str:
        """One issue. Where its answer is lost it is looked for before it is sent again."""
        try:
            return self._create(issue)
        except UncertainWrite:
            self._all = None
            there = [each for each in self.find({issue.fingerprint}) if _says_the_same(each, issue)]
            return there[0].id if there else self._create(issue)

    def change(self, before: TrackedIssue, after: TrackedIssue) -> None:
        """Our block, our priority label and the state, as far as they differ."""
        kept = [label for label in before.labels if not label.startswith(_LABEL)]
        sent: dict[str, Any] = {"body": _with_notes(before.body, after)}
        if after.priority is not before.priority:
            sent["labels"] = [*kept, f"{_LABEL}{after.priority.value}"]
        if after.status is not before.status:
            sent["state"] = after.status.value
            sent["state_reason"] = "completed" if after.status is IssueStatus.CLOSED else "reopened"
        self._all = None
        self._client.write("PATCH", self._path(before.id), sent)

    def close_twins(self) -> None:
        """Close what another run had made a moment before us."""
        if not self._made:
            return
        self._all = None
        first: dict[tuple[str, str], int] = {}
        for issue in self.find(None):
            number, name = int(issue.id), (issue.fingerprint, issue.title)
            if self._made.get(number) == issue.fingerprint and name in first:
                self._client.write(
                    "PATCH",
                    self._path(issue.id),
                    {"state": "closed", "state_reason": "not_planned"},
                )
            first.setdefault(name, number)

    def _create(self, issue: TrackedIssue) -> str:
        labels = [*issue.labels, f"{_LABEL}{issue.priority.value}", *self._options.labels]
        sent = {"title": issue.title, "body": _body(issue), "labels": labels}
        with self._outbox.record(issue.fingerprint):
            made = self._client.write("POST", self._client.path("issues"), sent)
        self._all = None
        with write_was_accepted():
            number = made.number("number")
            named = _labels(made)
        if LABEL not in named:
            self._client.write(
                "PATCH", self._path(str(number)), {"state": "closed", "state_reason": "not_planned"}
            )
            raise UpstreamError(
                "GitHub let this token create an issue but not label it",
                "use a token with write access",
            )
        self._made[number] = issue.fingerprint
        return str(number)

    def _listed(self) -> list[TrackedIssue]:
        try:
            items = self._client.pages(self._client.path("issues"), labels=LABEL, state="all").items
        except Refused as error:
            if error.status == 410:
                raise UpstreamError(
                    f"issues are turned off in {self._client.repository}",
                    "turn them on, or set another tracker.type",
                ) from None
            raise
        found = [_issue(item) for item in items if item.maybe("pull_request") is None]
        return sorted((issue for issue in found if issue), key=lambda issue: int(issue.id))

    def _path(self, number: str) -> str:
        return self._client.path("issues", int(number))


def _body(issue: TrackedIssue) -> str:
    link = (
        f"\n\nFound for #{issue.link}"
        if issue.link.isdecimal()
        else f"\n\nFound for `{issue.link}`"
        if issue.link
        else ""
    )
    body = f"{markdown_paragraphs(issue.body, _MOST_BODY)}{link}"
    return (
        f"{body}\n\n<!-- reviewgate-gh:issue {issue.fingerprint} -->\n```text\n{issue.notes}\n```\n"
    )


def _says_the_same(one: TrackedIssue, other: TrackedIssue) -> bool:
    """Without rules several problems can have one fingerprint."""
    return (one.fingerprint, one.title) == (other.fingerprint, other.title)


def _with_notes(body: str, after: TrackedIssue) -> str:
    """The body with another block of ours; people's words around it stay."""
    found = _OURS.search(body)
    if not found:
        return body
    between = body[found.end("name") : found.start("notes")]
    block = f"{after.fingerprint}{between}{after.notes}"
    return f"{body[: found.start('name')]}{block}{body[found.end('notes') :]}"


def _labels(item: "JsonPart") -> list[str]:
    return [
        label.value if isinstance(label.value, str) else label.text("name")
        for label in item.items("labels")
    ]


def _issue(item: "JsonPart") -> TrackedIssue | None:
    body = item.optional("body").replace("\r\n", "\n")
    found = _OURS.search(body)
    if found is None:
        return None
    labels = _labels(item)
    issue = read_own_issue(item.text("title"), body, found["notes"], labels)
    if issue is None:
        return None
    closed = item.text("state") == "closed"
    said = next((label.removeprefix(_LABEL) for label in labels if label.startswith(_LABEL)), "")
    return replace(
        issue,
        fingerprint=found["name"],
        id=str(item.number("number")),
        status=IssueStatus.CLOSED if closed else IssueStatus.OPEN,
        reason=item.optional("state_reason") if closed else "",
        priority=Priority.__members__.get(said, issue.priority),
    )


_TASK = lazy_pattern(
    r"^[ \t]*[-*+][ \t]+\[(?P<mark>[ xX])\][ \t]+(?P<text>\S.*?)[ \t]*$", re.MULTILINE
)
_MOST = 200


def epic_at(client: "Client", name: str) -> Epic | None:
    """The epic of that number; None where there is no such issue.

    An entry of a task list that begins with an issue's number stands as that issue does, any other
    one as it is ticked.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    mine = issue_at(client, name)
    return mine and replace(
        mine, children=_below(client, int(mine.id)) or _listed(client, mine.description)
    )


def issue_at(client: "Client", name: str) -> Epic | None:
    """The issue of that number alone; None where there is none.

    Raises:
        UpstreamError: GitHub refuses or cannot be reached.
    """
    number = name.removeprefix("#")
    if not number.isascii() or not number.isdecimal():
        return None
    try:
        mine = client.get(client.path("issues", int(number)))
    except NotFound:
        return None
    return Epic(
        number, title=mine.text("title"), description=mine.optional("body").replace("\r\n", "\n")
    )


def _below(client: "Client", number: int) -> dict[str, bool]:
    """The sub-issues; none at servers that know none."""
    try:
        items = client.pages(client.path("issues", number, "sub_issues")).items
    except NotFound:
        return {}
    return {str(item.number("number")): _closed(item) for item in items}


def _listed(client: "Client", body: str) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for entry in list(_TASK.finditer(body))[:_MOST]:
        issue = re.match(r"#(\d+)\b", entry["text"])
        if issue:
            found[issue[1]] = _is_closed(client, int(issue[1]))
        else:
            found[entry["text"][:100]] = entry["mark"] != " "
    return found


def _is_closed(client: "Client", number: int) -> bool:
    """An issue that is not there is not closed."""
    try:
        return _closed(client.get(client.path("issues", number)))
    except NotFound:
        return False


def _closed(item: "JsonPart") -> bool:
    return item.text("state") == "closed"

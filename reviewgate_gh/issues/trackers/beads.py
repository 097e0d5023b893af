"""Issues in beads, by its own program `bd`."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ...model.errors import UpstreamError
from ...model.limits import ConfigSection
from ...system import process
from ..epics import Epic, epic_of_records
from ..tracked import IssueStatus, TrackedIssue, Workspace
from ._beads import issue_of_record, priority_number

IN_CLONE = False
_PROGRAM = "bd"
_INSTALL = "install beads and run bd init, or set another tracker.type"


class Options(ConfigSection, frozen=True):
    """Seconds that one call of bd may take."""

    timeout: float = 60


def lacks(options: Options, workspace: Workspace) -> str:
    """A bd that lists its issues."""
    try:
        BeadsIssues(options, workspace).find(())
    except UpstreamError as error:
        return f"{error.message}; {error.hint}"
    return ""


@contextmanager
def opened(options: Options, workspace: Workspace) -> Iterator["BeadsIssues"]:
    """The database that bd finds from this work tree; each call of bd is kept at once."""
    yield BeadsIssues(options, workspace)


def epic(options: Options, workspace: Workspace, name: str) -> Epic | None:
    """An epic with its issues; None where bd does not know it.

    Raises:
        UpstreamError: bd fails.
    """
    issues = BeadsIssues(options, workspace)
    mine = _shown(issues, name)
    if not mine:
        return None
    below = _rows(issues.call("list", "--all", "--limit", "0", "--parent", name, "--json"))
    return epic_of_records(
        [*mine, *({**row, "parent": name} for row in below if row.get("id") != name)], name
    )


def issue(options: Options, workspace: Workspace, name: str) -> Epic | None:
    """An issue alone; None where bd does not know it.

    Raises:
        UpstreamError: bd fails.
    """
    return epic_of_records(_shown(BeadsIssues(options, workspace), name), name)


def _shown(issues: "BeadsIssues", name: str) -> list[Mapping[str, Any]]:
    """The record of that name; none where bd does not know it."""
    try:
        return _rows(issues.call("show", name, "--json"))
    except UpstreamError as error:
        if "no issue" in error.message or "not found" in error.message:
            return []
        raise


class BeadsIssues:
    """bd, call by call."""

    def __init__(self, options: Options, workspace: Workspace) -> None:
        self._options, self._cwd = options, workspace.git.tree or workspace.git.common
        extra = {
            name: value
            for name, value in workspace.environment.variables.items()
            if name.startswith(("BEADS_", "BD_"))
        }
        self._env = process.clean_environment(workspace.environment.variables, extra)
        self._all: list[TrackedIssue] | None = None

    def find(self, names: Collection[str] | None) -> Sequence[TrackedIssue]:
        """Our issues; bd hides closed ones and stops at 50 unless told otherwise."""
        if self._all is None:
            rows = _rows(self.call("list", "--all", "--limit", "0", "--json"))
            self._all = [issue for issue in map(issue_of_record, rows) if issue]
        wanted = None if names is None else frozenset(names)
        return [
            issue
            for issue in self._all
            if wanted is None or wanted & {issue.fingerprint, issue.place}
        ]

    def add(self, issue: TrackedIssue) -> str:
        """One `bd create`; its fingerprint stands in the notes, which come with the issue, and
        labels a moment later."""
        argv = [
            "create",
            "--json",
            "--type",
            "task",
            "--priority",
            str(priority_number(issue.priority)),
            f"--title={issue.title}",
        ]
        argv += [f"--notes={issue.notes}", f"--labels={','.join(issue.labels)}", "--body-file", "-"]
        argv += [f"--deps=discovered-from:{issue.link}"] if issue.link else []
        self._all = None
        return str(_object(self.call(*argv, stdin=issue.body)).get("id", ""))

    def change(self, before: TrackedIssue, after: TrackedIssue) -> None:
        """`bd update`, and `bd close` where it is to be closed."""
        argv = ["update", before.id, "--json", f"--notes={after.notes}"]
        argv += (
            ["--priority", str(priority_number(after.priority))]
            if after.priority is not before.priority
            else []
        )
        argv += (
            ["--status", "open"]
            if (before.status, after.status) == (IssueStatus.CLOSED, IssueStatus.OPEN)
            else []
        )
        self._all = None
        self.call(*argv)
        if (before.status, after.status) == (IssueStatus.OPEN, IssueStatus.CLOSED):
            self.call("close", before.id, f"--reason={after.reason}", "--json")

    def call(self, *argv: str, stdin: str = "") -> Any:
        """What bd prints as JSON, out of its envelope.

        Raises:
            UpstreamError: bd is not there, failed, or printed something else.
        """
        try:
            answer = process.run_process(
                [_PROGRAM, *argv],
                cwd=self._cwd,
                env=self._env,
                stdin=stdin.encode("utf-8", "replace"),
                deadline=self._options.timeout,
            )
        except process.ToolMissing as error:
            raise UpstreamError(error.message, _INSTALL) from None
        try:
            if answer.code != 0:
                said = (
                    answer.killed_reason
                    or _error(answer.out)
                    or answer.err.removeprefix("Error: ")
                    or f"exit {answer.code}"
                )
                raise UpstreamError(
                    f"bd {argv[0]} failed: {said.splitlines()[0]}", "find the cause with: bd doctor"
                )
            return _payload(answer.out, argv[0])
        finally:
            answer.close()


def _payload(out: bytes, verb: str) -> Any:
    try:
        plain = json.loads(out)
    except (ValueError, RecursionError):
        raise UpstreamError(
            f"bd {verb} printed no JSON", "check that bd is version 0.47 or later"
        ) from None
    return (
        plain["data"]
        if isinstance(plain, dict) and "data" in plain and "id" not in plain
        else plain
    )


def _error(out: bytes) -> str:
    try:
        plain = json.loads(out)
    except (ValueError, RecursionError):
        return ""
    return str(plain.get("error", "")) if isinstance(plain, dict) else ""


def _rows(payload: Any) -> list[Mapping[str, Any]]:
    """The issues of a listing: a bare array, or an object that holds one."""
    rows = (
        payload.get("issues", [payload] if "id" in payload else None)
        if isinstance(payload, dict)
        else payload
    )
    if rows is None:
        return []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UpstreamError(
            "bd list printed something other than issues", "check that bd is version 0.47 or later"
        )
    return rows


def _object(payload: Any) -> Mapping[str, Any]:
    first = payload[0] if isinstance(payload, list) and payload else payload
    if not isinstance(first, dict) or not first.get("id"):
        raise UpstreamError("bd create named no new issue", "look for it with: bd list")
    return first

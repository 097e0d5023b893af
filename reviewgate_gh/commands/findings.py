"""Manage findings as issues: list, show, close, sync."""

import json
from pathlib import Path

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_stdout
from ..git import Git, open_repository
from ..model.errors import Exit
from ..reporters._layout import render_table
from ..system.environment import Environment
from ..text.safe import safe_block, safe_line, without_commands
from ..tools.findings import (
    FindingsContext,
    IssueRow,
    close_issue,
    find_issue_row,
    list_issues,
    open_findings_context,
    sync_findings,
)
from ._options import policy, repo, result_form, trusted


@click.group("findings")
def command() -> None:
    """Manage findings as issues in the configured tracker. `findings sync`, `publish`, `review
    --publish` and the Action create them."""


@command.command("list", short_help="List the open issues, and findings waiting for the tracker.")
@click.option("--all", "everything", is_flag=True, help="Include closed issues.")
@result_form
@policy
@repo
def show_all(everything: bool, form: str, policy: str, repo: Path) -> int:
    """List the open issues, most severe first, and findings still waiting because the tracker
    failed."""
    git, environment = _here(repo)
    known = list_issues(_desk(git, environment, policy), everything)
    found = known.rows
    styles = {"open": "", "closed": "dim", "waiting": "yellow"}
    cells = [
        [
            (r.id or "-", ""),
            (r.status, styles[r.status]),
            (r.priority, ""),
            (r.fingerprint, ""),
            (_place(r), ""),
            (r.title, ""),
        ]
        for r in found
    ]
    header = ("id", "status", "priority", "fingerprint", "place", "title")
    drawn = (
        render_table(header, cells, output_style(environment))
        if found
        else ""
        if known.failed
        else "no open issues\n"
    )
    write_stdout(_json([*found]) if form == "json" else drawn)
    if known.failed:
        raise known.failed
    return 0


@command.command("show", short_help="Show one issue.")
@click.argument("name", metavar="ID")
@result_form
@policy
@repo
def show(name: str, form: str, policy: str, repo: Path) -> int:
    """Show the issue with this id or fingerprint."""
    row = find_issue_row(_desk(*_here(repo), policy), name)
    if form == "json":
        write_stdout(_json(row))
        return 0
    head = (
        f"{row.id or '-'}  {row.status}{f' ({row.reason})' if row.reason else ''}  "
        f"{row.priority}  {_place(row)}"
    )
    write_stdout(
        without_commands(
            "\n".join(
                [
                    safe_line(row.title),
                    safe_line(head),
                    "",
                    safe_block(row.body).rstrip(),
                    "",
                    safe_block(row.notes),
                    "",
                ]
            )
        )
    )
    return 0


@command.command("close", short_help="Close an issue.")
@click.argument("name", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why the issue is closed.")
@policy
@repo
def close(name: str, reason: str, policy: str, repo: Path) -> int:
    """Close the issue with this id or fingerprint. It stays closed if its finding is reported
    again."""
    row = close_issue(_desk(*_here(repo), policy), name, reason)
    _say(f"closed  {row.id}  {row.title}")
    return 0


@command.command("sync", short_help="Create issues for a report's findings now.")
@click.option(
    "--report",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The JSON report.  [default: the latest one kept here]",
)
@trusted
@policy
@repo
def sync(path: Path | None, trusted: bool, policy: str, repo: Path) -> int:
    """Bring the tracker up to date with a report: one issue per finding, without duplicates.
    Waiting findings of earlier runs are included.

    If the tracker fails, no finding is lost and the exit code is 69.
    """
    git, environment = _here(repo)
    told, done = sync_findings(path, policy, trusted, git, environment)
    for text in told or ("the tracker is up to date with the report",):
        _say(text)
    return Exit.OK if done else Exit.UPSTREAM


def _here(repo: Path) -> "tuple[Git, Environment]":
    environment = Environment.current()
    return open_repository(repo, environment.variables), environment


def _desk(git: "Git", environment: "Environment", policy: str) -> "FindingsContext":
    return open_findings_context(git, environment, policy)


def _json(value: "IssueRow | list[IssueRow]") -> str:
    return json.dumps(to_builtins(value), indent=2) + "\n"


def _place(row: "IssueRow") -> str:
    return f"{row.path}:{row.line}" if row.line else row.path


def _say(text: str) -> None:
    write_stdout(f"{safe_line(text)}\n")

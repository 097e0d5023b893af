"""`findings`: what the tracker holds of findings."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..model.exits import Exit
from ._options import policy, repo, result_form, trusted

if TYPE_CHECKING:
    from ..flows.findings import Desk, Row
    from ..system.git import Git
    from ..system.world import World


@click.group("findings", short_help="Manage findings as issues: list, show, close, sync.")
def command() -> None:
    """Manage findings as issues in the configured tracker. `findings sync`, `publish`, `review --publish` and the Action create them."""


@command.command("list", short_help="List the open issues, and findings waiting for the tracker.")
@click.option("--all", "everything", is_flag=True, help="Include closed issues.")
@result_form
@policy
@repo
def show_all(everything: bool, form: str, policy: str, repo: Path) -> int:
    """List the open issues, most severe first, and findings still waiting because the tracker failed."""
    from ..flows.deliver import emit, look
    from ..flows.findings import listed
    from ..reporters._table import table

    git, world = _here(repo)
    known = listed(_desk(git, world, policy), everything)
    found = known.rows
    styles = {"open": "", "closed": "dim", "waiting": "yellow"}
    cells = [
        [(r.id or "-", ""), (r.status, styles[r.status]), (r.priority, ""), (r.fingerprint, ""), (_place(r), ""), (r.title, "")]
        for r in found
    ]
    header = ("id", "status", "priority", "fingerprint", "place", "title")
    drawn = table(header, cells, look(world)) if found else "" if known.failed else "no open issues\n"
    emit(_json([*found]) if form == "json" else drawn)
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
    from ..flows.deliver import emit
    from ..flows.findings import one
    from ..reporters._doors import block, inert, line

    row = one(_desk(*_here(repo), policy), name)
    if form == "json":
        emit(_json(row))
        return 0
    head = f"{row.id or '-'}  {row.status}{f' ({row.reason})' if row.reason else ''}  {row.priority}  {_place(row)}"
    emit(inert("\n".join([line(row.title), line(head), "", block(row.body).rstrip(), "", block(row.notes), ""])))
    return 0


@command.command("close", short_help="Close an issue.")
@click.argument("name", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why the issue is closed.")
@policy
@repo
def close(name: str, reason: str, policy: str, repo: Path) -> int:
    """Close the issue with this id or fingerprint. It stays closed if its finding is reported again."""
    from ..flows.findings import close as closing

    row = closing(_desk(*_here(repo), policy), name, reason)
    _say(f"closed  {row.id}  {row.title}")
    return 0


@command.command("sync", short_help="Create issues for a report's findings now.")
@click.option(
    "--report", "path", type=click.Path(path_type=Path), metavar="FILE", help="The JSON report.  [default: the latest one kept here]"
)
@trusted
@policy
@repo
def sync(path: Path | None, trusted: bool, policy: str, repo: Path) -> int:
    """Bring the tracker up to date with a report: one issue per finding, without duplicates. Waiting findings of earlier runs are included.

    If the tracker fails, no finding is lost and the exit code is 69.
    """
    from ..flows.findings import sync

    git, world = _here(repo)
    told, done = sync(path, policy, trusted, git, world)
    for text in told or ("the tracker is up to date with the report",):
        _say(text)
    return Exit.OK if done else Exit.UPSTREAM


def _here(repo: Path) -> "tuple[Git, World]":
    from ..system.git import open_repository
    from ..system.world import World

    world = World.here()
    return open_repository(repo, world.env), world


def _desk(git: "Git", world: "World", policy: str) -> "Desk":
    from ..flows.findings import desk

    return desk(git, world, policy)


def _json(value: "Row | list[Row]") -> str:
    import json

    from ..model.codec import to_plain

    return json.dumps(to_plain(value), indent=2) + "\n"


def _place(row: "Row") -> str:
    return f"{row.path}:{row.line}" if row.line else row.path


def _say(text: str) -> None:
    from ..flows.deliver import emit
    from ..reporters._doors import line

    emit(f"{line(text)}\n")

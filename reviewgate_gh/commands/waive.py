"""Accept findings, with a reason and an optional end date."""

import json
import shlex
from pathlib import Path

import click
from msgspec import to_builtins

from ..findings.waivers_file import WaiverTerms
from ..gate.deliver import output_style, write_stdout
from ..git import Git, open_repository
from ..model.waiver import Waiver
from ..reporters._layout import render_table
from ..system.environment import Environment
from ..text.config_file import WAIVER_FILE
from ..text.safe import safe_line
from ..tools.waive import (
    WaiverFileChange,
    add_waivers,
    last_day,
    migrate_waivers,
    prune_waivers,
    waiver_statuses,
)
from ..trust.attempts import require_person
from ._options import repo, result_form


@click.group("waive")
def command() -> None:
    """Accept findings: `.reviewgate-gh-waivers.yaml` lists them with a reason, and is committed and
    reviewed like code."""


@command.command("add")
@click.argument("fingerprints", nargs=-1)
@click.option("--all-current", is_flag=True, help="Accept every open finding of the latest report.")
@click.option("--reason", required=True, metavar="TEXT", help="Why the finding is accepted.")
@click.option(
    "--expires",
    metavar="YYYY-MM-DD",
    help="The last day on which the waiver is valid; without it, it never expires.",
)
@click.option(
    "--days", type=click.IntRange(min=1), metavar="N", help="The same, in days from today."
)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many identical findings to accept; any more stay open.",
)
@repo
def add(
    fingerprints: tuple[str, ...],
    all_current: bool,
    reason: str,
    expires: str | None,
    days: int | None,
    count: int | None,
    repo: Path,
) -> int:
    """Accept findings of the latest report by their FINGERPRINTs.

    If a finding lists several places, all of them are accepted. Naming a fingerprint again updates
    its reason, end date and count.

    The entry records title and priority: a finding that becomes more severe is open again, and so
    is a different defect that a language model finds in the same code.
    """
    git, environment = _here(repo)
    names = ", ".join(fingerprints) or "every open finding"
    words = ["reviewgate-gh", "waive", "add", *fingerprints, *["--all-current"] * all_current]
    again = shlex.join([*words, "--reason", reason])
    require_person(git, environment, f"accept {names} ({reason})", again)
    done = add_waivers(
        fingerprints,
        all_current,
        WaiverTerms(reason, last_day(days, expires, environment), count),
        git,
        environment,
    )
    for word, waivers in (("added", done.added), ("updated", done.updated)):
        for waiver in waivers:
            _say(f"{word}  {_words(waiver)}")
    if not done.added and not done.updated:
        _say("no open findings to accept")
    else:
        _wrote(done)
    return 0


@command.command("list", short_help="List the waivers: used, unused or expired.")
@result_form
@repo
def show(form: str, repo: Path) -> int:
    """List the waivers of the work tree: used by the latest report, unused, or expired."""
    git, environment = _here(repo)
    rows = waiver_statuses(git, environment)
    if form == "json":
        write_stdout(json.dumps([to_builtins(row) for row in rows], indent=2) + "\n")
        return 0
    styles = {"used": "green", "unused": "dim", "expired": "yellow"}
    cells = [
        [
            (r.fingerprint, ""),
            (r.status, styles[r.status]),
            (r.expires or "-", ""),
            (str(r.count), ""),
            (r.rule, ""),
            (r.path, ""),
            (f"{r.priority or ''} {r.title}".strip(), ""),
            (r.reason, ""),
        ]
        for r in rows
    ]
    header = ("fingerprint", "status", "expires", "count", "rule", "path", "accepts", "reason")
    write_stdout(render_table(header, cells, output_style(environment)) if rows else "no waivers\n")
    return 0


@command.command("prune", short_help="Remove waivers that have expired or whose file is gone.")
@repo
def prune(repo: Path) -> int:
    """Remove the waivers that have expired and those whose file is gone."""
    done = prune_waivers(*_here(repo))
    for waiver, why in done.removed:
        _say(f"removed  {_words(waiver)}: {why}")
    if done.removed:
        _wrote(done)
    else:
        _say("nothing to remove")
    return 0


@command.command("migrate", short_help="Update waivers that have old fingerprints.")
@repo
def migrate(repo: Path) -> int:
    """Update the waivers that the latest report used under an old fingerprint: one of an earlier
    version, or of a file that was renamed since.

    Waivers that the latest report did not need are listed: review the change that needs them
    first, or remove them.
    """
    git, environment = _here(repo)
    require_person(git, environment, "renew waivers", "reviewgate-gh waive migrate")
    done = migrate_waivers(git, environment)
    for waiver in (*done.updated, *done.added):
        _say(f"updated  {_words(waiver)}")
    for waiver in done.unused:
        _say(f"not used by the latest report  {_words(waiver)}")
    if done.updated:
        _wrote(done)
    else:
        _say("nothing to update")
    return 0


def _here(repo: Path) -> "tuple[Git, Environment]":
    environment = Environment.current()
    return open_repository(repo, environment.variables), environment


def _words(waiver: "Waiver") -> str:
    times = f" ({waiver.count} identical findings)" if waiver.count != 1 else ""
    until = f" until {waiver.expires}" if waiver.expires else ""
    what = waiver.rule or waiver.title
    return f"{waiver.fingerprint}  {what}  {waiver.path}{times}{until}"


def _wrote(done: "WaiverFileChange") -> None:
    if done.rewritten:
        _say(
            f"{WAIVER_FILE} could not be edited in place, so it was rewritten without its comments"
        )
    _say(f"commit {WAIVER_FILE}: its waivers apply from the commit that contains it")


def _say(text: str) -> None:
    write_stdout(f"{safe_line(text)}\n")

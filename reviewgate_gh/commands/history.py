"""Show past reviews."""

import json
from pathlib import Path

import click
from msgspec import to_builtins

from ..gate.deliver import output_style, write_report_file, write_stdout
from ..git import open_repository
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..system.files import KEPT_REVIEWS
from ..text.safe import json_without_commands, safe_line
from ..tools.history import read_history, render_history
from ..tools.trend import render_trend
from ._audit import AuditOptions, show_audit
from ._options import gather, non_empty, repo, result_form


@click.command("history")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many reviews to show.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the trend of all kept reviews (blocks, waivers, false alarms, cost, time) as an "
    "HTML page.",
)
@gather("audit", AuditOptions)
@click.option(
    "--audit",
    is_flag=True,
    help="Show the audit log of this clone and verify it; exit 1 if it cannot be trusted.",
)
@click.option(
    "--commit",
    callback=non_empty,
    metavar="REV",
    help="With --audit: who let this commit through, and why.",
)
@click.option(
    "--known-end",
    callback=non_empty,
    metavar="NUMBER:HASH",
    help="With --audit: an earlier end of the log, from a check run's text.",
)
@click.option(
    "--export",
    type=click.Choice(("jsonl", "csv")),
    help="With --audit: print the entries in this format.",
)
@result_form
@repo
def command(last: int, page: Path | None, audit: AuditOptions, form: str, repo: Path) -> int:
    """Show the latest reviews in this clone (the last 100 reports are kept) and the latest runs in
    this work tree; with --audit, every review, skip, waiver, approval and dismissal."""
    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    if audit.is_asked:
        return show_audit(audit, (last, form), git, output_style(environment))
    past = read_history(git, KEPT_REVIEWS if page else last)
    if page:
        write_report_file(page, render_trend(past, (git.tree or git.common).name))
        number = count_noun(len(past.reviews), "review")
        write_stdout(f"{number} written to {safe_line(str(page))}\n")
        return 0
    write_stdout(
        json_without_commands(json.dumps(to_builtins(past), indent=2)) + "\n"
        if form == "json"
        else render_history(past, output_style(environment))
    )
    return 0

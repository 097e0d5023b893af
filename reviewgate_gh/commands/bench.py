"""Measure reviewers on cases whose findings are known."""

import json
from pathlib import Path
from typing import Any

import click

from ..gate.deliver import output_style, write_stdout
from ..model.errors import Exit, UsageError
from ..model.finding import Priority
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..text.safe import json_without_commands, safe_line
from ..tools.bench.dataset import layouts
from ..tools.bench.page import render_page
from ..tools.bench.render import Details, render_comparison, render_summary, summary_json
from ..tools.bench.results import CaseStatus, ResultsHeader, read_results
from ..tools.bench.run import run_bench
from ..tools.bench.score import BenchSummary, common_results, summarise
from ..tools.bench.setup import BenchOptions
from . import _review_options
from ._options import combine_options, gather, policy, repo, result_form

_least = click.option(
    "--at-least",
    "least",
    type=click.Choice([each.value for each in Priority]),
    default=Priority.P3.value,
    show_default=True,
    help="Count only findings of this priority or higher, expected ones included.",
)
_form = click.option(
    "--output",
    "-o",
    "form",
    type=click.Choice(("terminal", "json", "html")),
    default="terminal",
    show_default=True,
    help="Output format.",
)
_details = combine_options(
    click.option("--parts", is_flag=True, help="Add a row for each lens and each linter."),
    click.option(
        "--verbose",
        "-v",
        "findings",
        is_flag=True,
        help="List the findings that the gate missed, and those that were not expected.",
    ),
    gather("details", Details),
)
_run_options = combine_options(
    click.argument("dataset", type=click.Path(path_type=Path)),
    click.option(
        "--layout",
        type=click.Choice(layouts()),
        help="The data set's layout.  [default: by its content]",
    ),
    click.option(
        "--sources",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="A folder with clones of the repositories that the data set names.",
    ),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Review with this configuration.  [default: the work tree's]",
    ),
    policy,
    _review_options.reviewer,
    _review_options.recorded_answers,
    click.option(
        "--budget",
        type=click.FloatRange(min=0, min_open=True),
        metavar="USD",
        help="The most that language models may cost, over all cases.",
    ),
    click.option(
        "--max-cases",
        type=click.IntRange(min=1),
        metavar="N",
        help="Review only the first N cases.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1, max=64),
        default=1,
        show_default=True,
        metavar="N",
        help="Review N cases at once.",
    ),
    click.option(
        "--results",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Keep the results here; the next run continues from them.  [default: "
        "DATASET.results.jsonl]",
    ),
    click.option("--fresh", is_flag=True, help="Start the results file over."),
    repo,
    gather("options", BenchOptions),
)


@click.group("bench")
def command() -> None:
    """Measure reviewers on cases whose findings are known (docs/bench.md)."""


@command.command("run", short_help="Review the cases of a data set and score the findings.")
@_run_options
@_least
@_details
@_form
def run(options: BenchOptions, least: str, details: Details, form: str) -> int:
    """Review the cases of a data set and score the findings: precision, recall, F1, cost and time
    of each reviewer, of all language models together (ensemble) and of the whole gate.

    DATASET is a folder of your own cases, or a file of BC-Bench, Martian's benchmark or missed
    callers. Each case is reviewed in a temporary repository, as a stranger's change.

    A reviewed case is not reviewed again: run the same command to continue. The exit code is 2 if
    some cases are inconclusive, broken or not done.

    \b
    Examples:
      reviewgate-gh bench run cases/ --budget 5 --record answers/
      reviewgate-gh bench run cases/ --replay answers/ --parts
    """
    environment = Environment.current()
    done = run_bench(options, environment)
    _write(done.header, summarise(done.results, Priority(least)), details, form, done.not_begun)
    if form == "terminal":
        kept = f", {count_noun(done.kept, 'case')} of earlier runs" if done.kept else ""
        write_stdout(f"results: {safe_line(str(done.path))}{kept}\n")
    whole = all(each.status is CaseStatus.REVIEWED for each in done.results)
    return Exit.OK if whole and not done.not_begun else Exit.INCONCLUSIVE


@command.command("show", short_help="Score a file of results again.")
@click.argument("results", type=click.Path(path_type=Path))
@_least
@_details
@_form
def show(results: Path, least: str, details: Details, form: str) -> int:
    """Score a file of results again, with the matcher of this version; nothing is reviewed."""
    found = read_results(results)
    _write(found.header, summarise(found.cases, Priority(least)), details, form)
    if found.damaged:
        lines = count_noun(found.damaged, "damaged line")
        click.echo(f"{safe_line(str(results))}: {lines} left out", err=True)
    return Exit.OK


@command.command("compare", short_help="Show two files of results beside one another.")
@click.argument("one", type=click.Path(path_type=Path))
@click.argument("other", type=click.Path(path_type=Path))
@_least
@result_form
def compare(one: Path, other: Path, least: str, form: str) -> int:
    """Show two files of results beside one another, over the cases that both have reviewed."""
    before, after = read_results(one), read_results(other)
    pair = common_results(before.cases, after.cases)
    if not pair[0]:
        raise UsageError(
            f"{one} and {other} have no reviewed case in common",
            "compare two runs over one data set; `bench show FILE` lists how the cases ended",
        )
    left, right = (summarise(each, Priority(least)) for each in pair)
    if form == "json":
        _write_json([summary_json(before.header, left), summary_json(after.header, right)])
    else:
        style = output_style(Environment.current())
        write_stdout(render_comparison((str(one), str(other)), (left, right), style))
    return Exit.OK


def _write(
    header: ResultsHeader, summary: BenchSummary, details: Details, form: str, not_begun: int = 0
) -> None:
    if form == "json":
        _write_json(summary_json(header, summary, not_begun))
    elif form == "html":
        write_stdout(render_page(header, summary, not_begun))
    else:
        style = output_style(Environment.current())
        write_stdout(render_summary(summary, style, details, not_begun))
        if header.left_out:
            names = safe_line(", ".join(header.left_out))
            write_stdout(f"not asked, because no case has a work tree: {names}\n")


def _write_json(plain: Any) -> None:
    write_stdout(json_without_commands(json.dumps(plain, indent=2)) + "\n")

"""The options of `review`: what is reviewed, whose answers count, and where the report goes."""

from pathlib import Path
from typing import NamedTuple

import click

from ..ensemble.options import AnswerOptions
from ..gate.deliver import Delivery
from ..model.change import Selection
from ._options import FORMATS, combine_options, gather, non_empty, non_empty_folder, output


def _answers(fresh: bool, record: Path | None, replay: Path | None) -> AnswerOptions:
    if record and replay:
        raise click.UsageError("--record and --replay cannot be used together")
    if replay and not replay.is_dir():
        raise click.UsageError(f"--replay: the folder {replay} does not exist")
    return AnswerOptions(fresh, record, replay)


def _report_files(
    _ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """Each value as a report's form and the file that it goes to."""
    found = []
    for value in values:
        form, _, path = value.partition("=")
        if form not in FORMATS:
            raise click.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}")
        if not path:
            raise click.BadParameter(f"it names no file: {form}=FILE")
        found.append((form, Path(path)))
    return tuple(found)


class _OutputMode(NamedTuple):
    """What the options say of the output but where it goes."""

    exit_zero: bool
    verbose: bool
    quiet: bool


def _recorded(record: Path | None, replay: Path | None) -> AnswerOptions:
    return _answers(False, record, replay)


def _mode(exit_zero: bool, verbose: bool, quiet: bool) -> _OutputMode:
    if verbose and quiet:
        raise click.UsageError("--verbose and --quiet cannot be used together")
    return _OutputMode(exit_zero, verbose, quiet)


def _delivery(
    form: str, output_path: Path | None, files: tuple[tuple[str, Path], ...], mode: _OutputMode
) -> Delivery:
    return Delivery(form, output_path, *mode, files)


_RANGES = (
    click.option(
        "--base",
        callback=non_empty,
        metavar="REF",
        help="Review what HEAD adds since its merge base with REF.",
    ),
    click.option(
        "--range",
        callback=non_empty,
        metavar="A..B",
        help="Review the diff between two commits (A...B: from their merge base).",
    ),
    click.option("--commit", callback=non_empty, metavar="REF", help="Review one commit."),
    click.option("--staged", is_flag=True, help="Review the staged changes."),
    click.option(
        "--uncommitted", is_flag=True, help="Review the work tree: staged, unstaged and new files."
    ),
)
_ALL_FILES = (
    click.option("--all-files", is_flag=True, help="Review every file of HEAD as if it were new."),
    gather("selection", Selection),
)
selection = combine_options(
    *_RANGES,
    click.option(
        "--since-last",
        is_flag=True,
        help="Review what is new since the last review with this option, or since the run started.",
    ),
    *_ALL_FILES,
)
ranges = combine_options(*_RANGES, *_ALL_FILES)
pull = click.option(
    "--pr",
    "pull",
    callback=non_empty,
    metavar="N|URL",
    help="Review a pull request, given by its number or by its URL.",
)
pull_request = combine_options(
    pull,
    click.option(
        "--publish", is_flag=True, help="With --pr: post the review on the pull request, once."
    ),
)
shard = click.option(
    "--shard",
    callback=non_empty,
    metavar="I/N",
    help=(
        "Ask only the reviewers of shard I of N, and write their answers to --output-path for "
        "gather. There is no verdict; exit 0 means that they were asked."
    ),
)
reviewer = click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help="Ask only this reviewer from the config. May be repeated.",
)
reviews = combine_options(
    click.option(
        "--import",
        "imports",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Add another tool's report: SARIF, rdjson, rdjsonl, checkstyle or "
        "shellcheck json1. May be repeated.",
    ),
    reviewer,
)
_recording = combine_options(
    click.option(
        "--record",
        callback=non_empty_folder,
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Record every answer of a language model in this folder.",
    ),
    click.option(
        "--replay",
        callback=non_empty_folder,
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Replay the answers recorded in this folder; no model is asked.",
    ),
)
answers = combine_options(
    click.option(
        "--no-cache",
        "fresh",
        is_flag=True,
        help="Ask language models again instead of reusing earlier answers.",
    ),
    _recording,
    gather("answers", _answers),
)
recorded_answers = combine_options(_recording, gather("answers", _recorded))
delivery = combine_options(
    click.option(
        "--verbose", "-v", is_flag=True, help="Also list duplicates, waived and old findings."
    ),
    click.option(
        "--quiet",
        "-q",
        is_flag=True,
        help="Print only findings and the verdict; nothing for a pass.",
    ),
    click.option("--exit-zero", is_flag=True, help="Report only: exit 0 whatever the verdict."),
    output,
    click.option(
        "--report",
        "files",
        multiple=True,
        callback=_report_files,
        metavar="FORMAT=FILE",
        help="Also write the report in this format to this file. May be repeated.",
    ),
    gather("mode", _mode),
    gather("delivery", _delivery),
)

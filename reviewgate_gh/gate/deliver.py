"""A report becomes output, a kept record, and an exit code."""

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git
from ..git.remote import PUBLIC_HOST, published_repository
from ..model.errors import Exit, UsageError
from ..model.finding import sha256_hex
from ..model.report import Report
from ..reporters._links import repository_page
from ..reporters._look import OutputStyle
from ..reporters._words import summary_parts
from ..system import plugins
from ..system.environment import Environment
from ..system.files import save_review, write_report
from ..system.jobs import discard_output
from ..text.safe import safe_line
from ..trust.audit_facts import report_fact
from ..trust.audit_log import record
from .policy import outcome_exit_code


def write_stdout(text: str) -> None:
    """Write to standard output whatever its encoding is. A reader that has gone away makes the
    verdict no other.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except OSError as error:
        discard_output()
        if not isinstance(error, BrokenPipeError):
            raise UsageError(
                f"cannot write to standard output: {error.strerror}",
                "make sure the disk is not full",
            ) from None


_PIPED_WIDTH, _MOST_WIDTH = 100, 120


class Delivery(Struct, frozen=True):
    """Where the report goes: its form, a file instead of standard output, whether the verdict may
    set the exit code, and whether a terminal lists the findings that are not open (`verbose`), or
    leaves out all but open ones and the verdict (`quiet`). `files` are more forms, each with its
    file."""

    form: str = "terminal"
    path: Path | None = None
    exit_zero: bool = False
    verbose: bool = False
    quiet: bool = False
    files: tuple[tuple[str, Path], ...] = ()


def deliver(report: Report, wanted: Delivery, git: Git, environment: Environment) -> int:
    """Print or write the report, keep it, and return the exit code."""
    style = output_style(environment, git.tree) if wanted.path is None else OutputStyle()
    if wanted.form == "markdown":
        found = report.change.repository or _known_page(
            git, report.change.head, environment.variables
        )
        style = replace(style, repository=found)
    text = render_report(
        report, wanted.form, replace(style, verbose=wanted.verbose, quiet=wanted.quiet)
    )
    store_report(report, git, text if wanted.form == "json" else "")
    if wanted.path is None:
        write_stdout(text)
    else:
        write_report_file(wanted.path, text)
        print(
            f"reviewgate-gh: {safe_line(' · '.join(summary_parts(report)))} · written to "
            f"{safe_line(str(wanted.path))}",
            file=sys.stderr,
        )
    for form, path in wanted.files:
        write_report_file(path, render_report(report, form, OutputStyle()))
    return Exit.OK if wanted.exit_zero else report_exit_code(report)


def _known_page(git: Git, head: str, variables: Mapping[str, str]) -> str:
    """The repository's web address, in a workflow of GitHub's by its variables; "" where the head
    is a tree, such as the index."""
    if git.resolve(head) != head:
        return ""
    server = variables.get("GITHUB_SERVER_URL") or f"https://{PUBLIC_HOST}"
    if variables.get("GITHUB_ACTIONS") == "true":
        return repository_page(server, variables.get("GITHUB_REPOSITORY", ""))
    return repository_page(server, published_repository(git, head, server.rpartition("/")[2]))


def report_exit_code(report: Report) -> Exit:
    """The report's exit code: a skip that was asked for lets it through, a passed deadline has a
    code of its own."""
    if report.skipped:
        return Exit.OK
    code = outcome_exit_code(report.verdict.outcome, report.mode)
    return Exit.DEADLINE if report.late and code is Exit.INCONCLUSIVE else code


def render_report(report: Report, form: str, style: OutputStyle) -> str:
    """The report in one of the reporters' forms."""
    draw: Callable[[Report, OutputStyle], str] = plugins.load("reporters", form).render
    return draw(report, style)


def output_style(environment: Environment, root: Path | None = None) -> OutputStyle:
    """Colour for this terminal (none in a pipe or if NO_COLOR is set), and its width; COLUMNS
    counts in a pipe too. Links lead to files below `root`."""
    terminal = sys.stdout.isatty() and environment.variables.get("TERM") != "dumb"
    color = (
        terminal or environment.variables.get("FORCE_COLOR", "0") not in ("", "0")
    ) and not environment.variables.get("NO_COLOR")
    return OutputStyle(
        color=color,
        width=min(shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns, _MOST_WIDTH),
        terminal=terminal,
        root=str(root) if root and color and terminal else "",
    )


def write_report_file(path: Path, text: str) -> None:
    """Write a report file, whole or not at all.

    Raises:
        UsageError: the place cannot be written.
    """
    try:
        write_report(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}", "choose a writable path"
        ) from None


def store_report(report: Report, git: Git, text: str = "") -> None:
    """Keep the report (`text` is its JSON where that is at hand) below the git directory, and say
    in the audit log what it says; a disk that refuses changes no verdict."""
    if not report.change.files:
        return
    text = text or render_report(report, "json", OutputStyle())
    record(git.common, report.actor, [report_fact(report, sha256_hex(text))])
    try:
        save_review(git.common, report.review_id, text)
    except OSError as error:
        print(f"reviewgate-gh: this report could not be saved: {error.strerror}", file=sys.stderr)

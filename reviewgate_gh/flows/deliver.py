"""A report becomes what a person or a machine reads, a kept record, and an exit code."""

import sys
from collections.abc import Callable
from pathlib import Path

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.report import Report
from ..model.values import dataclass
from ..reporters._doors import line
from ..reporters._look import Look
from ..reporters._words import headline
from ..steps.policy import exit_code
from ..system import plugins
from ..system.git import Git
from ..system.store import save_review, write_report
from ..system.world import World
from .printing import emit as emit

_PIPED_WIDTH, _MOST_WIDTH = 100, 120


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where the report goes: its form, a file instead of standard output, and whether the verdict may set the exit code."""

    form: str = "terminal"
    path: Path | None = None
    exit_zero: bool = False


def deliver(report: Report, wanted: Delivery, git: Git, world: World) -> int:
    """Print or write the report, keep it, and return the exit code."""
    text = render(report, wanted.form, look(world) if wanted.path is None else Look())
    keep(report, git, text if wanted.form == "json" else "")
    if wanted.path is None:
        emit(text)
    else:
        write(wanted.path, text)
        print(f"reviewgate-gh: {line(' · '.join(headline(report)))} · written to {line(str(wanted.path))}", file=sys.stderr)
    return Exit.OK if wanted.exit_zero else final_exit(report)


def final_exit(report: Report) -> Exit:
    """The report's exit code: a skip that was asked for lets it through, a passed deadline has a code of its own."""
    if report.skipped:
        return Exit.OK
    code = exit_code(report.verdict.outcome, report.mode)
    return Exit.DEADLINE if report.late and code is Exit.INCONCLUSIVE else code


def render(report: Report, form: str, style: Look) -> str:
    """The report in one of the reporters' forms."""
    draw: Callable[[Report, Look], str] = plugins.load("reporters", form).render
    return draw(report, style)


def look(world: World) -> Look:
    """Colour for this terminal (none in a pipe or if NO_COLOR is set), and its width; COLUMNS counts in a pipe too."""
    import shutil

    terminal = sys.stdout.isatty() and world.env.get("TERM") != "dumb"
    color = (terminal or world.env.get("FORCE_COLOR", "0") not in ("", "0")) and not world.env.get("NO_COLOR")
    return Look(color=color, width=min(shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns, _MOST_WIDTH))


def write(path: Path, text: str) -> None:
    """Write a report file, whole or not at all.

    Raises:
        UsageError: the place cannot be written.
    """
    try:
        write_report(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "choose a writable path") from None


def keep(report: Report, git: Git, text: str = "") -> None:
    """Keep the report (`text` is its JSON where that is at hand) below the git directory; a disk that refuses changes no verdict."""
    if not report.change.files:
        return
    try:
        save_review(git.common, report.review_id, text or render(report, "json", Look()))
    except OSError as error:
        print(f"reviewgate-gh: this report could not be saved: {error.strerror}", file=sys.stderr)

"""The script `review-gate`: a review in the background for programs that spawn one and wait for its answer."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from ..cli import run
from ..model.errors import GateError
from ..model.exits import Exit
from ..model.selection import Selection
from ..reporters._doors import inert_json, line
from ..steps.consensus import RULES
from ..steps.contract import exit_code, failed

_USAGE = 2
_EFFORTS = {"fast": "low", "smart": "medium", "max": "high"}
# -P: the reviewed work tree, where workers start, is no place to import from.
_WORKER = ("-P", "-m", f"{__package__}._gate", "work")


@click.group("review-gate", no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def gate() -> None:
    """The review gate in two steps: spawn a review of some commits, wait for its answer.

    \b
    Exit codes of spawn-code-review: 0 spawned, 1 not spawned.
    Exit codes of wait: 0 PASS, 1 FAIL or NEEDS_WORK, 2 ERROR (a reviewer gave no usable
    answer), 3 timeout, 4 no reviewers, 5 internal error.
    Of both: 2 wrong usage (nothing on standard output), 130 interrupted.

    wait knows no threshold and no mode: every finding that is open is at least NEEDS_WORK. REVIEWGATE_GH_SKIP has no effect here.
    """


@gate.command("spawn-code-review")
@click.argument("span", required=False, metavar="[A..B]")
@click.option("--diff", metavar="A..B", help="Review the difference of two commits (A...B: from their merge base).")
@click.option("--base", metavar="REF", help="Review what HEAD adds since it parted from REF.")
@click.option("--commit", metavar="REF", help="Review one commit.")
@click.option("--uncommitted", is_flag=True, help="Review the work tree as it is now: staged, unstaged and new files.")
@click.option("--context-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="What the change is meant to do. It is kept with the session; no reviewer of this version reads it.")  # fmt: skip
@click.option("--codex-reasoning", "effort", type=click.Choice(list(_EFFORTS.values())),
              help="Reasoning effort, high by default. It is kept with the session; no reviewer of this version has one.")  # fmt: skip
@click.option("--mode", type=click.Choice(list(_EFFORTS)), help="The same in other words: fast is low, smart is medium, max is high.")
@click.option("--consensus", type=click.Choice(RULES), default="all", show_default=True, help="How many of the reviewers must pass.")
def spawn_code_review(
    span: str | None,
    diff: str | None,
    base: str | None,
    commit: str | None,
    uncommitted: bool,
    context_file: Path | None,
    effort: str | None,
    mode: str | None,
    consensus: str,
) -> int:
    """Start a review and return: {"session_key": "...", "reviewers_spawned": [...]} on standard output.

    Exactly one of --diff, --base, --commit, --uncommitted and A..B. The review goes on when this command and its caller have ended;
    tools that need your work tree run in it, so leave it alone until wait has answered.
    """
    from ..flows.sessions import Asked, spawn
    from ..system.world import World

    asked = Asked(_selection(diff, span, base, commit, uncommitted), consensus, _effort(effort, mode))
    context = _context(context_file)
    try:
        return _say(spawn(asked, context, _WORKER, World.here()), Exit.OK)
    except GateError as error:
        click.echo(f"review-gate: {line(error.message, 600)}", err=True)
        if error.hint:
            click.echo(f"  {line(error.hint, 600)}", err=True)
        return 1


def _selection(diff: str | None, span: str | None, base: str | None, commit: str | None, uncommitted: bool) -> Selection:
    named = {"--diff": diff, "A..B": span, "--base": base, "--commit": commit, "--uncommitted": uncommitted or None}
    given = [name for name, value in named.items() if value is not None]
    if len(given) != 1:
        raise click.UsageError(f"give one of {', '.join(named)}" + (f", not {' and '.join(given)}" if given else ""))
    if not named[given[0]]:
        raise click.UsageError(f"{given[0]} is empty")
    dots = diff or span or ""
    if dots and ".." not in dots:
        raise click.UsageError(f"a range is written A..B or A...B, not {dots!r}")
    return Selection(base or "", dots, commit or "", uncommitted=uncommitted)


def _effort(effort: str | None, mode: str | None) -> str:
    meant = _EFFORTS[mode] if mode else effort
    if effort and meant != effort:
        raise click.UsageError(f"--mode {mode} means --codex-reasoning {meant}, and --codex-reasoning says {effort}")
    return meant or "high"


def _context(file: Path | None) -> bytes:
    try:
        context = file.read_bytes() if file else b""
    except OSError as error:
        raise click.UsageError(f"--context-file {file}: {error.strerror}") from None
    if file and not context.strip():
        raise click.UsageError(f"--context-file {file} is empty")
    return context


@gate.command("wait")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON. There is no other form: required.")
@click.option("--timeout", type=click.IntRange(min=0), default=300, show_default=True, metavar="S", help="Wait at most S seconds.")
@click.option("--session-key", type=click.UUID, metavar="KEY", help="The session; by default the one that was spawned last.")
def wait_command(as_json: bool, timeout: int, session_key: UUID | None) -> int:
    """Wait for a session's answer and print it, as often as it is asked for. A timeout ends the waiting, not the review."""
    from ..flows.sessions import wait
    from ..system.world import World

    if not as_json:
        raise click.UsageError("--json is required")
    try:
        said = wait(str(session_key) if session_key else None, timeout, World.here())
    except (GateError, OSError) as error:
        said = failed("error", line(f"{error}", 600))
    if said.get("status") == "error":
        click.echo("\n".join(line(str(trouble), 600) for trouble in said.get("parse_errors", ())), err=True)
    return _say(said, exit_code(said))


@gate.command("work", hidden=True)
@click.argument("key", type=click.UUID)
def work_command(key: UUID) -> int:
    """Do the review of a session that was just spawned; only spawn-code-review calls this."""
    from ..flows.sessions import work
    from ..system.world import World

    work(str(key), World.here())
    return Exit.OK


def _say(answer: dict[str, Any], code: int) -> int:
    """Print the answer. A reader that has gone away makes it no better."""
    from ..system.jobs import drop_output

    try:
        click.echo(inert_json(json.dumps(answer, indent=2)))
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    return code


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    code = run(gate, argv)
    sys.exit(_USAGE if code == Exit.USAGE else int(code))


if __name__ == "__main__":
    main()

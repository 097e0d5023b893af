"""The script `review-gate`: a review in the background for programs that spawn one and wait for its
answer."""

import json
import sys
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import click

from ..cli import exit_now, run
from ..model.errors import Exit, GateError
from ..sessions.contract import answer_exit_code, failed_answer
from ..sessions.sessions import SessionRequest, run_session, spawn_session, wait_for_answer
from ..system.environment import Environment
from ..system.jobs import discard_output
from ..text.safe import json_without_commands, safe_line
from ._gate_options import (
    CODE_OPTIONS,
    EPIC_OPTIONS,
    SPAN_OPTIONS,
    SPAWN_OPTIONS,
    commits_in,
    read_context,
    read_request,
    with_options,
)

_USAGE = 2


@click.group(
    "review-gate",
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def gate() -> None:
    """Run the review gate in two steps: spawn a review, then wait for its answer.

    \b
    Exit codes of spawn-code-review and spawn-epic-verify: 0 spawned, 1 not spawned.
    Exit codes of wait: 0 PASS, 1 FAIL or NEEDS_WORK, 2 ERROR (a reviewer gave no usable
    answer), 3 timeout, 4 no reviewers, 5 internal error.
    All commands: 2 usage error (nothing on standard output), 130 interrupted.

    wait ignores threshold and mode: any open finding makes the answer at least NEEDS_WORK.
    REVIEWGATE_GH_SKIP has no effect here.
    """


@gate.command("spawn-code-review", short_help="Start a review and print its session key.")
@with_options(SPAN_OPTIONS, CODE_OPTIONS, SPAWN_OPTIONS)
def spawn_code_review(**given: Any) -> int:
    """Start a review, print {"session_key": "...", "reviewers_spawned": [...]} and return.

    Give exactly one of --diff, --base, --commit, --uncommitted and A..B. The review keeps running
    after this command and its caller have exited. Tools that need your work tree run in it, so do
    not change it until wait has answered.

    A review cannot spawn another one: inside a review this exits with 1.
    """

    environment = Environment.current()
    return _spawned(
        read_request(given, environment),
        read_context(given["context_file"], given["focus"]),
        environment,
    )


@gate.command("spawn-epic-verify", short_help="Start verifying an epic; print its session key.")
@with_options(EPIC_OPTIONS, SPAN_OPTIONS, SPAWN_OPTIONS)
def spawn_epic_verify(**given: Any) -> int:
    """Start verifying that commits meet the acceptance criteria in EPIC_FILE, a Markdown file, with
    the configured language models.

    Give at most one of --diff, --base, --commit, --uncommitted and A..B; without one, the commits
    that the file names by full id are verified. Unmet criteria appear in the answer as issues
    without a file.
    """

    environment = Environment.current()
    text = read_context(given["file"], "", "the epic file")
    return _spawned(
        read_request(given, environment, given["file"].stem or "epic", commits_in(text)),
        text,
        environment,
    )


def _spawned(request: "SessionRequest", context: bytes, environment: "Environment") -> int:
    try:
        return _say(spawn_session(request, context, _work, environment), Exit.OK)
    except GateError as error:
        return _not_spawned(error)


def _not_spawned(error: GateError) -> int:
    click.echo(f"review-gate: {safe_line(error.message, 600)}", err=True)
    if error.hint:
        click.echo(f"  {safe_line(error.hint, 600)}", err=True)
    return 1


@gate.command("wait", short_help="Wait for a session's answer and print it.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the answer as JSON. Required: there is no other format.",
)
@click.option(
    "--timeout",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    metavar="S",
    help="Wait at most S seconds.",
)
@click.option(
    "--session-key",
    type=click.UUID,
    metavar="KEY",
    help="The session key that the spawn command printed.",
)
@click.option(
    "--session-id",
    default="",
    metavar="ID",
    help="The newest session spawned with this CLAUDE_SESSION_ID.",
)
@click.option(
    "--finalize", is_flag=True, expose_value=False, help="No effect: every answer is final."
)
@click.option(
    "--poll-interval",
    type=click.FloatRange(min=0),
    expose_value=False,
    metavar="S",
    help="No effect: wait does not poll.",
)
def wait_command(as_json: bool, timeout: int, session_key: UUID | None, session_id: str) -> int:
    """Wait for a session's answer and print it; this can be repeated. A timeout ends the wait, not
    the review.

    Without a key or id, this is the newest session of CLAUDE_SESSION_ID if that is set and has one,
    otherwise of this repository.
    """
    if not as_json:
        raise click.UsageError("--json is required")
    try:
        said = wait_for_answer(
            str(session_key) if session_key else None, session_id, timeout, Environment.current()
        )
    except (GateError, OSError) as error:
        said = failed_answer("error", safe_line(f"{error}", 600))
    if said.get("status") == "error":
        click.echo(
            "\n".join(safe_line(str(trouble), 600) for trouble in said.get("parse_errors", ())),
            err=True,
        )
    return _say(said, answer_exit_code(said))


def _work(key: str) -> None:
    """Do the review of a session that was just spawned, and end the process."""

    def done() -> int:
        run_session(key, Environment.current())
        return Exit.OK

    exit_now(run(click.Command(gate.name, callback=done), []))


def _say(answer: dict[str, Any], code: int) -> int:
    """Print the answer. A reader that has gone away makes it no better."""
    try:
        click.echo(json_without_commands(json.dumps(answer, indent=2)))
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    return code


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its code."""
    code = run(gate, argv)
    exit_now(_USAGE if code == Exit.USAGE else code)


if __name__ == "__main__":
    main()

"""The options for spawning a `review-gate` session: what is reviewed, with which effort, and
options of other gates."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from ..ensemble.consensus import CONSENSUS_RULES
from ..model.change import Selection
from ..model.question import RunEffort
from ..sessions.sessions import CALLER_VARIABLE, SessionRequest
from ..system.environment import Environment
from ..text.patterns import lazy_pattern

Option = Callable[[Any], Any]
# The words of another gate for an effort
_MODES: Mapping[str, RunEffort] = {"fast": "low", "smart": "medium", "max": "high"}
_ELSEWHERE = "No effect: the repository's config decides."
_OID = lazy_pattern(rb"(?<![0-9a-zA-Z])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-zA-Z])")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

SPAN_OPTIONS: tuple[Option, ...] = (
    click.argument("words", nargs=-1, metavar="[A..B]"),
    click.option(
        "--diff",
        metavar="A..B",
        help="Review the diff between two commits (A...B: from their merge base).",
    ),
    click.option(
        "--base", metavar="REF", help="Review what HEAD adds since its merge base with REF."
    ),
    click.option(
        "--commit",
        metavar="REF...",
        help=(
            "Review one commit, or the range from the first to the last of several (separated "
            "by spaces or commas)."
        ),
    ),
    click.option(
        "--uncommitted",
        is_flag=True,
        help="Review the work tree as it is now: staged, unstaged and new files.",
    ),
)
EPIC_OPTIONS: tuple[Option, ...] = (click.argument("file", type=_FILE, metavar="EPIC_FILE"),)
CODE_OPTIONS: tuple[Option, ...] = (
    click.option(
        "--context-file",
        type=_FILE,
        metavar="FILE",
        help="A file that says what the change is meant to do; passed to reviewers.",
    ),
    click.option(
        "--focus",
        default="",
        metavar="TEXT",
        help="What to focus on; passed to reviewers with the context.",
    ),
    click.option(
        "--exclude", multiple=True, expose_value=False, metavar="PATHSPEC", help=_ELSEWHERE
    ),
    click.option("--artifact-only", is_flag=True, expose_value=False, help=_ELSEWHERE),
)
SPAWN_OPTIONS: tuple[Option, ...] = (
    click.option(
        "--codex-reasoning",
        "effort",
        type=click.Choice(get_args(RunEffort)),
        help="Reasoning effort of the models.  [default: high]",
    ),
    click.option(
        "--mode",
        type=click.Choice(list(_MODES)),
        help="Alias for --codex-reasoning: fast is low, smart is medium, max is high.",
    ),
    click.option(
        "--consensus",
        type=click.Choice(CONSENSUS_RULES),
        default="all",
        show_default=True,
        help="How many of the reviewers must pass.",
    ),
    click.option(
        "--session-id",
        default="",
        metavar="ID",
        help="The caller's own session, for wait.  [default: $CLAUDE_SESSION_ID]",
    ),
    click.option("--agents", expose_value=False, metavar="A,B", help=_ELSEWHERE),
    click.option(
        "--max-rounds",
        type=click.IntRange(min=0),
        expose_value=False,
        metavar="N",
        help="No effect: a review has one round.",
    ),
    click.option("--debate", is_flag=True, expose_value=False, help=_ELSEWHERE),
    click.option("--debate-seed", expose_value=False, metavar="N", help=_ELSEWHERE),
)


def with_options(*options: Sequence[Option]) -> Option:
    """A command that takes these options."""

    def decorate(command: Any) -> Any:
        for option in reversed([each for group in options for each in group]):
            command = option(command)
        return command

    return decorate


def read_request(
    given: Mapping[str, Any],
    environment: Environment,
    epic: str = "",
    otherwise: tuple[str, ...] = (),
) -> "SessionRequest":
    """What to review, by whom and how; `otherwise` are the commits if none are named.

    Raises:
        UsageError: the options contradict each other, or something is missing.
    """
    selection, commits = _span(given, otherwise)
    caller = given["session_id"] or environment.variables.get(CALLER_VARIABLE, "")
    return SessionRequest(
        selection,
        commits,
        given["consensus"],
        _effort(given["effort"], given["mode"]),
        caller,
        epic,
    )


def _span(
    given: Mapping[str, Any], otherwise: tuple[str, ...]
) -> tuple[Selection, tuple[str, ...]]:
    words, commit = given["words"], given["commit"]
    # `--commit A B C` is how other gates take several.
    more = words if commit is not None else ()
    ranges = words if commit is None else ()
    if len(ranges) > 1:
        raise click.UsageError(f"give at most one range, not {' '.join(ranges)}")
    span = ranges[0] if ranges else None
    named = {"--diff": given["diff"], "A..B": span, "--base": given["base"], "--commit": commit}
    named["--uncommitted"] = given["uncommitted"] or None
    said = [name for name, value in named.items() if value is not None]
    if not said and otherwise:
        return Selection(), otherwise
    if len(said) != 1:
        raise click.UsageError(
            f"give one of {', '.join(named)}" + (f", not {' and '.join(said)}" if said else "")
        )
    if not named[said[0]]:
        raise click.UsageError(f"{said[0]} is empty")
    dots = given["diff"] or span or ""
    if dots and ".." not in dots:
        raise click.UsageError(f"{dots!r} is not a range: write A..B or A...B")
    return Selection(given["base"] or "", dots, uncommitted=given["uncommitted"]), _commits(
        commit, more
    )


def _commits(first: str | None, more: Sequence[str]) -> tuple[str, ...]:
    if first is None:
        return ()
    named = tuple(name for word in (first, *more) for name in word.replace(",", " ").split())
    if not named:
        raise click.UsageError("--commit is empty")
    if spans := [name for name in named if ".." in name]:
        raise click.UsageError(f"give one of --commit and A..B, not both ({spans[0]})")
    return named


def commits_in(text: bytes) -> tuple[str, ...]:
    """The commits that an epic's file names by their whole ids."""
    return tuple(dict.fromkeys(found.decode() for found in _OID.findall(text)))


def _effort(effort: RunEffort | None, mode: str | None) -> RunEffort:
    meant = _MODES[mode] if mode else effort
    if effort and meant != effort:
        raise click.UsageError(
            f"--mode {mode} means --codex-reasoning {meant}, which contradicts --codex-reasoning "
            f"{effort}"
        )
    return meant or "high"


def read_context(file: Path | None, focus: str, name: str = "--context-file") -> bytes:
    """The context that reviewers get with the change; `name` is the option that names the file.

    Raises:
        UsageError: the file cannot be read or is empty.
    """
    try:
        context = file.read_bytes() if file else b""
    except OSError as error:
        raise click.UsageError(f"{name} {file}: {error.strerror}") from None
    if file and not context.strip():
        raise click.UsageError(f"{name} {file} is empty")
    aim = f"Focus on this: {focus}\n".encode("utf-8", "surrogateescape") if focus.strip() else b""
    return b"\n\n".join(part for part in (context, aim) if part)

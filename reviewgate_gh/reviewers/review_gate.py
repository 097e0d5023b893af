"""A review gate that somebody else makes: its verdict becomes findings here. It runs as the user,
with the user's own model accounts."""

from pathlib import Path

from msgspec.structs import replace

from ..findings.scope import ChangedLines
from ..model.change import Change
from ..model.errors import Exit
from ..model.review import Review, ReviewRequest, ReviewStatus
from ..system.temp_dirs import temp_dir
from ..text.paths import denied_files
from ._context import ReviewContext
from .gates import client as words
from .gates.answer import GateAnswer, finding_of_issue
from .gates.client import ExternalGate, GateOptions, GateSpawnFailed, open_gate
from .gates.find import GateMissing, made_objects_environment, make_commits

_STATUS = {
    "pass": ReviewStatus.OK, "fail": ReviewStatus.OK, "no_progress": ReviewStatus.SKIPPED,
    "parse_error": ReviewStatus.UNPARSABLE,
    "timeout": ReviewStatus.TIMEOUT,
    "no_reviewers": ReviewStatus.UNAVAILABLE, "internal": ReviewStatus.FAILED,
}  # fmt: skip
WHERE = ("cli",)  # it takes minutes, and it looks at the user's own changes alone
RUNS_IN_TREE = True  # its agents work in the user's work tree, with the user's accounts
_NOTHING = (
    "it finds nothing to review in this change; check its spawn_args, or set `required: false` "
    "for it"
)
_DENIED = (
    "it would send its models files that policy.denied_paths excludes; set `required: false` for it"
)
_BARE = "it runs only in a work tree, and this repository is bare"


class Options(GateOptions, frozen=True, kw_only=True):
    """How the gate is found and called."""


def parts(change: Change, options: Options, context: ReviewContext) -> tuple[str, ...]:
    """One question."""
    return ("",)


def review(request: ReviewRequest, options: Options, context: ReviewContext) -> Review:
    """The gate's answer."""
    tree = context.git.tree
    if tree is None:
        return Review("review_gate", status=ReviewStatus.SKIPPED, error=_BARE)
    if denied_files(request.without_hunks.files, context.config.policy.denied_paths):
        return Review("review_gate", status=ReviewStatus.SKIPPED, error=_DENIED)
    try:
        gate = open_gate(options, "review", tree, context.environment)
    except GateMissing as error:
        return Review(
            "review_gate",
            status=ReviewStatus.UNAVAILABLE,
            error=error.message,
            hard=Exit.NO_REVIEWERS,
        )
    try:
        answer = _ask(gate, request.without_hunks, options, context)
    except GateSpawnFailed as error:
        return Review("review_gate", status=ReviewStatus.FAILED, error=error.message)
    return _judged(answer, request.change, context, tree)


def _ask(
    gate: ExternalGate, change: Change, options: Options, context: ReviewContext
) -> GateAnswer:
    with temp_dir("context") as folder:
        dialect = words.detect_dialect(gate.help_text(words.SPAWN))
        base, head = make_commits(context.git, change.base, change.head)
        argv = words.review_arguments(
            dialect, base, head, _context(context, folder), options.spawn_args
        )
        gate = replace(gate, env={**gate.env, **made_objects_environment(context.git)})
        return gate.ask(argv, context.timeout, context.run_timeout)


def _context(context: ReviewContext, folder: Path) -> str:
    """The file with what the change is for; "" where nobody said: gates refuse an empty one."""
    told = context.environment.change_intent()
    if not told.strip():
        return ""
    file = folder / "review-context.txt"
    file.write_text(told, "utf-8", "replace")
    return str(file)


def _judged(answer: GateAnswer, change: Change, context: ReviewContext, tree: Path) -> Review:
    """The answer as a review; whatever the gate named is in it."""
    changed_lines = ChangedLines(change)
    findings = tuple(finding_of_issue(issue, str(tree), changed_lines) for issue in answer.issues)
    status, error = (
        _STATUS[answer.outcome],
        answer.error if answer.outcome not in ("pass", "fail") else "",
    )
    if answer.outcome == "no_progress":
        error = _NOTHING
    covered = (
        tuple(f.path for f in change.files if not f.binary and f.path not in context.excluded)
        if status is ReviewStatus.OK
        else ()
    )
    said = (
        "; ".join((answer.verdict, *answer.reviewer_errors))
        if answer.outcome in ("pass", "fail")
        else answer.verdict
    )
    return Review(
        "review_gate",
        "",
        status,
        findings,
        len(findings),
        covered=covered,
        error=error,
        said=said,
        hard=answer.hard_exit,
    )

"""A review gate that somebody else makes: its verdict becomes findings here. It runs as the user, with the user's own model accounts."""

from dataclasses import replace
from pathlib import Path

from ..model.change import Change
from ..model.config import STRICT
from ..model.contract import GateAnswer
from ..model.exits import Exit
from ..model.review import Request, Review, Status
from ..model.values import dataclass
from ..steps import gate_dialect as words
from ..steps.exclude import kept_back
from ..steps.gate_findings import as_finding
from ..steps.scope import Scope
from ..system.kit import Kit
from ..system.lease import temporary
from ._gate import GRACE, Calling, Gate, SpawnFailed, open_gate
from ._gate_find import GateMissing
from ._gate_range import as_commits, seen_by_git

_STATUS = {
    "pass": Status.OK, "fail": Status.OK, "no_progress": Status.SKIPPED, "parse_error": Status.UNPARSABLE, "timeout": Status.TIMEOUT,
    "no_reviewers": Status.UNAVAILABLE, "internal": Status.FAILED,
}  # fmt: skip
WHERE = ("cli",)  # it takes minutes, and it looks at the user's own changes alone
RUNS_IN_TREE = True  # its agents work in the user's work tree, with the user's accounts
_NOTHING = "it finds nothing to review in this change; check its spawn_args, or set `required: false` for it"
_DENIED = "it would send its models files that policy.denied_paths excludes; set `required: false` for it"
_BARE = "it runs only in a work tree, and this repository is bare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Calling):
    """How the gate is found and called."""

    __pydantic_config__ = STRICT


def parts(change: Change, options: Options, kit: Kit) -> tuple[str, ...]:
    """One question."""
    return ("",)


def review(request: Request, options: Options, kit: Kit) -> Review:
    """The gate's answer."""
    tree = kit.git.tree
    if tree is None:
        return Review("review_gate", status=Status.SKIPPED, error=_BARE)
    if kept_back(request.listed.files, kit.config.policy.denied_paths):
        return Review("review_gate", status=Status.SKIPPED, error=_DENIED)
    try:
        gate = open_gate(options, "review", tree, kit.world)
    except GateMissing as error:
        return Review("review_gate", status=Status.UNAVAILABLE, error=error.message, hard=Exit.NO_REVIEWERS)
    try:
        answer = _ask(gate, request.listed, options, kit)
    except SpawnFailed as error:
        return Review("review_gate", status=Status.FAILED, error=error.message)
    return _judged(answer, request.change, kit, tree)


def _ask(gate: Gate, change: Change, options: Options, kit: Kit) -> GateAnswer:
    grace = min(GRACE, kit.timeout / 10)
    with temporary("context") as folder:
        dialect = words.dialect_of(gate.help_text(words.SPAWN))
        base, head = as_commits(kit.git, change.base, change.head)
        argv = words.review_words(dialect, base, head, _context(kit, folder), options.spawn_args)
        gate = replace(gate, env={**gate.env, **seen_by_git(kit.git)})
        return gate.ask(argv, kit.timeout - grace, grace)


def _context(kit: Kit, folder: Path) -> str:
    """The file with what the change is for; "" where nobody said: gates refuse an empty one."""
    told = kit.world.context()
    if not told.strip():
        return ""
    file = folder / "review-context.txt"
    file.write_text(told, "utf-8", "replace")
    return str(file)


def _judged(answer: GateAnswer, change: Change, kit: Kit, tree: Path) -> Review:
    """The answer as a review; whatever the gate named is in it."""
    scope = Scope(change)
    findings = tuple(as_finding(issue, str(tree), scope) for issue in answer.issues)
    status, error = _STATUS[answer.outcome], answer.error if answer.outcome not in ("pass", "fail") else ""
    if answer.outcome == "no_progress":
        error = _NOTHING
    covered = tuple(f.path for f in change.files if not f.binary and f.path not in kit.excluded) if status is Status.OK else ()
    said = "; ".join((answer.verdict, *answer.troubles)) if answer.outcome in ("pass", "fail") else answer.verdict
    return Review("review_gate", "", status, findings, len(findings), covered=covered, error=error, said=said, hard=answer.hard)

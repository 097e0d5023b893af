"""The gate before a push: every ref that would publish commits is reviewed, and the worst answer
decides.

What runs on a push without new commits imports little: it happens many times a day.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from ..git import Git
from ..git.ranges import remote_branches, resolve_range
from ..model.change import Range, Selection
from ..model.errors import Exit, GateError, UsageError
from ..settings.change import start_loading
from ..system.environment import Environment
from ..system.parallel import BackgroundCall
from ..text.safe import safe_line
from .refs import PushedRef, pushing_repository, range_of_push, refs_to_publish

_ASCENDING = (
    Exit.OK, Exit.INCONCLUSIVE, Exit.DEADLINE, Exit.UPSTREAM, Exit.USAGE, Exit.NO_REVIEWERS,
    Exit.CONFIG, Exit.INTERNAL, Exit.BLOCK,
)  # fmt: skip
_FIRST_REF_ONLY = (
    "the pre-commit framework passes only the first ref of a push; the native hook "
    "(reviewgate-gh hook install) gets all of them"
)
_REFUSED = "This push was refused. Fix what is reported above, commit and push again."
_GO_ON = 'To push anyway, which is recorded: REVIEWGATE_GH_SKIP="reason" git push'
_NO_AGENT = "Only a person can push anyway."


def run_hook(pushes: Sequence[PushedRef], remote: str, env: Mapping[str, str], cwd: Path) -> int:
    """Review the refs of a push to this remote (its name or URL); the exit code, silent when
    nothing is new.

    Raises:
        GateError: the repository cannot be read.
    """
    git = pushing_repository(cwd, env)
    return _review_all(
        _ranges(git, refs_to_publish(git, pushes, remote), remote, pushes), git, env, cwd
    )


def run_framework(env: Mapping[str, str], cwd: Path) -> int:
    """The same for the one ref that the pre-commit framework names in the environment."""
    git = pushing_repository(cwd, env)
    remote, ref = env.get("PRE_COMMIT_REMOTE_NAME", ""), env.get("PRE_COMMIT_REMOTE_BRANCH", "")
    if not ref and not env.get("PRE_COMMIT_TO_REF"):
        print(
            "reviewgate-gh: no push in progress; reviewing what HEAD adds to its upstream",
            file=sys.stderr,
        )
        return _review_all([resolve_range(git, Selection())], git, env, cwd)
    pushed = _framework_push(git, ref, env)
    if _may_publish_more(git, pushed, remote):
        print(
            f"reviewgate-gh: reviewing only {ref or 'one ref'}: {_FIRST_REF_ONLY}",
            file=sys.stderr,
            flush=True,
        )
    return _review_all(_ranges(git, [pushed], remote), git, env, cwd)


def _may_publish_more(git: Git, pushed: PushedRef, remote: str) -> bool:
    """Other branches or tags hold commits that this remote does not have, as far as this clone
    knows: the push may be of them, too."""
    there = remote_branches(git, remote) if remote else ()
    others = ("--branches", "--tags", "--not", *there, pushed.local_oid)
    return bool(git.text("rev-list", "--max-count=1", *others))


def _framework_push(git: Git, ref: str, env: Mapping[str, str]) -> PushedRef:
    """The framework names no commits when the whole history is new; then the local ref still
    tells."""
    name = env.get("PRE_COMMIT_LOCAL_BRANCH", "HEAD")
    head = env.get("PRE_COMMIT_TO_REF") or name
    local, base = git.resolve(head), git.resolve(env.get("PRE_COMMIT_FROM_REF", ""))
    if not local:
        raise UsageError(f"the pre-commit framework names {head!r}, which is not a commit here")
    return PushedRef(name, local, ref or name, base or "")


def _ranges(
    git: Git, pushes: Iterable[PushedRef], remote: str, among: Sequence[PushedRef] = ()
) -> list[Range]:
    """What these refs publish, `among` all of the push; each range once."""
    found: dict[tuple[str, str], Range] = {}
    for push in pushes:
        wanted = range_of_push(git, push, remote, among)
        if wanted:
            same = found.get((wanted.base, wanted.head))
            found[wanted.base, wanted.head] = (
                replace(same, notes=same.notes + wanted.notes) if same else wanted
            )
    return list(found.values())


def _review_all(ranges: list[Range], git: Git, env: Mapping[str, str], cwd: Path) -> int:
    if not ranges:
        return Exit.OK
    environment = Environment(env, cwd)
    if environment.skip_requested:
        return _skip_all(ranges, git, environment)
    started = environment.clock()
    worst = max(
        (_judge(wanted, environment.clock() - started, git, environment) for wanted in ranges),
        key=_ASCENDING.index,
    )
    if worst is not Exit.OK:
        way = _NO_AGENT if environment.coding_agent else _GO_ON
        print(f"{_REFUSED}\n{way}", file=sys.stderr, flush=True)
    return worst


def _skip_all(ranges: Iterable[Range], git: Git, environment: Environment) -> Exit:
    """Announced once, and recorded for each range."""
    from ..gate.deliver import store_report
    from ..gate.skip import announce_skip, skip_reason, skip_report

    reason = skip_reason(environment)
    announce_skip(reason)
    for wanted in ranges:
        store_report(skip_report(wanted, reason, git, environment), git)
    return Exit.OK


def _judge(wanted: Range, spent: float, git: Git, environment: Environment) -> Exit:
    """Review one range and show the report; a ref that cannot be reviewed does not stop the others.

    `spent` are the seconds that the push's other refs took.
    """
    # Git works while Python reads the rest of the program
    begun = BackgroundCall(start_loading, git, wanted, environment, False)
    from ..ensemble.options import ReviewOptions
    from ..gate.deliver import (
        output_style,
        render_report,
        report_exit_code,
        store_report,
        write_stdout,
    )
    from ..gate.review import preload_plugins, review

    preload_plugins()
    try:
        report = review(
            ReviewOptions(wanted, entry_point="hook", seconds_used=spent),
            git,
            environment,
            begun.result(),
        )
    except GateError as error:
        message, hint = safe_line(error.message, 600), safe_line(error.hint, 600)
        print(f"reviewgate-gh: {message}\n  {hint}".rstrip(), file=sys.stderr, flush=True)
        return error.exit
    code = report_exit_code(report)
    # Of a tag on a published commit the message alone is new, and mostly there is nothing to say
    if wanted.base != wanted.head or report.findings or code is not Exit.OK:
        write_stdout(render_report(report, "terminal", output_style(environment, git.tree)))
    store_report(report, git)
    return code

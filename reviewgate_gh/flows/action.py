"""The gate as a step of a GitHub workflow: the event's commits in, annotations, summary and files out."""

from pathlib import Path

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.report import Outcome, Report
from ..model.selection import Range
from ..reporters._look import Look
from ..steps.event import PULL_REQUESTS, Event, absent, read_event
from ..system.git import Git
from ..system.git.ranges import from_merge_base, merge_base
from ..system.runner import add_summary, event_payload, flag, guarded, set_output, setting
from ..system.world import World
from .deliver import emit, final_exit, keep, render, write
from .review import Order, review
from .skip import skipped

_FAIL_ON = ("block", "concerns", "never")
_FETCH = "check out with fetch-depth: 0"


def run_action(git: Git, world: World) -> int:
    """Review what the event is about; returns the step's exit code."""
    fail_on = setting(world, "fail-on") or "block"
    if fail_on not in _FAIL_ON:
        raise UsageError(f"the input fail-on must be one of {', '.join(_FAIL_ON)}, not {fail_on!r}")
    event = read_event(world.env.get("GITHUB_EVENT_NAME", ""), event_payload(world), world.env.get("GITHUB_SHA", ""))
    if event is None:
        print("reviewgate-gh: the branch was deleted, nothing to review")
        return Exit.OK
    _refuse_head_checkout(event, git, world)
    order = Order(
        event_range(event, git, setting(world, "base")),
        door="fork" if event.fork else "pr",
        trusted=flag(world, "trusted"),
        policy=setting(world, "policy"),
    )
    report = skipped(order, git, world) or review(order, git, world)
    return _publish(report, fail_on, git, world)


def event_range(event: Event, git: Git, base: str) -> Range:
    """The range of an event; `base` is the user's own choice, which wins.

    Raises:
        UsageError: the commits are not in this clone.
    """
    head = _present(git, event.head)
    if base:
        found = git.resolve(base) or git.resolve(f"refs/remotes/origin/{base}")
        if not found:
            raise UsageError(f"the input base: {base!r} names no commit here", _FETCH)
        return from_merge_base(git, found, head, base)
    if event.exact:
        return Range(_present(git, event.base), head, (f"{event.name} {event.base[:12]}..{head[:12]}",))
    known = "" if absent(event.base) else git.resolve(event.base)
    if event.name == "push" and (not known or not merge_base(git, known, head)):
        return _new_branch(event, git, head)
    if not event.base:
        return _new_branch(event, git, head)
    return from_merge_base(git, _present(git, event.base), head, event.base[:12])


def _new_branch(event: Event, git: Git, head: str) -> Range:
    """A branch without an earlier tip here: what it adds to the default branch."""
    name = f"origin/{event.default_branch}"
    found = git.resolve(f"refs/remotes/{name}") if event.default_branch else None
    if found and found != head:
        return from_merge_base(git, found, head, name)
    if event.default_branch and found is None:
        raise UsageError(f"there is nothing to compare {head[:12]} with: {name} is not in this clone", _FETCH)
    parent = git.resolve(f"{head}^1")
    return Range(parent or git.empty_tree, head, (f"commit {head[:12]}",))


def _present(git: Git, oid: str) -> str:
    found = git.resolve(oid)
    if not found:
        raise UsageError(f"the commit {oid[:12]} is not in this clone", _FETCH)
    return found


def _refuse_head_checkout(event: Event, git: Git, world: World) -> None:
    """`pull_request_target` holds secrets: the head of a stranger must not lie in the work tree beside them."""
    if event.name != PULL_REQUESTS[1] or flag(world, "i-understand"):
        return
    here = git.resolve("HEAD")
    parents = git.text("rev-list", "--no-walk", "--parents", "HEAD").split() if here else []
    if event.head in (here, *parents):
        raise UsageError(
            "pull_request_target with the pull request's own commits checked out is refused: its code would run beside your secrets",
            "use on: pull_request; or check out the base and fetch the head as objects only",
        )


def _publish(report: Report, fail_on: str, git: Git, world: World) -> int:
    """Write every form of the report, then decide."""
    code = step_exit(report, fail_on)
    for form in ("sarif", "json"):
        write(_place(world, form), render(report, form, Look()))
    add_summary(world, render(report, "markdown", Look()))
    emit(guarded(render(report, "terminal", Look(width=120))))
    emit(render(report, "annotations", Look()))
    keep(report, git, world)
    set_output(world, {
        "verdict": report.verdict.outcome.value,
        "exit-code": str(int(final_exit(report))),
        "findings": str(sum(report.verdict.counts.values())),
        "sarif": str(_place(world, "sarif")),
        "json": str(_place(world, "json")),
    })  # fmt: skip
    return code


def step_exit(report: Report, fail_on: str) -> int:
    """The report's exit code, made stricter (`concerns`) or mute (`never`) by the workflow's own choice."""
    if fail_on == "never":
        return Exit.OK
    if fail_on == "concerns" and report.verdict.outcome is Outcome.CONCERNS and not report.skipped:
        return Exit.BLOCK
    return final_exit(report)


def _place(world: World, form: str) -> Path:
    chosen = setting(world, f"{form}-file")
    folder = Path(world.env.get("GITHUB_WORKSPACE") or world.cwd)
    return folder / chosen if chosen else Path(world.env.get("RUNNER_TEMP") or world.cwd) / f"reviewgate-gh.{form}"

"""The gate as a step of a GitHub workflow: the event's commits in, annotations, summary and files out."""

import re
from functools import cache, partial
from pathlib import Path

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.report import Outcome, Report
from ..model.selection import Range
from ..reporters._look import Look
from ..steps.event import PULL_REQUESTS, Event, read_event
from ..system.git import Git
from ..system.runner import Log, add_summary, event_payload, flag, set_output, setting, temporary_path, workspace_path
from ..system.world import World
from .action_post import Door, client_of, post, track_event
from .action_range import event_range
from .deliver import emit, final_exit, keep, render, write
from .order import Order
from .review import review
from .since import Asked, last_review

_FAIL_ON = ("block", "concerns", "never")
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)


def run_action(git: Git, world: World) -> int:
    """Review what the event is about; returns the step's exit code."""
    log = Log()
    emit(log.stop)
    fail_on = setting(world, "fail-on") or "block"
    if fail_on not in _FAIL_ON:
        raise UsageError(f"the input fail-on must be one of {', '.join(_FAIL_ON)}, not {fail_on!r}")
    if world.env.get("GITHUB_EVENT_NAME") == "workflow_run":
        from .action_report import post_finished

        return post_finished(event_payload(world), _report_to_post(world), git, world)
    event = read_event(world.env.get("GITHUB_EVENT_NAME", ""), event_payload(world), world.env.get("GITHUB_SHA", ""))
    if event is None:
        print("reviewgate-gh: the branch was deleted, nothing to review")
        return Exit.OK
    _refuse_head_checkout(event, git, world)
    places = {form: _place(world, form) for form in ("sarif", "json")}
    door = Door(git, world, cache(partial(client_of, world)))  # one client, which counts all requests of the run
    order = _order(event, door)
    report, failed = post(review(order, git, world), event, order.policy, door)
    report = track_event(report, event, order.policy, door)
    _publish(report, places, log, git, world)
    code = step_exit(report, fail_on)
    return Exit.UPSTREAM if failed and code == Exit.OK and fail_on != "never" else code


def _order(event: Event, door: Door) -> Order:
    git, world = door.git, door.world
    wanted = event_range(event, git, setting(world, "base"))
    trusted = flag(world, "trusted")
    name, policy = "fork" if event.fork else "pr", _policy(wanted, trusted, git, world)
    return Order(wanted, door=name, trusted=trusted, policy=policy, since=_since(event, wanted.head, door))


def _since(event: Event, head: str, door: Door) -> Asked | None:
    """The last review of the pull request, where language models need not read all of it again and GitHub may be asked."""
    if event.name not in PULL_REQUESTS or not event.number or event.whole or not setting(door.world, "token"):
        return None
    return lambda digest: last_review(door.client(), event.number, door.git, head)(digest)


def _policy(wanted: Range, trusted: bool, git: Git, world: World) -> str:
    """The policy file's path. One that the checkout holds must be the base's: the reviewed commits set no floor for themselves."""
    name = setting(world, "policy") or world.env.get("REVIEWGATE_GH_POLICY", "")
    path = workspace_path(world, name) if name else None
    if path is None or trusted or git.tree is None or not path.is_relative_to(git.tree):
        return name
    base, head = (git.resolve(f"{side}:{path.relative_to(git.tree)}", "") for side in (wanted.base, wanted.head))
    if base != head:
        raise UsageError(f"the reviewed commits change the policy {name}", "name a policy file outside the checkout")
    return name


def _refuse_head_checkout(event: Event, git: Git, world: World) -> None:
    """`pull_request_target` holds secrets: the head of an untrusted pull request must not be checked out beside them."""
    if event.name != PULL_REQUESTS[1] or flag(world, "i-understand"):
        return
    if _holds_foreign_commits(event, git, world.env.get("GITHUB_SHA", "")):
        raise UsageError(
            "refusing pull_request_target with the pull request's own commits checked out: their code would have access to your secrets",
            "use on: pull_request, or check out the base and fetch the head without checking it out",
        )


def _holds_foreign_commits(event: Event, git: Git, sha: str) -> bool:
    """HEAD is the pull request's head or a merge of it, or has any other of its commits; `sha` is what GitHub would check out itself."""
    here = git.resolve("HEAD")
    if not here:
        return False
    # From the commit's own words: a shallow clone shows it without its parents.
    parents = _PARENT.findall(git.run("cat-file", "commit", here).split(b"\n\n", 1)[0])
    if event.head in (here, *(parent.decode() for parent in parents)):
        return True
    base, head = git.resolve(event.base), git.resolve(event.head)
    if here == sha or not base or not head:
        return False
    new = ("rev-list", "--count", head, "--not", base)
    return git.text(*new) != git.text(*new, here)


def _publish(report: Report, places: dict[str, Path], log: Log, git: Git, world: World) -> None:
    """Print first, then write: if the disk is full, the report has been printed already."""
    emit(render(report, "terminal", Look(width=120)))
    emit(log.commands(render(report, "annotations", Look())))
    add_summary(world, render(report, "markdown", Look()))
    texts = {form: render(report, form, Look()) for form in places}
    for form, path in places.items():
        write(path, texts[form])
    keep(report, git, texts["json"])
    set_output(world, {
        "verdict": report.verdict.outcome.value,
        "exit-code": str(int(final_exit(report))),
        "findings": str(sum(report.verdict.counts.values())),
        **{form: str(path) for form, path in places.items()},
    })  # fmt: skip


def step_exit(report: Report, fail_on: str) -> int:
    """The report's exit code, made stricter (`concerns`: whatever the mode) or mute (`never`) by the workflow's own choice."""
    if fail_on == "never":
        return Exit.OK
    if fail_on == "concerns" and report.verdict.outcome in (Outcome.CONCERNS, Outcome.BLOCK):
        return Exit.BLOCK
    return final_exit(report)


def _report_to_post(world: World) -> Path:
    """The file that the input `report` names."""
    name = setting(world, "report")
    if not name:
        raise UsageError("the input report is required on workflow_run: it names the JSON report to post", "see forks in docs/action.md")
    return workspace_path(world, name)


def _place(world: World, form: str) -> Path:
    """Where this form of the report goes."""
    chosen = setting(world, f"{form}-file")
    return workspace_path(world, chosen) if chosen else temporary_path(world, f"reviewgate-gh.{form}")

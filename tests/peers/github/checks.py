"""Making check runs and statuses, and what a commit's state adds up to."""

from typing import TYPE_CHECKING, Any

from .model import App, CheckRun, Repository, Status, Suite

if TYPE_CHECKING:
    from .world import World

_BAD = ("failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale")


def suite_of(world: "World", repo: Repository, app: App, sha: str, run: int = 0) -> Suite:
    """The suite of an app on a commit (and of a workflow run); the first check run makes it."""
    found = next(
        (each for each in repo.suites if (each.app, each.head_sha, each.run) == (app, sha, run)),
        None,
    )
    if found is None:
        found = Suite(next(world.ids), app, sha, run)
        repo.suites.append(found)
    return found


def make_check(
    world: "World", repo: Repository, suite: Suite, name: str, **fields: Any
) -> CheckRun:
    """A new check run; a conclusion completes it."""
    conclusion = fields.get("conclusion")
    status = fields.get("status") or ("completed" if conclusion else "queued")
    began, ended = fields.get("started"), fields.get("completed")
    made = CheckRun(
        id=next(world.ids),
        name=name,
        head_sha=suite.head_sha,
        suite=suite,
        status=status,
        conclusion=conclusion,
        started=began or world.now(),
        completed=ended or (world.now() if status == "completed" else None),
        details_url=fields.get("details_url"),
        external_id=fields.get("external_id") or "",
    )
    repo.checks.append(made)
    return made


def latest(checks: list[CheckRun]) -> list[CheckRun]:
    """The newest run of each name in each app's suite, newest first."""
    newest = {(each.suite.app, each.suite.run, each.name): each for each in checks}
    return sorted(newest.values(), key=lambda each: -each.id)


def statuses_of(repo: Repository, sha: str) -> list[Status]:
    """Every status of a commit, newest first."""
    return [each for each in reversed(repo.statuses) if each.sha == sha]


def newest_statuses(repo: Repository, sha: str) -> list[Status]:
    """The newest status of each context, newest first."""
    return list({each.context: each for each in reversed(statuses_of(repo, sha))}.values())[::-1]


def combined(statuses: list[Status]) -> str:
    """The combined state: pending without any status, too."""
    states = {each.state for each in statuses}
    if states & {"failure", "error"}:
        return "failure"
    return "pending" if not states or "pending" in states else "success"


def rollup(checks: list[CheckRun], statuses: list[Status]) -> str:
    """GraphQL's statusCheckRollup state of what is newest."""
    if any(each.conclusion in _BAD for each in checks) or any(
        each.state == "failure" for each in statuses
    ):
        return "FAILURE"
    if any(each.state == "error" for each in statuses):
        return "ERROR"
    waiting = any(each.status != "completed" for each in checks) or any(
        each.state == "pending" for each in statuses
    )
    return "PENDING" if waiting else "SUCCESS"

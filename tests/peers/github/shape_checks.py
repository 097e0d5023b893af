"""The JSON of check runs, suites, statuses and workflow runs."""

from .model import CheckRun, Repository, Status, Suite, WorkflowRun
from .shape_code import simple_commit
from .shapes import Json, app, minimal_pull, minimal_repository, node_id, user
from .world import World


def check_run(world: World, repo: Repository, each: CheckRun) -> Json:
    """A check run."""
    url, page = (
        f"{world.url}/repos/{repo.name}/check-runs/{each.id}",
        f"https://github.com/{repo.name}/runs/{each.id}",
    )
    said = {name: each.output.get(name) for name in ("title", "summary", "text")}
    output = {
        **said,
        "annotations_count": len(each.annotations),
        "annotations_url": f"{url}/annotations",
    }
    who = {
        "id": each.id,
        "node_id": node_id("CR", each.id),
        "name": each.name,
        "head_sha": each.head_sha,
        "external_id": each.external_id,
    }
    where = {"url": url, "html_url": page, "details_url": each.details_url or page}
    state = {
        "status": each.status,
        "conclusion": each.conclusion,
        "started_at": each.started,
        "completed_at": each.completed,
    }
    made_by = {
        "app": app(world, each.suite.app),
        "check_suite": {"id": each.suite.id},
        "pull_requests": _pulls(world, repo, each.head_sha),
    }
    return {**who, **where, **state, **made_by, "output": output}


def annotation(each: Json) -> Json:
    """An annotation as it is read back."""
    optional = dict.fromkeys(
        ("start_column", "end_column", "annotation_level", "title", "message", "raw_details")
    )
    return {**optional, **each, "blob_href": "https://github.com/blob"}


def suite(world: World, repo: Repository, each: Suite) -> Json:
    """A check suite, its state added up from its runs."""
    runs = [run for run in repo.checks if run.suite is each]
    done = bool(runs) and all(run.status == "completed" for run in runs)
    bad = next(
        (run.conclusion for run in runs if run.conclusion not in ("success", "neutral", "skipped")),
        "success",
    )
    commit = next(iter(repo.git.commits("", each.head_sha)))
    url = f"{world.url}/repos/{repo.name}/check-suites/{each.id}"
    who = {
        "id": each.id,
        "node_id": node_id("CS", each.id),
        "url": url,
        "head_branch": None,
        "head_sha": each.head_sha,
    }
    state = {
        "status": "completed" if done else "queued",
        "conclusion": bad if done else None,
        "before": None,
        "after": each.head_sha,
    }
    dates = dict.fromkeys(("created_at", "updated_at"), commit.committer[2])
    counts = {"latest_check_runs_count": len(runs), "check_runs_url": f"{url}/check-runs"}
    holds = {
        "app": app(world, each.app),
        "repository": minimal_repository(world, repo),
        "head_commit": simple_commit(commit),
    }
    return {
        **who,
        **state,
        **dates,
        **counts,
        **holds,
        "pull_requests": _pulls(world, repo, each.head_sha),
    }


def simple_status(world: World, repo: Repository, each: Status) -> Json:
    """A status inside a combined one."""
    avatar = f"https://avatars.githubusercontent.com/u/{each.creator.id}"
    who = {
        "id": each.id,
        "node_id": node_id("SC", each.id),
        "url": f"{world.url}/repos/{repo.name}/statuses/{each.sha}",
        "avatar_url": avatar,
    }
    said = {
        "context": each.context,
        "state": each.state,
        "description": each.description,
        "target_url": each.target_url,
    }
    return {**who, **said, "created_at": each.created, "updated_at": each.created}


def status(world: World, repo: Repository, each: Status) -> Json:
    """A status with its creator."""
    return {**simple_status(world, repo, each), "creator": user(world, each.creator)}


def workflow_run(world: World, repo: Repository, each: WorkflowRun) -> Json:
    """A workflow run."""
    url, page = (
        f"{world.url}/repos/{repo.name}/actions/runs/{each.id}",
        f"https://github.com/{repo.name}/actions/runs/{each.id}",
    )
    commit = next(iter(repo.git.commits("", each.head_sha)))
    urls = {
        f"{name}_url": f"{url}/{name}" for name in ("jobs", "logs", "cancel", "rerun", "artifacts")
    }
    urls |= {
        "check_suite_url": f"{world.url}/check-suites/1",
        "workflow_url": f"{world.url}/workflows/1",
        "url": url,
        "html_url": page,
    }
    who = {
        "id": each.id,
        "node_id": node_id("WFR", each.id),
        "name": each.name,
        "path": each.path,
        "workflow_id": 1,
        "display_title": each.name,
    }
    head = {
        "head_branch": each.head_branch,
        "head_sha": each.head_sha,
        "head_commit": simple_commit(commit),
    }
    state = {
        "event": each.event,
        "status": each.status,
        "conclusion": each.conclusion,
        "run_number": 1,
        "run_attempt": 1,
    }
    dates = dict.fromkeys(("created_at", "updated_at", "run_started_at"), commit.committer[2])
    actor = {
        name: user(world, each.actor or world.account(repo.owner))
        for name in ("actor", "triggering_actor")
    }
    repos = {
        "repository": minimal_repository(world, repo),
        "head_repository": minimal_repository(world, repo, each.head_repo),
    }
    pulls = [minimal_pull(world, repo, repo.pulls[number]) for number in each.pulls]
    return {**who, **urls, **head, **state, **dates, **actor, **repos, "pull_requests": pulls}


def _pulls(world: World, repo: Repository, sha: str) -> list[Json]:
    """GitHub names only pull requests from branches of the repository itself."""
    mine = (
        each for each in repo.pulls.values() if each.head_sha == sha and each.head_repo == repo.name
    )
    return [minimal_pull(world, repo, each) for each in mine]


def branch_rules(repo: Repository, branch: str) -> list[Json]:
    """The rules of the one ruleset, if it asks anything of the branch."""
    contexts = [
        {"context": context, **({"integration_id": app} if app else {})}
        for context, app in repo.rules.get(branch, [])
    ]
    source = {"ruleset_source_type": "Repository", "ruleset_source": repo.name, "ruleset_id": 1}
    asked = {"required_status_checks": contexts, "strict_required_status_checks_policy": False}
    return [{"type": "required_status_checks", "parameters": asked, **source}] if contexts else []

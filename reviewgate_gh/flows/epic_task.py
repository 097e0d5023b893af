"""What an epic is verified by: its text and issues from the tracker, its commits from git."""

from ..model.config import Config
from ..model.epic import Epic
from ..model.epic_verification import EpicTask
from ..model.errors import UsageError
from ..system.git import Git
from ..system.git.baselines import has_commit, issue_commits
from ..system.site import Site
from .epics import epic_named


def eligible(name: str, config: Config, site: Site) -> tuple[Epic, str]:
    """The epic, and why it is not to be verified yet; "" when every issue of it is closed.

    Raises:
        UsageError: the tracker does not know it, or there is no tracker that knows epics.
        GateError, OSError: the tracker fails.
    """
    epic = epic_named(name, config, site)
    if epic is None:
        raise UsageError(f"the tracker ({config.tracker.type}) has no epic {name}", "check the name, and tracker.type in the config")
    left = [child for child, closed in epic.children.items() if not closed]
    if left:
        return epic, f"issues still open: {', '.join(left[:5])} ({len(left)} of {len(epic.children)})"
    return epic, "" if epic.children else "it has no issues"


def task_of(epic: Epic, run_start: str | None, git: Git) -> EpicTask:
    """The epic with the commits whose subject names one of its issues; without any, what the run has made, else the work tree."""
    commits = tuple(dict.fromkeys(oid for oid in issue_commits(git, tuple(epic.children))))
    base = run_start if not commits and run_start and has_commit(git, run_start) else ""
    head = git.resolve("HEAD") or ""
    return EpicTask(epic.id, epic.title, epic.description, tuple(epic.children), commits, base if base != head else "", head)

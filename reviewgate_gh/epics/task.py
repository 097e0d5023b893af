"""What is verified of an epic: its text and issues from the tracker, its commits from git."""

from collections.abc import Iterable

from ..git import Git
from ..git.history import has_commit, issue_commits
from ..issues.epics import Epic
from ..issues.tracked import Workspace
from ..model.config import Config
from ..model.epic_verification import EpicTask
from ..model.errors import GateError, UsageError
from ..system import plugins
from ..text.config_file import validate_settings
from .documents import named_documents

_DEEPEST = 20


def find_epic(name: str, config: Config, workspace: Workspace) -> Epic | None:
    """The epic of that name; None if the tracker does not know it or has no epics, or no tracker is
    configured.

    Raises:
        GateError, OSError: the tracker fails.
    """
    return _asked("epic", name, config, workspace)


def find_issue(name: str, config: Config, workspace: Workspace) -> Epic | None:
    """The issue or epic of that name, without what is below it; None as above.

    Raises:
        GateError, OSError: the tracker fails.
    """
    return _asked("issue", name, config, workspace)


def _asked(what: str, name: str, config: Config, workspace: Workspace) -> Epic | None:
    settings = config.tracker
    if settings.type == "none":
        return None
    module = plugins.load("trackers", settings.type)
    if not hasattr(module, what):
        return None
    options = (
        validate_settings(dict(settings.options), module.Options, "tracker.options")
        if settings.options
        else module.Options()
    )
    found: Epic | None = getattr(module, what)(options, workspace, name)
    return found


def find_parent_epics(
    issues: Iterable[str], config: Config, workspace: Workspace
) -> tuple[str, ...]:
    """The epics that these issues are in, inner ones first; what the tracker cannot report now is
    left out, with a message."""
    found: dict[str, None] = {}
    for issue in issues:
        try:
            name = issue
            for _ in range(_DEEPEST):
                known = find_epic(name, config, workspace)
                if known is None or not known.parent:
                    break
                name = known.parent
                found[name] = found.pop(name, None)  # outer ones come last
        except (GateError, OSError) as error:
            workspace.messages.append(f"could not read the epics of {issue}: {error}")
    return tuple(found)


def find_eligible_epic(name: str, config: Config, workspace: Workspace) -> tuple[Epic, str]:
    """The epic, and why it is not to be verified yet; "" when every issue of it is closed.

    Raises:
        UsageError: the tracker does not know it, or there is no tracker that knows epics.
        GateError, OSError: the tracker fails.
    """
    epic = find_epic(name, config, workspace)
    if epic is None:
        raise UsageError(
            f"the tracker ({config.tracker.type}) has no epic {name}",
            "check the name, and tracker.type in the config",
        )
    left = [child for child, closed in epic.children.items() if not closed]
    if left:
        return (
            epic,
            f"issues still open: {', '.join(left[:5])} ({len(left)} of {len(epic.children)})",
        )
    return epic, "" if epic.children else "it has no issues"


def epic_task(
    epic: Epic, run_start: str | None, git: Git, issue_texts: Iterable[str] = ()
) -> EpicTask:
    """The epic with the documents that it or these texts of its issues name, and with the commits
    whose subject names one of its issues; without any, what the run has made, else the work tree.
    """
    commits = tuple(dict.fromkeys(oid for oid in issue_commits(git, tuple(epic.children))))
    base = run_start if not commits and run_start and has_commit(git, run_start) else ""
    head = git.resolve("HEAD") or ""
    return EpicTask(
        epic.id,
        epic.title,
        epic.description,
        tuple(epic.children),
        commits,
        base if base != head else "",
        head,
        named_documents(git, head, [epic.description, *issue_texts]) if head else (),
    )

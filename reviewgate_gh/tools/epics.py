"""Epics in the local tracker: made with their issues, closed, and listed. Other trackers have
commands of their own for that."""

from collections.abc import Sequence

from msgspec import Struct

from ..git import Git
from ..issues.epics import Epic, epic_of_records
from ..issues.sync import tracker_lock
from ..issues.tracked import Workspace
from ..issues.trackers.local import all_records, write_records
from ..model.errors import UsageError
from ..system.environment import Environment
from ..text.patterns import lazy_pattern

_ID = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class NewEpic(Struct, frozen=True):
    """What an epic is to be: its id, its title, what is to be done, the criteria by which it is
    accepted, and the titles of its issues."""

    id: str
    title: str
    description: str = ""
    criteria: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()


def add_epic(wanted: NewEpic, git: Git, environment: Environment) -> tuple[str, ...]:
    """The ids of the epic and of its issues, which are numbered below it.

    Raises:
        UsageError: the id is none, or the tracker has it already.
        TrackerBusy, OSError: the tracker cannot be written.
    """
    if not _ID.fullmatch(wanted.id):
        raise UsageError(
            f"{wanted.id!r} cannot be an epic's id", "use letters, digits, dots, dashes: E1"
        )
    workspace, now = Workspace(git, environment, []), environment.now()
    ids = [f"{wanted.id}.{number}" for number in range(1, len(wanted.issues) + 1)]
    with tracker_lock(workspace):
        known = {record.get("id") for record in all_records(workspace)}
        if taken := [name for name in (wanted.id, *ids) if name in known]:
            raise UsageError(
                f"the local tracker already has {', '.join(taken)}", "take another id for the epic"
            )
        common = {"status": "open", "priority": 2, "created_at": now, "updated_at": now}
        epic = {
            "id": wanted.id,
            "title": wanted.title,
            "description": wanted.description,
            "acceptance_criteria": "\n".join(f"- {each}" for each in wanted.criteria),
            "issue_type": "epic",
            **common,
        }
        issues = [
            {"id": name, "title": title, "issue_type": "task", "parent": wanted.id, **common}
            for name, title in zip(ids, wanted.issues, strict=True)
        ]
        write_records(workspace, [epic, *issues])
    return (wanted.id, *ids)


def close_issues(names: Sequence[str], git: Git, environment: Environment) -> tuple[str, ...]:
    """Close issues or epics; the ids of those that were open.

    Raises:
        UsageError: the tracker does not have one of them; then none is closed.
        TrackerBusy, OSError: the tracker cannot be written.
    """
    workspace, now = Workspace(git, environment, []), environment.now()
    with tracker_lock(workspace):
        known = {str(record.get("id", "")): record for record in all_records(workspace)}
        if unknown := [name for name in names if name not in known]:
            raise UsageError(
                f"the local tracker has no issue {', '.join(unknown)}",
                "to see what it has: reviewgate-gh orchestrate epic list",
            )
        done = [name for name in dict.fromkeys(names) if known[name].get("status") != "closed"]
        closed = {"status": "closed", "updated_at": now, "closed_at": now}
        write_records(workspace, [{**known[name], **closed} for name in done])
    return tuple(done)


def list_epics(git: Git, environment: Environment) -> tuple[Epic, ...]:
    """The epics of the local tracker with their issues.

    Raises:
        OSError: the tracker cannot be read.
    """
    records = all_records(Workspace(git, environment, []))
    names = [str(each["id"]) for each in records if each.get("issue_type") == "epic"]
    epics = (epic_of_records(records, name) for name in names)
    return tuple(epic for epic in epics if epic is not None)

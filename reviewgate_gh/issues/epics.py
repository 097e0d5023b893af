"""Epics in a tracker's records: which issues belong to one, and whether it is complete."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from ..model.triggers import EpicCompletion


class Epic(Struct, frozen=True):
    """`children` maps each issue of it to whether it is closed, for whatever reason; `parent` is
    the epic that it is in, "" for none.

    `description` holds what is to be done and the criteria by which it is accepted.
    """

    id: str
    parent: str = ""
    children: Mapping[str, bool] = field(default_factory=dict)
    title: str = ""
    description: str = ""


_DONE, _GONE = "closed", "tombstone"
_PARENT = "parent-child"


def epic_of_records(records: Iterable[Mapping[str, Any]], name: str) -> Epic | None:
    """The issue of that name with those below it; None where no record has it."""
    rows = [row for row in records if row.get("status") != _GONE]
    mine = next((row for row in rows if row.get("id") == name), None)
    if mine is None:
        return None
    children = {
        str(row["id"]): row.get("status") == _DONE
        for row in rows
        if row.get("id") and parent_of(row) == name
    }
    return Epic(name, parent_of(mine), children, str(mine.get("title") or ""), _description(mine))


def _description(record: Mapping[str, Any]) -> str:
    """What is to be done, how, and by which criteria it is accepted: fields of their own in
    beads."""
    criteria = str(record.get("acceptance_criteria") or record.get("acceptance") or "").strip()
    parts = [str(record.get(key) or "").strip() for key in ("description", "design")]
    return "\n\n".join(
        [part for part in parts if part]
        + ([f"## Acceptance criteria\n\n{criteria}"] if criteria else [])
    )


def parent_of(record: Mapping[str, Any]) -> str:
    """The issue above: by its own word, by its dependencies, or by its name (`a.1` is below
    `a`)."""
    if isinstance(said := record.get("parent"), str) and said:
        return said
    links = record.get("dependencies")
    for link in links if isinstance(links, list) else ():
        if isinstance(link, dict) and _PARENT in (link.get("type"), link.get("dependency_type")):
            return str(link.get("depends_on_id") or link.get("id") or "")
    head, dot, tail = str(record.get("id", "")).rpartition(".")
    return head if dot and tail.isdecimal() else ""


def completion_obstacle(
    epic: Epic | None,
    trigger: EpicCompletion,
    failed: Sequence[str],
    succeeded: int | None,
    failures: int | None,
) -> str:
    """Why the completion of this epic does not count; "" when it does. An epic that no tracker
    knows is complete at the caller's word.

    `failed` are the issues of the run that failed; `succeeded` and `failures` count those of the
    epic where the caller says so.
    """
    mine = [name for name in failed if epic is None or name in epic.children]
    _succeeded, count = count_issues(
        len(epic.children) if epic else 0, len(mine), succeeded, failures
    )
    if epic is not None:
        left = [name for name, closed in epic.children.items() if not closed]
        if left:
            return f"issues still open: {', '.join(left[:5])} ({len(left)} of {len(epic.children)})"
        if not epic.children:
            return "it has no issues"
        if epic.parent and trigger.epic_depth == "top_level":
            return f"it is a child of {epic.parent}, and epic_depth is top_level"
    if should_fire(trigger.fire_on, count):
        return ""
    return f"fire_on is {trigger.fire_on}, and {count} of its issues failed"


def should_fire(fire_on: str, failed: int) -> bool:
    """Whether a trigger with this `fire_on` fires when so many issues failed."""
    return fire_on == "both" or (failed > 0) == (fire_on == "failure")


def count_issues(
    issues: int, remembered: int, succeeded: int | None, failed: int | None
) -> tuple[int, int]:
    """How many of so many issues succeeded and failed: as the caller says; where that is one
    number, the other issues make the other.

    `remembered` are those that are known to have failed.
    """
    if failed is None:
        failed = remembered if succeeded is None else max(remembered, issues - succeeded)
    return max(0, issues - failed) if succeeded is None else succeeded, failed

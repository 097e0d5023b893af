"""Epics in the records of beads."""

from typing import Any

import pytest

from reviewgate_gh.issues.epics import Epic, completion_obstacle, epic_of_records, parent_of
from reviewgate_gh.model.triggers import EpicCompletion


@pytest.mark.parametrize(
    ("record", "parent"),
    [
        ({"id": "a", "parent": "e"}, "e"),
        (
            {
                "id": "a",
                "dependencies": [
                    {"depends_on_id": "b", "type": "blocks"},
                    {"depends_on_id": "e", "type": "parent-child"},
                ],
            },
            "e",
        ),
        ({"id": "a", "dependencies": [{"id": "e", "dependency_type": "parent-child"}]}, "e"),
        ({"id": "bd-e.12"}, "bd-e"),
        ({"id": "bd-e.x"}, ""),
        ({"id": ".1"}, ""),
        ({"id": "a", "dependencies": None, "parent": 3}, ""),
        ({"dependencies": ["e"]}, ""),
    ],
)
def test_the_issue_above(record: dict[str, Any], parent: str) -> None:
    assert parent_of(record) == parent


def test_an_epic_with_its_issues() -> None:
    states = {
        "t.1": "open",
        "t.1.1": "closed",
        "t.1.2": "open",
        "t.1.3": "tombstone",
        "other": "open",
    }
    rows = [
        {"status": "open"},
        *({"id": name, "status": status} for name, status in states.items()),
    ]
    assert epic_of_records(rows, "t.1") == Epic("t.1", "t", {"t.1.1": True, "t.1.2": False})
    assert (
        epic_of_records(rows, "t") is None
        and epic_of_records([], "t") is None
        and epic_of_records(rows, "t.1.3") is None
    )


@pytest.mark.req("R000-049")
@pytest.mark.parametrize(
    ("epic", "depth", "fire_on", "failed", "counts", "why"),
    [
        (Epic("e", "", {"a": True}), "top_level", "success", (), None, ""),
        (
            Epic("e", "", {"a": True, "b": False}),
            "all",
            "both",
            (),
            None,
            "issues still open: b (1 of 2)",
        ),
        (Epic("e"), "all", "both", (), None, "it has no issues"),
        (Epic("e", "t", {"a": True}), "all", "success", (), None, ""),
        (
            Epic("e", "t", {"a": True}),
            "top_level",
            "success",
            (),
            None,
            "it is a child of t, and epic_depth is top_level",
        ),
        (
            Epic("e", "", {"a": True}),
            "all",
            "success",
            ("a",),
            None,
            "fire_on is success, and 1 of its issues failed",
        ),
        (Epic("e", "", {"a": True}), "all", "success", ("z",), None, ""),
        (Epic("e", "", {"a": True}), "all", "failure", ("a",), None, ""),
        (
            Epic("e", "", {"a": True}),
            "all",
            "failure",
            ("a",),
            (None, 0),
            "fire_on is failure, and 0 of its issues failed",
        ),
        (
            Epic("e", "", {"a": True, "b": True}),
            "all",
            "success",
            (),
            (1, None),
            "fire_on is success, and 1 of its issues failed",
        ),
        (Epic("e", "", {"a": True, "b": True}), "all", "success", (), (2, None), ""),
        (None, "top_level", "success", (), None, ""),
        (
            None,
            "top_level",
            "success",
            ("a",),
            None,
            "fire_on is success, and 1 of its issues failed",
        ),
    ],
)
def test_when_it_is_complete(
    epic: Epic | None, depth: Any, fire_on: Any, failed: tuple[str, ...], counts: Any, why: str
) -> None:
    trigger = EpicCompletion(epic_depth=depth, fire_on=fire_on)
    assert completion_obstacle(epic, trigger, failed, *(counts or (None, None))) == why

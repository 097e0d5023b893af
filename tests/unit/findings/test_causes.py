"""What breaks elsewhere is said once."""

import pytest

from reviewgate_gh.findings.causes import merge_with_broken_uses
from reviewgate_gh.model.finding import CausingPlace, FindingState
from tests.unit.support import finding

BROKEN = finding(
    "user.py", 3, "callers/import", "`Box.go` is used here", cause=CausingPlace("lib.py", 1)
)


@pytest.mark.parametrize(
    ("path", "title", "places", "state"),
    [
        ("lib.py", "go is removed, and is still used", ("lib.py:6", "user.py:3"), "duplicate"),
        ("lib.py", "go is removed, and is still used", ("user.py:9",), "duplicate"),
        ("lib.py", "go is removed", ("user.py:3", "more.py:1"), "open"),
        ("lib.py", "stop is removed", ("user.py:3",), "open"),
        ("other.py", "go is removed", ("user.py:3",), "open"),
        ("lib.py", "go is removed", (), "open"),
        ("lib.py", "go is removed", ("lib.py:6",), "open"),
    ],
)
def test_a_remark_at_the_change(path: str, title: str, places: tuple[str, ...], state: str) -> None:
    remark = finding(path, 6, "change/removed-name-used", title, places=places)
    first, second = merge_with_broken_uses([remark, BROKEN])
    assert (first.state, second.state) == (FindingState(state), FindingState.OPEN)
    assert merge_with_broken_uses([remark]) == (remark,)

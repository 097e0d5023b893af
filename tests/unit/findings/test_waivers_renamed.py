"""A waiver that was made under a file's former name."""

import pytest

from reviewgate_gh.findings.waivers import apply_waivers, used_waivers
from reviewgate_gh.model.finding import FindingState
from reviewgate_gh.model.waiver import Waiver
from tests.unit.support import finding

OLD = finding("old.py", origin="old.py").fingerprint
WAIVER = Waiver(fingerprint=OLD, reason="fine", path="old.py")
TODAY = "2026-01-01"


@pytest.mark.parametrize(
    ("former", "state"),
    [
        ({"new.py": ("older.py", "old.py")}, FindingState.WAIVED),
        ({"x.py": ("old.py",)}, FindingState.OPEN),
        ({}, FindingState.OPEN),
    ],
)
def test_it_holds_where_git_says_that_the_file_was_renamed(
    former: dict[str, tuple[str, ...]], state: FindingState
) -> None:
    (judged,) = apply_waivers([finding("new.py", origin="new.py")], [WAIVER], TODAY, former)
    assert judged.state is state


def test_a_rename_within_the_change_goes_first() -> None:
    (judged,) = apply_waivers(
        [finding("newest.py", origin="new.py")], [WAIVER], TODAY, {"new.py": ("old.py",)}
    )
    assert judged.state is FindingState.WAIVED


def test_it_counts_as_used_and_its_count_still_holds() -> None:
    found = [finding("new.py", n, origin="new.py", ordinal=n) for n in (1, 2)]
    judged = apply_waivers(found, [WAIVER], TODAY, {"new.py": ("old.py",)})
    assert [f.state for f in judged] == [FindingState.WAIVED, FindingState.OPEN]
    assert used_waivers(judged, [WAIVER]) == (OLD,)


def test_other_code_in_the_renamed_file_stays_open() -> None:
    (judged,) = apply_waivers(
        [finding("new.py", rule="ruff/S602", origin="new.py")],
        [WAIVER],
        TODAY,
        {"new.py": ("old.py",)},
    )
    assert judged.state is FindingState.OPEN

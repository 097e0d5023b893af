"""What a new file that is too long for this change to have written says of itself."""

import pytest

from reviewgate_gh.reviewers.comparisons.additions import leftovers
from tests.unit.reviewers.comparisons.in_memory import comparison

_NOTE = "// FIXME: the axis is drawn twice\n"


@pytest.mark.parametrize(("rows", "told"), [(100, 1), (2000, 0)])
def test_a_library_that_is_copied_as_a_whole_has_its_own_notes(rows: int, told: int) -> None:
    code = "".join(f"draw({row})\n" for row in range(rows))
    found = [*leftovers.compare(comparison({"web/graph.js": ("", _NOTE + code)}, {}))]
    assert len(found) == told

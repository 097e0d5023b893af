"""Files of data that a change writes anew: whatever is compared line by line comes to an end."""

from types import ModuleType

import pytest

from reviewgate_gh.reviewers.comparisons.code import (
    lost_awaits,
    owned_lookups,
    writable_fields,
    written_secrets,
)
from tests.unit.reviewers.comparisons.in_memory import comparison

_ROWS = 20_000


def test_each_line_of_a_large_block_is_looked_at_once() -> None:
    """Each with each, they would take hours."""
    before, after = (
        "".join(f'  "name{row}": "{word}{row}",\n' for row in range(_ROWS))
        for word in ("envelope", "letter")
    )
    old = f'{{\n{before}  "db_password": "${{DB_PASSWORD}}"\n}}\n'
    new = f'{{\n{after}  "db_password": "Sommer2026"\n}}\n'
    (found,) = written_secrets.compare(comparison({"src/data.json": (old, new)}, {}))
    assert (found.rule, found.line_start) == ("change/secret-written", _ROWS + 2)


@pytest.mark.parametrize("comparison_of", [lost_awaits, owned_lookups, writable_fields])
def test_of_code_that_is_written_anew_too(comparison_of: ModuleType) -> None:
    old, new = (
        "".join(f"  await {word}.load{row}(user{row})\n" for row in range(_ROWS))
        for word in ("depot", "store")
    )
    sides = (f"function fill() {{\n{old}}}\n", f"function fill() {{\n{new}}}\n")
    assert not [*comparison_of.compare(comparison({"src/a.js": sides}, {}))]

"""Files of data that a change writes anew: whatever is compared line by line comes to an end."""

from reviewgate_gh.reviewers.comparisons.code import written_secrets
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

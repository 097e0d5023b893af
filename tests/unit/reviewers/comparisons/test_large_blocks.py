"""Files of data that a change writes anew: whatever is compared line by line comes to an end."""

from types import ModuleType

import pytest

from reviewgate_gh.reviewers.comparisons.code import (
    dropped_results,
    error_handling,
    lost_awaits,
    owned_lookups,
    unapplied_rules,
    writable_fields,
    written_secrets,
)
from reviewgate_gh.reviewers.comparisons.project import versions
from reviewgate_gh.reviewers.comparisons.tests import tests_removed
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


@pytest.mark.parametrize("comparison_of", [lost_awaits, owned_lookups, versions, writable_fields])
def test_of_code_that_is_written_anew_too(comparison_of: ModuleType) -> None:
    old, new = (
        "".join(f"  await {word}.load{row}(user{row})\n" for row in range(_ROWS))
        for word in ("depot", "store")
    )
    sides = (f"function fill() {{\n{old}}}\n", f"function fill() {{\n{new}}}\n")
    assert not [*comparison_of.compare(comparison({"src/a.js": sides}, {}))]


def test_rules_of_a_file_that_is_written_anew_are_not_looked_for_one_by_one() -> None:
    old, new = (
        "".join(f"  {word}{row});\n" for row in range(_ROWS))
        for word in ("userSchema.parse(user", "keep(letter")
    )
    sides = (f"function fill() {{\n{old}}}\n", f"function fill() {{\n{new}}}\n")
    assert not [*unapplied_rules.compare(comparison({"src/a.js": sides}))]


def test_tests_that_go_are_looked_for_once() -> None:
    """The tests of both sides were read again for each of them."""
    kept = "class CoinTest {\n    @Test fun total() { assertEquals(3, total()) }\n"
    gone = "".join(
        f"    @Test fun weighs{row}() {{\n        assertEquals({row}, weigh({row}))\n    }}\n"
        for row in range(_ROWS // 10)
    )
    sides = (f"{kept}{gone}}}\n", f"{kept}}}\n")
    code = {"src/main/kotlin/Coin.kt": "fun weigh(x: Int) = x\n"}
    path = "src/test/kotlin/CoinTest.kt"
    (found,) = tests_removed.compare(comparison({path: sides}, code))
    assert found.rule == "change/test-removed"


def test_rows_that_are_indented_a_long_way_are_read_once() -> None:
    """An optional sign between spaces let each space be tried before and behind it."""
    base = "".join(f"{' ' * 900}if a or b:{row}\n" for row in range(_ROWS // 200))
    for head in (base.replace("or", "and"), "keep()\n"):
        for each in (dropped_results, error_handling):
            assert not [*each.compare(comparison({"src/a.py": (base, head)}))]

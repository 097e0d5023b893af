"""Uses of removed members that a type checker does not see, by the lines of the tree alone."""

import pytest

from reviewgate_gh.reviewers.python.definitions import ChangedDefinition
from reviewgate_gh.reviewers.python.leftovers import distinctive, find_leftovers
from reviewgate_gh.reviewers.python.users import FoundLine

GONE = ChangedDefinition("shop/stock.py", "Stock.get_fields", "get_fields", "removed", is_own=True)


def used(line: str) -> list[int]:
    lines = [FoundLine("shop/report.py", 4, line)]
    content = b"from shop.stock import Stock\n"
    found = find_leftovers(distinctive([GONE]), lines, lambda path: content)
    return [suspect.diagnostic.column for suspect in found]


@pytest.mark.parametrize("line", ["x = stock.get_fields()", "x = self._stock.get_fields()"])
def test_a_member_that_nothing_defines_is_a_leftover(line: str) -> None:
    assert used(line) == [line.index("get_fields") + 1]


@pytest.mark.parametrize(
    "line",
    [
        "x = stock._meta.get_fields()",  # Django's, of any model
        "# stock.get_fields()",
        "def get_fields(self):",
        "x = getattr(stock, 'get_fields')",
    ],
)
def test_what_another_class_may_define_is_none(line: str) -> None:
    assert used(line) == []

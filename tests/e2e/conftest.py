"""Fixtures of the end-to-end tests, and which rows of their long tables a plain run tries."""

import os
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support import ROOT, run

from .publishing import Stock

_HERE = Path(__file__).parent
_LONG, _OF = 4, 3  # a table of at least so many rows: of so many one is tried
_stock: list[Stock] = []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every third row of a long table, with each commit other ones; all with REVIEWGATE_GH_FULL, and where a test or file is named."""
    named = any("::" in each or each.endswith(".py") for each in config.args) or config.option.keyword
    if named or os.environ.get("REVIEWGATE_GH_FULL"):
        return
    tables = defaultdict(list)
    for item in items:
        if item.path.is_relative_to(_HERE):
            tables[item.path, getattr(item, "originalname", item.name)].append(item)
    turn = _turn()
    left = {row for rows in tables.values() if len(rows) >= _LONG for at, row in enumerate(rows) if at % _OF != turn}
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]


def _turn() -> int:
    """The same in every process of a run; 0 where the sources are in no repository."""
    head = run(["git", "rev-parse", "--verify", "HEAD"], ROOT).stdout.strip()
    return int(head[:8], 16) % _OF if head else 0


@pytest.fixture
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """One for all tests of this process."""
    if not _stock:
        _stock.append(Stock.make(tmp_path_factory.mktemp("stock")))
    return _stock[0]

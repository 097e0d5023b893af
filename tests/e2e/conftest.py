"""Fixtures of the end-to-end tests, and which of them are slow."""

from collections import defaultdict
from pathlib import Path
from zlib import crc32

import pytest

from .publishing import Stock

_stock: list[Stock] = []
_ONE_OF = 4  # cases of a table, that .ci/run makes; .ci/full makes all


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole runs take a second each: all but the contracts are marked slow, and of a table one
    case in three is made each time, the others are big."""
    folder, tables = Path(__file__).parent, defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if not item.path.is_relative_to(folder) or item.get_closest_marker("contract"):
            continue
        if not item.get_closest_marker("peer") and not item.get_closest_marker("big"):
            item.add_marker("slow")
        tables[item.nodeid.partition("[")[0]].append(item)
    for name, cases in tables.items():
        chosen = crc32(name.encode()) % min(_ONE_OF, len(cases))
        for at, item in enumerate(cases):
            if at % _ONE_OF != chosen:
                item.add_marker("big")


@pytest.fixture
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """One for all tests of this process."""
    if not _stock:
        _stock.append(Stock.make(tmp_path_factory.mktemp("stock")))
    return _stock[0]

"""Fixtures of the end-to-end tests, and which of them are slow."""

from pathlib import Path

import pytest

from .publishing import Stock

_stock: list[Stock] = []
_FASTER = ("contract", "peer", "big")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole runs take a second each: all but the contracts are marked slow."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder) and not any(map(item.get_closest_marker, _FASTER)):
            item.add_marker("slow")


@pytest.fixture
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """One for all tests of this process."""
    if not _stock:
        _stock.append(Stock.make(tmp_path_factory.mktemp("stock")))
    return _stock[0]

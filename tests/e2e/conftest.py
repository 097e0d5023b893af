"""Fixtures of the end-to-end tests."""

import pytest

from .publishing import Stock

_stock: list[Stock] = []


@pytest.fixture
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """One for all tests of this process."""
    if not _stock:
        _stock.append(Stock.make(tmp_path_factory.mktemp("stock")))
    return _stock[0]

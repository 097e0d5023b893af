"""Fixtures: `aimock` is the real aimock, empty for each test; `model_server` a model whose answers
are the test's own function."""

from collections.abc import Iterator

import pytest

from . import aimock as mock
from . import model_server as models


@pytest.fixture(scope="session")
def aimock_process() -> Iterator[mock.Aimock]:
    """What the tests of one worker share."""
    if not mock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    with mock.serving() as server:
        yield server


@pytest.fixture
def aimock(aimock_process: mock.Aimock) -> mock.Aimock:
    """aimock without fixtures: `aimock.add(row("..."))` first."""
    aimock_process.reset()
    return aimock_process


@pytest.fixture
def model_server() -> Iterator[models.ModelServer]:
    """A new model server that says `{}`: set `model_server.answer`, or call
    `model_server.plan(...)`."""
    with models.serving() as server:
        yield server

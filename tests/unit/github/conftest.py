"""A scripted server and a clock for each test."""

from collections.abc import Iterator

import pytest

from reviewgate_gh.github import Client
from tests.unit.github.scripted import Clock, Server, opened, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(server: Server, clock: Clock) -> Client:
    return opened(server, clock)

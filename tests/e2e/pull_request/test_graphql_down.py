"""Publishing while GitHub fails every question by GraphQL: REST carries it, what cannot be known is
said, and the next run finds nothing lost and nothing said twice."""

import pytest

from tests.peers.github.servers import Servers

from ..faulting import Cell
from ..publishing import Result, Stock
from .test_publish_faults import SCENES, play

UNKNOWN = "so resolved threads and minimised comments are unknown"
DOWN = {"method": "POST", "path": "/graphql", "times": 9999}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("first", 0),
        ("left", 0),
        ("blocked", 0),
        ("mended", 0),
        ("approved", 0),
        ("red: a ruleset requires more", 0),
        ("later", 69),
        ("unchanged", 69),
        ("returned", 69),
    ],
)
def test_without_graphql(name: str, code: int, github_servers: Servers, stock: Stock) -> None:
    scene = SCENES[name](github_servers, stock)
    with scene.stage() as stage:
        assert stage.run(scene.report).code == 0
        wanted = Result.of(stage)
    with scene.stage() as stage:
        stage.github.fault("502", **DOWN)
        ended = stage.run(scene.report)
        noted = [each for each in stage.pull.reviews if UNKNOWN in each.body]
        assert ended.code == code and not stage.approvals(), ended
        assert len(noted) == 1
        if code:
            assert "can be seen" in ended.told[0] and "everything new was posted" in ended.told[1]
    assert not play(scene, Cell("502", "POST", "/graphql", 1, always=True), wanted)

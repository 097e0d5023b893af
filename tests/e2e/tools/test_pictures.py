"""The pictures of the README and of docs/gallery.md show what the program prints today."""

import os
import re
from pathlib import Path

import pytest

from ...support import ROOT, Ran, Repo, peer
from ..gallery import FILES, terminal_picture
from ..pictures import DIALECTS, Panel, agents, drawn, ensemble, stand_ins, terminal, words

AGAIN = "what the program prints is not what its picture shows: python -m tests.e2e.pictures"


def compare(name: str, ran: Ran, folder: Path) -> None:
    assert ran.code == 1, ran.output
    assert words(drawn(ran, folder)) == words((ROOT / f"docs/{name}.svg").read_text()), AGAIN


def test_the_keyless_review(tmp_path: Path) -> None:
    compare("terminal", terminal(tmp_path), tmp_path)


@pytest.mark.parametrize(
    "panel",
    [stand_ins, pytest.param(agents, marks=pytest.mark.peer)]
    if os.environ.get("REVIEWGATE_GH_FULL")
    else [stand_ins],
)
def test_the_ensemble(panel: Panel, tmp_path: Path) -> None:
    """With REVIEWGATE_GH_FULL of the agents themselves, else of their answers under their names."""
    for name in DIALECTS if panel is agents else ():
        peer(f"node_modules/.bin/{name}")
    compare("ensemble", ensemble(tmp_path, panel), tmp_path)


def test_the_gallery(repo: Repo) -> None:
    repo.commit({".reviewgate-gh.yaml": "{}"})
    repo.branch("topic")
    repo.commit(dict(FILES))
    now, drawn_then = (
        re.sub(r"\d+(?:\.\d+){2,}", "", words(svg))
        for svg in (
            terminal_picture(repo, 80, "dark"),
            (ROOT / "docs/gallery/terminal-80-dark.svg").read_text(),
        )
    )
    assert now == drawn_then, AGAIN.replace("pictures", "gallery")

"""The real codex, gemini and qwen beside the linters on one change: one verdict, and one of them that fails is never a pass."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents import KEY, MODELS, NAME
from tests.peers import aimock
from tests.peers.aimock import Aimock, row
from tests.peers.model_server import Asked, ModelServer, Say, serving
from tests.support import PEERS, Ran, Repo, peer

from .panels import claim, kind, review, rulings

pytestmark = pytest.mark.peer
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
DIALECTS = {"codex": "responses", "gemini": "gemini", "qwen": "openai"}
CHANGE = '''"""Payments."""

import subprocess


def refund(order, amount):
    """Send the amount back, and tell the shop."""
    share = amount / len(order.items)
    subprocess.run(f"notify {order.shop}", shell=True)
    return [item.refund(share) for item in order.itemz]
'''
SHELL = {"file": "pay.py", "quote": 'subprocess.run(f"notify {order.shop}", shell=True)', "category": "security"}
SAID = {
    "codex": (
        claim(
            file="pay.py",
            quote="share = amount / len(order.items)",
            title="An order without items makes the refund fail",
            body="`len(order.items)` is 0 for a cancelled order, so nobody is paid back.",
            suggestion="    share = amount / len(order.items) if order.items else amount",
        ),
    ),
    "gemini": (claim(**SHELL, title="A shop's name is run by the shell", body="Whoever names a shop runs commands here.", priority="P0"),),
    "qwen": (claim(**SHELL, title="The name of a shop reaches the shell", body="`shop` comes from the shop's owner and is not quoted."),),
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(answer) as up:
        yield up


def answer(asked: Asked, failing: str = "", failure: Say | str = "") -> str | Say:
    """What each of the three says, or how one of them fails."""
    name = next(name for name, dialect in DIALECTS.items() if dialect == asked.dialect)
    if name == failing:
        return failure
    return rulings(asked) if kind(asked) == "verify" else review(asked, *(SAID[name] if kind(asked) != "audit" else ()))


def panel_of_agents(repo: Repo, server: ModelServer | Aimock, *args: str, more: str = "", **env: str) -> Ran:
    """The change reviewed by all three and the linters."""
    for name in DIALECTS:
        peer(f"node_modules/.bin/{name}")
    rows = ["reviewers:", "  linters: {type: linters}", "  builtin: {type: builtin}"]
    for name, dialect in DIALECTS.items():
        options = {"model": MODELS[name], "url": server.url(dialect), "key": NAME}
        rows.append(f"  {name}: {json.dumps({'type': name, 'timeout': 60, 'options': options})}")
    repo.commit({".reviewgate-gh.yaml": "\n".join([*rows, more, ""])}, "config")
    repo.commit({"pay.py": CHANGE}, "Refunds")
    path = os.pathsep.join([str(PEERS / "venv/bin"), str(PEERS / "node_modules/.bin"), os.environ["PATH"]])
    return repo.cli("review", "--base", "HEAD~1", *args, env={"PATH": path, NAME: KEY, **env})


QUICK = "ensemble: {lenses: [correctness, security, quality], verify: false, reverse_audit: {max_rounds: 0}}"


def assert_verdict(done: Ran) -> None:
    """What the linters and the three come to: a finding of one of them, one of two, and a block."""
    assert done.code == 1, done.output
    report = json.loads(done.stdout)
    standing = {(each["line_start"], each["priority"]): set(each["sources"]) for each in report["findings"] if each["state"] == "open"}
    assert standing[8, "P1"] == {"codex/correctness"}
    (shell,) = [sources for (line, _), sources in standing.items() if line == 9 and len(sources) > 1]
    assert {"gemini/security", "qwen/quality"} <= shell
    assert report["verdict"]["quorum"] == "3 of 3 reviewed" and KEY not in done.output


def test_three_agents_and_the_linters_come_to_one_verdict(repo: Repo, server: ModelServer) -> None:
    assert_verdict(panel_of_agents(repo, server, "--output", "json", more=QUICK))


def test_they_come_to_the_same_on_aimock(repo: Repo) -> None:
    """A server that somebody else wrote speaks the three protocols."""
    whole = {name: {"nonce": "{nonce}", "verdict": "FAIL", "summary": "s", "findings": SAID[name]} for name in DIALECTS}
    rows = [row(json.dumps(said), match={"model": MODELS[name]}) for name, said in whole.items()]
    if not aimock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    with aimock.serving(*rows, nonce=True) as server:
        assert_verdict(panel_of_agents(repo, server, "--output", "json", more=QUICK))
        asked = [entry for entry in server.journal() if entry["response"]["status"] == 200]
    assert {entry["body"]["model"] for entry in asked} == {MODELS[name] for name in DIALECTS}


@pytest.mark.parametrize(
    ("name", "failure", "told"),
    [
        ("codex", Say(401, {"error": {"message": "no such key"}}), "codex/correctness"),
        ("gemini", "It all looks fine to me. VERDICT: PASS", "gemini/security unparsable"),
        ("qwen", Say(500, {"error": {"message": "down"}}), "qwen/quality"),
    ][slice(None) if FULL else slice(1, 2)],
)
def test_one_that_fails_is_named_and_never_a_pass(repo: Repo, server: ModelServer, name: str, failure: Say | str, told: str) -> None:
    server.answer = lambda asked: answer(asked, name, failure) if asked.dialect == DIALECTS[name] else review(asked)
    repo.commit({"pay.py": "x = 1\n"})
    done = panel_of_agents(repo, server, more=QUICK.replace("quality]", "quality], deadline: 45"))
    assert "2 of 3 reviewed; missing: " in done.stdout and told in done.stdout, done.output
    assert done.code in (1, 2) and "pass ·" not in done.stdout


def picture(folder: Path) -> str:
    """How the whole panel looks in a terminal, as SVG."""
    from rich.console import Console
    from rich.text import Text

    with serving(answer) as server:
        repo = Repo.init(folder / "shop")
        repo.commit({"README.md": "# Shop\n"})
        done = panel_of_agents(repo, server, FORCE_COLOR="1", COLUMNS="100")
    console = Console(record=True, width=102, file=(folder / "console").open("w"), force_terminal=True)
    console.print("[bold]$[/] reviewgate-gh review")
    console.print(Text.from_ansi(done.stdout))
    return console.export_svg(title="reviewgate-gh review")

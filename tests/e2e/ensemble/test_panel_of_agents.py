"""The real codex, gemini and qwen beside the linters on one change: one verdict, and one of them
that fails is never a pass."""

import json
import os

import pytest

from tests.agents import KEY, MODELS, NAME
from tests.peers import aimock
from tests.peers.aimock import Aimock, Row, error, row
from tests.support import PEERS, Ran, Repo, peer

from ..pictures import CHANGE, DIALECTS, SAID

pytestmark = pytest.mark.peer


def panel_of_agents(
    repo: Repo,
    server: Aimock,
    *args: str,
    more: str = "",
    change: str = CHANGE,
    timeout: float = 60,
) -> Ran:
    """The change reviewed by all three and the linters."""
    for name in DIALECTS:
        peer(f"node_modules/.bin/{name}")
    rows = ["reviewers:", "  change: off", "  callers: off"]
    for name, dialect in DIALECTS.items():
        options = {"model": MODELS[name], "url": server.url(dialect), "key": NAME}
        rows.append(
            f"  {name}: {json.dumps({'type': name, 'timeout': timeout, 'options': options})}"
        )
    repo.commit({".reviewgate-gh.yaml": "\n".join([*rows, more, ""])}, "config")
    repo.commit({"pay.py": change}, "Refunds")
    path = os.pathsep.join(
        [str(PEERS / "venv/bin"), str(PEERS / "node_modules/.bin"), os.environ["PATH"]]
    )
    return repo.cli("review", "--base", "HEAD~1", *args, env={"PATH": path, NAME: KEY})


NOTHING = json.dumps({"nonce": "{nonce}", "verdict": "PASS", "summary": "s", "findings": []})
THREE = "ensemble: {lenses: [correctness, security, quality]}"
QUICK = (
    "ensemble: {lenses: [correctness, security, quality], verify: false, reverse_audit: "
    "{max_rounds: 0}}"
)


def assert_verdict(done: Ran) -> None:
    """What the linters and the three come to: a finding of one of them, one of two, and a block."""
    assert done.code == 1, done.output
    report = json.loads(done.stdout)
    standing = {
        (each["line_start"], each["priority"]): set(each["sources"])
        for each in report["findings"]
        if each["state"] == "open"
    }
    assert standing[8, "P1"] == {"codex/correctness"}
    (shell,) = [
        sources for (line, _), sources in standing.items() if line == 9 and len(sources) > 1
    ]
    assert {"gemini/security", "qwen/quality"} <= shell
    assert report["verdict"]["quorum"] == "3 of 3 reviewed" and KEY not in done.output


@pytest.mark.big  # each of them alone is in agents/test_real_agents.py
def test_three_agents_and_the_linters_come_to_one_verdict(repo: Repo) -> None:
    """On a server that somebody else wrote, which speaks the three protocols."""
    whole = {
        name: {"nonce": "{nonce}", "verdict": "FAIL", "summary": "s", "findings": SAID[name]}
        for name in DIALECTS
    }
    rows = [
        row(
            json.dumps({"nonce": "{nonce}", "rulings": "{confirmed}"}),
            "Your task: check every finding",
        ),
        row(NOTHING, "Your task: a reverse audit"),
        *(row(json.dumps(each), match={"model": MODELS[name]}) for name, each in whole.items()),
    ]
    if not aimock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    with aimock.serving(*rows, nonce=True) as server:
        done = panel_of_agents(repo, server, "--output", "json", more=THREE)
        assert_verdict(done)
        asked = [entry for entry in server.journal() if entry["response"]["status"] == 200]
    assert {entry["body"]["model"] for entry in asked} == {MODELS[name] for name in DIALECTS}
    parts = {
        each["part"]: (each["status"], each["said"]) for each in json.loads(done.stdout)["reviews"]
    }
    assert parts["verify"] == ("ok", "") and parts["audit-1"] == ("ok", "PASS")


HALF = '{"nonce": "0123", "verdict": "PASS", "summary": "All is well", "findings": [{"file": "pay'
WAYS: dict[str, Row] = {
    "401": error(401, "no such key"),
    "500": error(500, "down"),
    "prose": {"content": "It all looks fine to me. VERDICT: PASS"},
    "cut": {"content": HALF, "finishReason": "length"},
    "empty": {"content": ""},
}
NOBODY = ("", "prose")
CASES = [NOBODY, *((name, way) for way in WAYS for name in DIALECTS)]


@pytest.mark.big
@pytest.mark.parametrize(("failing", "way"), CASES)
def test_one_that_fails_in_any_way_is_named_and_never_a_pass(
    repo: Repo, failing: str, way: str
) -> None:
    """On a change in which nobody finds anything: a pass when all three answer, and inconclusive in
    each of the fifteen cases."""
    rows = [
        row(WAYS[way] if name == failing else NOTHING, match={"model": MODELS[name]})
        for name in DIALECTS
    ]
    # Qwen asks a server that is down for minutes: the deadline ends it
    patience = 12 if (failing, way) == ("qwen", "500") else 60
    if not aimock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    with aimock.serving(*rows, nonce=True) as server:
        done = panel_of_agents(repo, server, more=QUICK, change="x = 1\n", timeout=patience)
        asked = {entry["body"]["model"] for entry in server.journal()}
    said = done.stdout.partition("reviewed by ")[2].splitlines()[0]
    assert [name for name in DIALECTS if f"{name} ({MODELS[name]})" in said] == [
        each for each in DIALECTS if each != failing
    ], done.output
    assert asked == {MODELS[name] for name in DIALECTS}
    if failing:
        assert done.code == 2 and "reviewgate-gh: inconclusive" in done.stdout, done.output
        assert f"2 of 3 reviewed; missing: {failing} (" in done.stdout and KEY not in done.output
    else:
        assert (
            done.code == 0
            and "reviewgate-gh: pass ·" in done.stdout
            and "3 of 3 reviewed" in done.stdout
        ), done.output

"""`bench run` with a language model: recorded, replayed, and gone on with."""

import json
from pathlib import Path

import pytest

from tests.peers.model_server import ModelServer
from tests.support import Ran
from tests.unit.tools.bench.cases import CODE, DIVISION, add_case, write

from ..panels import claim, declared, panel

PRICE = {"input": 2.0, "output": 10.0}
SHORT = "ensemble: {lenses: [mine], reverse_audit: {max_rounds: 0}}"
LENS = "title: Mine\npersona: You test.\ninstructions: Look for {what}.\n"


def scores(done: Ran) -> dict:
    assert done.stdout.startswith("{"), done.output
    return json.loads(done.stdout)


@pytest.mark.contract
def test_a_recording_is_replayed_with_its_cost_and_time_and_a_changed_question_is_a_miss(
    cli, tmp_path: Path, model_server: ModelServer
) -> None:
    add_case(tmp_path / "cases/found", [DIVISION], {"a.py": CODE})
    add_case(tmp_path / "cases/clean", [], {"b.py": '"""Nothing."""\n'})
    model_server.latency = 0.2
    said = panel(lambda what: [claim()])
    model_server.answer = lambda asked: (
        said(asked) if "len(items)" in asked.prompt else panel()(asked)
    )
    (tmp_path / "one.yaml").write_text(declared({"one": model_server}, SHORT, price=PRICE))
    write(tmp_path, {".reviewgate-gh/lenses/mine.yaml": LENS.format(what="bugs")})
    bench = ("bench", "run", "cases", "--config", "one.yaml", "--output", "json", "--record", "to")

    whole = cli(*bench)
    assert whole.code == 0, whole.output
    live = scores(whole)
    one = live["reviewers"]["one"]
    assert (one["right"], one["found"], one["expected"]) == (1, 1, 1)
    assert (one["silent"], one["clean"], one["cases"]) == (1, 1, 2)
    assert live["ensemble"]["f1"] == 1.0 and live["ensemble"]["critical_right"] == 1
    assert one["cost"] > 0 and one["seconds"] >= 0.2

    model_server.stop()
    bench = ("bench", "run", "cases", "--output", "json", "--replay", "to", "--config")
    again = cli(*bench, "one.yaml", "--results", "again.jsonl")
    assert again.code == 0, again.output
    assert scores(again)["ensemble"] == live["ensemble"]
    write(tmp_path, {".reviewgate-gh/lenses/mine.yaml": LENS.format(what="typos")})
    other = cli(*bench, "one.yaml", "--results", "again.jsonl")
    assert other.code == 64 and "results of another run (other config)" in other.stderr
    missed = cli(*bench, "one.yaml", "--results", "other.jsonl")
    assert missed.code == 2, missed.output
    counts = scores(missed)
    assert counts["counts"] == {"reviewed": 0, "inconclusive": 2, "broken": 0, "not_begun": 0}
    assert "the recording has no answer to this question" in counts["cases"][0]["reason"]
    assert counts["ensemble"]["cases"] == counts["ensemble"]["silent"] == 0

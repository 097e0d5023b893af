"""A whole answer cut at every byte, or damaged at random, on its way through each vendor's envelope
to a verdict.

The original fails the change with three findings; a clean verdict from anything but the whole of it
would be a pass out of nothing.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from reviewgate_gh.ensemble.answer import read_review_answer
from reviewgate_gh.ensemble.batches import Batch
from reviewgate_gh.ensemble.client import Response
from reviewgate_gh.ensemble.context import PromptContext
from reviewgate_gh.ensemble.ensemble import review_of_response
from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.gate.policy import decide_verdict, find_unread
from reviewgate_gh.git.diff import parse_diff
from reviewgate_gh.model.change import Change
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.question import ModelReply
from reviewgate_gh.model.report import Outcome
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers.apis import API_DIALECTS
from reviewgate_gh.reviewers.apis._answer import parse_body
from reviewgate_gh.system import plugins
from tests.agents import NAMES, printed
from tests.peers.model_server import Say, Spoken, serving
from tests.peers.model_shapes import SHAPES
from tests.unit.ensemble.test_answer_mutations import _once

from ..panels import CODE, claim, declare, panel

ROUNDS, STEP = (100_000, 1) if os.environ.get("REVIEWGATE_GH_FULL") else (2_000, 3)
NONCE = "5f3c9a0e7d1b4c6288aa90ef13572468"
FAILING = {
    "nonce": NONCE,
    "verdict": "FAIL",
    "summary": "s",
    "findings": [claim(), claim(priority="P2", title="b"), claim(title="c")],
}
PASSING = {"nonce": NONCE, "verdict": "PASS", "summary": "s", "findings": []}
PATCH = b"".join(b"+" + line + b"\n" for line in CODE.encode().splitlines())
DIFF = (
    b":000000 100644 "
    + b"0" * 40
    + b" "
    + b"1" * 40
    + b" A\0a.py\0\0diff --git a/a.py b/a.py\n@@ -0,0 +1,3 @@\n"
    + PATCH
)
CHANGE = Change("r", "0" * 40, "1" * 40, False, "0" * 40, (), tuple(parse_diff(DIFF)))
WHO = SimpleNamespace(name="one", entry=SimpleNamespace(required=True))


def _api(dialect: str) -> tuple[Callable[[str], bytes], Callable[[bytes], ModelReply]]:
    def wrap(text: str) -> bytes:
        return json.dumps(SHAPES[dialect](Spoken(text), 100, {"model": "m"})).encode()

    def read(body: bytes) -> ModelReply:
        data = parse_body(body)
        return (
            ModelReply(ReviewStatus.UNPARSABLE)
            if data is None
            else API_DIALECTS[dialect].read(data)
        )

    return wrap, read


def _agent(name: str) -> tuple[Callable[[str], bytes], Callable[[bytes], ModelReply]]:
    read = plugins.load("reviewers", name).AGENT.read
    return lambda text: printed(name, text).encode(), read


def _sdk() -> tuple[Callable[[str], bytes], Callable[[bytes], ModelReply]]:
    ended = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "stop_reason": "end_turn",
        "usage": {},
    }
    return lambda text: json.dumps({**ended, "text": text}).encode(), plugins.load(
        "reviewers", "agent_sdk"
    ).AGENT.read


WAYS = {
    **{f"{name} API": _api(name) for name in API_DIALECTS},
    **{name: _agent(name) for name in NAMES},
    "agent_sdk": _sdk(),
}


def verdict(read: Callable[[bytes], ModelReply], data: bytes) -> Outcome:
    """What one model's output comes to, and nobody else's: there are no tools beside it."""
    try:
        reply = read(data)
    except ValueError:
        reply = ModelReply(ReviewStatus.UNPARSABLE)
    answer = None
    if reply.status is ReviewStatus.OK:
        try:
            answer = read_review_answer(reply.text, NONCE)
        except ValueError:
            reply = ModelReply(ReviewStatus.UNPARSABLE)
    batch = Batch("", frozenset({"a.py"}), ("a.py",))
    context = PromptContext(CHANGE, CHANGE, "", (batch,), (), ())
    review = review_of_response(Response(WHO, reply, answer, 0.0, ""), "lens", context, batch)
    return decide_verdict(
        merge_findings(review.findings),
        [review],
        find_unread(CHANGE, [review], ()),
        "P1",
        Coverage(),
    ).outcome


@pytest.mark.parametrize("name", WAYS)
def test_an_answer_cut_at_any_byte_gives_no_clean_verdict(name, capfd):
    """Both cuts: of what the model says within a whole envelope, and of the envelope."""
    wrap, read = WAYS[name]
    counts: Counter[str] = Counter()
    for said, whole_one in ((FAILING, Outcome.BLOCK), (PASSING, Outcome.PASS)):
        texts = (
            json.dumps(said),
            json.dumps(said, indent=1),
            f"```json\n{json.dumps(said)}\n```",
            json.dumps(json.dumps(said)),
        )
        for number, text in enumerate(texts):
            assert verdict(read, wrap(text)) is whole_one
            cut = [wrap(text[:end]) for end in range(len(text))] + [
                wrap(text)[:end] for end in range(len(wrap(text)))
            ]
            for data in cut[number % STEP :: STEP]:
                outcome = verdict(read, data)
                counts.update(["cuts", outcome.value])
                assert outcome is Outcome.INCONCLUSIVE or data.rstrip() == wrap(text).rstrip(), data
    with capfd.disabled():
        print(f"\n{name}: {dict(counts)}")


@pytest.mark.parametrize("name", WAYS)
def test_no_damage_to_what_is_sent_gives_a_clean_verdict(name, capfd):
    wrap, read = WAYS[name]
    whole, chance, counts = wrap(json.dumps(FAILING)).decode(), random.Random(20261122), Counter()
    for _ in range(ROUNDS):
        text = whole
        for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
            text = _once(text, chance)
        outcome = verdict(read, text.encode("utf-8", "surrogatepass"))
        counts.update(["damaged", outcome.value])
        assert outcome in (Outcome.INCONCLUSIVE, Outcome.BLOCK)
    with capfd.disabled():
        print(f"\n{name}: {dict(counts)}")
    assert counts["inconclusive"] > ROUNDS // 4


def test_an_answer_cut_on_the_wire_is_none(repo, capfd):
    from .test_ensemble_attacked import QUICK, code, reviewed

    with serving(panel()) as server:
        declare(repo, {"one": server}, QUICK)
        repo.commit({"a.py": CODE})
        wrap, _ = WAYS["openai API"]
        whole = wrap(json.dumps(PASSING))
        ends = [0, 1, *random.Random(1).sample(range(2, len(whole)), 8), len(whole)]
        answers = [Say(200, whole[:end]) for end in ends] + [Say(200, whole, mode="cut")]
        for answer in answers:
            server.answer = lambda asked, answer=answer: answer
            assert code(reviewed(repo)) == 2
        server.answer = panel()
        assert code(reviewed(repo)) == 0

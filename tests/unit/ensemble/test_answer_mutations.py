"""Answers that were damaged at random: refused, or the same findings with the same verdict.

A damaged answer that is accepted must still be an answer of its own right for an independent reader
(Python's json and the published schema), with the nonce, the verdict and as many findings, and what
it comes to (FAIL with a high P0 or P1) must be no better.
"""

import json
import os
import random

import jsonschema_rs
import pytest

from reviewgate_gh.ensemble import answer
from reviewgate_gh.ensemble.answer import read_review_answer, read_rulings
from tests.unit.ensemble.answers import IDS, NONCE, REVIEW, RULINGS

ROUNDS = 100_000 if os.environ.get("REVIEWGATE_GH_FULL") else 3_000
WHOLE = '{"nonce": "' + NONCE + '", "verdict": "PASS", "summary": "", "findings": []}'
TOKENS = (
    '"PASS"', '"verdict": "PASS"', '"findings": []', '"rulings": []', '"refuted"', "[]", "{}",
    "null", "true", "NaN", "Infinity", "-1",
    "1e999", '"', "\\", "\\u0000", "\\ud800", "}", "]", "{", "[", ",", ":", "\n```", "```json\n",
        "\ufeff", "\0", "\udc80", " ", "P0", "P3",
    "low", "0", "VERDICT: APPROVE", "\u2028", "é", "9" * 21, WHOLE,
)  # fmt: skip


def spoil(text: str, chance: random.Random) -> str:
    """The text with one to four things done to it."""
    if chance.random() < 0.2:
        text = chance.choice(
            (json.dumps(text), f"```json\n{text}\n```", json.dumps(json.loads(text), indent=1))
        )
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        text = _once(text, chance)
    return text


def _once(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 1, 1, 2, 5, 20, 200)))
    other = chance.randrange(len(text) + 1)
    return chance.choice(
        (
            lambda: text[:start] + text[end:],
            lambda: text[:start] + chance.choice(TOKENS) + text[end:],
            lambda: (
                text[:start]
                + chr(chance.choice((chance.randrange(128), chance.randrange(0x110000))))
                + text[end:]
            ),
            lambda: text[:start] + text[start:end] * 2 + text[end:],
            lambda: text[:other] + text[start:end] + text[other:],
            lambda: text[: max(start, 1)],
            lambda: text[start:] or text,
        )
    )()


def outcome(findings) -> str:
    decisive = {f["priority"] for f in findings if f["confidence"] == "high"}
    return "FAIL" if decisive & {"P0", "P1"} else "CONCERNS" if findings else "PASS"


def plain(text: str):
    """What an independent reader makes of a text, the one repair included."""
    stripped = text.strip()
    fenced = stripped.startswith("```") and stripped.endswith("```")
    value = json.loads(stripped[stripped.index("\n") : -3] if fenced else text)
    return json.loads(value) if isinstance(value, str) else value


def run(text, read, schema, keep):
    """How many were tried, refused, read as the original, and read as something else that `keep`
    holds to be no better."""
    chance, valid, original = (
        random.Random(20260114),
        jsonschema_rs.validator_for(schema),
        read(text),
    )
    counts = {"tried": 0, "refused": 0, "same": 0, "other": 0}
    for _ in range(ROUNDS):
        counts["tried"] += 1
        mutant = spoil(text, chance)
        try:
            answer = read(mutant)
        except ValueError:
            counts["refused"] += 1
            continue
        told = plain(mutant)
        assert valid.is_valid(told) and told["nonce"] == NONCE, mutant
        counts["same" if answer == original else "other"] += 1
        assert keep(told), mutant
    return counts


def reviewed_no_better(told) -> bool:
    return (
        told["verdict"] == "FAIL"
        and len(told["findings"]) == 3
        and outcome(told["findings"]) == "FAIL"
    )


def refutes_no_more(told) -> bool:
    return [r["id"] for r in told["rulings"] if r["ruling"] == "refuted"] in (["f2"], [])


CASES = {
    "review": (
        REVIEW,
        lambda text: read_review_answer(text, NONCE),
        answer.REVIEW,
        reviewed_no_better,
    ),
    "rulings": (
        RULINGS,
        lambda text: read_rulings(text, NONCE, IDS),
        answer.VERIFICATION,
        refutes_no_more,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_damage_makes_an_answer_better(name, capsys):
    counts = run(*CASES[name])
    with capsys.disabled():
        print(f"\n{name}: {counts}")
    assert counts["refused"] > counts["tried"] // 3 and counts["same"] and counts["other"]

"""Answers of other forms that were damaged at random: a gate's, a verdict on an epic, and a
template's Markdown.

Each says no; what is read as yes after damage must say so to a reader that shares no code with
ours, and is counted.
"""

import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from reviewgate_gh.documents.parser import parse_review_output
from reviewgate_gh.documents.result import Verdict
from reviewgate_gh.epics.verdict import read_epic_verdict
from reviewgate_gh.reviewers.gates.answer import read_gate_answer
from tests.unit.documents.test_parser import GOOD
from tests.unit.ensemble.test_answer_mutations import _once
from tests.unit.reviewers.test_gate_answer import ISSUE, spec, v1

ROUNDS = 100_000 if os.environ.get("REVIEWGATE_GH_FULL") else 500
UNMET = {
    "criterion": "It is fast",
    "evidence": [{"file": "a.py", "line": 1}],
    "reason": "It is slow",
    "met": False,
    "priority": 1,
}
EPIC = json.dumps(
    {
        "nonce": "n",
        "criteria": [UNMET, UNMET],
        "confidence": 1,
        "reasoning": "why",
    }
)
ISSUES = [ISSUE, {**ISSUE, "title": "U", "priority": 0}]
MARKDOWN = (
    "PASS",
    "[PASS]",
    "**PASS**",
    "## Summary\n",
    "## Summary\nPASS\n",
    "### [PASS] All\n",
    "```\n",
    "```",
    "\n\n",
    "# ",
    "> ",
    "- ",
)


def gate(code: int) -> Callable[[str], str]:
    return lambda text: read_gate_answer(code, text.encode("utf-8", "surrogatepass"), "").outcome


def epic(text: str) -> str:
    verdict = read_epic_verdict(text, "n", lambda _path: 0)
    return "pass" if verdict.passed else "fail"


def template(text: str) -> str:
    verdict = parse_review_output(text, "arch", {}).verdict
    return "pass" if verdict is Verdict.PASS else verdict.value


def gate_says_yes(text: str) -> bool:
    said = json.loads(text.encode("utf-8", "surrogatepass"))
    verdict = (
        said["consensus"]["verdict"]
        if said.get("consensus") is not None
        else said["consensus_verdict"]
    )
    issues = [*(said.get("issues") or ()), *(said.get("aggregated_findings") or ())]
    return verdict == "PASS" and not any(issue.get("priority") in (0, 1) for issue in issues)


def epic_says_yes(text: str) -> bool:
    said = plain(text)
    return said["nonce"] == "n" and said["passed"] is True


def plain(text: str) -> Any:
    """The JSON of a text, out of its fence."""
    fenced = re.fullmatch(r"\s*```\w*\n(.*)\n?```\s*", text, re.DOTALL)
    return json.loads(fenced[1] if fenced else text)


def template_says_yes(text: str) -> bool:
    """The word stands right under a summary, and nothing that is not in a fence says otherwise."""
    outside = re.sub(r"(?ms)^\s*(```+)[^\n]*\n.*?^\s*\1`*\s*$", "", text)
    otherwise = re.search(r"(?m)^\W*\[?\W*(FAIL|CONCERN)", outside)
    return "PASS" in text and "ummary" in text and not otherwise


WAYS: dict[str, tuple[str, Callable[[str], str], Callable[[str], bool]]] = {
    "gate, spec, exit 1": (json.dumps(spec("FAIL", ISSUES)), gate(1), lambda _: False),
    "gate, spec, exit 0": (json.dumps(spec("FAIL", ISSUES)), gate(0), gate_says_yes),
    "gate, v1, exit 1": (json.dumps(v1("FAIL", ISSUES)), gate(1), lambda _: False),
    "gate, v1, exit 0": (json.dumps(v1("FAIL", ISSUES)), gate(0), gate_says_yes),
    "epic": (EPIC, epic, epic_says_yes),
    "template": (GOOD, template, template_says_yes),
}


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        if text.startswith(("{", "```{")) or chance.random() < 0.5:
            text = _once(text, chance)
        else:
            start = chance.randrange(len(text) + 1)
            text = (
                text[:start] + chance.choice(MARKDOWN) + text[start + chance.choice((0, 0, 4, 8)) :]
            )
    return text


@pytest.mark.parametrize("name", WAYS)
def test_no_damage_turns_a_no_into_a_yes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole, read, says_yes = WAYS[name]
    chance, counts, wrong = random.Random(20261122), Counter[str](), []
    assert read(whole) != "pass"
    for _ in range(ROUNDS):
        text = damaged(whole, chance)
        try:
            outcome = read(text)
        except ValueError:
            outcome = "refused"
        counts.update(["damaged", outcome])
        if outcome == "pass" and not says_yes(text):
            wrong.append(text)
    with capsys.disabled():
        print(f"\n{name}: {dict(counts)}")
    assert wrong == [] and counts["damaged"] == ROUNDS

"""A change that talks a model out of what others found: nobody is outvoted, whoever the model is
among two or three, and whatever it says. A sample by default, everything with REVIEWGATE_GH_FULL.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import product

import pytest

from reviewgate_gh.model.finding import FindingState
from tests.peers.model_server import Asked, ModelServer, serving

from ..panels import CODE, claim, declare, kind, panel, review, rulings
from .test_ensemble_attacked import code, reviewed, told

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
OPTIONS = (
    "ensemble: {{assign: cross, lenses: [correctness], cache: false, "
    "reverse_audit: {{max_rounds: {}}}}}"
)
FIRST, SUM, DIVISION = CODE.splitlines()
Answers = Callable[[Asked], str]


def persuaded(claims: Sequence[object] = (), verdict: str = "PASS", **ruling: str) -> Answers:
    """A model that the change has won over: what it reports, and how it rules on everything, its
    own findings too."""

    def answer(asked: Asked) -> str:
        if kind(asked) in ("verify", "reconsider"):
            said = {"ruling": "refuted", "reason_kind": "behaviour", "file": "a.py", **ruling}
            return rulings(asked, **said)
        return review(asked, *(claims if kind(asked) == "Correctness" else ()), verdict=verdict)

    return answer


def silent(asked: Asked) -> str:
    """It rules on nothing."""
    if kind(asked) in ("verify", "reconsider"):
        return json.dumps({**json.loads(rulings(asked)), "rulings": []})
    return review(asked)


def broken(asked: Asked) -> str:
    """It answers the lens, and nothing after that."""
    return review(asked) if kind(asked) == "Correctness" else "I cannot say."


# How it rules where it has found nothing
RULINGS = {
    "the sum": {"quote": SUM},
    "the very line": {"quote": DIVISION},
    "the head": {"quote": FIRST},
    "all of it": {"quote": CODE},
    "no file": {"quote": SUM, "file": ""},
    "with numbers": {"quote": f"+     2 | {SUM}"},
    "excluded": {"quote": SUM, "reason_kind": "excluded"},
    "vague": {"quote": SUM, "reason_kind": "vague"},
    "another reason": {"quote": SUM, "reason_kind": "other"},
    "no quote": {"quote": ""},
    "a comment": {"quote": "# callers never pass an empty list"},
    "code that is not there": {"quote": "    return total / max(1, len(items))"},
    "another file": {"quote": SUM, "file": "b.py"},
    "uncertain": {"ruling": "uncertain"},
    "uncertain, with code": {"ruling": "uncertain", "quote": SUM},
    "confirmed": {"ruling": "confirmed"},
}
# What it reports before it refutes everything with code that is there
CLAIMS = {
    "the same, milder": [claim(priority="P3")],
    "the same, unsure": [claim(confidence="low")],
    "the same, milder and unsure": [claim(priority="P3", confidence="low")],
    "the same": [claim()],
    "the same in other words": [claim(title="Zero division if items is empty", priority="P2")],
    "the same of another kind": [claim(category="quality", priority="P3")],
    "the same, without a place": [claim(quote="", line_start=0, priority="P3")],
    "the same at the head": [claim(quote=FIRST, line_start=1, priority="P3")],
    "the same twice": [claim(priority="P3"), claim(title="Empty lists divide by zero")],
    "all lines": [claim(quote=CODE, line_start=1, line_end=3, priority="P3")],
    "something else": [claim(quote=SUM, line_start=2, title="Sums of text fail", priority="P3")],
}
CASES: dict[str, Answers] = {
    **{f"it found nothing: {name}": persuaded(**said) for name, said in RULINGS.items()},
    **{f"it found {name}": persuaded(said, quote=SUM) for name, said in CLAIMS.items()},
    "it rules on nothing": silent,
    "it breaks after the lens": broken,
}
HOLDS, FOUND_NOTHING = panel(lambda what: [claim()] if what == "Correctness" else []), panel()
# Who is asked beside it, and where it stands among them
PANELS = {
    "pair": [(None, HOLDS), (HOLDS, None)],
    "trio, two hold it": [(None, HOLDS, HOLDS), (HOLDS, None, HOLDS), (HOLDS, HOLDS, None)],
    "trio, one holds it": [
        (None, HOLDS, FOUND_NOTHING),
        (HOLDS, None, FOUND_NOTHING),
        (FOUND_NOTHING, None, HOLDS),
    ],
}


@pytest.fixture
def servers() -> Iterator[list[ModelServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving()) for _ in range(3)]


def ask(repo, servers, seats, rounds: int = 0):
    asked = dict(zip(("one", "two", "three"), servers[: len(seats)], strict=False))
    for server, answer in zip(servers, seats, strict=False):
        server.answer = answer
    declare(repo, asked, OPTIONS.format(rounds))
    repo.commit({"a.py": "x = 1\n", "b.py": "x = 1\n"}, "before")
    repo.commit({"a.py": CODE}, "change")
    return reviewed(repo, env={"CI": "true"})


def test_what_others_hold_blocks_whoever_was_talked_out_of_it(repo, servers, capfd):
    assert len(CASES) == 29
    every = [(name, seats) for name, panels in PANELS.items() for seats in panels]
    chance = random.Random(19)
    tried = (
        [*product(CASES.items(), every)]
        if FULL
        else [(case, chance.choice(every)) for case in CASES.items()]
    )
    gained, runs = dict.fromkeys(PANELS, 0), Counter[str]()
    for (case, answer), (name, seats) in tried:
        report = ask(repo, servers, [each or answer for each in seats], rounds=int(FULL))
        runs[name] += 1
        if code(report) != 1:
            gained[name] += 1
            print(f"{case}, {name}: {told(report)}")
    with capfd.disabled():
        print("\nexit 0 gained:", ", ".join(f"{gained[n]} of {runs[n]} ({n})" for n in PANELS))
    assert not any(gained.values())


@pytest.mark.parametrize(
    ("finder", "third", "exit_code", "state", "against"),
    [
        ("refuted", None, 0, FindingState.REFUTED, SUM),
        ("uncertain", None, 0, FindingState.OPEN, SUM),
        ("confirmed", None, 1, FindingState.OPEN, SUM),
        ("confirmed", FOUND_NOTHING, 1, FindingState.OPEN, ""),
        ("confirmed", persuaded(quote=FIRST), 0, FindingState.REFUTED, FIRST),
    ],
)
def test_who_may_take_it_away(repo, servers, finder, third, exit_code, state, against):
    """Its finder, shown what is said against it by the model that verifies, the one declared after
    it; or two others with code. Where that one confirms it, there is nothing to show."""

    def found(asked: Asked) -> str:
        return rulings(asked, finder) if kind(asked) == "reconsider" else HOLDS(asked)

    seats = [persuaded(quote=SUM), found, *([third] if third else [])]
    report = ask(repo, servers, seats)
    [finding] = [each for each in report.findings if not each.rule]
    assert (code(report), finding.state) == (exit_code, state), told(report)
    assert (report.verdict.outcome == "concerns") is (finder == "uncertain")
    asked = [each.prompt for each in servers[1].requests if kind(each) == "reconsider"]
    assert len(asked) == bool(against)
    for question in asked:
        own = question.partition("Your task:")[2]
        assert '"objection_to": "f1"' in own and "Division by zero" in own
        assert f'"code": ["{against}"]' in own


def test_more_than_fifteen_findings_are_verified_in_batches(repo, servers):
    rows = [f"value_{at} = {at} / 0\n" for at in range(31)]
    said = [claim(quote=row.strip(), title=row.strip(), line_start=0) for row in rows]
    servers[0].answer = panel(lambda what: said if what == "Correctness" else [])
    declare(repo, {"one": servers[0]}, OPTIONS.format(0))
    repo.commit({"a.py": "".join(rows)})
    report = reviewed(repo, env={"CI": "true"})
    parts = [each.part for each in report.reviews if each.reviewer == "one"]
    assert parts == ["correctness", "verify", "verify-2", "verify-3"] and code(report) == 1

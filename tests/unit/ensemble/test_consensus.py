"""Several reviewers, one verdict: nobody who is missing passes, and nobody's finding is voted
away."""

from itertools import product

import pytest
from msgspec.structs import replace

from reviewgate_gh.ensemble.consensus import (
    CONSENSUS_RULES,
    collect_votes,
    consensus_verdict,
    doubted_findings,
    quorum,
    unfounded_reasons,
)
from reviewgate_gh.gate.policy import decide_verdict
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority
from reviewgate_gh.model.report import Outcome, ReviewRow
from reviewgate_gh.model.review import ModelCall, Review, ReviewStatus, Usage

NAMES = ("claude", "codex", "gemini")
BROKEN = {
    "claude": (ReviewStatus.TIMEOUT, "too\nslow"),
    "codex": (ReviewStatus.UNPARSABLE, "not JSON"),
    "gemini": (ReviewStatus.UNAVAILABLE, "no login"),
}
A, B, C = (
    "claude (timeout: too slow)",
    "codex (unparsable: not JSON)",
    "gemini (unavailable: no login)",
)
WRONG = Finding(
    Priority.P1,
    "correctness",
    "",
    "a.py",
    1,
    1,
    "wrong",
    placed=True,
    sources=("claude/correctness",),
)
MILD = replace(WRONG, priority=Priority.P2, title="mild", sources=("codex/correctness",))


def row(name, part="correctness", status=ReviewStatus.OK, error="", **fields):
    return ReviewRow(
        name,
        part,
        status,
        error=error,
        **{"said": "PASS" if status is ReviewStatus.OK else "", **fields},
    )


def verdict(rows, findings=(), rule="all", threshold="P1"):
    heard, stray = collect_votes(rows, findings)
    return consensus_verdict(
        [vote for voice in heard if (vote := voice.vote(threshold))], "all" if stray else rule
    )


# Who fails: the verdict under all, majority and any; the whole run's outcome; how many reviewed.
TABLE = {
    (): ("PASS", "PASS", "PASS", "pass", "3 of 3 reviewed"),
    ("claude",): ("ERROR", "PASS", "PASS", "inconclusive", f"2 of 3 reviewed; missing: {A}"),
    ("codex",): ("ERROR", "PASS", "PASS", "inconclusive", f"2 of 3 reviewed; missing: {B}"),
    ("gemini",): ("ERROR", "PASS", "PASS", "inconclusive", f"2 of 3 reviewed; missing: {C}"),
    ("claude", "codex"): (
        "ERROR",
        "ERROR",
        "PASS",
        "inconclusive",
        f"1 of 3 reviewed; missing: {A}; {B}",
    ),
    ("claude", "gemini"): (
        "ERROR",
        "ERROR",
        "PASS",
        "inconclusive",
        f"1 of 3 reviewed; missing: {A}; {C}",
    ),
    ("codex", "gemini"): (
        "ERROR",
        "ERROR",
        "PASS",
        "inconclusive",
        f"1 of 3 reviewed; missing: {B}; {C}",
    ),
    NAMES: ("ERROR", "ERROR", "ERROR", "inconclusive", f"0 of 3 reviewed; missing: {A}; {B}; {C}"),
}


@pytest.mark.req("R001-011")
@pytest.mark.parametrize("failing", TABLE, ids=lambda names: "+".join(names) or "none")
def test_every_subset_of_three_reviewers_that_fail(failing):
    rows = [
        row(name, "correctness", *BROKEN[name]) if name in failing else row(name) for name in NAMES
    ]
    *by_rule, outcome, words = TABLE[failing]
    assert [verdict(rows, rule=rule) for rule in CONSENSUS_RULES] == by_rule
    assert (
        decide_verdict([], rows, (), "P1", Coverage()).outcome == outcome and quorum(rows) == words
    )
    blocked = replace(WRONG, sources=("claude/correctness",))
    assert (
        verdict(rows, [blocked]) == "FAIL"
        and decide_verdict([blocked], rows, (), "P1", Coverage()).outcome is Outcome.BLOCK
    )


def test_every_verdict_of_three_reviewers():
    """Under "all" FAIL comes before NEEDS_WORK, that before ERROR, and that before PASS."""
    order = ("PASS", "ERROR", "NEEDS_WORK", "FAIL")
    for votes in product(order, repeat=3):
        assert consensus_verdict(votes, "all") == max(votes, key=order.index)
        for rule, needed in (("majority", 2), ("any", 1)):
            passes = votes.count("PASS") >= needed
            assert consensus_verdict(votes, rule) == (
                "PASS" if passes else max(votes, key=order.index)
            )
    assert [consensus_verdict([], rule) for rule in CONSENSUS_RULES] == [None, None, None]
    assert consensus_verdict(["PASS", "ERROR"], "majority") == "ERROR", "half is no majority"


@pytest.mark.parametrize(
    ("finding", "vote"),
    [
        (WRONG, "FAIL"),
        (replace(WRONG, priority=Priority.P3), "NEEDS_WORK"),
        (replace(WRONG, placed=False), "NEEDS_WORK"),
        (replace(WRONG, confidence=Confidence.LOW), "PASS"),
        *(
            (replace(WRONG, state=state), "PASS")
            for state in FindingState
            if state is not FindingState.OPEN
        ),
    ],
)
def test_a_verdict_comes_from_the_findings_that_stand_whatever_was_said(finding, vote):
    for said in ("PASS", "CONCERNS", "FAIL"):
        rows = [row("claude", said=said, found=1), row("codex")]
        assert [voice.vote("P1") for voice in collect_votes(rows, [finding])[0]] == [vote, "PASS"]


def test_what_models_alone_set_aside_is_known_as_far_as_it_would_block():
    refuted, unsure = (
        replace(WRONG, state=FindingState.REFUTED),
        replace(WRONG, confidence=Confidence.LOW),
    )
    others = [
        replace(unsure, state=state)
        for state in FindingState
        if state not in (FindingState.OPEN, FindingState.REFUTED)
    ]
    every = [
        WRONG,
        refuted,
        unsure,
        replace(refuted, priority=Priority.P2),
        replace(unsure, priority=Priority.P3),
        *others,
    ]
    assert doubted_findings(every, "P1") == [refuted, unsure]
    assert (
        len(doubted_findings(every, "P3")),
        doubted_findings(every, "P0"),
        doubted_findings(every, "none"),
    ) == (4, [], [])


def test_what_two_found_counts_against_both_and_a_stray_finding_is_nobodys_pass():
    rows = [row(name) for name in NAMES]
    both = replace(WRONG, sources=("claude/correctness", "codex/correctness"))
    assert [voice.vote("P1") for voice in collect_votes(rows, [both])[0]] == [
        "FAIL",
        "FAIL",
        "PASS",
    ]
    for sources in ((), ("elsewhere",)):
        heard, stray = collect_votes(rows, [replace(WRONG, sources=sources)])
        assert stray and [voice.vote("P1") for voice in heard] == ["PASS", "PASS", "PASS", "FAIL"]


def test_fail_without_a_finding_is_inconclusive_in_words():
    rows = [row("claude", said="FAIL"), row("codex", said="CONCERNS"), row("gemini")]
    assert unfounded_reasons(rows) == ["claude/correctness answered FAIL without a finding"]
    judged = decide_verdict([], rows, (), "P1", Coverage())
    assert judged.outcome is Outcome.INCONCLUSIVE and judged.reasons == tuple(
        unfounded_reasons(rows)
    )
    assert [verdict(rows, rule=rule) for rule in CONSENSUS_RULES] == ["ERROR", "PASS", "PASS"]
    assert quorum(rows) == "2 of 3 reviewed; missing: claude/correctness (FAIL without a finding)"
    assert (
        decide_verdict(
            [], [Review("claude", "x", said="FAIL", found=2)], (), "P1", Coverage()
        ).outcome
        is Outcome.PASS
    ), "its findings were refuted"


def test_a_reviewer_has_reviewed_when_all_its_questions_were_answered():
    some = [
        row("claude"),
        row("claude", "security", ReviewStatus.FAILED, "exit 1"),
        row("claude", "tests", ReviewStatus.TIMEOUT),
        row("codex"),
    ]
    assert (
        quorum(some)
        == "1 of 2 reviewed, 2 of 4 questions answered; missing: claude/security (failed: exit 1), "
        "and 1 more of its questions"
    )
    assert verdict(some) == "ERROR" and verdict(some, [MILD]) == "NEEDS_WORK"
    optional = [
        row("claude"),
        row(
            "claude",
            "verify",
            ReviewStatus.SKIPPED,
            "failed, so the findings are kept unverified: exit 1",
            required=False,
        ),
    ]
    assert quorum(optional) == "1 of 1 reviewed" and verdict(optional) == "PASS"


def test_who_is_not_needed_is_told_and_who_was_left_out_is_not_counted():
    optional = row("codex", "", ReviewStatus.TIMEOUT, "slow", required=False)
    left_out = row(
        "command", "", ReviewStatus.SKIPPED, "runs only on trusted changes", required=False
    )
    assert (
        quorum([row("claude"), optional, left_out])
        == "1 of 2 reviewed; missing: codex (timeout: slow)"
    )
    assert verdict([row("claude"), optional, left_out]) == "ERROR", "it was asked"
    absent = row("codex", "", ReviewStatus.UNAVAILABLE, "no key", required=False)
    assert verdict([row("claude"), absent, left_out]) == "PASS" and quorum(
        [row("claude"), absent]
    ).startswith("1 of 2 reviewed")
    assert (
        quorum([row("claude"), row("codex", "", ReviewStatus.SKIPPED, "budget.calls")])
        == "1 of 2 reviewed; missing: codex (skipped: budget.calls)"
    )
    assert quorum([]) == "0 of 0 reviewed" and verdict([]) is None


def test_a_question_that_the_budget_held_back_is_told_whoever_it_was_for():
    held = replace(
        row("claude", "tests", ReviewStatus.SKIPPED, "beyond the budget", required=False),
        asked=ModelCall(prompt="0123456789ab"),
    )
    assert (
        quorum([row("claude"), held])
        == "0 of 1 reviewed, 1 of 2 questions answered; missing: claude/tests (skipped: beyond the "
        "budget)"
    )
    assert (
        quorum([row("codex"), held])
        == "1 of 2 reviewed; missing: claude (skipped: beyond the budget)"
    )
    begun = replace(held, asked=ModelCall(prompt="0123456789ab", usage=Usage(3)))
    assert quorum([begun]) == "0 of 1 reviewed; missing: claude (skipped: beyond the budget)"
    nothing_to_read = replace(held, asked=ModelCall())
    put = replace(held, part="verify", asked=ModelCall(prompt="0123456789ab", usage=Usage(1)))
    assert (
        quorum([row("claude"), nothing_to_read])
        == quorum([row("claude"), put])
        == "1 of 1 reviewed"
    )


LOST = ReviewStatus.UNPARSABLE
OK = ReviewStatus.OK


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"correctness": OK, "security": LOST}, Outcome.CONCERNS),
        ({"correctness": OK, "security": LOST, "tests": LOST}, Outcome.INCONCLUSIVE),
        ({"correctness": OK, "tests": OK, "security": LOST, "audit-1": LOST}, Outcome.CONCERNS),
        ({"docs": OK, "correctness": LOST, "audit-1": OK}, Outcome.INCONCLUSIVE),
        ({"docs": OK, "correctness": OK, "security": LOST}, Outcome.CONCERNS),
        ({"verify": OK, "correctness": LOST}, Outcome.INCONCLUSIVE),
    ],
)
def test_a_lens_is_missing_alone_where_its_model_answered_as_many_about_as_much(said, outcome):
    """The lens `docs` is about one of the two files."""
    files = {"docs": 1, "verify": 0}
    rows = [
        row("one", part, status, covered=files.get(part, 2) * (status is OK), asked=ModelCall())
        for part, status in said.items()
    ]
    assert decide_verdict((), rows, (), "P1", Coverage()).outcome is outcome
    [voice] = collect_votes(rows, ())[0]
    assert voice.vote("P1") == ("PASS" if outcome is Outcome.CONCERNS else "ERROR")
    assert quorum(rows).startswith("1 of 1" if outcome is Outcome.CONCERNS else "0 of 1")

"""The event of a review: what its verdict asks for, and every reason why it is only a comment."""

from itertools import compress, product
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.pull_request import Comparison, RequiredCheck
from reviewgate_gh.model.report import Outcome
from reviewgate_gh.pull_request.ci import ci_status
from reviewgate_gh.pull_request.event import (
    AllowedEvents,
    EventFacts,
    GitHubReviewEvent,
    decide_event,
    head_movement,
    needs_ci,
)
from tests.unit.pull_request.pulls import HEAD, OLD, check

ALL = AllowedEvents(approve=True, request_changes=True)
GREEN = ci_status([check()])
RED = ci_status([check("lint", conclusion="failure"), check("e2e", conclusion="cancelled")])
WAITS = ci_status([check("unit", "queued", ""), check()], [RequiredCheck("e2e")])
SKIPPED = ci_status([check("docs", conclusion="skipped")])
MOVED = head_movement(OLD, HEAD, None, None)
CLEAN = EventFacts(ci=GREEN, head_movement=head_movement(HEAD, HEAD, None, None))
# Each obstacle: the facts, a word of its sentence, and whether it stands against APPROVE and
# against REQUEST_CHANGES.
OBSTACLES: dict[str, tuple[dict[str, Any], str, bool, bool]] = {
    "self": ({"self_pr": True}, "account is the author", True, True),
    "red": ({"ci": RED}, "failing", True, False),
    "moved": ({"head_movement": MOVED}, "head is now", True, True),
    "draft": ({"draft": True}, "draft", True, True),
    "unread": ({"not_reviewed": 2}, "2 files were not reviewed", True, False),
    "part": ({"partial": True}, "only some of", True, False),
    "doubted": (
        {"doubted": 2},
        "2 findings that would block were set aside only by models",
        True,
        False,
    ),
    "alone": ({"lone_model": "one"}, "Only one model (one) read the change", True, False),
    "file": ({"findings_file": "not JSON"}, "dedup is disabled", True, False),
}


def against(outcome: Outcome, **facts: Any) -> tuple[str, ...]:
    """The reasons with everything allowed."""
    return decide_event(outcome, replace(CLEAN, **facts), ALL).reasons


@pytest.mark.req("R003-046")
def test_nothing_against_it() -> None:
    wanted = {
        Outcome.PASS: "APPROVE",
        Outcome.BLOCK: "REQUEST_CHANGES",
        Outcome.CONCERNS: "COMMENT",
        Outcome.INCONCLUSIVE: "COMMENT",
    }
    for outcome, event in wanted.items():
        decision = decide_event(outcome, CLEAN, ALL)
        assert (decision.event, decision.verdict_event, decision.reasons, decision.hints) == (
            event,
            event,
            (),
            (),
        )


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_set_of_obstacles_is_named_whole_and_in_order(outcome: Outcome) -> None:
    column = {Outcome.PASS: 2, Outcome.BLOCK: 3}.get(outcome)
    for present in product([False, True], repeat=len(OBSTACLES)):
        here = [OBSTACLES[name] for name in compress(OBSTACLES, present)]
        fields = {name: value for facts, *_ in here for name, value in facts.items()}
        words = [obstacle[1] for obstacle in here if column and obstacle[column]]
        decision = decide_event(outcome, replace(CLEAN, **fields), ALL)
        assert len(decision.reasons) == len(words), fields
        assert all(word in reason for word, reason in zip(words, decision.reasons, strict=True))
        event = GitHubReviewEvent.COMMENT if words else decision.verdict_event
        assert decision.event is event, fields
        assert bool(decision.withheld) == (bool(words) and outcome is Outcome.PASS), fields


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_head_that_moved_is_said_once_whatever_the_verdict_asks_for(outcome: Outcome) -> None:
    decision = decide_event(outcome, replace(CLEAN, head_movement=MOVED), ALL)
    told = [text for text in (*decision.reasons, *decision.hints) if "head is now" in text]
    assert told == [decision.head_moved] and decision.event is GitHubReviewEvent.COMMENT


@pytest.mark.req("R003-051")
def test_ones_own_pull_request_gets_comments_only() -> None:
    for outcome in Outcome:
        assert (
            decide_event(outcome, replace(CLEAN, self_pr=True), ALL).event
            is GitHubReviewEvent.COMMENT
        )


def test_an_unknown_poster_approves_nothing_and_may_still_object() -> None:
    assert "account is unknown" in against(Outcome.PASS, self_pr=None)[0]
    assert (
        decide_event(Outcome.BLOCK, replace(CLEAN, self_pr=None), ALL).event
        is GitHubReviewEvent.REQUEST_CHANGES
    )


@pytest.mark.req("R003-047", "R003-053")
def test_a_failing_check_is_named_and_people_are_told_to_verify() -> None:
    decision = decide_event(Outcome.PASS, replace(CLEAN, ci=RED), ALL)
    assert decision.event is GitHubReviewEvent.COMMENT and decision.withheld
    assert decision.reasons == ("CI is failing: e2e, lint.",)
    assert len(decision.hints) == 1 and "flaky" in decision.hints[0]
    assert decide_event(Outcome.BLOCK, replace(CLEAN, ci=RED), ALL).hints == ()


@pytest.mark.req("R003-048")
def test_a_check_that_runs_or_has_not_reported_is_named() -> None:
    decision = decide_event(Outcome.PASS, replace(CLEAN, ci=WAITS), ALL)
    assert decision.event is GitHubReviewEvent.COMMENT and decision.hints == ()
    assert decision.reasons == (
        "CI is still running: unit.",
        "Required checks have not reported yet: e2e.",
    )


@pytest.mark.req("R003-052")
def test_ones_own_with_red_ci_says_both() -> None:
    own, red = against(Outcome.PASS, self_pr=True, ci=RED)
    assert "account is the author" in own and "failing: e2e, lint" in red


def test_ci_that_did_nothing_or_is_unknown() -> None:
    assert against(Outcome.PASS, ci=SKIPPED) == ("CI did not run: docs skipped or neutral.",)
    assert (
        "does not know: odd"
        in against(Outcome.PASS, ci=ci_status([check("odd", conclusion="frobnicate")]))[0]
    )
    assert "403" in against(Outcome.PASS, ci=ci_status([], cut="403"))[0]


def test_no_ci_at_all() -> None:
    assert against(Outcome.PASS, ci=ci_status([])) == ()
    assert "policy.require_ci" in against(Outcome.PASS, ci=ci_status([]), require_ci=True)[0]


def test_what_the_configuration_does_not_allow() -> None:
    approving = decide_event(Outcome.PASS, EventFacts(), AllowedEvents())
    assert (approving.event, approving.verdict_event) == (
        GitHubReviewEvent.COMMENT,
        GitHubReviewEvent.APPROVE,
    )
    assert approving.reasons == ("Approving is turned off (publish.approve).",)
    assert decide_event(Outcome.PASS, EventFacts(draft=True), AllowedEvents()).reasons == (
        "The pull request is a draft.",
        *approving.reasons,
    )
    blocking = decide_event(Outcome.BLOCK, EventFacts(), AllowedEvents(approve=True))
    assert (
        blocking.event is GitHubReviewEvent.COMMENT
        and "publish.request_changes" in blocking.reasons[0]
    )
    assert (
        decide_event(Outcome.BLOCK, EventFacts(), AllowedEvents(request_changes=True)).event
        is GitHubReviewEvent.REQUEST_CHANGES
    )


def test_nobody_approves_without_having_asked_for_ci() -> None:
    assert against(Outcome.PASS, ci=None) == ("The state of CI was not read.",)
    assert [o for o in Outcome if needs_ci(o, ALL)] == [Outcome.PASS]
    assert not any(needs_ci(outcome, AllowedEvents(request_changes=True)) for outcome in Outcome)


def test_reviewers_that_a_fork_leaves_out_are_said_and_change_nothing() -> None:
    decision = decide_event(Outcome.PASS, replace(CLEAN, keyless=True), ALL)
    assert decision.event is GitHubReviewEvent.APPROVE and decision.hints == (
        "Only reviewers that need no API key ran.",
    )


def withheld(**facts: Any) -> tuple[str, ...]:
    """What keeps the approval back, with everything allowed."""
    return decide_event(Outcome.PASS, replace(CLEAN, **facts), ALL).withheld


def _ci(*checks: str, cut: str = "", required: tuple[str, ...] = ()) -> dict[str, Any]:
    """CI by words like `lint=failure`; a check without a conclusion is queued."""
    words = [word.partition("=") for word in checks]
    made = [check(name, "completed" if how else "queued", how) for name, _, how in words]
    return {"ci": ci_status(made, [RequiredCheck(name) for name in required], cut=cut)}


SAME: dict[str, list[dict[str, Any]]] = {
    "CI runs": [
        _ci("a", "b"),
        _ci("b"),
        _ci("b", "a=success"),
        _ci("a=success", required=("e2e",)),
        _ci("a", cut="502"),
    ],
    "CI is not known": [
        _ci(cut="502"),
        _ci(cut="timed out"),
        _ci("a=success", cut="404"),
        _ci("a=frobnicate"),
        _ci("b=frobnicate"),
    ],
    "CI fails": [
        _ci("a=failure"),
        _ci("a=failure", "b"),
        _ci("a=failure", cut="502"),
        _ci("a=failure", "b=frobnicate", required=("e2e",)),
    ],
    "CI fails elsewhere": [_ci("b=failure")],
    "CI did nothing": [_ci("a=skipped"), _ci("b=skipped", "c=neutral")],
    "the head moved": [
        {"head_movement": head_movement(OLD, head, how, None)}
        for head in (HEAD, "b" * 40)
        for how in (None, Comparison("ahead", 2))
    ],
    "another head moved": [{"head_movement": head_movement("c" * 40, HEAD, None, None)}],
    "files are not read": [{"not_reviewed": 1}, {"not_reviewed": 2}],
    "what would block is doubted": [{"doubted": 1}, {"doubted": 3}],
    "one model read it": [{"lone_model": "one"}],
    "a draft": [{"draft": True}],
    "our own": [{"self_pr": True}],
    "our own, and CI runs": [{"self_pr": True, **_ci("a")}, {"self_pr": True, **_ci("b")}],
}


def test_what_keeps_an_approval_back_is_the_same_as_long_as_its_kind_is() -> None:
    named = {name: {withheld(**facts) for facts in rows} for name, rows in SAME.items()}
    assert {name: len(words) for name, words in named.items()} == dict.fromkeys(SAME, 1)
    assert len(set().union(*named.values())) == len(SAME) and () not in set().union(*named.values())


def test_nobody_waits_for_an_approval_that_is_closed_off_or_dismissed() -> None:
    assert (
        withheld()
        == withheld(closed="merged", draft=True)
        == withheld(dismissed=["APPROVE"], draft=True)
        == ()
    )
    assert withheld(dismissed=["REQUEST_CHANGES"], draft=True)
    assert (
        decide_event(
            Outcome.PASS, EventFacts(draft=True), AllowedEvents(request_changes=True)
        ).withheld
        == ()
    )

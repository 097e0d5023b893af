"""Attempts at an epic: what is tried again, what is told, and in which order."""

from collections.abc import Sequence

import pytest

from reviewgate_gh.epics.verify import attempt_verification
from reviewgate_gh.model.epic_verification import (
    EpicFailure,
    EpicTask,
    EpicVerdict,
    EpicVerification,
    UnmetCriterion,
)
from reviewgate_gh.model.errors import ConfigError, UsageError
from reviewgate_gh.model.run import LogEvent

TASK = EpicTask("EPIC-42", "Title", "Description", ("a",), ("c0ffee",))
PASS = EpicVerdict(True, (), 0.9, "All is there.")
FAIL = EpicVerdict(False, (UnmetCriterion("It is fast", 1, "It is not"),), 1.0, "Slow.")
TIMEOUT, CRASH = EpicFailure("timeout", "late"), EpicFailure("execution_error", "crash")
BAD, WORSE = (
    EpicFailure("parse_error", "no JSON", "gibberish"),
    EpicFailure("parse_error", "cut", "{"),
)
GONE, WRONG = EpicFailure("cerberus_unavailable", "gone"), EpicFailure("config_error", "wrong")
ALL = ("cerberus", "agent_sdk", "ensemble")


class Scripted:
    """A verifier that says what it is told to say, one after the other; it emits nothing."""

    def __init__(
        self,
        said: Sequence[EpicVerdict | EpicFailure | Exception],
        missing: EpicFailure | Exception | None = None,
    ) -> None:
        self.said, self.missing, self.asked = list(said), missing, []

    def available(self) -> EpicFailure | None:
        if isinstance(self.missing, Exception):
            raise self.missing
        return self.missing

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        self.asked.append((task, seconds))
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def run(said, retries=3, missing=None, reviewer="cerberus", **own):
    events: list[LogEvent] = []
    verifier = Scripted(said, missing)
    result = attempt_verification(
        TASK,
        EpicVerification(reviewer_type=reviewer, max_retries=retries, **own),
        verifier,
        events.append,
    )
    return (
        result,
        [event for event in events if event.fields],
        verifier,
        [event for event in events if not event.fields],
    )


def told(events: list[LogEvent]) -> list[str]:
    """`started(1) failed(1,timeout)` and so on."""
    rows = [(event.name.removeprefix("epic_verification_"), event.fields) for event in events]
    return [
        f"{name}({f['attempt']}{',' + f['failure_reason'] if 'failure_reason' in f else ''})"
        for name, f in rows
    ]


@pytest.mark.req(
    "R002-055", "R002-056", "R002-057", "R002-058", "R002-059", "R002-060", "R002-074", "R002-075",
    "R002-076", "R002-077", "R002-078",
    "R002-080", "R002-081",
)  # fmt: skip
@pytest.mark.parametrize(
    ("said", "retries", "events"),
    [
        ([PASS], 3, "started(1) passed(1)"),
        ([FAIL], 3, "started(1) failed(1,verdict_fail)"),
        ([TIMEOUT, PASS], 3, "started(1) failed(1,timeout) started(2) passed(2)"),
        ([TIMEOUT] * 3, 2,
         ("started(1) failed(1,timeout) started(2) failed(2,timeout) started(3) failed(3,timeout) "
         "failed(3,max_retries_exceeded)")),
        ([TIMEOUT, CRASH, FAIL], 2,
         ("started(1) failed(1,timeout) started(2) failed(2,execution_error) started(3) "
        "failed(3,verdict_fail)")),
        ([CRASH], 0, "started(1) failed(1,execution_error) failed(1,max_retries_exceeded)"),
        ([UsageError("no commits"), OSError("full"), PASS], 3,
         ("started(1) failed(1,execution_error) started(2) failed(2,execution_error) started(3) "
         "passed(3)")),
        ([BAD, BAD], 3, "started(1) failed(1,parse_error) started(2) failed(2,parse_error)"),
        ([BAD, WORSE, BAD, PASS], 3,
         ("started(1) failed(1,parse_error) started(2) failed(2,parse_error) started(3) "
         "failed(3,parse_error) started(4) passed(4)")),
        ([BAD, CRASH, BAD, WORSE], 3,
         "started(1) failed(1,parse_error) started(2) failed(2,execution_error) started(3) "
         "failed(3,parse_error) started(4) "
         "failed(4,parse_error) failed(4,max_retries_exceeded)"),
    ],
)  # fmt: skip
def test_every_row_of_the_retry_table(said, retries, events):
    result, heard, verifier, _words = run(said, retries)
    assert (
        " ".join(told(heard)) == events
        and verifier.said == []
        and len(verifier.asked) == result.attempts
    )


@pytest.mark.req("R002-053", "R002-054", "R002-067", "R002-079", "R002-050")
@pytest.mark.parametrize(
    ("missing", "reason"),
    [(GONE, "cerberus_unavailable"), (WRONG, "config_error"), (ConfigError("x"), "config_error")],
)
@pytest.mark.parametrize("mode", ["abort", "continue", "remediate"])
def test_what_only_a_person_can_mend_is_told_once_and_never_tried(missing, reason, mode):
    result, heard, verifier, _words = run([], missing=missing, failure_mode=mode)
    assert (
        told(heard) == [f"failed(1,{reason})"]
        and verifier.asked == []
        and result.reason == reason
        and result.attempts == 0
    )


@pytest.mark.parametrize(
    ("said", "reason"), [(GONE, "cerberus_unavailable"), (ConfigError("x"), "config_error")]
)
def test_a_gate_that_goes_away_meanwhile_is_not_tried_again(said, reason):
    result, heard, _verifier, _words = run([TIMEOUT, said])
    assert told(heard)[-1] == f"failed(2,{reason})" and result.reason == reason


@pytest.mark.req("R002-061")
def test_the_same_parse_error_twice_is_shown_and_ends_it():
    result, heard, _verifier, words = run([BAD, BAD], 5)
    assert (
        result.reason == "parse_error"
        and result.attempts == 2
        and not any("max_retries" in row for row in told(heard))
    )
    assert [event.name for event in words if "gibberish" in event.name and event.level == "WARN"]


@pytest.mark.req("R002-068", "R002-069", "R002-070", "R002-071", "R002-082", "R002-087")
@pytest.mark.parametrize("reviewer", ALL)
def test_events_name_the_epic_the_verifier_and_the_attempt_and_come_from_nobody_else(reviewer):
    _result, heard, _verifier, _words = run([TIMEOUT, PASS], reviewer=reviewer)
    fields = {"epic_id": "EPIC-42", "reviewer_type": reviewer}
    assert [(event.name, dict(event.fields)) for event in heard] == [
        ("epic_verification_started", {**fields, "attempt": 1}),
        ("epic_verification_failed", {**fields, "attempt": 1, "failure_reason": "timeout"}),
        ("epic_verification_started", {**fields, "attempt": 2}),
        ("epic_verification_passed", {**fields, "attempt": 2}),
    ]


@pytest.mark.parametrize("reviewer", ALL)
@pytest.mark.parametrize("said", [PASS, FAIL])
def test_a_verdict_means_the_same_whoever_gives_it(reviewer, said):
    result, _heard, _verifier, _words = run([said], reviewer=reviewer)
    assert (
        result.verdict is said
        and result.passed is said.passed
        and result.exit == (0 if said.passed else 1)
    )


@pytest.mark.parametrize(("said", "code"), [([TIMEOUT], 3), ([CRASH], 2), ([BAD], 2)])
def test_exit_codes_without_a_verdict(said, code):
    assert run(said, 0)[0].exit == code
    assert run([], missing=GONE)[0].exit == 4

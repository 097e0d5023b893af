"""What an issue says, and what is to be done in a tracker."""

import random
import re
import string

import pytest
from msgspec.structs import replace

from reviewgate_gh.epics.verify import criterion_issues
from reviewgate_gh.findings.identity import place_digest
from reviewgate_gh.issues import plan
from reviewgate_gh.issues.plan import (
    closed_issue,
    fixed_issues,
    issues_of_report,
    plan_issues,
    read_own_issue,
    summary_issue,
    with_former_names,
)
from reviewgate_gh.issues.tracked import IssueOrigin, IssueStatus
from reviewgate_gh.model.epic_verification import (
    EpicFailure,
    EpicResult,
    EpicTask,
    EpicVerdict,
    UnmetCriterion,
)
from reviewgate_gh.model.finding import Confidence, FindingState, Priority, QuotedLine
from reviewgate_gh.model.report import Outcome
from tests.tracking import EVIL, evil, issue, report_of

EPIC = {
    "source": "cumulative_review",
    "trigger": "epic_completion",
    "epic": "bd-xyz789",
    "link": "bd-xyz789",
}
SECRET = "gh" + "p_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))


def shifted(by, **fields):
    """The same finding, so many lines below."""
    moved = tuple(QuotedLine(number + by, text) for number, text in EVIL.excerpt)
    return replace(EVIL, line_start=12 + by, line_end=13 + by, excerpt=moved, **fields)


def stored(finding=EVIL, **context):
    """The issue as a tracker has it."""
    made = issue(finding, **context)
    return replace(made, id=f"t-{made.fingerprint}")


@pytest.mark.req("R000-116", "R000-117", "R000-118")
def test_labels_say_what_it_is_and_what_set_it_off():
    made = issue(**EPIC)
    assert made.labels == (
        "review-finding",
        "cumulative-review",
        "trigger:epic_completion",
        f"fp:{EVIL.fingerprint}",
    )
    assert issue(source="per_issue_review", trigger="session_end").labels[:2] == (
        "review-finding",
        "trigger:session_end",
    )
    odd = issue(trigger="a, b\n`c` " + "x" * 99).labels
    assert all(re.fullmatch(r"[A-Za-z0-9_:-]{1,50}", label) for label in odd), odd


@pytest.mark.req("R000-119", "R000-120")
def test_notes_say_where_it_comes_from():
    lines = issue(**EPIC).notes.splitlines()
    said = [
        "Source: cumulative_review",
        "Trigger: epic_completion",
        "Epic: bd-xyz789",
        "Baseline: 1a1a1a1a1a1a..2b2b2b2b2b2b",
        "Priority: P1",
    ]
    assert lines[:5] == said
    assert "Epic" not in plan.read(issue(**{**EPIC, "trigger": "run_end"}).notes)


@pytest.mark.req("R000-111")
def test_open_certain_findings_become_issues_most_severe_first():
    findings = [replace(evil(at), priority=Priority(f"P{3 - at}")) for at in range(4)]
    aside = [
        replace(evil(9), state=FindingState.WAIVED),
        replace(evil(8), confidence=Confidence.LOW),
    ]
    made = issues_of_report(report_of(*findings, *aside), IssueOrigin())
    assert [each.priority.value for each in made] == ["P0", "P1", "P2", "P3"]
    assert [
        each.priority.value for each in issues_of_report(report_of(*findings), IssueOrigin(), "P1")
    ] == ["P0", "P1"]


def test_texts_are_short_one_line_and_hold_no_secret():
    made = issue(
        replace(
            EVIL,
            title=f"a\nb\x1b[31m {SECRET} " + "x" * 500,
            body=f"{SECRET}\n\x1b]0;x\x07",
            path="d/a\nPriority: P0.py",
        )
    )
    assert (
        len(made.title) <= 200 and "\n" not in made.title and "\x1b" not in made.title + made.body
    )
    assert SECRET not in made.title + made.body + made.notes
    assert plan.read(made.notes)["Priority"] == "P1"


def test_notes_keep_what_people_write():
    notes = plan.changed(
        "hello\nPriority: P1\n\nPlace: a\nbye", {"Priority": "P0", "Place": "", "Gone": "x"}
    )
    assert notes == "hello\nPriority: P0\n\nbye\nGone: x"


def test_an_issue_that_is_not_ours_is_none():
    assert read_own_issue("A title", "Fingerprint: 0123", "some notes", ["bug"]) is None
    by_label = read_own_issue("A title", "", "", ["fp:0123456789abcdef"])
    assert by_label and by_label.fingerprint == "0123456789abcdef"


@pytest.mark.req("R000-112")
def test_one_issue_a_fingerprint():
    new = plan_issues([issue(), issue()], [], 50)
    assert len(new.create) == 1
    assert plan_issues([issue()], [stored()], 50).known == 1


@pytest.mark.req("R000-124")
@pytest.mark.parametrize("shift", [1, 2, 17, 500])
def test_a_shifted_reworded_finding_of_another_trigger_is_the_same(shift):
    moved = shifted(shift, title="Quite another title")
    done = plan_issues([issue(moved, trigger="run_end")], [stored(trigger="session_end")], 50)
    assert not done.create
    [(before, after)] = done.change
    assert (after.line, after.title, after.id) == (12 + shift, before.title, before.id)


@pytest.mark.req("R000-113", "R000-114", "R000-115", "R000-124")
def test_the_same_path_lines_and_title_is_the_same_whatever_the_code():
    other = replace(EVIL, path="./src//app.py", excerpt=(QuotedLine(12, "something else"),))
    assert other.fingerprint != EVIL.fingerprint and place_digest(other) == place_digest(EVIL)
    assert not plan_issues([issue(other)], [stored()], 50).create
    for different in (
        replace(other, path="src/b.py"),
        replace(other, line_start=11),
        replace(other, line_end=14),
        replace(other, title="x"),
    ):
        assert plan_issues([issue(different)], [stored()], 50).create


@pytest.mark.req("R000-125")
def test_a_cumulative_finding_overrides_no_other_and_different_ones_coexist():
    before = stored(source="per_issue_review", trigger="session_end")
    again = issue(shifted(1), **EPIC)
    [(_before, after)] = plan_issues([again], [before], 50).change
    facts = plan.read(after.notes)
    assert (facts["Source"], facts["Trigger"], after.labels) == (
        "per_issue_review",
        "session_end",
        before.labels,
    )
    assert len(plan_issues([issue(evil(3), **EPIC)], [before], 50).create) == 1


NULL = replace(EVIL, rule="", category="correctness", title="The user may be null here", body="")
INJECTION = replace(NULL, title="SQL is built from a name that anybody may choose")


def test_another_problem_in_the_same_code_is_another_issue():
    """Where no rule says what is wrong, title and body do."""
    assert NULL.fingerprint == INJECTION.fingerprint
    done = plan_issues([issue(INJECTION)], [stored(NULL)], 50)
    assert len(done.create) == 1 and not done.change
    again = replace(NULL, title="The user may be null", line_start=14, line_end=14)
    assert not plan_issues([issue(again)], [stored(NULL)], 50).create
    gone = report_of(INJECTION, outcome=Outcome.BLOCK)
    assert plan_issues([issue(NULL), issue(INJECTION)], [], 50).create
    assert not fixed_issues([stored(NULL)], gone, IssueOrigin(), covers), "same code: not known"


def test_an_edited_statement_keeps_its_issue_which_learns_the_new_fingerprint():
    before, now = (replace(EVIL, unit="f", code=code * 16) for code in "12")
    moved = replace(now, line_start=20, line_end=20)
    assert before.fingerprint != moved.fingerprint
    [(_, after)] = plan_issues([issue(moved)], [stored(before)], 50).change
    assert after.fingerprint == moved.fingerprint and after.line == 20
    assert plan.read(after.notes)["Fingerprint"] == moved.fingerprint
    assert not fixed_issues([stored(before)], report_of(moved), IssueOrigin(), covers)


def test_what_a_person_closed_is_not_opened_and_hides_no_edited_statement():
    before, now = (replace(EVIL, unit="f", code=code * 16, line_end=12) for code in "12")
    theirs = replace(stored(before), status=IssueStatus.CLOSED, reason="by design")
    assert not plan_issues([issue(before)], [theirs], 50).create
    moved = replace(now, line_start=20, line_end=20)
    assert len(plan_issues([issue(moved)], [theirs], 50).create) == 1


def test_an_issue_of_the_first_format_is_known():
    found = replace(EVIL, unit="f", code="1" * 16)
    old = stored(found)
    notes = plan.changed(
        old.notes, {"Fingerprint": found.former_fingerprint, "Unit": "", "Place": ""}
    )
    before = read_own_issue(old.title, old.body, notes, ["fp:" + found.former_fingerprint])
    [(_, after)] = plan_issues([issue(found)], [replace(before, id="t-1")], 50).change
    assert plan.read(after.notes)["Fingerprint"] == found.fingerprint


def test_two_findings_on_one_line_are_two():
    second = replace(EVIL, rule="ruff/S102", title="Use of exec")
    assert len(plan_issues([issue(), issue(second)], [], 50).create) == 2


def test_a_renamed_file_is_known_under_its_former_name():
    moved = replace(EVIL, path="src/new.py")
    [named] = with_former_names([issue(moved)], report_of(moved), {"src/new.py": ("src/app.py",)})
    done = plan_issues([named], [stored()], 50)
    assert not done.create and done.change[0][1].path == "src/new.py"


def test_beyond_the_cap_the_least_severe_wait():
    many = issues_of_report(
        report_of(*(replace(evil(at), priority=Priority(f"P{at % 4}")) for at in range(8))),
        IssueOrigin(),
    )
    done = plan_issues(many, [], 3)
    assert (len(done.create), len(done.beyond_limit)) == (3, 5) and done.create[
        0
    ].priority is Priority.P0


def test_what_we_closed_opens_again_and_what_a_person_closed_stays():
    ours = closed_issue(stored(), "2b" * 20)
    [(_, after)] = plan_issues([issue()], [ours], 50).change
    assert after.status is IssueStatus.OPEN and "Gone" not in after.notes
    theirs = replace(stored(), status=IssueStatus.CLOSED, reason="by design")
    done = plan_issues([issue(shifted(9))], [theirs], 50)
    assert not done.create and not done.change


def test_what_is_missing_of_an_epic_is_open_again_whoever_closed_it():
    unmet = EpicVerdict(False, (UnmetCriterion("It is fast", 1, "It is slow"),), 1.0, "no")
    [missing] = criterion_issues(
        EpicResult("E", "ensemble", unmet, EpicFailure("verdict_fail", "")),
        EpicTask("E", "Speed", "Make it fast."),
    )
    there = replace(missing, id="x-1")
    assert not plan_issues([missing], [there], 50).change, "it is open"
    [(before, after)] = plan_issues(
        [missing], [replace(there, status=IssueStatus.CLOSED, reason="done")], 50
    ).change
    assert (before.status, after.status, after.reason, after.id) == (
        IssueStatus.CLOSED,
        IssueStatus.OPEN,
        "",
        "x-1",
    )


def covers(base, head):
    return True


def test_gone_is_closed_with_the_commit():
    [after] = fixed_issues([stored()], report_of(outcome=Outcome.PASS), IssueOrigin(), covers)
    assert (
        after.status is IssueStatus.CLOSED
        and after.reason.endswith("2b2b2b2b2b2b")
        and "Gone: 2b2b2b2b2b2b" in after.notes
    )


@pytest.mark.parametrize(
    "report",
    [
        report_of(EVIL),
        report_of(replace(EVIL, state=FindingState.WAIVED)),
        report_of(replace(EVIL, excerpt=())),
        report_of(outcome=Outcome.INCONCLUSIVE),
        replace(report_of(outcome=Outcome.PASS), reviews=()),
        replace(report_of(), late=True),
        replace(report_of(), skipped="I said so"),
        replace(
            report_of(),
            verdict=replace(report_of().verdict, not_reviewed=("src/app.py: unreadable",)),
        ),
    ],
    ids=[
        "found",
        "waived",
        "at its place",
        "inconclusive",
        "not asked",
        "late",
        "overridden",
        "unread",
    ],
)
def test_what_may_still_be_there_stays_open(report):
    assert not fixed_issues([stored()], report, IssueOrigin(), covers)


def test_another_range_closes_nothing_but_the_same_pull_request_does():
    report = report_of(outcome=Outcome.PASS)
    assert not fixed_issues([stored(pull=7)], report, IssueOrigin(pull=8), lambda base, head: False)
    assert fixed_issues([stored(pull=7)], report, IssueOrigin(pull=7), lambda base, head: False)


@pytest.mark.req("R000-123")
def test_a_run_has_one_summary_issue():
    first, again, other = (
        summary_issue(IssueOrigin(trigger="run_end", run=name))
        for name in ("run-1", "run-1", "run-2")
    )
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert "run:run-1" in first.labels and read_own_issue(
        first.title, first.body, first.notes, first.labels
    )


def test_places_that_a_known_finding_has_got_since_are_noted_and_none_is_forgotten():
    [(_before, after)] = plan_issues(
        [issue(replace(EVIL, places=(EVIL.location, "b.py:3", "c.py")))], [stored()], 50
    ).change
    assert plan.read(after.notes)["Also at"] == "b.py:3, c.py"
    later = issue(replace(EVIL, places=(EVIL.location, "b.py:9", "d.py:1")))
    [(_before, more)] = plan_issues([later], [after], 50).change
    assert plan.read(more.notes)["Also at"] == "b.py:9, c.py, d.py:1"
    assert plan_issues([issue()], [more], 50).change == (), (
        "a review that has not read them says nothing of them"
    )


def test_several_places_in_one_file_stay_and_the_same_review_again_changes_nothing():
    places = ("b.py:3", "src/app.py:12", "src/app.py:16", "b.py:7", "b.py:11")
    found = issue(replace(EVIL, places=(EVIL.location, *places)))
    assert plan_issues([found], [replace(found, id="x-1")], 50).change == ()
    fewer = issue(replace(EVIL, places=(EVIL.location, "b.py:3", "b.py:8")))
    [(_before, after)] = plan_issues([fewer], [replace(found, id="x-1")], 50).change
    assert plan.read(after.notes)["Also at"] == "b.py:3, b.py:8, src/app.py:16"

"""What somebody accepted covers one defect at the priority that they saw: by a waiver, or by a
dismissal on a pull request."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.markers import FindingMarker, write_marker
from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.findings.waivers import AcceptedFinding, apply_waivers, why_not_covered
from reviewgate_gh.findings.waivers_file import WaiverTerms, make_waivers, merge_waivers
from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.model.report import Outcome, Report, ReviewedChange, Verdict
from reviewgate_gh.model.waiver import Waiver
from reviewgate_gh.pull_request.actions import PlacedFinding, Placement
from reviewgate_gh.pull_request.comments import CurrentFindings, classify_comments
from reviewgate_gh.pull_request.dismissal import (
    DismissalRequest,
    GrantedDismissals,
    apply_dismissals,
    dismissal_requests,
)
from reviewgate_gh.pull_request.posted_text import inline_comment
from tests.unit.pull_request.pulls import ALICE, HEAD, ME, reply, thread
from tests.unit.support import finding

TODAY = "2026-01-01"
P0, P1, P2 = Priority.P0, Priority.P1, Priority.P2


def said(
    title: str, priority: Priority = P2, category: str = "security", **fields: object
) -> Finding:
    """What a model says of one and the same line."""
    made = Finding(
        priority,
        category,
        "",
        "a.py",
        3,
        3,
        title,
        anchor="run(q)",
        placed=True,
        sources=("one/security",),
    )
    return replace(made, **fields)  # type: ignore[arg-type]


NULL = said("Missing null check")


def waive(*findings: Finding) -> tuple[Waiver, ...]:
    """Waivers as `waive add` writes them."""
    return make_waivers(findings, [f.fingerprint for f in findings], [], WaiverTerms("fine"))


def states(findings: list[Finding], *waivers: Waiver) -> list[tuple[str, FindingState]]:
    return [(f.title, f.state) for f in apply_waivers(findings, waivers, TODAY)]


@pytest.mark.parametrize(
    "title",
    [
        "SQL injection", "Missing bounds check", "Missing authorization check",
        ("Missing null check allows "
        "SQL injection"),
        "Null check has a side effect", "Null check", "Query is built by concatenation", "***",
    ],
)  # fmt: skip
@pytest.mark.parametrize("priority", [P0, P2, Priority.P3])
@pytest.mark.req("R007-003")
def test_another_defect_in_the_same_code_is_open_whatever_its_priority(title, priority):
    other = said(title, priority)
    assert other.fingerprint == NULL.fingerprint
    (judged,) = apply_waivers([other], waive(NULL), TODAY)
    assert judged.state is FindingState.OPEN
    assert NULL.fingerprint in judged.note and (
        "'Missing null check'" in judged.note or "P2" in judged.note
    )


@pytest.mark.parametrize(
    "title",
    ["missing  NULL check", "Null check is missing", "No null check", "Null checks lacking"],
)
def test_the_same_defect_is_covered_in_other_words(title):
    assert states([said(title)], *waive(NULL)) == [(title, FindingState.WAIVED)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Value is not escaped", "Value is escaped"), ("Lock isn't held", "Lock is held")],
)
def test_what_is_denied_is_not_what_is_said(one, other):
    assert why_not_covered(AcceptedFinding(one), said(other)) and why_not_covered(
        AcceptedFinding(other), said(one)
    )


@pytest.mark.parametrize("rule", ["", "ruff/S602"])
@pytest.mark.req("R007-005")
def test_a_higher_priority_opens_it_again_and_a_lower_one_does_not(rule):
    seen = finding(rule=rule, priority=P1)
    (waiver,) = waive(seen)
    assert [apply_waivers([replace(seen, priority=p)], [waiver],
        TODAY)[0].state for p in Priority] == [
        FindingState.OPEN, FindingState.WAIVED, FindingState.WAIVED, FindingState.WAIVED,
    ]  # fmt: skip
    (worse,) = apply_waivers([replace(seen, priority=P0)], [waiver], TODAY)
    assert worse.note == (
        f"its waiver {waiver.fingerprint} does not cover it: it is P0, but the accepted "
        "finding was P1"
    )


def test_an_entry_of_an_earlier_version_holds_for_a_rule_and_covers_nothing_that_no_rule_names():
    tool, model, alone = (
        finding(priority=P0),
        said("SQL injection", P0),
        finding(rule="other-ai", title="SQL injection", sources=("other-ai",)),
    )
    old = [
        Waiver(fingerprint=f.fingerprint, reason="old", rule=f.rule) for f in (tool, model, alone)
    ]
    judged = apply_waivers([tool, model, alone], old, TODAY)
    assert [f.state for f in judged] == [FindingState.WAIVED, FindingState.OPEN, FindingState.OPEN]
    assert "has no title" in judged[1].note and "has no title" in judged[2].note


def test_one_entry_covers_one_finding_and_the_one_that_it_was_made_for():
    twin, like = (
        said("Missing null check", line_start=9, line_end=9, ordinal=2),
        said("Null check is missing", ordinal=3),
    )
    once = waive(NULL)
    assert once[0].count == 1
    assert states([like, NULL, twin], *once) == [
        (like.title, FindingState.OPEN),
        (NULL.title, FindingState.WAIVED),
        (twin.title, FindingState.OPEN),
    ]
    both = make_waivers([NULL, twin, like], [twin.fingerprint], [], WaiverTerms("fine"))
    assert both[0].count == 2
    assert states([NULL, twin, like], *both)[2] == (like.title, FindingState.OPEN)


def test_several_defects_of_one_line_have_an_entry_each():
    found = merge_findings([NULL, said("SQL injection"), said("Command injection")])
    names = [f.fingerprint for f in found]
    assert len(set(names)) == 3
    only = make_waivers(found, names[:1], [], WaiverTerms("fine"))
    assert [f.state for f in apply_waivers(found, only, TODAY)].count(FindingState.WAIVED) == 1
    changed, added = merge_waivers(
        only, make_waivers(found, names, [], WaiverTerms("all")), WaiverTerms("all"), TODAY
    )
    assert len(changed) == 1 and len(added) == 2
    assert {f.state for f in apply_waivers(found, [*changed.values(), *added], TODAY)} == {
        FindingState.WAIVED
    }


def test_naming_it_again_gives_an_old_entry_its_title_and_a_more_severe_one_its_priority():
    old = Waiver(fingerprint=NULL.fingerprint, reason="old", path="a.py")
    changed, added = merge_waivers([old], waive(NULL), WaiverTerms("new"), TODAY)
    assert added == () and (changed[0].title, changed[0].priority) == ("Missing null check", P2)
    worse = replace(NULL, priority=P0)
    changed, added = merge_waivers([changed[0]], waive(worse), WaiverTerms("newer"), TODAY)
    assert added == () and changed[0].priority is P0


def test_a_secret_in_a_title_is_not_written_and_the_finding_is_known_all_the_same():
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY3"
    leaked = said(f"Token {secret} is committed")
    (waiver,) = waive(leaked)
    assert secret not in waiver.title and states([leaked], waiver)[0][1] is FindingState.WAIVED


def test_an_entry_with_another_reason_why_it_does_not_hold_says_that():
    (waiver,) = waive(NULL)
    (judged,) = apply_waivers(
        [replace(NULL, note="uncertain")], [replace(waiver, expires="2020-01-01")], TODAY
    )
    assert judged.note == "uncertain; its waiver expired on 2020-01-01"


def report(*findings: Finding) -> Report:
    """A report with these findings."""
    return Report("1", ReviewedChange("a", "b", True, "b"), (), findings, Verdict(Outcome.BLOCK))


def test_a_dismissal_is_about_what_the_comment_says():
    wish = DismissalRequest(
        NULL.fingerprint, ALICE, "never null", AcceptedFinding("Missing null check", P2)
    )
    worse = replace(said("SQL injection", P0), note="seen")
    known = apply_dismissals(
        report(worse, replace(NULL, ordinal=2)), GrantedDismissals({wish.fingerprint: wish}, {})
    )
    assert [(f.title, f.state) for f in known.findings] == [
        ("SQL injection", FindingState.OPEN),
        ("Missing null check", FindingState.DISMISSED),
    ]
    assert (
        known.findings[0].note.startswith("seen; not dismissed by ")
        and "never null: it is P0" in known.findings[0].note
    )
    assert known.verdict.outcome is Outcome.BLOCK


@pytest.mark.parametrize(
    ("priority", "state"),
    [(P0, FindingState.OPEN), (P1, FindingState.DISMISSED), (P2, FindingState.DISMISSED)],
)
def test_a_tools_finding_that_became_more_severe_is_open_again(priority, state):
    found = finding(priority=priority)
    for seen, expected in (
        (AcceptedFinding("Undefined name x", P1), state),
        (AcceptedFinding(), FindingState.DISMISSED),
    ):
        wish = DismissalRequest(found.fingerprint, ALICE, "no", seen)
        assert (
            apply_dismissals(report(found), GrantedDismissals({wish.fingerprint: wish}, {}))
            .findings[0]
            .state
            is expected
        )


@pytest.mark.parametrize(
    "title",
    [
        "`items` may be None in f(a, *b)", ("User <b>input</b> & more "
        "reaches [query](x)"), ("@ada's #12 is closed by "
        "fixes #3"), "a_b * c | d",
        "See https://example.com/x before use", "C:\\path\\to is \\*escaped\\*",
        "Größe ist nicht geprüft", "x" * 190 + " end",
    ],
)  # fmt: skip
def test_what_a_comment_of_ours_says_is_read_back_from_it(title):
    found = said(title, line_start=2, line_end=2)
    body = inline_comment(PlacedFinding(found, Placement.INLINE, line=2))
    held = thread(
        body=f"{body}\n\n{write_marker(FindingMarker(found.fingerprint, HEAD))}",
        replies=(reply(ALICE, "/reviewgate-gh dismiss no"),),
    )
    (wish,) = dismissal_requests(classify_comments([held], ME, HEAD, CurrentFindings()))
    assert wish.accepted.priority is P2 and why_not_covered(wish.accepted, found) == ""
    assert why_not_covered(wish.accepted, said("SQL injection by way of eval")) != ""

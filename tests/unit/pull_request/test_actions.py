"""The plan: what is said, what is taken back and what is closed, and above all what is not."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.markers import FindingMarker, ReviewMarker, source_id, with_marker
from reviewgate_gh.model.finding import Finding, QuotedLine
from reviewgate_gh.model.pull_request import PostedReview, ThreadReply
from reviewgate_gh.model.report import (
    ChangedFile,
    Outcome,
    Report,
    ReviewedChange,
    ReviewRow,
    Verdict,
)
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.pull_request.actions import (
    MinimizeDuplicate,
    Placement,
    PostReview,
    PublishPlan,
    ResolveThread,
    WithdrawReview,
)
from reviewgate_gh.pull_request.comments import (
    classify_comments,
    find_copies,
    recognise_listed,
)
from reviewgate_gh.pull_request.event import EventDecision, GitHubReviewEvent
from reviewgate_gh.pull_request.plan import plan_publication
from reviewgate_gh.pull_request.planned_posts import post_digest
from reviewgate_gh.pull_request.presubmit import current_findings_of
from reviewgate_gh.pull_request.publish_context import PublishContext, PublishLimits
from tests.unit.pull_request.pulls import ALICE, HEAD, ME, OLD, ONE, thread
from tests.unit.support import finding

COMMENT, APPROVE, REQUEST = (
    EventDecision(event, event)
    for event in (
        GitHubReviewEvent.COMMENT,
        GitHubReviewEvent.APPROVE,
        GitHubReviewEvent.REQUEST_CHANGES,
    )
)
FOUND = finding(line=5, placed=True, excerpt=(QuotedLine(5, "x"),))
OTHER = replace(FOUND, rule="ruff/S307", line_start=9, line_end=9, excerpt=(QuotedLine(9, "y"),))


def report(*findings: Finding, outcome: Outcome = Outcome.BLOCK, head: str = HEAD) -> Report:
    return Report("r", ReviewedChange(OLD, head, False, OLD), (), findings, Verdict(outcome))


def review(
    number: int = 1, state: str = "COMMENTED", sha: str = HEAD, said: str = "f" * 16, **fields
) -> PostedReview:
    """A review of ours."""
    mark = ReviewMarker(
        sha,
        said,
        **{name: fields.pop(name) for name in ("listed", "event", "partial") if name in fields},
    )
    body = with_marker("text", mark)
    return replace(
        PostedReview(number, ME, state, body, sha, node=f"R{number}", minimized=False), **fields
    )


def planned(
    made: Report, decision: EventDecision = COMMENT, threads=(), head: str = HEAD, **fields
) -> PublishPlan:
    wishes = fields.pop("wishes", PublishLimits())
    current = current_findings_of(made)
    existing = classify_comments(threads, ME, made.change.head, current)
    listed = recognise_listed(fields.get("reviews", ()), ME, current)
    context = PublishContext(existing, viewer=ME, head=head, listed=listed, **fields)
    return plan_publication(made, context, decision, wishes)


def kinds(made: PublishPlan) -> list[str]:
    return [type(action).__name__ for action in made.actions]


# What is said


def test_nothing_is_said_of_nothing() -> None:
    assert planned(report(outcome=Outcome.PASS)).actions == ()


def test_a_finding_is_said_until_it_was_said_inline_or_in_a_text() -> None:
    made = report(FOUND)
    assert kinds(planned(made)) == ["PostReview"]
    assert kinds(planned(made, threads=[thread(FOUND.fingerprint)])) == []
    assert kinds(planned(made, reviews=[review(listed=(FOUND.fingerprint,))])) == []
    assert kinds(planned(made, reviews=[review(listed=(FOUND.fingerprint,), minimized=True)])) == [
        "PostReview"
    ]
    assert kinds(planned(made, reviews=[review(listed=(FOUND.fingerprint,), author=ALICE)])) == [
        "PostReview"
    ], "a copy of our marker"


def test_only_what_is_new_is_said() -> None:
    made = planned(report(FOUND, OTHER), reviews=[review(listed=(FOUND.fingerprint,))])
    [post] = made.actions
    assert [each.finding for each in post.comments] == [OTHER] and not post.listed
    assert [each.placement for each in made.placed] == [Placement.ALREADY_POSTED, Placement.INLINE]


def test_thirty_comments_a_review_and_the_text_in_the_first() -> None:
    many = tuple(replace(FOUND, path=f"{n}.py") for n in range(62))
    made = planned(report(*many), wishes=PublishLimits(61), decision=REQUEST)
    posts = [action for action in made.actions if isinstance(action, PostReview)]
    assert [(len(p.comments), len(p.listed), p.event, p.part) for p in posts] == [
        (30, 1, "REQUEST_CHANGES", 1),
        (30, 0, "COMMENT", 2),
        (1, 0, "COMMENT", 3),
    ]
    assert len({post.digest for post in posts}) == 3


def test_a_review_that_was_sent_is_not_sent_again() -> None:
    [post] = planned(report(FOUND)).actions
    assert kinds(planned(report(FOUND), reviews=[review(said=post.digest)])) == []
    assert kinds(planned(report(FOUND), reviews=[review(said=post.digest, author=ALICE)])) == [
        "PostReview"
    ]
    assert post_digest(post) == post.digest != post_digest(replace(post, event="APPROVE"))


@pytest.mark.parametrize(
    ("decision", "standing", "says"),
    [
        (APPROVE, None, True),
        (APPROVE, ("APPROVED", HEAD), False),
        (APPROVE, ("APPROVED", OLD), True),
        (APPROVE, ("DISMISSED", HEAD), True),
        (REQUEST, None, True),
        (REQUEST, ("CHANGES_REQUESTED", HEAD), False),
        (REQUEST, ("CHANGES_REQUESTED", OLD), False),
        (REQUEST, ("DISMISSED", HEAD), True),
    ],
)
def test_a_verdict_is_given_once(decision, standing, says) -> None:
    outcome = Outcome.PASS if decision is APPROVE else Outcome.BLOCK
    reviews = [review(state=standing[0], sha=standing[1])] if standing else []
    posts = [
        action
        for action in planned(report(outcome=outcome), decision, reviews=reviews).actions
        if isinstance(action, PostReview)
    ]
    assert bool(posts) == says


def test_a_report_of_an_older_head_is_silent_once_the_head_was_reviewed() -> None:
    late = report(FOUND, head=OLD)
    newer = {"reviews": [review(sha=HEAD)]}
    assert kinds(planned(late, ahead=True)) == ["PostReview"]
    assert kinds(planned(late, ahead=True, **newer)) == []
    assert kinds(planned(late, threads=[thread(ONE, HEAD)], ahead=True)) == []
    assert kinds(planned(late, ahead=False, **newer)) == ["PostReview"], (
        "GitHub may show an older head than there is"
    )
    part = {"reviews": [review(partial=True)]}
    assert kinds(planned(late, ahead=True, **part)) == ["PostReview"], (
        "who has seen a part of the head knows nothing of the rest"
    )


def withholding(*reasons: str, partial: bool = False) -> EventDecision:
    """An approval that is not given for these reasons."""
    return EventDecision(
        GitHubReviewEvent.COMMENT,
        GitHubReviewEvent.APPROVE,
        tuple(f"{each}, in words" for each in reasons),
        withheld=reasons,
        partial=partial,
    )


def test_why_an_approval_is_withheld_is_said_once_and_again_after_one_was_given() -> None:
    passed, red = report(outcome=Outcome.PASS), withholding("red")
    [post] = planned(passed, red).actions
    assert isinstance(post, PostReview) and (post.event, post.commit, post.reasons) == (
        "COMMENT",
        HEAD,
        ("red, in words",),
    )
    reworded = replace(red, reasons=("red, in other words",))
    said = review(1, said=post.digest, sha=OLD)
    given = review(2, "DISMISSED", sha=OLD, event="APPROVE")
    assert kinds(planned(passed, reworded, reviews=[said])) == []
    assert kinds(planned(passed, withholding("red", "draft"), reviews=[said])) == ["PostReview"]
    [again] = planned(passed, reworded, reviews=[said, given]).actions
    assert isinstance(again, PostReview) and again.digest != post.digest
    assert (
        kinds(planned(passed, reworded, reviews=[said, given, review(3, said=again.digest)])) == []
    )


def test_nothing_is_withheld_that_was_given_and_nothing_said_of_a_commit_that_is_gone() -> None:
    passed, red = report(outcome=Outcome.PASS), withholding("red")
    assert kinds(planned(passed, red, reviews=[review(state="APPROVED", event="APPROVE")])) == []
    assert kinds(planned(replace(passed, change=report(head=OLD).change), red)) == []
    assert kinds(planned(replace(passed, change=report(head=OLD).change), red, ahead=True)) == [
        "PostReview"
    ]


def test_a_review_of_a_part_says_so_in_its_marker() -> None:
    [post] = planned(report(outcome=Outcome.PASS), withholding("part", partial=True)).actions
    assert isinstance(post, PostReview) and post.partial


# What is taken back


@pytest.mark.parametrize(
    ("state", "sha", "outcome", "decision", "head", "ahead", "gone"),
    [
        ("CHANGES_REQUESTED", OLD, Outcome.PASS, COMMENT, HEAD, False, True),
        ("CHANGES_REQUESTED", OLD, Outcome.CONCERNS, COMMENT, HEAD, False, True),
        ("CHANGES_REQUESTED", OLD, Outcome.INCONCLUSIVE, COMMENT, HEAD, False, False),
        ("CHANGES_REQUESTED", OLD, Outcome.BLOCK, REQUEST, HEAD, False, False),
        ("CHANGES_REQUESTED", "b" * 40, Outcome.PASS, COMMENT, "b" * 40, True, False),
        ("CHANGES_REQUESTED", "b" * 40, Outcome.PASS, COMMENT, "b" * 40, False, False),
        ("APPROVED", OLD, Outcome.BLOCK, COMMENT, HEAD, False, True),
        ("APPROVED", OLD, Outcome.INCONCLUSIVE, COMMENT, HEAD, False, True),
        ("APPROVED", OLD, Outcome.PASS, COMMENT, HEAD, False, True),
        ("APPROVED", OLD, Outcome.PASS, APPROVE, HEAD, False, False),
        ("APPROVED", HEAD, Outcome.PASS, COMMENT, HEAD, False, False),
        ("APPROVED", HEAD, Outcome.INCONCLUSIVE, COMMENT, HEAD, False, True),
        ("APPROVED", HEAD, Outcome.BLOCK, COMMENT, HEAD, False, True),
        ("APPROVED", "b" * 40, Outcome.BLOCK, COMMENT, "b" * 40, True, False),
        ("APPROVED", "b" * 40, Outcome.BLOCK, COMMENT, "b" * 40, False, True),
        ("COMMENTED", OLD, Outcome.PASS, APPROVE, HEAD, False, False),
        ("DISMISSED", OLD, Outcome.BLOCK, COMMENT, HEAD, False, False),
    ],
)
@pytest.mark.parametrize("ours", [True, False])
def test_which_verdicts_are_taken_back(
    state, sha, outcome, decision, head, ahead, gone, ours
) -> None:
    standing = review(state=state, sha=sha, author=ME if ours else ALICE)
    made = planned(report(outcome=outcome), decision, reviews=[standing], head=head, ahead=ahead)
    found = [action for action in made.actions if isinstance(action, WithdrawReview)]
    assert bool(found) == (gone and ours)
    assert all(
        each.reason.isascii() and set(each.reason) & set("<>@`[]#") == set() for each in found
    ), "our own words and object ids"


@pytest.mark.parametrize(
    ("body", "author", "gone"),
    [("", ME, True), (" \n", ME, True), ("a draft", ME, False), ("", ALICE, False)],
)
def test_only_an_empty_pending_review_of_ours_is_deleted(body, author, gone) -> None:
    pending = PostedReview(3, author, "PENDING", body)
    assert [type(a) for a in planned(report(FOUND), reviews=[pending]).actions] == (
        [WithdrawReview] if gone else []
    ) + [PostReview]


# What is closed


@pytest.mark.parametrize(
    ("change", "closes"),
    [
        ({}, True),
        ({"outcome": Outcome.PASS}, True),
        ({"outcome": Outcome.INCONCLUSIVE}, False),
        ({"not_reviewed": ("x.c",)}, False),
        ({"skipped": "late"}, False),
        ({"head": OLD}, False),
        ({"resolved": True}, False),
        ({"resolved": None}, False),
        ({"minimized": True}, False),
        ({"replies": (ThreadReply(9, ALICE, "why?"),)}, False),
        ({"replies": (ThreadReply(9, ME, "see above"),)}, True),
    ],
)
def test_a_thread_is_closed_only_when_its_finding_is_known_to_be_gone(change, closes) -> None:
    told = {name: change[name] for name in ("resolved", "minimized", "replies") if name in change}
    made = report(outcome=change.get("outcome", Outcome.BLOCK))
    made = replace(
        made,
        verdict=replace(made.verdict, not_reviewed=change.get("not_reviewed", ())),
        skipped=change.get("skipped", ""),
    )
    found = planned(made, threads=[thread(ONE, OLD, **told)], head=change.get("head", HEAD)).actions
    assert bool([action for action in found if isinstance(action, ResolveThread)]) == closes


def test_a_thread_that_stands_is_left_and_one_that_is_minimised_may_still_be_resolved() -> None:
    assert planned(report(FOUND), threads=[thread(FOUND.fingerprint, OLD)]).actions == ()
    hidden = [thread(ONE, OLD, minimized=True)]
    assert planned(report(), threads=hidden, wishes=PublishLimits(resolve=True)).actions == (
        ResolveThread(hidden[0], ONE, True),
    )


# What was said twice


def test_of_copies_the_oldest_stays() -> None:
    threads = [thread(ONE, id=n, comment_node=f"C{n}") for n in (9, 7, 8)]
    assert find_copies(threads, (), ME) == (MinimizeDuplicate("C8"), MinimizeDuplicate("C9"))
    assert find_copies([replace(each, author=ALICE) for each in threads], (), ME) == ()
    assert find_copies(threads, (), None) == ()
    assert find_copies([replace(each, minimized=each.id == 7) for each in threads], (), ME) == (
        MinimizeDuplicate("C9"),
    )
    assert find_copies([replace(each, resolved=None) for each in threads], (), ME) == (), (
        "GitHub does not say what is hidden"
    )
    talked = [
        replace(each, replies=(ThreadReply(1, ALICE, "why?"),) * (each.id == 9)) for each in threads
    ]
    assert find_copies(talked, (), ME) == (MinimizeDuplicate("C7"), MinimizeDuplicate("C8"))


def test_of_reviews_that_say_the_same_the_oldest_stays() -> None:
    reviews = [
        review(3),
        review(2),
        review(4, said="e" * 16),
        review(5, state="DISMISSED"),
        review(6, author=ALICE),
    ]
    assert find_copies((), reviews, ME) == (MinimizeDuplicate("R3"),)
    assert find_copies((), [replace(each, minimized=None) for each in reviews], ME) == ()
    assert find_copies((), [replace(each, minimized=each.id == 3) for each in reviews], ME) == ()
    assert MinimizeDuplicate("R3") in planned(report(), reviews=reviews).actions


@pytest.mark.parametrize(
    ("found_by", "rows", "closes"),
    [
        (("ruff",), (("linters", "ruff"),), True),
        (("ruff",), (("linters", "shellcheck"),), False),
        (("ruff",), (("builtin", ""),), False),
        (("builtin",), (("builtin", ""),), True),
        (("claude/audit-2",), (("claude", "security"), ("linters", "ruff")), True),
        (("claude/security", "ruff"), (("linters", "ruff"),), False),
        (("claude/security", "ruff"), (("linters", "ruff"), ("claude", "tests")), True),
        ((), (("builtin", ""),), True),
    ],
)
def test_those_who_found_it_must_have_answered(found_by, rows, closes) -> None:
    mark = FindingMarker(ONE, OLD, tuple(source_id(name) for name in found_by))
    there = replace(thread(ONE, OLD), body=with_marker("**P1** x", mark))
    made = report(outcome=Outcome.PASS)
    files = (ChangedFile(there.path, "modified"),)
    answered = tuple(ReviewRow(reviewer, part, ReviewStatus.OK) for reviewer, part in rows)
    made = replace(made, reviews=answered, change=replace(made.change, files=files))
    assert (
        bool([a for a in planned(made, threads=[there]).actions if isinstance(a, ResolveThread)])
        == closes
    )
    failed = replace(
        made, reviews=tuple(replace(row, status=ReviewStatus.FAILED) for row in answered)
    )
    assert bool(
        [a for a in planned(failed, threads=[there]).actions if isinstance(a, ResolveThread)]
    ) == (not found_by)
    elsewhere = replace(
        failed, change=replace(made.change, files=(ChangedFile("other.py", "added"),))
    )
    assert [a for a in planned(elsewhere, threads=[there]).actions if isinstance(a, ResolveThread)]

"""A review that GitHub does not take as it is: which other shape is tried, and that no finding is
lost on the way."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.pull_request.actions import PlacedFinding, Placement, PostReview
from reviewgate_gh.pull_request.fallback import (
    Fallback,
    all_in_text,
    as_text_at_head,
    next_fallback,
    on_shown_lines_only,
    refusal_hint,
    without_event,
)
from tests.unit.pull_request.pulls import HEAD, OLD
from tests.unit.support import finding

LINE = "Pull request review thread line must be part of the diff"
GONE = "Start commit oid is not part of the pull request"
OWN = "Can not approve your own pull request"
ACTIONS = "GitHub Actions is not permitted to approve pull requests."
PENDING = "User can only have one pending review per pull request"
COMMENTS = tuple(
    PlacedFinding(finding(path, line), Placement.INLINE, start=start, line=line)
    for path, start, line in (("a", 0, 5), ("b", 3, 9), ("c", 0, 1))
)
LISTED = (PlacedFinding(finding("d"), Placement.BODY, "beyond"),)
POST = PostReview("COMMENT", OLD, COMMENTS, LISTED, part=2)


def said(post: PostReview) -> list[str]:
    return sorted(each.finding.path for each in (*post.comments, *post.listed))


@pytest.mark.parametrize(
    ("event", "words", "tried", "vouched", "shape"),
    [
        ("COMMENT", LINE, (), False, Fallback.LINES),
        ("COMMENT", LINE, (Fallback.LINES,), False, Fallback.PARTS),
        ("COMMENT", LINE, (Fallback.LINES, Fallback.PARTS), True, None),
        ("COMMENT", "Something new", (), True, Fallback.LINES),
        ("APPROVE", OWN, (), False, Fallback.EVENT),
        ("APPROVE", ACTIONS, (), False, Fallback.EVENT),
        (
            "REQUEST_CHANGES",
            "Can not request changes on your own pull request",
            (),
            True,
            Fallback.EVENT,
        ),
        ("COMMENT", OWN, (), False, Fallback.LINES),
        ("APPROVE", GONE, (), True, Fallback.COMMIT),
        ("COMMENT", GONE, (), False, None),
        ("COMMENT", GONE, (Fallback.COMMIT,), True, None),
        ("COMMENT", PENDING, (), True, None),
    ],
)
def test_what_is_tried_next(event, words, tried, vouched, shape) -> None:
    assert next_fallback(replace(POST, event=event), (words,), tried, vouched) is shape
    assert next_fallback(replace(POST, event=event, comments=()), (words,), tried, vouched) is (
        None if shape in (Fallback.LINES, Fallback.PARTS) else shape
    )


@pytest.mark.parametrize("tried", [(), (Fallback.LINES,), (Fallback.LINES, Fallback.TEXT)])
def test_a_comment_on_its_own_has_no_parts(tried) -> None:
    alone = replace(POST, comments=COMMENTS[:1])
    shape = {0: Fallback.LINES, 1: Fallback.TEXT, 2: None}[len(tried)]
    assert next_fallback(alone, (LINE,), tried, False) is shape


def test_lines_that_are_not_shown_move_to_the_text() -> None:
    shown = {"a": (range(1, 9),), "b": (range(1, 4), range(7, 12))}
    made = on_shown_lines_only(POST, shown)
    assert [(each.finding.path, each.start, each.line) for each in made.comments] == [
        ("a", 0, 5),
        ("b", 0, 9),
    ]
    assert (
        [each.finding.path for each in made.listed] == ["d", "c"]
        and made.part == 1
        and said(made) == said(POST)
    )
    assert all(each.placement is Placement.BODY and each.reason for each in made.listed)


@pytest.mark.parametrize(
    "shown", [{}, {name: (range(1, 20),) for name in "abc"}], ids=["none", "all"]
)
def test_where_that_tells_nothing_it_stays_as_it_is(shown) -> None:
    made = on_shown_lines_only(POST, shown)
    assert made is POST and said(all_in_text(made)) == said(POST)


def test_a_verdict_becomes_a_comment_with_every_finding() -> None:
    made = without_event(replace(POST, event="APPROVE", digest="x"), (ACTIONS,))
    assert (
        made.event == "COMMENT"
        and said(made) == said(POST)
        and made.comments == POST.comments
        and made.digest != "x"
    )
    assert (
        ACTIONS in made.reasons and "Allow GitHub Actions to create and approve" in made.reasons[-1]
    )
    assert len(without_event(POST, (OWN,)).reasons) == 1
    bare = PostReview("APPROVE", OLD)
    refused = without_event(bare, (OWN,))
    assert refused.withheld == (OWN,) and refused.digest != without_event(bare, (ACTIONS,)).digest
    assert not without_event(POST, (OWN,)).withheld and not as_text_at_head(refused, HEAD).withheld


def test_a_commit_that_is_gone_is_spoken_of_at_the_head() -> None:
    made = as_text_at_head(replace(POST, event="REQUEST_CHANGES"), HEAD)
    assert (made.event, made.commit, made.target_commit, made.comments) == (
        "COMMENT",
        OLD,
        HEAD,
        (),
    ) and said(made) == said(POST)
    assert OLD[:12] in made.reasons[-1]


def test_a_person_is_told_what_to_do() -> None:
    assert (
        "submit or discard" in refusal_hint((PENDING,))
        and "head" in refusal_hint((GONE,))
        and refusal_hint(("Something new",)) == ""
    )

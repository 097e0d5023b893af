"""The rows of a summary are read again as they were written, and what a review could not check
stays in it."""

import re

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.markers import read_marker
from reviewgate_gh.model.finding import Finding, FindingState, QuotedLine
from reviewgate_gh.model.pull_request import PostedReview
from reviewgate_gh.model.report import Outcome, ReviewRow
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.pull_request.actions import (
    MinimizeDuplicate,
    PlacedFinding,
    Placement,
    PostReview,
    UpdateSummary,
)
from reviewgate_gh.pull_request.posted_text import MAX_CHARACTERS
from reviewgate_gh.pull_request.publish_context import PublishLimits
from reviewgate_gh.pull_request.review_text import posted_text, updated_text
from reviewgate_gh.pull_request.rows import (
    elsewhere_row,
    kept_rows,
    listed_rows,
    read_rows,
    row_sources,
    settled_row,
)
from tests.unit.pull_request.pulls import HEAD, ME
from tests.unit.pull_request.test_actions import FOUND, planned, report
from tests.unit.support import finding

URL = "https://github.com/octo/repo/pull/1"
TITLES = {
    "plain": "Undefined name `x`",
    "brackets": "f(x) (see `y`; z) [a](b)",
    "like a row": "- **P0** `a.py:1` all (ruff/F821 · `0123456789abcdef`; none)",
    "tick": "one ` only",
}
NOTHING = PublishLimits(max_inline=0)


def words(text: str) -> str:
    """Without the marks of Markdown, which are made inert or taken out."""
    return re.sub(r"[\W_]+", " ", text).strip()


@pytest.mark.parametrize("kind", TITLES)
@pytest.mark.parametrize("path", ["a.py", "a b(1)/`c`.py", "é/ü.py"])
def test_a_row_is_read_as_it_was_written(kind: str, path: str) -> None:
    found = finding(path=path, title=TITLES[kind], sources=("ruff", "claude"))
    placed = PlacedFinding(found, Placement.BODY, "beyond publish.max_inline")
    rows = "\n".join(
        (*listed_rows([placed], URL, HEAD), elsewhere_row(found, URL), settled_row(found, "why"))
    )
    listed, elsewhere, settled = read_rows(rows)
    assert [each.kind for each in (listed, elsewhere, settled)] == [
        "listed",
        "elsewhere",
        "settled",
    ]
    for each in (listed, elsewhere, settled):
        assert (each.name, each.priority) == (found.fingerprint, found.priority)
        assert words(each.title) == words(TITLES[kind])
        assert words(each.place) == words(found.location)
    assert listed.note == "beyond publish.max_inline" and settled.note == "why"
    assert set(row_sources(listed)) == {"ruff", "claude"}


def posted(post: PostReview, made) -> PostedReview:
    """A review of ours as GitHub holds it."""
    return PostedReview(
        1, ME, "COMMENTED", posted_text(post, made), HEAD, node="R1", minimized=False
    )


def test_what_a_review_could_not_check_stays_in_the_summary() -> None:
    """Until a review by those who found it is whole and does not find it."""
    made = report(FOUND)
    [post] = planned(made, wishes=NOTHING).actions
    assert isinstance(post, PostReview) and post.summary
    standing = posted(post, made)
    unsure = report(outcome=Outcome.INCONCLUSIVE)
    [update] = planned(unsure, reviews=[standing], wishes=NOTHING).actions
    assert isinstance(update, UpdateSummary) and update.post.summary
    assert len(update.post.summary.unchecked) == 1 and not update.post.summary.fixed
    text = updated_text(update, unsure)
    assert "not checked again by this review" in text and FOUND.fingerprint in text
    mark = read_marker(text, ME, ME)
    assert mark and mark.listed == (FOUND.fingerprint,)  # type: ignore[union-attr]
    kept = replace(standing, body=text)
    rows = (ReviewRow("linters", "ruff", ReviewStatus.OK),)
    whole = replace(report(outcome=Outcome.PASS), reviews=rows)
    [last] = planned(whole, reviews=[kept], wishes=NOTHING).actions
    assert isinstance(last, UpdateSummary) and last.post.summary
    assert not last.post.summary.unchecked and len(last.post.summary.fixed) == 1


def test_of_two_summaries_the_newest_is_edited_and_a_hidden_one_never() -> None:
    made = report(FOUND)
    [post] = planned(made, wishes=NOTHING).actions
    assert isinstance(post, PostReview)
    older = posted(post, made)
    newer = replace(older, id=2, node="R2")
    for hidden, edited in ((False, 2), (True, 1)):
        reviews = [older, replace(newer, minimized=hidden)]
        plan = planned(report(outcome=Outcome.PASS), reviews=reviews, wishes=NOTHING)
        updates = [each for each in plan.actions if isinstance(each, UpdateSummary)]
        assert [each.review.id for each in updates] == [edited]
        nodes = [each.node for each in plan.actions if isinstance(each, MinimizeDuplicate)]
        assert nodes == ([] if hidden else ["R1"]), "one summary is left to see"


@pytest.mark.contract(plain=False)
def test_the_longest_summary_is_one_that_github_takes() -> None:
    def wide(number: int, **more: object) -> Finding:
        many = finding(title="é" * 900, path="d/" * 90 + f"{number}.py", line=number, **more)
        return replace(many, line_start=number, line_end=number, code=str(number))

    first = report(*(wide(n, sources=("s" * 90,)) for n in range(1, 90)))
    [post] = planned(first, wishes=NOTHING).actions
    assert isinstance(post, PostReview)
    gone = tuple(
        replace(wide(n), state=FindingState.DISMISSED, note="n" * 400) for n in range(300, 360)
    )
    shown = tuple(
        replace(wide(n), excerpt=(QuotedLine(n, "x"),), placed=True) for n in range(200, 290)
    )
    second = report(*shown, *gone, outcome=Outcome.INCONCLUSIVE)
    plan = planned(second, reviews=[posted(post, first)], wishes=NOTHING, url=URL)
    [update] = [each for each in plan.actions if isinstance(each, UpdateSummary)]
    assert update.post.summary and update.post.summary.unchecked
    assert len(updated_text(update, second)) <= MAX_CHARACTERS


@pytest.mark.contract(plain=False)
def test_what_earlier_reviews_left_unchecked_never_outgrows_the_text() -> None:
    wide = finding(title="é" * 300, path="d/" * 90 + "a.py")
    placed = [
        PlacedFinding(replace(wide, line_start=n, line_end=n, code=str(n)), Placement.BODY, "why")
        for n in range(1, 500)
    ]
    rows = [*read_rows("\n".join(listed_rows([each], URL, HEAD)[1] for each in placed))]
    assert len({row.name for row in rows}) == 499
    *some, more = kept_rows(rows)
    assert sum(map(len, some)) <= 17_500 and len(some) > 50
    kept = [row.name for row in read_rows("\n".join(some))]
    assert kept == [row.name for row in rows[: len(some)]]
    assert more == f"- {499 - len(some)} more, in earlier versions of this text"
    assert [row.name for row in read_rows("\n".join(kept_rows(rows[:2])))] == kept[:2]

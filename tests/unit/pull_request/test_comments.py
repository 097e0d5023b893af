"""Buckets: what is said already, and in which order the rest is asked."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reviewgate_gh.findings.markers import ReviewMarker, with_marker
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.model.pull_request import (
    Account,
    Bucket,
    ExistingComment,
    Thread,
    ThreadReply,
)
from reviewgate_gh.pull_request import comments
from reviewgate_gh.pull_request.comments import (
    CurrentFindings,
    NewFinding,
    classify_comments,
    find_overlapping,
)
from tests.unit.pull_request.pulls import (
    ALICE,
    GHOST,
    HEAD,
    MALLORY,
    ME,
    OLD,
    ONE,
    THREE,
    TWO,
    reply,
    thread,
)

HERE = NewFinding("a.py", 5, TWO)


def one(
    found: Thread, *findings: NewFinding, standing: dict[str, Priority] | None = None
) -> ExistingComment:
    """The only comment, sorted in."""
    (existing,) = classify_comments([found], ME, HEAD, CurrentFindings(findings, standing or {}))
    return existing


def bucket(found: Thread, *findings: NewFinding, **options: Any) -> Bucket:
    """Its bucket."""
    return one(found, *findings, **options).bucket


@pytest.mark.req("R003-035", "R003-041", "R003-042")
@pytest.mark.parametrize(
    ("posted", "stale", "resolved", "answered", "overlap"), list(product([False, True], repeat=5))
)
def test_the_first_match_wins(
    posted: bool, stale: bool, resolved: bool, answered: bool, overlap: bool
) -> None:
    found = thread(
        sha=OLD if stale else HEAD, resolved=resolved, replies=(reply(),) if answered else ()
    )
    findings = [NewFinding("z.py", 9, ONE)] * posted + [HERE] * overlap
    order = (
        (posted, "alreadyPosted"),
        (stale, "stale"),
        (resolved or answered, "resolved"),
        (overlap, "overlap"),
        (True, "noConflict"),
    )
    assert bucket(found, *findings) == next(name for holds, name in order if holds)


class TestAlreadyPosted:
    """A finding that has its comment is not said twice."""

    def test_whatever_the_commit_the_line_and_the_path(self) -> None:
        for found in (thread(), thread(sha=OLD), thread(line=0), thread(path="old.py")):
            assert bucket(found, NewFinding("a.py", 50, ONE)) is Bucket.ALREADY_POSTED

    def test_every_comment_about_it(self) -> None:
        existing = classify_comments(
            [thread(), thread(sha=OLD, id=8)],
            ME,
            HEAD,
            CurrentFindings((NewFinding("a.py", 5, ONE),)),
        )
        assert [each.bucket for each in existing] == [Bucket.ALREADY_POSTED] * 2

    def test_equal_findings_are_told_apart_by_their_number(self) -> None:
        current = CurrentFindings((NewFinding("a.py", 50, ONE),))
        both = classify_comments([thread(ONE + "-2", id=8), thread()], ME, HEAD, current)
        assert [each.bucket for each in both] == [Bucket.NO_CONFLICT, Bucket.ALREADY_POSTED]
        assert bucket(thread(ONE + "-2"), NewFinding("a.py", 50, ONE)) is Bucket.ALREADY_POSTED

    def test_a_finding_without_a_fingerprint_is_none_of_them(self) -> None:
        assert bucket(thread(), NewFinding("a.py", 50)) is Bucket.NO_CONFLICT

    def test_what_people_did_with_it_is_said(self) -> None:
        standing = {ONE: Priority.P0}
        found = thread(resolved=True, minimized=True, replies=(reply(),))
        note = one(found, NewFinding("a.py", 5, ONE), standing=standing).note
        assert note.split("; ") == [
            "the thread is resolved",
            "the comment is minimised",
            "discussed: alice replied, but a P0 stays open while its code is unchanged",
        ]
        assert one(thread(), NewFinding("a.py", 5, ONE), standing=standing).note == ""


class TestStale:
    """What was reviewed is what our marker says."""

    @pytest.mark.req("R003-036")
    def test_the_marker_decides_and_githubs_commit_id_does_not(self) -> None:
        assert bucket(thread(sha=OLD, commit=HEAD)) is Bucket.STALE  # re-pointed by a force-push
        assert bucket(thread(sha=HEAD, commit=OLD)) is Bucket.NO_CONFLICT
        assert OLD[:12] in one(thread(sha=OLD)).note


class TestResolved:
    """By the thread itself, or by somebody else's reply."""

    @pytest.mark.req("R003-037")
    @pytest.mark.parametrize(
        "who", [ALICE, MALLORY, GHOST, Account(5, "other", "Bot"), Account(ME.id, ME.login, "User")]
    )
    def test_a_reply_by_somebody_else(self, who: Account) -> None:
        found = one(thread(replies=(reply(ME), reply(who))), HERE)
        assert (
            found.bucket is Bucket.RESOLVED and found.note == f"{who.login or 'somebody'} replied"
        )

    def test_our_own_replies_settle_nothing(self) -> None:
        spelt = Account(ME.id, "github-actions[bot]", "Bot")
        assert bucket(thread(replies=(reply(ME), reply(spelt)))) is Bucket.NO_CONFLICT
        assert bucket(thread(replies=(reply(ME),)), HERE) is Bucket.OVERLAP

    @pytest.mark.parametrize("priority", list(Priority))
    def test_a_reply_does_not_settle_what_is_critical_and_still_there(
        self, priority: Priority
    ) -> None:
        critical = priority in (Priority.P0, Priority.P1)
        found = one(thread(replies=(reply(MALLORY, "wontfix"),)), standing={ONE: priority})
        assert found.bucket is (Bucket.NO_CONFLICT if critical else Bucket.RESOLVED)
        assert found.note.startswith("discussed: mallory") is critical
        resolved = thread(resolved=True, replies=(reply(),))
        assert bucket(resolved, standing={ONE: priority}) is Bucket.RESOLVED
        assert bucket(thread(replies=(reply(),)), standing={TWO: priority}) is Bucket.RESOLVED

    def test_a_discussed_one_under_a_new_finding_overlaps(self) -> None:
        found = one(thread(replies=(reply(),)), HERE, standing={ONE: Priority.P1})
        assert found.bucket is Bucket.OVERLAP and "discussed" in found.note

    def test_the_poorer_interface_is_said_where_it_matters(self) -> None:
        assert "did not say" in one(thread(resolved=None)).note
        assert "did not say" in one(thread(resolved=None), HERE).note
        assert "did not say" not in one(thread(resolved=None, replies=(reply(),))).note
        assert "did not say" not in one(thread(resolved=None, sha=OLD)).note


class TestOverlap:
    """A different finding at the same place."""

    @pytest.mark.req("R003-038")
    @pytest.mark.parametrize("fingerprint", [TWO, ""])
    def test_same_path_and_line(self, fingerprint: str) -> None:
        assert bucket(thread(), NewFinding("a.py", 5, fingerprint)) is Bucket.OVERLAP

    @pytest.mark.req("R003-039", "R003-043")
    @pytest.mark.parametrize(
        "elsewhere",
        [
            NewFinding("a.py", 6, TWO),
            NewFinding("b.py", 5, TWO),
            NewFinding("a.py", 5, TWO, side="LEFT"),
            replace(HERE, inline=False),
        ],
        ids=[
            "another line",
            "another file",
            "the removed line of that number",
            "not posted at its line",
        ],
    )
    def test_anything_else_is_no_conflict(self, elsewhere: NewFinding) -> None:
        assert bucket(thread(), elsewhere) is Bucket.NO_CONFLICT

    def test_what_has_no_line_overlaps_with_nothing(self) -> None:
        assert bucket(thread(line=0), NewFinding("a.py", 0, TWO)) is Bucket.NO_CONFLICT

    def test_a_finding_that_has_its_own_comment_elsewhere_disturbs_nobody(self) -> None:
        existing = classify_comments(
            [thread(TWO, line=40), thread()], ME, HEAD, CurrentFindings((HERE,))
        )
        assert [each.bucket for each in existing] == [Bucket.ALREADY_POSTED, Bucket.NO_CONFLICT]

    def test_which_findings_are_not_to_be_posted(self) -> None:
        current = CurrentFindings(
            (HERE, NewFinding("a.py", 6, THREE), NewFinding("a.py", 5, ONE), NewFinding("a.py", 5))
        )
        assert find_overlapping(
            current, classify_comments([thread("4" * 16), thread(ONE, line=9)], ME, HEAD, current)
        ) == (HERE, NewFinding("a.py", 5))
        assert (
            find_overlapping(
                current, classify_comments([thread("4" * 16, sha=OLD)], ME, HEAD, current)
            )
            == ()
        )


class TestWhoseTheyAre:
    """Ours by marker and author."""

    @pytest.mark.parametrize(
        "foreign",
        [
            thread(author=MALLORY),
            thread(author=Account(ME.id, ME.login, "User")),
            thread(body="no marker"),
            thread(body=with_marker("a review", ReviewMarker(HEAD, "f" * 8))),
        ],
        ids=["a stranger's copy", "another kind of account", "our own talk", "another marker"],
    )
    def test_nobody_elses(self, foreign: Thread) -> None:
        assert classify_comments([foreign, thread()], ME, HEAD, CurrentFindings((HERE,))) == (
            one(thread(), HERE),
        )

    @pytest.mark.parametrize("viewer", [None, GHOST])
    def test_none_while_it_is_not_known_who_we_are(self, viewer: Account | None) -> None:
        assert (
            classify_comments(
                [thread(), thread(author=GHOST)], viewer, HEAD, CurrentFindings((HERE,))
            )
            == ()
        )

    def test_their_order_stays(self) -> None:
        threads = [
            thread(id=n, line=n, replies=(ThreadReply(1, ALICE, "x"),) * (n % 2))
            for n in range(1, 9)
        ]
        assert [
            each.thread for each in classify_comments(threads, ME, HEAD, CurrentFindings())
        ] == threads


@pytest.mark.req("R003-066")
def test_comments_are_classified_in_one_place_and_by_no_prompt() -> None:
    """One function gives buckets, the two commands call it, and no text that a model may be given
    speaks of them."""
    package = Path(comments.__file__).parents[1]
    sources = {
        file.relative_to(package).as_posix(): file.read_text("utf-8")
        for file in package.rglob("*.py")
    }
    assert [name for name, text in sources.items() if re.search(r"return \(?Bucket\.", text)] == [
        "pull_request/comments.py"
    ]
    callers = {
        name for name, text in sources.items() if re.search(r"(?<!def )\bclassify_comments\(", text)
    }
    assert callers == {"pull_request/publish.py", "pull_request/presubmit.py"}
    texts = [
        file.read_text("utf-8")
        for kind in ("*.yaml", "*.yml", "*.md", "*.txt")
        for file in package.rglob(kind)
    ]
    assert not [
        text
        for text in texts
        if any(each.value in text for each in (Bucket.NO_CONFLICT, Bucket.ALREADY_POSTED))
    ]

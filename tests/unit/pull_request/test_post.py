"""One review at GitHub that does not take it: what is sent instead, and that no comment loses its
place for a reason that is not its own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.github.reading import NotFound, TooQuick
from reviewgate_gh.github.reviews import PendingPosts
from reviewgate_gh.model.errors import UpstreamError
from reviewgate_gh.pull_request.actions import PlacedFinding, Placement, PostReview
from reviewgate_gh.pull_request.fallback import halves
from reviewgate_gh.pull_request.post import ApplyResult, PublishTarget, send_post
from reviewgate_gh.system.environment import Environment
from tests.unit.github.scripted import Clock, Say, Seen, Server, opened, serving
from tests.unit.pull_request.pulls import HEAD, ME
from tests.unit.reporters.sample import BLOCKED
from tests.unit.support import finding

QUICK = {"message": "Validation Failed", "errors": [{"message": "was submitted too quickly"}]}
ABUSE = {"message": "You have triggered an abuse detection mechanism. Please wait."}
LIMIT = {"message": "Unprocessable Entity", "errors": ["Too many comments"]}
LINE = {"message": "Unprocessable Entity", "errors": ["Line could not be resolved"]}
GONE = {"message": "Not Found"}
Refusal = Callable[[list[int]], dict[str, Any] | None]


class Place:
    """A pull request whose reviews are refused by a rule over the lines of their comments."""

    def __init__(self, server: Server, refusal: Refusal) -> None:
        self.clock, self.taken = Clock(), list[dict[str, Any]]()
        self.sent, self._refusal = list[int](), refusal
        server.rule = self.answer
        client = opened(server, self.clock)
        outbox = PendingPosts(None, Environment({}, Path.cwd()))
        self.target = PublishTarget(client, 1, ME, outbox, "main", HEAD)

    def answer(self, seen: Seen) -> Say:
        if seen.method == "GET":
            return Say(200, {"files": []} if "/compare/" in seen.path else [])
        asked = seen.json()
        lines = [each["line"] for each in asked["comments"]]
        self.sent.append(len(lines))
        if refused := self._refusal(lines):
            return Say(404 if refused is GONE else 422, refused)
        self.taken.append(asked)
        user = {"id": 41898282, "login": "github-actions[bot]", "type": "Bot"}
        made = {"id": len(self.taken), "state": "COMMENTED", "body": asked["body"], "node_id": "n"}
        return Say(200, {**made, "commit_id": HEAD, "user": user})

    def post(self, count: int, event: str = "COMMENT") -> ApplyResult:
        comments = tuple(
            PlacedFinding(finding(line=line), Placement.INLINE, line=line)
            for line in range(1, count + 1)
        )
        listed = (PlacedFinding(finding("listed.py"), Placement.BODY, "beyond"),)
        return send_post(
            PostReview(event, HEAD, comments, listed, digest="d" * 16), BLOCKED, self.target
        )

    @property
    def lines(self) -> list[int]:
        """Those that have comments."""
        return sorted(each["line"] for review in self.taken for each in review["comments"])

    def texts(self, word: str) -> int:
        """How many reviews have it in their text."""
        return sum(word in each["body"] for each in self.taken)


@pytest.fixture
def at() -> Iterator[Callable[[Refusal], Place]]:
    with serving() as server:
        yield lambda refusal: Place(server, refusal)


def test_a_limit_of_comments_for_a_review_costs_no_place(at) -> None:
    place = at(lambda lines: LIMIT if len(lines) > 15 else None)
    done = place.post(45, "REQUEST_CHANGES")
    assert place.lines == [*range(1, 46)] and done.comments == 45 and done.reviews == 4
    assert [each["event"] for each in place.taken] == ["REQUEST_CHANGES", *["COMMENT"] * 3]
    assert place.texts("listed.py") == 1 and place.texts("Continued") == 3
    assert place.clock.naps and max(place.clock.naps) <= 1, "nothing says that it is a wait"


def test_a_404_to_many_comments_is_a_limit_too(at) -> None:
    place = at(lambda lines: GONE if len(lines) > 15 else None)
    place.post(30)
    assert place.sent == [30, 15, 15] and place.lines == [*range(1, 31)]


def test_a_404_to_a_single_comment_is_none(at) -> None:
    place = at(lambda lines: GONE)
    with pytest.raises(NotFound):
        place.post(30)
    assert place.sent == [30, 15, 8, 4, 2, 1] and not place.taken


@pytest.mark.parametrize("bad", [(1,), (8,), (30,), (3, 17, 29)], ids=str)
def test_a_line_that_is_refused_takes_no_other_with_it(at, bad) -> None:
    place = at(lambda lines: LINE if {*lines} & {*bad} else None)
    place.post(30)
    assert place.lines == [line for line in range(1, 31) if line not in bad]
    assert all(place.texts(f"a.py:{line}`") == 1 for line in bad)
    assert place.texts("listed.py") == 1 and len(place.sent) <= 12 * len(bad)


def test_where_every_comment_is_refused_all_are_soon_in_the_text(at) -> None:
    place = at(lambda lines: LINE if lines else None)
    place.post(30)
    assert place.lines == [] and len(place.taken) == 1 and len(place.sent) < 15
    assert all(place.texts(f"a.py:{line}`") == 1 for line in range(1, 31))


@pytest.mark.parametrize("words", [QUICK, ABUSE], ids=["quick", "abuse"])
def test_what_comes_too_quickly_is_sent_again_after_a_wait(at, words) -> None:
    answers = iter([words])
    place = at(lambda lines: next(answers, None))
    done = place.post(10)
    assert place.sent == [10, 10] and place.clock.naps == [60]
    assert place.lines == [*range(1, 11)] and done.reviews == 1


def test_what_is_too_much_at_once_is_halved_and_keeps_its_places(at) -> None:
    place = at(lambda lines: QUICK if len(lines) > 3 else None)
    place.post(10)
    assert place.sent == [10, 10, 5, 5, 3, 2, 5, 5, 3, 2] and place.lines == [*range(1, 11)]
    assert [nap for nap in place.clock.naps if nap > 1] == [60] * 3


@pytest.mark.parametrize("count", [0, 1, 4])
def test_what_never_goes_through_is_an_error_and_nothing_moves_to_the_text(at, count) -> None:
    place = at(lambda lines: QUICK)
    with pytest.raises(UpstreamError, match="too quickly") as caught:
        place.post(count)
    assert not place.taken and "wait some minutes" in caught.value.hint


def test_what_went_through_before_stays(at) -> None:
    place = at(lambda lines: QUICK if 4 in lines else None)
    with pytest.raises(TooQuick):
        place.post(4)
    assert place.lines == [1, 2, 3] and place.texts("a.py:4`") == 0


@pytest.mark.parametrize(
    "words", ["User can only have one pending review", "Commit is not part of the pull request"]
)
def test_a_refusal_that_is_not_about_comments_is_not_halved(at, words) -> None:
    answers = iter([LIMIT, None])
    place = at(lambda lines: next(answers, {"message": words}))
    with pytest.raises(UpstreamError, match=words):
        place.post(20)
    assert place.sent == [20, 10, 10] and place.lines == [*range(1, 11)]


@pytest.mark.parametrize("name", ["abuse.py", "src/abuse", "abuse/x.py", "abuse_test", "'abuse'"])
def test_a_name_of_the_change_is_no_word_of_githubs(at, name) -> None:
    place = at(lambda lines: {"message": f"Path {name} could not be resolved"} if lines else None)
    place.post(1)
    assert place.clock.naps == [pytest.approx(1)] and place.texts("a.py:1`") == 1


@given(st.integers(2, 400).map(lambda count: tuple(range(count))))
def test_halves_are_all_of_it(comments) -> None:
    first, second = halves(comments)  # type: ignore[arg-type]
    assert first + second == comments and 0 <= len(first) - len(second) <= 1

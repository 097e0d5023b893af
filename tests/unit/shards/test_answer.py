"""The file of a shard's answers: what was said survives, and what was changed on the way is
refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from reviewgate_gh.model.finding import Confidence, Finding, FindingState, Priority
from reviewgate_gh.model.review import (
    ModelCall,
    PartialReview,
    Portion,
    Review,
    ReviewStatus,
    Usage,
)
from reviewgate_gh.shards.answer import (
    ShardAnswer,
    foreign_plan,
    misplaced_part,
    read_answer,
    write_answer,
)
from reviewgate_gh.shards.plan import Question, Work, make_plan

from .test_plan import INPUTS

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_PATH = st.sampled_from(["a.py", "ordner/ü.py", "raw\udcff.py"])
_FINDING = st.builds(
    Finding,
    priority=st.sampled_from(Priority),
    category=_TEXT,
    rule=_TEXT,
    path=_PATH,
    line_start=st.integers(0, 9),
    line_end=st.integers(9, 20),
    title=st.sampled_from(["a remark", "ein Hinweis: ü", "two\nlines"]),
    suggestion=st.none() | st.sampled_from(["x = 1\n"]),
    confidence=st.sampled_from(Confidence),
    state=st.sampled_from(FindingState),
)
_USAGE = st.builds(
    Usage, st.integers(0, 9), st.integers(0, 9999), cost=st.none() | st.floats(0, 10)
)
_REVIEW = st.builds(
    Review,
    reviewer=st.sampled_from(["linters", "one"]),
    part=st.sampled_from(["", "ruff", "security"]),
    status=st.sampled_from(ReviewStatus),
    findings=st.lists(_FINDING, max_size=3).map(tuple),
    found=st.integers(0, 99),
    covered=st.lists(_PATH, max_size=3).map(tuple),
    error=st.sampled_from(["", "stopped after 3 s", "over the budget of 3 calls"]),
    required=st.booleans(),
    seconds=st.floats(0, 1000),
    asked=st.none() | st.builds(ModelCall, model=_TEXT, usage=_USAGE, kept=st.booleans()),
    note=st.sampled_from(["", "not compared with the base"]),
    summaries=st.lists(st.sampled_from(["adds a", "removes b"]), max_size=2).map(tuple),
)
_PART = st.builds(
    PartialReview,
    _REVIEW,
    st.integers(0, 9),
    st.integers(0, 9),
    st.lists(_FINDING, max_size=2).map(tuple),
    st.lists(_FINDING, max_size=2).map(tuple),
    st.sampled_from(["", "exit code 3"]),
)
_ANSWER = st.builds(
    ShardAnswer,
    st.just(INPUTS),
    st.just("d" * 64),
    st.integers(1, 4),
    st.just(4),
    st.integers(1, 3),
    st.lists(_PART, max_size=3).map(tuple),
    st.lists(st.sampled_from(["models read the change in parts"]), max_size=1).map(tuple),
    st.lists(_PATH, max_size=2).map(tuple),
    _USAGE,
    st.booleans(),
    st.floats(0, 1000),
)
WORK = Work((Question("builtin", 1.0), Question("b", 9.0, 0, 100)), (("a.py", 1.0), ("b.py", 1.0)))
PLAN = make_plan(INPUTS, WORK, 2)


@given(_ANSWER)
def test_everything_that_was_said_survives(answer: ShardAnswer) -> None:
    text = write_answer(answer)
    assert text.isascii() and read_answer(text.encode()) == answer


@given(_ANSWER, st.data())
def test_a_file_that_was_cut_off_or_changed_is_refused(
    answer: ShardAnswer, data: st.DataObject
) -> None:
    text = write_answer(answer).encode()
    at = data.draw(st.integers(0, len(text) - 3))
    changed = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]
    for damaged in (text[:at], changed):
        with pytest.raises(ValueError, match=r"an answer|digest|format"):
            read_answer(damaged)


def _text(**more: Any) -> bytes:
    return json.dumps(more).encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not an answer of a shard"),
        (b"[]", "expected an object"),
        (_text(sha256="0", answer={"format": 1}), "the digest does not match"),
        (_text(sha256="0", answer={"format": 2}), "format 2; this version reads 1"),
        (_text(sha256="0", answer={}, more=1), "expected an object with sha256 and answer"),
        (b'{"sha256": "", "sha256": "", "answer": {}}', "duplicate key"),
        (b'{"a": ' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_answer_is_told_in_one_line(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        read_answer(data)
    assert "\n" not in str(caught.value)


def test_a_secret_is_not_in_the_file() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    finding = Finding(
        Priority.P0, "c", "r", "a.py", 1, 1, f"found {secret}", secret, suggestion=secret
    )
    review = Review("linters", "ruff", findings=(finding,), found=1, error=secret, note=secret)
    part = PartialReview(review, undecided=(finding,), on_base=(finding,), base_error=secret)
    answer = ShardAnswer(INPUTS, "", 1, 2, 1, (part,), (secret,))
    assert secret not in write_answer(answer)


def _answer(*parts: PartialReview, **more: Any) -> ShardAnswer:
    return ShardAnswer(INPUTS, PLAN.digest, 1, 2, 1, parts, **more)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"base": "e" * 40}, "it is old: its base is eeeeeeeeeeee, not bbbbbbbbbbbb"),
        ({"head": "e" * 40}, "it is old: its head is eeeeeeeeeeee, not aaaaaaaaaaaa"),
        ({"rules": "e" * 40}, "it is old: its side of the settings is eeeeeeeeeeee, not bbb"),
        ({"config": "e" * 12}, "it is old: its config digest is eeeeeeeeeeee, not cccccccccccc"),
        ({"version": "0.9"}, "it is of reviewgate-gh 0.9, not 1.0"),
        ({"entry_point": "pr"}, "it was asked at the entry point pr, not cli"),
        ({"trusted": True}, "it was asked with other options (--reviewer, --trusted)"),
        ({"reviewers": ("one",)}, "it was asked with other options (--reviewer, --trusted)"),
    ],
)
def test_an_answer_to_another_plan_says_to_which(change: dict[str, Any], why: str) -> None:
    assert foreign_plan(_answer(), PLAN) == ""
    assert foreign_plan(replace(_answer(), inputs=replace(INPUTS, **change)), PLAN).startswith(why)


def test_an_answer_of_another_shard_belongs_to_no_plan() -> None:
    assert foreign_plan(replace(_answer(), shards=3), PLAN) == "it is one of 3 shards, not of 2"
    assert foreign_plan(replace(_answer(), plan="0"), PLAN) == "it belongs to another plan"
    assert foreign_plan(replace(_answer(), shard=3), PLAN) == "there is no shard 3"
    negative = replace(_answer(), spent=Usage(1, -5))
    assert foreign_plan(negative, PLAN) == "its cost is negative"


MODEL = Review("one", "security", asked=ModelCall(), said="PASS")
RUFF = Review("linters", "ruff", covered=("a.py",))
PORTION = Portion(1, frozenset({"builtin"}), frozenset({"a.py"}), frozenset({0}), 1.0)
GOOD = (
    PartialReview(Review("builtin", covered=("a.py", "b.py"))),
    PartialReview(RUFF),
    PartialReview(MODEL),
)
FOUND = Finding(Priority.P1, "c", "r", "b.py", 1, 1, "t")


def _misplaced(*parts: PartialReview, portion: Portion = PORTION) -> str:
    return misplaced_part(_answer(*parts), portion, {"linters/ruff"}, {"builtin", "linters/ruff"})


@pytest.mark.parametrize(
    ("review", "why"),
    [
        (Review("change"), "change belongs to another shard"),
        (replace(RUFF, covered=("b.py",)), "linters/ruff reports about 'b.py'"),
        (replace(RUFF, findings=(FOUND,), found=1), "linters/ruff reports about 'b.py'"),
        (Review("builtin", found=3), "builtin: its counts do not add up"),
        (replace(RUFF, found=-1), "linters/ruff: its counts do not add up"),
        (replace(MODEL, seconds=-1.0), "one/security: its counts do not add up"),
        (replace(MODEL, said="NONE"), "one/security: its verdict is 'NONE'"),
        (replace(MODEL, asked=ModelCall(usage=Usage(cost=-1.0))), "its cost is negative"),
        (Review("builtin", findings=(replace(FOUND, path="a\0"),), found=1), "not a valid file"),
        (
            Review("builtin", findings=(replace(FOUND, state=FindingState.REFUTED),), found=1),
            "it calls a finding refuted",
        ),
    ],
)
def test_a_part_that_nobody_asked_for_makes_the_file_useless(review: Review, why: str) -> None:
    assert _misplaced(*GOOD) == ""
    assert why in _misplaced(*GOOD, PartialReview(review))


def test_what_a_shard_was_to_ask_must_be_in_its_answer() -> None:
    assert _misplaced(*GOOD[1:]) == "it has no answer of builtin"
    assert _misplaced(*GOOD[:1], GOOD[2]) == "it has no answer of linters/ruff"
    assert _misplaced(*GOOD[:2]) == "it has no answer of a language model"
    assert _misplaced(*GOOD, portion=replace(PORTION, batches=frozenset())) == (
        "one/security belongs to another shard"
    )


def test_the_file_holds_no_more_than_its_schema_says() -> None:
    plain = json.loads(write_answer(_answer(*GOOD)))
    assert plain["answer"].keys() == to_builtins(_answer()).keys()

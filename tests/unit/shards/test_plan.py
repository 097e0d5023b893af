"""Who asks what: all of it once, the same every time, and about as much for everybody."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.ensemble.budget import share_of_budget
from reviewgate_gh.model.config import Budget
from reviewgate_gh.model.errors import UsageError
from reviewgate_gh.shards.plan import (
    MOST_SHARDS,
    PlanInputs,
    Question,
    ShardPlan,
    Work,
    make_plan,
    parse_shard,
    parse_shards,
    suitable_shards,
)
from reviewgate_gh.shards.table import plan_table

INPUTS = PlanInputs("b" * 40, "a" * 40, "b" * 40, "c" * 12, "1.0", "cli", (), False)
_SECONDS = st.floats(0.001, 500)
_WHOLE = st.lists(_SECONDS, max_size=8).map(
    lambda costs: tuple(Question(f"q{at}", cost) for at, cost in enumerate(costs))
)
_BATCHES = st.lists(st.tuples(_SECONDS, st.integers(1, 200_000)), max_size=10).map(
    lambda rows: tuple(Question(f"batch {at}", *row[:1], at, row[1]) for at, row in enumerate(rows))
)
_FILES = st.lists(_SECONDS, max_size=40).map(
    lambda costs: tuple((f"f{at:03}", cost) for at, cost in enumerate(costs))
)
WORK = st.builds(
    lambda whole, batches, files, calls: Work((*whole, *batches), files, calls),
    _WHOLE,
    _BATCHES,
    _FILES,
    st.none() | st.integers(1, 60),
)


@given(WORK, st.integers(1, MOST_SHARDS))
def test_everything_is_asked_once(work: Work, shards: int) -> None:
    plan = make_plan(INPUTS, work, shards)
    assert plan.shards == shards and plan == make_plan(INPUTS, work, shards)
    every = [each for portion in plan.portions for each in sorted(portion.whole)]
    assert sorted(every) == sorted(each.name for each in work.questions if each.batch < 0)
    batches = [each for portion in plan.portions for each in portion.batches]
    assert sorted(batches) == [each.batch for each in work.questions if each.batch >= 0]
    files = [each for portion in plan.portions for each in sorted(portion.files)]
    assert files == [path for path, _ in work.files]  # a range for each, in their order
    assert sum(plan.seconds) == pytest.approx(work.seconds)


@given(WORK, st.none() | st.integers(1, MOST_SHARDS))
def test_no_machine_is_started_for_nothing(work: Work, wanted: int | None) -> None:
    shards = suitable_shards(work, wanted)
    assert 1 <= shards <= (wanted or 16)
    if work.seconds <= 60 and wanted is None:
        assert shards == 1


@given(WORK, st.integers(1, MOST_SHARDS), st.integers(1, 60), st.floats(0.01, 100))
def test_all_together_spend_no_more_than_the_budget(
    work: Work, shards: int, calls: int, dollars: float
) -> None:
    work = Work(work.questions, work.files, calls)
    budget = Budget(calls=calls, input_tokens=6_000_000, cost_usd=dollars)
    plan = make_plan(INPUTS, work, shards)
    parts = [share_of_budget(budget, each.share) for each in plan.portions if each.batches]
    assert sum(each.calls or 0 for each in parts) <= calls
    assert sum(each.input_tokens or 0 for each in parts) <= 6_000_000
    assert sum(each.cost_usd or 0 for each in parts) <= dollars * 1.000001


def test_the_longest_questions_are_apart_and_files_fill_what_is_left() -> None:
    work = Work(
        (Question("slow", 30.0), Question("quick", 10.0)),
        tuple((f"f{at:02}", 1.0) for at in range(20)),
    )
    plan = make_plan(INPUTS, work, 3)
    assert [sorted(each.whole) for each in plan.portions] == [["slow"], ["quick"], []]
    assert [len(each.files) for each in plan.portions] == [0, 5, 15]
    assert plan.seconds == (30.0, 15.0, 15.0)
    assert json.loads(plan.matrix) == {
        "include": [
            {"shard": "1/3", "number": 1, "seconds": 30.0},
            {"shard": "2/3", "number": 2, "seconds": 15.0},
            {"shard": "3/3", "number": 3, "seconds": 15.0},
        ]
    }
    rows = plan_table(plan).splitlines()
    assert rows[:4] == [
        "shard  about  asks",
        "1/3     30 s  slow",
        "2/3     15 s  quick, linters (5 files)",
        "3/3     15 s  linters (15 files)",
    ]
    assert rows[4] == f"plan {plan.digest[:12]}"


def test_what_decides_about_a_plan_is_in_its_digest() -> None:
    work = Work((Question("a", 1.0), Question("b", 2.0)), (("f", 1.0), ("g", 1.0)))
    plan = make_plan(INPUTS, work, 2)
    others: list[ShardPlan] = [make_plan(INPUTS, work, 3)]
    for name in ("base", "head", "rules", "config", "version", "entry_point"):
        changed = {**{f: getattr(INPUTS, f) for f in INPUTS.__struct_fields__}, name: "other"}
        others.append(make_plan(PlanInputs(**changed), work, 2))
    swapped = (Question("a", 2.0), Question("b", 1.0))
    others.append(make_plan(INPUTS, Work(swapped, work.files), 2))
    assert len({plan.digest, *(each.digest for each in others)}) == len(others) + 1


@pytest.mark.parametrize(
    "text", ["", "0/2", "3/2", "1", "1/", "/2", "1/65", "-1/2", "1/2/3", "²/3"]
)
def test_what_is_no_shard_is_told(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_shard(text)
    assert caught.value.message == f"{text!r} is not a shard" and "2/4" in caught.value.hint
    assert parse_shard("2/4") == (2, 4)


@pytest.mark.parametrize("text", ["", "0", "65", "many", "-1", "1.5", "9" * 5000])
def test_what_is_no_number_of_shards_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is not a number of shards"):
        parse_shards(text)
    assert parse_shards("auto") is None and parse_shards("64") == 64

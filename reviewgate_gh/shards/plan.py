"""Which machine asks what: the same change, settings and number of shards always give the same
plan."""

import json
import math
from collections.abc import Iterator, Sequence

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ..model.errors import UsageError
from ..model.finding import sha256_hex
from ..model.review import Portion

MOST_SHARDS = 64
_MOST_AUTO = 16
_WORTH_A_SHARD = 60.0  # seconds: to check out and to install takes about half as long


class Question(Struct, frozen=True):
    """Something that one machine asks about all of the change, and about how many seconds it
    takes; or a batch of language models, by its number, with its tokens."""

    name: str
    seconds: float
    batch: int = -1
    tokens: int = 0


class Work(Struct, frozen=True):
    """All that there is to ask: whole questions, and the seconds of each file for the tools that
    share files. `calls` is the budget of language models."""

    questions: tuple[Question, ...]
    files: tuple[tuple[str, float], ...] = ()
    calls: int | None = None

    @property
    def seconds(self) -> float:
        """Of all, on one machine."""
        return sum(each.seconds for each in self.questions) + sum(cost for _, cost in self.files)


class PlanInputs(Struct, frozen=True, forbid_unknown_fields=True):
    """What a plan is made for: the commits, the side that settings come from, the digest of the
    config, our version, and what the command line says of the reviewers."""

    base: str
    head: str
    rules: str
    config: str
    version: str
    entry_point: str
    reviewers: tuple[str, ...]
    trusted: bool


class ShardPlan(Struct, frozen=True):
    """The portions, the first of shard 1, with the seconds that each may take; `digest` identifies
    all of it."""

    inputs: PlanInputs
    portions: tuple[Portion, ...]
    seconds: tuple[float, ...]
    digest: str

    @property
    def shards(self) -> int:
        """How many there are."""
        return len(self.portions)

    @property
    def matrix(self) -> str:
        """The matrix of a GitHub Actions job, as JSON on one line."""
        rows = [
            {"shard": f"{at}/{self.shards}", "number": at, "seconds": round(seconds, 1)}
            for at, seconds in enumerate(self.seconds, 1)
        ]
        return json.dumps({"include": rows}, separators=(",", ":"))


def parse_shard(text: str) -> tuple[int, int]:
    """`2/4` as (2, 4).

    Raises:
        UsageError: it is no such pair.
    """
    first, slash, last = text.partition("/")
    digits = first.isascii() and last.isascii() and first.isdigit() and last.isdigit()
    if slash and digits and len(first + last) < 9 and 1 <= int(first) <= int(last) <= MOST_SHARDS:
        return int(first), int(last)
    raise UsageError(
        f"{text!r} is not a shard",
        f"write its number and how many there are, such as 2/4 (at most {MOST_SHARDS})",
    )


def parse_shards(text: str) -> int | None:
    """A number of shards; None for `auto`.

    Raises:
        UsageError: it is neither.
    """
    if text == "auto":
        return None
    if text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= MOST_SHARDS:
        return int(text)
    raise UsageError(
        f"{text!r} is not a number of shards", f"write auto, or a number from 1 to {MOST_SHARDS}"
    )


def suitable_shards(work: Work, wanted: int | None) -> int:
    """As many as are wanted, or by the time that it takes; no more than have something to do."""
    worth = min(_MOST_AUTO, math.ceil(work.seconds / _WORTH_A_SHARD))
    return max(1, min(worth if wanted is None else wanted, len(work.questions) + len(work.files)))


def make_plan(inputs: PlanInputs, work: Work, shards: int) -> ShardPlan:
    """The plan for so many shards: whole questions first, the longest to the shard that has the
    least to do; then files in their order fill up what is left, so that each shard has a range of
    them."""
    mine: list[list[Question]] = [[] for _ in range(shards)]
    load = [0.0] * shards
    for question in sorted(_together(work, shards), key=lambda each: (-each.seconds, each.name)):
        at = min(range(shards), key=lambda each: (load[each], each))
        mine[at].append(question)
        load[at] += question.seconds
    ranges = _ranges(work.files, load)
    tokens = sum(each.tokens for each in work.questions)
    portions = []
    for at, (questions, files) in enumerate(zip(mine, ranges, strict=True)):
        load[at] += sum(cost for _, cost in files)
        batches = frozenset(n for each in questions for n in _batches(each, work))
        spent = sum(each.tokens for each in work.questions if each.batch in batches)
        portions.append(
            Portion(
                at + 1,
                frozenset(each.name for each in questions if each.batch < 0),
                frozenset(path for path, _ in files),
                batches,
                spent / tokens if tokens else 0.0,
            )
        )
    plan = ShardPlan(inputs, tuple(portions), tuple(load), "")
    return replace(plan, digest=_digest(plan))


def _together(work: Work, shards: int) -> Sequence[Question]:
    """The questions; the batches of models as one where the calls of their budget cannot be
    divided."""
    batches = [each for each in work.questions if each.batch >= 0]
    tokens = sum(each.tokens for each in batches)
    least = min((each.tokens / tokens for each in batches if tokens), default=1.0)
    if len(batches) < 2 or shards < 2 or work.calls is None or work.calls * least >= 1:
        return work.questions
    others = [each for each in work.questions if each.batch < 0]
    seconds = sum(each.seconds for each in batches)
    return [*others, Question("models", seconds, _EVERY_BATCH, tokens)]


_EVERY_BATCH = 1_000_000


def _batches(question: Question, work: Work) -> Iterator[int]:
    if question.batch == _EVERY_BATCH:
        yield from (each.batch for each in work.questions if each.batch >= 0)
    elif question.batch >= 0:
        yield question.batch


def _ranges(
    files: Sequence[tuple[str, float]], load: Sequence[float]
) -> list[list[tuple[str, float]]]:
    """A range of the files for each shard, so that all come to the same level where that can be."""
    room = [max(0.0, _level(sum(cost for _, cost in files), load) - each) for each in load]
    open_ones = [at for at, each in enumerate(room) if each > 0]
    ranges: list[list[tuple[str, float]]] = [[] for _ in load]
    filled, end, place = 0.0, 0.0, -1
    for path, cost in files:
        while (place < 0 or filled + cost / 2 > end) and place + 1 < len(open_ones):
            place += 1
            end += room[open_ones[place]]
        ranges[open_ones[place]].append((path, cost))
        filled += cost
    return ranges


def _level(total: float, load: Sequence[float]) -> float:
    """The load up to which so much fills all that have less."""
    ordered = sorted(load)
    levels = ((total + sum(ordered[:count])) / count for count in range(1, len(ordered) + 1))
    above = [*ordered[1:], math.inf]
    return next(level for level, next_load in zip(levels, above, strict=True) if level <= next_load)


def _digest(plan: ShardPlan) -> str:
    rows = [
        [each.piece, sorted(each.whole), sorted(each.files), sorted(each.batches), each.share]
        for each in plan.portions
    ]
    said = json.dumps([to_builtins(plan.inputs), rows], sort_keys=True)
    return sha256_hex(said)

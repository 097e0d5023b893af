"""The file with one shard's answers: data that other machines wrote, read with bounds and believed
only where it belongs to the plan."""

import json
from collections.abc import Collection
from typing import Any, Final, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ..ensemble.answer import VERDICTS
from ..model.finding import Finding, FindingState, sha256_hex
from ..model.review import NO_USAGE, PartialReview, Portion, Review, Usage
from ..text.safe import json_without_commands, safe_data
from ..text.strict import checked, json_object, load_json, path_text
from .plan import PlanInputs, ShardPlan

MOST_BYTES = 100_000_000
FORMAT: Final = 1
# What reviewers say; all others are for those who judge
_STATES = (FindingState.OPEN, FindingState.OUTSIDE_DIFF, FindingState.WAIVED)
_WHAT = "an answer of a shard"


class ShardAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """What one shard's reviewers said. `attempt` counts the runs of its job. `notices`, `looked_up`
    and `spent` are of its language models; `late`: it had no more time. Times are in seconds from
    the start of its run."""

    inputs: PlanInputs
    plan: str
    shard: int
    shards: int
    attempt: int
    parts: tuple[PartialReview, ...]
    notices: tuple[str, ...] = ()
    looked_up: tuple[str, ...] = ()
    spent: Usage = NO_USAGE
    late: bool = False
    seconds: float = 0.0
    format: Literal[1] = FORMAT

    @property
    def name(self) -> str:
        """For people."""
        return f"shard {self.shard} of {self.shards}"


def write_answer(answer: ShardAnswer) -> str:
    """The file's text: ASCII JSON, secrets redacted, with a digest of all of it."""
    shown = replace(
        answer,
        parts=tuple(map(_redacted, answer.parts)),
        notices=tuple(map(safe_data, answer.notices)),
    )
    plain = to_builtins(shown)
    return json_without_commands(json.dumps({"sha256": _checksum(plain), "answer": plain}) + "\n")


def read_answer(data: bytes) -> ShardAnswer:
    """The answer in a file.

    Raises:
        ValueError: it was cut off, changed, or written by another version.
    """
    plain = json_object(load_json(data, _WHAT, unique=True), _WHAT)
    answer = plain.get("answer")
    if not isinstance(answer, dict) or plain.keys() != {"sha256", "answer"}:
        raise ValueError(f"not {_WHAT}: expected an object with sha256 and answer")
    if answer.get("format") != FORMAT:
        raise ValueError(f"format {answer.get('format')!r:.40}; this version reads {FORMAT}")
    if plain["sha256"] != _checksum(answer):
        raise ValueError("its content was changed: the digest does not match")
    return checked(answer, ShardAnswer, "answer")


def _checksum(plain: Any) -> str:
    return sha256_hex(json.dumps(plain, sort_keys=True))


def _redacted(part: PartialReview) -> PartialReview:
    review = part.review
    shown = replace(
        review,
        findings=tuple(map(_redacted_finding, review.findings)),
        error=safe_data(review.error),
        note=safe_data(review.note),
        summaries=tuple(map(safe_data, review.summaries)),
    )
    return replace(
        part,
        review=shown,
        undecided=tuple(map(_redacted_finding, part.undecided)),
        on_base=tuple(map(_redacted_finding, part.on_base)),
        base_error=safe_data(part.base_error),
    )


def _redacted_finding(finding: Finding) -> Finding:
    suggestion = finding.suggestion
    return replace(
        finding,
        title=safe_data(finding.title),
        body=safe_data(finding.body),
        note=safe_data(finding.note),
        suggestion=None if suggestion is None else safe_data(suggestion),
    )


def foreign_plan(answer: ShardAnswer, plan: ShardPlan) -> str:
    """Why an answer is none to this plan; "" where it is."""
    theirs, ours = answer.inputs, plan.inputs
    for name, what in (("base", "base"), ("head", "head"), ("rules", "side of the settings")):
        if getattr(theirs, name) != getattr(ours, name):
            other, right = getattr(theirs, name), getattr(ours, name)
            return f"it is old: its {what} is {other:.12}, not {right:.12}"
    if theirs.config != ours.config:
        return f"it is old: its config digest is {theirs.config:.12}, not {ours.config:.12}"
    if theirs.version != ours.version:
        return f"it is of reviewgate-gh {theirs.version:.20}, not {ours.version}"
    if theirs.entry_point != ours.entry_point:
        return f"it was asked at the entry point {theirs.entry_point:.20}, not {ours.entry_point}"
    if (theirs.reviewers, theirs.trusted) != (ours.reviewers, ours.trusted):
        return "it was asked with other options (--reviewer, --trusted)"
    if answer.shards != plan.shards:
        return f"it is one of {answer.shards} shards, not of {plan.shards}"
    if answer.plan != plan.digest:
        return "it belongs to another plan"
    if not 1 <= answer.shard <= plan.shards:
        return f"there is no shard {answer.shard}"
    return "its cost is negative" if _is_negative(answer.spent) else ""


def misplaced_part(
    answer: ShardAnswer, portion: Portion, per_file: Collection[str], expected: Collection[str]
) -> str:
    """Why an answer cannot be one of this portion; "" where it can. `per_file` are the names of the
    tools that share files, `expected` those who must have said something."""
    heard, models = set[str](), False
    for part in answer.parts:
        review = part.review
        name = show_name(review)
        if why := _unsound(part, name in per_file):
            return f"{name}: {why}"
        if review.asked is not None:
            models = True
            if not portion.batches:
                return f"{name} belongs to another shard"
        elif name in per_file:
            strange = {*review.covered, *_paths(part)} - portion.files
            if strange:
                return f"{name} reports about {min(strange)!r:.200}, which it was not asked about"
        elif not {name, review.reviewer} & portion.whole:
            return f"{name} belongs to another shard"
        heard.add(name)
    if missing := sorted({*expected} - heard):
        return f"it has no answer of {', '.join(missing)}"
    return "" if models or not portion.batches else "it has no answer of a language model"


def show_name(review: Review) -> str:
    """As `Review.name`, without what only a terminal would show."""
    return safe_data(review.name)


def _paths(part: PartialReview) -> set[str]:
    return {finding.path for finding in (*part.review.findings, *part.undecided)}


def _unsound(part: PartialReview, is_per_file: bool) -> str:
    """What no reviewer of ours would say."""
    review, usage = part.review, part.review.asked and part.review.asked.usage
    counted = len(review.findings) + len(part.undecided) + review.outside
    numbers = (review.outside, part.piece, part.question, review.seconds, review.began)
    # What a tool says of unchanged lines is counted when all files are judged
    if min(numbers) < 0 or (review.found < counted if is_per_file else review.found != counted):
        return "its counts do not add up"
    if usage and _is_negative(usage):
        return "its cost is negative"
    if review.said not in ("", *VERDICTS) and review.asked is not None:
        return f"its verdict is {review.said!r:.40}"
    for finding in (*review.findings, *part.undecided, *part.on_base):
        if finding.state not in _STATES:
            return f"it calls a finding {finding.state.value}"
        try:
            path_text(finding.path or ".", "path")
        except ValueError as error:
            return str(error)
    return ""


def _is_negative(usage: Usage) -> bool:
    """No question costs less than nothing."""
    return (
        min(usage.calls, usage.input, usage.cached, usage.written, usage.output) < 0
        or (usage.cost or 0) < 0
    )

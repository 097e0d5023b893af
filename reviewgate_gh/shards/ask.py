"""One shard: its reviewers are asked, and their answers are written down for `gather`."""

from pathlib import Path

from msgspec.structs import replace

from ..ensemble.options import ReviewOptions, ReviewRun
from ..gate.deliver import write_report_file
from ..gate.review import is_used_up, run_ensemble, start_run
from ..gate.reviews import ask_portion
from ..git import Git
from ..model.errors import UsageError
from ..model.review import NO_USAGE, PartialReview
from ..settings.change import LoadingChange
from ..system.environment import Environment
from .answer import MOST_BYTES, ShardAnswer, write_answer
from .plan import ShardPlan, parse_shard
from .work import plan_run

_ATTEMPT = "GITHUB_RUN_ATTEMPT"
_MOST_ATTEMPTS = 1_000_000


def plan_review(
    options: ReviewOptions,
    git: Git,
    environment: Environment,
    shards: int | None,
    begun: LoadingChange | None = None,
) -> ShardPlan:
    """The plan for a review in so many shards; None: by its cost."""
    return plan_run(start_run(options, git, environment, begun), shards)


def ask_shard(
    options: ReviewOptions,
    git: Git,
    environment: Environment,
    shard: str,
    begun: LoadingChange | None = None,
) -> ShardAnswer:
    """Ask the reviewers of one shard (`2/4`). One that breaks is an answer; no verdict is made.

    Raises:
        UsageError: there is no such shard.
        ConfigError: as for a review.
    """
    number, shards = parse_shard(shard)
    run = start_run(options, git, environment, begun)
    plan = plan_run(run, exactly=shards)
    portion = plan.portions[number - 1]
    run = replace(run, options=replace(options, portion=portion))
    ensemble = run_ensemble(run)
    parts = ask_portion(run, ensemble)
    reviews = [part.review for part in parts]
    return ShardAnswer(
        plan.inputs,
        plan.digest,
        number,
        shards,
        read_attempt(environment),
        tuple(_from_start(part, run) for part in parts),
        ensemble.notices if ensemble else (),
        tuple(sorted(ensemble.looked_up)) if ensemble else (),
        ensemble.client.budget.spent if ensemble else NO_USAGE,
        is_used_up(run, ensemble, reviews),
        round(environment.clock() - run.began, 3),
    )


def _from_start(part: PartialReview, run: ReviewRun) -> PartialReview:
    """No other machine knows this one's clock."""
    began = round(max(0.0, part.review.began - run.began), 3)
    return replace(part, review=replace(part.review, began=began))


def read_attempt(environment: Environment) -> int:
    """Which run of the job this is, as GitHub counts; 1 elsewhere.

    Raises:
        UsageError: the variable is not a number.
    """
    text = environment.variables.get(_ATTEMPT) or "1"
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= _MOST_ATTEMPTS:
        return int(text[:9])
    raise UsageError(
        f"{_ATTEMPT} is {text!r:.40}, not a number of a run", "set it to 1, 2, 3 and so on"
    )


def store_answer(answer: ShardAnswer, path: Path) -> str:
    """Write the file; what to say of it.

    Raises:
        UsageError: the place cannot be written, or it would be too large to be read.
    """
    text = write_answer(answer)
    if len(text) > MOST_BYTES:
        raise UsageError(
            f"the answer of {answer.name} has {len(text):,} bytes, more than {MOST_BYTES:,}",
            "use more shards, or disable the rules that report so much",
        )
    write_report_file(path, text)
    found = sum(part.review.found for part in answer.parts)
    names = dict.fromkeys(part.review.name for part in answer.parts)
    said = ", ".join(names) or "nothing to ask"
    return f"{answer.name} asked: {said} · {found:,} found · written to {path}"

"""The Action as one job of several: it plans a review, asks one shard, or makes the review of all
answers."""

import os
from pathlib import Path

from msgspec.structs import replace

from ..ensemble.options import ReviewOptions
from ..github.runner import read_input, set_output, temporary_path, workspace_path
from ..model.errors import Exit, UsageError
from ..model.variables import SKIP_VARIABLE
from ..shards.ask import ask_shard, plan_review, store_answer
from ..shards.collect import gathering
from ..shards.plan import parse_shard, parse_shards
from ..shards.table import plan_table
from ..system.environment import Environment
from ..text.safe import safe_line
from .step import ActionContext

_INPUTS = ("shards", "shard", "answers")


def is_sharded(environment: Environment) -> bool:
    """One of the inputs makes the job a part of several."""
    return any(read_input(environment, name) for name in _INPUTS)


def makes_report(environment: Environment) -> bool:
    """It is the job that reviews, and not one that plans or asks a part."""
    answers = read_input(environment, "answers")
    return bool(answers) or not is_sharded(environment)


def report_no_change(environment: Environment) -> None:
    """There is nothing to plan."""
    if is_sharded(environment) and not makes_report(environment):
        set_output(environment, {"shards": "0", "matrix": '{"include":[]}'})


def sharded_options(options: ReviewOptions, environment: Environment) -> ReviewOptions:
    """The same for all jobs of a review; the last one reads the answers of the others. All of the
    change is read each time: the jobs may not see the same last review.

    Raises:
        UsageError: the inputs contradict each other, or are not what they must be.
    """
    if not is_sharded(environment):
        return options
    options = replace(options, last_review=None)
    shard, answers = read_input(environment, "shard"), read_input(environment, "answers")
    if shard and (answers or read_input(environment, "shards")):
        raise UsageError(
            "the input shard cannot be used with shards or answers",
            "plan, ask and gather in different jobs: see docs/sharding.md",
        )
    if not answers:
        return options
    folder, shards = workspace_path(environment, answers), read_input(environment, "shards")
    if folder.is_relative_to(environment.cwd.resolve()):
        raise UsageError(
            f"the input answers: {answers!r} lies in the checkout, where the reviewed commits can "
            "put files",
            "download the artifacts below ${{ runner.temp }}",
        )
    # Where no job left an answer, nobody has made it
    folders = [folder] if os.path.lexists(folder) else []
    return gathering(options, folders, parse_shards(shards) if shards else None)


def plan_or_ask(options: ReviewOptions, context: ActionContext) -> int:
    """Print the plan and set it as outputs, or write the answers of one shard."""
    environment = context.environment
    shard = read_input(environment, "shard")
    if not shard:
        wanted = parse_shards(read_input(environment, "shards"))
        plan = plan_review(options, context.git, environment.without_skip(), wanted)
        print(plan_table(plan), end="")
        set_output(environment, {"shards": str(plan.shards), "matrix": plan.matrix})
        return Exit.OK
    number, shards = parse_shard(shard)
    if environment.skip_requested:
        print(f"reviewgate-gh: {SKIP_VARIABLE} is set: nothing was asked")
        return Exit.OK
    path: Path = temporary_path(environment, f"reviewgate-gh-shard-{number}-of-{shards}.json")
    answer = ask_shard(options, context.git, environment, shard)
    print(f"reviewgate-gh: {safe_line(store_answer(answer, path), 600)}")
    set_output(environment, {"answer": str(path)})
    return Exit.OK

"""Divide a review among several machines, and print the matrix."""

from functools import partial
from pathlib import Path

import click

from ..ensemble.options import AnswerOptions, ReviewOptions
from ..gate.deliver import Delivery, write_stdout
from ..git import Git, open_repository
from ..model.change import Selection
from ..model.errors import Exit
from ..settings.change import LoadingChange, start_loading_selection
from ..shards.ask import plan_review
from ..shards.plan import parse_shards
from ..shards.table import plan_table
from ..system.environment import Environment
from . import _review_options
from ._options import api_url, policy, repo, result_form, trusted


@click.command("plan")
@click.option(
    "--shards",
    default="auto",
    show_default=True,
    metavar="auto|N",
    help="How many machines, at most 64; auto: depends on how long the reviewers will take.",
)
@_review_options.ranges
@_review_options.pull
@_review_options.reviewer
@result_form
@trusted
@policy
@api_url
@repo
def command(
    shards: str,
    selection: Selection,
    pull: str,
    reviewers: tuple[str, ...],
    form: str,
    trusted: bool,
    policy: str,
    api_url: str | None,
    repo: Path,
) -> int:
    """Divide a review among several machines, and print the matrix.

    Each machine runs `review --shard I/N`, and `gather` combines their answers into one report. The
    same change, settings and version always give the same plan. A change that one machine reviews
    in about a minute has one shard.

    \b
    Examples:
      reviewgate-gh plan --base origin/main                          a table
      reviewgate-gh plan --base origin/main --output json            for fromJSON
      reviewgate-gh review --base origin/main --shard 1/4 --output-path answers/1.json
      reviewgate-gh gather --base origin/main answers
    """
    wanted = parse_shards(shards)
    environment = Environment.current().without_skip()
    show = partial(_show_plan, wanted, form)
    if pull:
        # As in `review`: the client of GitHub takes long to import
        from ..pull_request.review import PullReviewOptions, review_pull_request

        asked = PullReviewOptions(
            pull, False, api_url, policy, reviewers, (), AnswerOptions(), Delivery(),
            on_machines=True, instead=show,
        )  # fmt: skip
        return review_pull_request(asked, selection, trusted, repo, environment)
    git = open_repository(repo, environment.variables)
    found, loading = start_loading_selection(git, selection, environment, trusted)
    options = ReviewOptions(found, trusted=trusted, policy=policy, reviewers=reviewers)
    return show(options, git, environment, loading)


def _show_plan(
    shards: int | None,
    form: str,
    options: ReviewOptions,
    git: Git,
    environment: Environment,
    loading: LoadingChange | None = None,
) -> int:
    plan = plan_review(options, git, environment, shards, loading)
    write_stdout(f"{plan.matrix}\n" if form == "json" else plan_table(plan))
    return Exit.OK

"""Combine the answers of all shards into one report."""

from functools import partial
from pathlib import Path

import click

from ..ensemble.options import AnswerOptions, ReviewOptions
from ..gate.deliver import Delivery, deliver
from ..gate.review import review_by_hand
from ..git import open_repository
from ..model.change import Selection
from ..reviewers.imports import read_imports
from ..settings.change import start_loading_selection
from ..shards.collect import gathering
from ..shards.plan import parse_shards
from ..system.environment import Environment
from . import _review_options
from ._options import api_url, policy, repo, trusted


@click.command("gather")
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR...",
)
@click.option(
    "--shards", metavar="N", help="How many answers there must be.  [default: what they say]"
)
@_review_options.ranges
@_review_options.pull_request
@_review_options.reviews
@_review_options.answers
@_review_options.delivery
@trusted
@policy
@api_url
@repo
def command(
    folders: tuple[Path, ...],
    shards: str | None,
    selection: Selection,
    pull: str,
    publish: bool,
    imports: tuple[Path, ...],
    reviewers: tuple[str, ...],
    answers: AnswerOptions,
    delivery: Delivery,
    trusted: bool,
    policy: str,
    api_url: str | None,
    repo: Path,
) -> int:
    """Combine the answers of all shards into one report with one verdict.

    DIR holds the files that `review --shard` wrote; its subfolders are searched, too. Give the same
    range and options as for the shards. A shard without an answer to this very plan makes the
    verdict inconclusive and is named. If a job was run again, its newest answer counts.

    \b
    Examples:
      reviewgate-gh gather --base origin/main answers
      reviewgate-gh gather --base origin/main --report sarif=review.sarif answers
      reviewgate-gh gather --pr 123 --publish answers
    """
    environment = Environment.current()
    gathered = partial(gathering, folders=folders, shards=parse_shards(shards) if shards else None)
    if pull or publish:
        # As in `review`: the client of GitHub takes long to import
        from ..pull_request.review import PullReviewOptions, review_pull_request

        asked = PullReviewOptions(
            pull, publish, api_url, policy, reviewers, imports, answers, delivery,
            on_machines=True, adapt=gathered,
        )  # fmt: skip
        return review_pull_request(asked, selection, trusted, repo, environment)
    git = open_repository(repo, environment.variables)
    wanted, loading = start_loading_selection(git, selection, environment, trusted)
    options = ReviewOptions(
        wanted,
        trusted=trusted,
        policy=policy,
        reviewers=reviewers,
        imported_reviews=read_imports(imports, git) if imports else (),
        answers=answers,
    )
    report = review_by_hand(gathered(options), git, environment, loading)
    return deliver(report, delivery, git, environment)

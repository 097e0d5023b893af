"""Review commits by hand."""

from pathlib import Path

import click
from msgspec.structs import replace

from ..ensemble.options import AnswerOptions, ReviewOptions
from ..gate.coverage import uncommitted_notices
from ..gate.deliver import Delivery, deliver
from ..gate.review import preload_plugins, review
from ..git import open_repository
from ..model.change import Selection
from ..reviewers.imports import read_imports
from ..settings.change import start_loading_selection
from ..system.environment import Environment
from ..system.parallel import BackgroundCall
from . import _review_options
from ._options import api_url, policy, repo, trusted


@click.command("review")
@_review_options.selection
@_review_options.pull_request
@_review_options.reviews
@_review_options.answers
@_review_options.delivery
@trusted
@policy
@api_url
@repo
def command(
    selection: Selection,
    since_last: bool,
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
    """Review commits and answer pass, concerns, block or inconclusive.

    Without a range, this reviews what HEAD adds to its upstream, or else to the remote's default
    branch; in a repository that was never pushed, all of HEAD. A pull request is fetched; its own
    configuration is ignored, and none of its code is
    run. One of another repository is read through GitHub's API. `review presubmit` and `review
    cleanup` are the same as `presubmit` and `cleanup`; `review list` lists the templates for
    reviewing documents and code, such as `review arch`, `review tasks` and `review code`.

    \b
    Examples:
      reviewgate-gh review                      before a push
      reviewgate-gh review --base origin/main   what this branch adds
      reviewgate-gh review --staged             before a commit
      reviewgate-gh review --pr 123             a pull request of origin
      reviewgate-gh review --output sarif --output-path review.sarif
    """
    environment = Environment.current()
    if since_last and (selection.selected_options or pull):
        raise click.UsageError("--since-last cannot be used with another range or --pr")
    if pull or publish:
        # The client of GitHub is half as much again of all that a local review imports.
        from ..pull_request.review import PullReviewOptions, review_pull_request

        asked = PullReviewOptions(
            pull, publish, api_url, policy, reviewers, imports, answers, delivery
        )
        return review_pull_request(asked, selection, trusted, repo, environment)

    git = open_repository(repo, environment.variables)
    if since_last:
        from ..orchestrate.runs import record_reviewed, select_since_last

        selection = select_since_last(git)
    begun = BackgroundCall(start_loading_selection, git, selection, environment, trusted)
    preload_plugins()
    wanted, loading = begun.result()
    options = ReviewOptions(
        wanted,
        trusted=trusted,
        policy=policy,
        reviewers=reviewers,
        imported_reviews=read_imports(imports, git) if imports else (),
        answers=answers,
    )
    beside = BackgroundCall(uncommitted_notices, git, wanted.head, environment)
    report = review(options, git, environment, loading)
    if since_last:
        record_reviewed(report, selection, git)
    report = replace(report, notices=(*report.notices, *beside.result()))
    return deliver(report, delivery, git, environment)

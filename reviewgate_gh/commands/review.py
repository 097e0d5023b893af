"""Review commits, staged changes, the work tree or a pull request."""

from functools import partial
from pathlib import Path

import click

from ..ensemble.options import AnswerOptions, ReviewOptions
from ..gate.deliver import Delivery, deliver
from ..gate.review import preload_plugins, review_by_hand
from ..git import Git, open_repository
from ..model.change import Selection
from ..model.errors import Exit
from ..model.variables import SKIP_VARIABLE
from ..reviewers.imports import read_imports
from ..settings.change import LoadingChange, start_loading_selection
from ..system.environment import Environment
from ..system.parallel import BackgroundCall
from ..text.safe import safe_line
from . import _review_options
from ._options import api_url, policy, repo, trusted


@click.command("review")
@_review_options.selection
@_review_options.pull_request
@_review_options.reviews
@_review_options.answers
@_review_options.delivery
@_review_options.shard
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
    shard: str,
    trusted: bool,
    policy: str,
    api_url: str | None,
    repo: Path,
) -> int:
    """Review commits and answer pass, concerns, block or inconclusive.

    Without a range, this reviews what HEAD adds to its upstream, or else to the remote's default
    branch; in a repository that was never pushed, all of HEAD. A pull request is fetched; its own
    configuration is ignored, and none of its code is run. One of another repository is read through
    GitHub's API. `review presubmit` and `review cleanup` are the same as `presubmit` and `cleanup`;
    `review list` lists the templates for reviewing documents and code, such as `review arch`,
    `review tasks` and `review code`.

    \b
    Examples:
      reviewgate-gh review                      before a push
      reviewgate-gh review --base origin/main   what this branch adds
      reviewgate-gh review --staged             before a commit
      reviewgate-gh review --pr 123             a pull request of origin
      reviewgate-gh review --output sarif --output-path review.sarif
      reviewgate-gh review --shard 2/4 --output-path 2.json   one of four machines
    """
    environment = Environment.current()
    if since_last and (shard or pull or selection.selected_options):
        raise click.UsageError("--since-last cannot be used with another range, --pr or --shard")
    if shard:
        _refuse_with_shard(publish, imports, delivery)
    if pull or publish:
        # The client of GitHub is half as much again of all that a local review imports.
        from ..pull_request.review import PullReviewOptions, review_pull_request

        asked = PullReviewOptions(
            pull, publish, api_url, policy, reviewers, imports, answers, delivery,
            bool(shard), instead=partial(_ask_shard, shard, delivery.path) if shard else None,
        )  # fmt: skip
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
    if shard:
        return _ask_shard(shard, delivery.path, options, git, environment, loading)
    report = review_by_hand(options, git, environment, loading)
    if since_last:
        record_reviewed(report, selection, git)
    return deliver(report, delivery, git, environment)


def _refuse_with_shard(publish: bool, imports: tuple[Path, ...], delivery: Delivery) -> None:
    """A shard makes no report: what is about one belongs to `gather`."""
    named = {
        "--publish": publish,
        "--import": imports,
        "--report": delivery.files,
        "--output": delivery.form != "terminal",
    }
    if wrong := [name for name, given in named.items() if given]:
        raise click.UsageError(f"--shard and {wrong[0]} cannot be used together")
    if delivery.path is None:
        raise click.UsageError("--shard needs --output-path, the file for the answers")


def _ask_shard(
    shard: str,
    path: Path | None,
    options: ReviewOptions,
    git: Git,
    environment: Environment,
    loading: LoadingChange | None = None,
) -> int:
    if environment.skip_requested or path is None:
        click.echo(f"reviewgate-gh: {SKIP_VARIABLE} is set: nothing was asked", err=True)
        return Exit.OK
    # Only few reviews are made on several machines
    from ..shards.ask import ask_shard, store_answer

    answer = ask_shard(options, git, environment, shard, loading)
    click.echo(f"reviewgate-gh: {safe_line(store_answer(answer, path), 600)}", err=True)
    return Exit.OK

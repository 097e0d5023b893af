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
from ._options import api_url, non_empty, non_empty_folder, output, policy, repo, trusted


@click.command("review")
@click.option(
    "--base",
    callback=non_empty,
    metavar="REF",
    help="Review what HEAD adds since its merge base with REF.",
)
@click.option(
    "--range",
    "span",
    callback=non_empty,
    metavar="A..B",
    help="Review the diff between two commits (A...B: from their merge base).",
)
@click.option("--commit", callback=non_empty, metavar="REF", help="Review one commit.")
@click.option("--staged", is_flag=True, help="Review the staged changes.")
@click.option(
    "--uncommitted", is_flag=True, help="Review the work tree: staged, unstaged and new files."
)
@click.option(
    "--since-last",
    is_flag=True,
    help="Review what is new since the last review with this option, or since the run started.",
)
@click.option("--all-files", is_flag=True, help="Review every file of HEAD as if it were new.")
@click.option(
    "--pr",
    "pull",
    callback=non_empty,
    metavar="N|URL",
    help="Review a pull request, given by its number or by its URL.",
)
@click.option(
    "--publish", is_flag=True, help="With --pr: post the review on the pull request, once."
)
@click.option(
    "--import",
    "imports",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Add another tool's report: SARIF, rdjson, rdjsonl, checkstyle or "
    "shellcheck json1. May be repeated.",
)
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    metavar="NAME",
    help="Ask only this reviewer from the config. May be repeated.",
)
@click.option(
    "--no-cache",
    "fresh",
    is_flag=True,
    help="Ask language models again instead of reusing earlier answers.",
)
@click.option("--record", callback=non_empty_folder, type=click.Path(file_okay=False),
    metavar="DIR",
              help="Record every answer of a language model in this folder.")  # fmt: skip
@click.option("--replay", callback=non_empty_folder, type=click.Path(file_okay=False),
    metavar="DIR",
              help="Replay the answers recorded in this folder; no model is asked.")  # fmt: skip
@click.option(
    "--verbose", "-v", is_flag=True, help="List duplicates, waived and old findings, too."
)
@click.option("--exit-zero", is_flag=True, help="Report only: exit 0 whatever the verdict.")
@output
@trusted
@policy
@api_url
@repo
def command(
    base: str,
    span: str,
    commit: str,
    staged: bool,
    uncommitted: bool,
    since_last: bool,
    all_files: bool,
    pull: str,
    publish: bool,
    imports: tuple[Path, ...],
    reviewers: tuple[str, ...],
    fresh: bool,
    record: Path | None,
    replay: Path | None,
    verbose: bool,
    exit_zero: bool,
    form: str,
    output_path: Path | None,
    trusted: bool,
    policy: str,
    api_url: str | None,
    repo: Path,
) -> int:
    """Review commits and answer pass, concerns, block or inconclusive.

    Without a range, this reviews what HEAD adds to its upstream, or else to the remote's default
    branch. A pull request is fetched; its own configuration is ignored, and none of its code is
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
    if record and replay:
        raise click.UsageError("--record and --replay cannot be used together")
    if replay and not replay.is_dir():
        raise click.UsageError(f"--replay: the folder {replay} does not exist")
    environment, selection = (
        Environment.current(),
        Selection(base, span, commit, staged, uncommitted, all_files),
    )
    if since_last and (selection.selected_options or pull):
        raise click.UsageError("--since-last cannot be used with another range or --pr")
    if pull or publish:
        # The client of GitHub is half as much again of all that a local review imports.
        from ..pull_request.review import PullReviewOptions, review_pull_request

        asked = PullReviewOptions(
            pull,
            publish,
            api_url,
            policy,
            reviewers,
            imports,
            AnswerOptions(fresh, record, replay),
            Delivery(form, output_path, exit_zero, verbose),
        )
        return review_pull_request(asked, selection, trusted, repo, environment)

    git = open_repository(repo, environment.variables)
    if since_last:
        from ..orchestrate.runs import record_reviewed, select_since_last

        selection = select_since_last(git)
    begun = BackgroundCall(start_loading_selection, git, selection, environment, trusted)
    preload_plugins()
    wanted, loading = begun.result()
    imported = read_imports(imports, git) if imports else ()
    recall = AnswerOptions(fresh, record, replay)
    options = ReviewOptions(
        wanted,
        trusted=trusted,
        policy=policy,
        reviewers=reviewers,
        imported_reviews=imported,
        answers=recall,
    )
    beside = BackgroundCall(uncommitted_notices, git, wanted.head, environment)
    report = review(options, git, environment, loading)
    if since_last:
        record_reviewed(report, selection, git)
    report = replace(report, notices=(*report.notices, *beside.result()))
    return deliver(report, Delivery(form, output_path, exit_zero, verbose), git, environment)

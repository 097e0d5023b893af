"""Post a report on its pull request, once."""

from pathlib import Path

import click

from ..git import open_repository
from ..pull_request.publish_kept import PublishRequest, publish_stored_report
from ..system.environment import Environment
from ._options import api_url, policy, repo


@click.command("publish")
@click.argument("pull", metavar="PR")
@click.option(
    "--report",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The JSON report.  [default: the one from review --pr, or the latest one kept here]",
)
@click.option(
    "--repository",
    metavar="OWNER/REPO",
    help="The repository.  [default: $GITHUB_REPOSITORY, or origin's]",
)
@click.option("--dry-run", is_flag=True, help="Show what would be posted; post nothing.")
@click.option(
    "--preflight", is_flag=True, help="Show which permissions the token lacks; post nothing."
)
@click.option(
    "--yes",
    is_flag=True,
    help=(
        "Do not stop if a line already has a comment of the gate's: list its findings in the "
        "summary."
    ),
)
@click.option("--closed", is_flag=True, help="Also post on a closed or merged pull request.")
@api_url
@policy
@repo
def command(
    pull: str,
    path: Path | None,
    repository: str | None,
    dry_run: bool,
    preflight: bool,
    yes: bool,
    closed: bool,
    api_url: str | None,
    policy: str,
    repo: Path,
) -> int:
    """Post what is new in a report on pull request PR, and close comments that are settled. A
    second run changes nothing.

    Every review names the reviewed commit. The token comes from GITHUB_TOKEN or GH_TOKEN and needs
    `pull-requests: write`.
    """
    environment = Environment.current()
    return publish_stored_report(
        PublishRequest(pull, path, repository, dry_run, preflight, yes, api_url, policy, closed),
        open_repository(repo, environment.variables),
        environment,
    )

"""Report the state of a pull request: CI, the gate's comments, the head."""

from pathlib import Path

import click

from ..github.client import open_github
from ..pull_request.presubmit import PresubmitOptions, write_presubmit_report
from ..system.environment import Environment
from ._options import api_url


@click.command("presubmit")
@click.argument("pull", metavar="PR")
@click.argument("sha")
@click.argument("repository", metavar="OWNER/REPO")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--new-findings", "findings", type=click.Path(path_type=Path), metavar="FILE",
              help="Findings to compare the gate's comments with: a JSON report of this tool, "
                   "or a list of {path, line}.")  # fmt: skip
@click.option(
    "--require-ci", is_flag=True, help="Do not approve a pull request that has no checks."
)
@api_url
def command(
    pull: str,
    sha: str,
    repository: str,
    out: Path,
    findings: Path | None,
    require_ci: bool,
    api_url: str | None,
) -> int:
    """Ask GitHub for everything that matters to a review of commit SHA of pull request PR, and
    write it to OUT as JSON.

    This only reads. The token comes from GITHUB_TOKEN or GH_TOKEN; without one, only public
    repositories can be read.
    """
    environment = Environment.current()
    return write_presubmit_report(
        PresubmitOptions(pull, sha, out, findings, require_ci),
        open_github(environment, repository, api_url),
        environment,
    )

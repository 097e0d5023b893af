"""`orchestrate verify-epic`: whether an epic meets its acceptance criteria."""

from pathlib import Path

import click

from ._options import policy, repo, result_form, several, trusted
from ._orchestrating import log_format, output_dir, say


@click.command("verify-epic", short_help="Check whether an epic meets its acceptance criteria.")
@click.argument("epic")
@several(output_dir, log_format, result_form, trusted, policy, repo)
def verify_epic(epic: str, output_dir: Path | None, log_format: str, form: str, trusted: bool, policy: str, repo: Path) -> int:
    """Verify an epic whose issues are all closed, as configured under epic_verification. Unmet criteria become issues.

    \b
    Exit codes: 0 every criterion is met, 1 at least one is not, 2 no verdict (or an issue is
    still open), 3 timeout, 4 the external gate is missing or has no reviewers, 5 it failed
    with an internal error.
    """
    from ..flows.orchestrate import desk
    from ..flows.trigger_engine import Asked
    from ..flows.verify_epic_said import verified

    return say(verified(desk(repo, output_dir, log_format == "json"), Asked(policy, trusted), epic), form)

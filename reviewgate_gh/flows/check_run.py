"""The verdict as a check run of our own on the reviewed commit, for branch rules; the same one is never created twice."""

import json
from functools import partial
from typing import Literal

from ..model import own_check
from ..model.digest import sha256_hex
from ..model.exits import Exit
from ..model.report import Outcome, Report
from ..reporters._check import annotations, summary, title
from ..reporters._words import counted
from ..steps.policy import exit_code
from ..system.github.check_runs import CheckDraft, publish_check
from ..system.github.client import Client
from ..system.github.errors import Forbidden
from ..system.outbox import Outbox


def check_run(report: Report, client: Client, outbox: Outbox | None, app: str = "") -> tuple[str, ...]:
    """Create the check run, or finish an interrupted one; returns what was done, in words, also if the token lacks the permission.

    Without an `outbox` it is only described. `app` is the slug of the app that posts, "" for a person.

    Raises:
        UpstreamError: GitHub refuses for another reason, or cannot be reached.
    """
    draft = _draft(report, app)
    what = f"the check run {draft.name} on {draft.commit[:12]}: {draft.conclusion}, {counted(len(draft.annotations), 'annotation')}"
    if outbox is None:
        return (f"would create {what}",)
    try:
        publish_check(client, draft, partial(outbox.intent, draft.key, draft.commit))
    except Forbidden as error:
        return (f"no check run was created: {error.message}. {error.hint}",)
    return (what,)


def _draft(report: Report, app: str) -> CheckDraft:
    """The key names the verdict and the findings: while these stay, a later run finds this one and makes no other."""
    ended, heading, notes = conclusion(report), title(report), annotations(report)
    said = json.dumps([report.change.head, ended, heading, notes], sort_keys=True)
    key = own_check.external_id(sha256_hex(said, 16))
    return CheckDraft(own_check.NAME, report.change.head, key, ended, heading, summary(report), notes, app)


def conclusion(report: Report) -> Literal["success", "neutral", "failure"]:
    """The verdict in GitHub's words. Branch rules take neutral for a success, so only what the gate lets through is that."""
    outcome = report.verdict.outcome
    if outcome is Outcome.PASS:
        return "success"
    return "neutral" if exit_code(outcome, report.mode) == Exit.OK else "failure"

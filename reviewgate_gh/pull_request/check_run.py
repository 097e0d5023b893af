"""The verdict as a check run of our own on the reviewed commit, for branch rules; the same one is
never made twice."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from msgspec import Struct

from ..gate.policy import outcome_exit_code
from ..github import check_runs
from ..github.check_runs import CheckRunDraft, send_check_run
from ..github.client import Client
from ..github.reading import Forbidden
from ..github.reviews import PendingPosts
from ..model.errors import Exit
from ..model.finding import Finding, Priority, sha256_hex
from ..model.report import Outcome, Report
from ..reporters import _words
from ..reporters._words import count_noun
from ..reporters.markdown import render_within
from ..text.safe import safe_block, safe_data, safe_line, without_commands
from ..text.visible import is_valid_unicode

_MOST_ANNOTATIONS = 500  # ten requests
# https://docs.github.com/en/rest/checks/runs#create-a-check-run
_MOST_SUMMARY = 60_000  # bytes: GitHub refuses a text over 65,535 characters
_MOST_TITLE, _MOST_MESSAGE = 250, 8_000
_AUDIT = "The audit log of the clone that reported this ends with `{}`."
_LEVELS = {Priority.P0: "failure", Priority.P1: "failure", Priority.P2: "warning"}


class CheckRunOrigin(Struct, frozen=True):
    """Who reports: the slug of the app, "" for a person; the repository's web address, for links;
    and where the audit log of this clone ends, "" for none."""

    app: str = ""
    repository: str = ""
    audit_end: str = ""

    @property
    def note(self) -> str:
        """What the text ends with."""
        return f"\n\n{_AUDIT.format(self.audit_end)}" if self.audit_end else ""


def check_title(report: Report) -> str:
    """The verdict, what it counts, and the code without a reviewer."""
    parts = [*_words.summary_parts(report)[:2], *filter(None, [report.coverage.summary])]
    return without_commands(safe_line(" · ".join(parts), _MOST_TITLE))


def check_summary(report: Report, repository: str = "") -> str:
    """What the step summary shows, as far as it fits."""
    text = render_within(report, _MOST_SUMMARY, repository)
    return (
        text
        if len(text) <= _MOST_SUMMARY
        else f"{text[:_MOST_SUMMARY]}\n\n… cut here: the full text is in the report."
    )


def check_annotations(report: Report) -> tuple[Mapping[str, Any], ...]:
    """The open findings from P0 to P2, most severe first; one whose file has a name that no JSON
    can hold is in the summary only."""
    shown = [
        finding
        for finding in _words.confident_findings(report)
        if finding.priority in _LEVELS and is_valid_unicode(finding.path)
    ]
    return tuple(_annotation(finding) for finding in shown[:_MOST_ANNOTATIONS])


def _annotation(finding: Finding) -> Mapping[str, Any]:
    # GitHub wants a line; for a whole file, and for lines that are gone, it is the first one.
    first = finding.line_start if finding.side == "RIGHT" else 0
    said = without_commands(
        safe_block("\n\n".join(filter(None, [finding.title, finding.body.strip()])))
    )
    return {
        "path": safe_data(finding.path),
        "start_line": max(1, first),
        "end_line": max(1, first, finding.line_end if first else 0),
        "annotation_level": _LEVELS[finding.priority],
        "title": without_commands(
            safe_line(f"{finding.priority.value} {_words.rule_or_category(finding)}", _MOST_TITLE)
        ),
        "message": said[:_MOST_MESSAGE] or "no description",
    }


def publish_check_run(
    report: Report, client: Client, outbox: PendingPosts | None, by: CheckRunOrigin
) -> tuple[str, ...]:
    """Create the check run, or finish an interrupted one; returns what was done, in words, also if
    the token lacks the permission.

    Without an `outbox` it is only described.

    Raises:
        UpstreamError: GitHub refuses for another reason, or cannot be reached.
    """
    draft = _draft(report, by)
    what = (
        f"the check run {draft.name} on {draft.commit[:12]}: {draft.conclusion}, "
        f"{count_noun(len(draft.annotations), 'annotation')}"
    )
    if outbox is None:
        return (f"would create {what}",)
    try:
        send_check_run(client, draft, partial(outbox.record, draft.key, draft.commit))
    except Forbidden as error:
        return (f"no check run was created: {error.message}. {error.hint}",)
    return (what,)


def _draft(report: Report, by: CheckRunOrigin) -> CheckRunDraft:
    """The key names the verdict and the findings: while these stay, a later run finds this one and
    makes no other."""
    ended, heading, notes = check_conclusion(report), check_title(report), check_annotations(report)
    said = json.dumps([report.change.head, ended, heading, notes], sort_keys=True)
    key = check_runs.external_id(sha256_hex(said, 16))
    return CheckRunDraft(
        check_runs.CHECK_NAME,
        report.change.head,
        key,
        ended,
        heading,
        f"{check_summary(report, by.repository)}{by.note}",
        notes,
        by.app,
    )


def check_conclusion(report: Report) -> Literal["success", "neutral", "failure"]:
    """The verdict in GitHub's words.

    Branch rules take neutral for a success, so only what the gate lets through is that.
    """
    outcome = report.verdict.outcome
    if outcome is Outcome.PASS:
        return "success"
    return "neutral" if outcome_exit_code(outcome, report.mode) == Exit.OK else "failure"

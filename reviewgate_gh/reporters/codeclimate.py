"""Code Climate's issues as GitLab reads them: the widget "Code Quality" of a merge request.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
https://github.com/codeclimate/platform/blob/master/spec/analyzers/SPEC.md
"""

import json
from typing import Any

from ..model.finding import Confidence, Finding, Priority, sha256_hex
from ..model.report import Report
from ..text.safe import json_without_commands, safe_block, safe_line
from . import _words
from ._look import OutputStyle

_SEVERITIES = {
    Priority.P0: "blocker",
    Priority.P1: "critical",
    Priority.P2: "major",
    Priority.P3: "minor",
}
_OF_RUN = {"error": "blocker", "warning": "major"}
_CATEGORIES = {
    "security": "Security",
    "secret": "Security",
    "secrets": "Security",
    "performance": "Performance",
    "style": "Style",
}
_DEFECT = "Bug Risk"


def render(report: Report, style: OutputStyle) -> str:
    """A list of issues: what the run has to say, then the open findings, most severe first."""
    findings = [*_words.confident_findings(report), *_words.uncertain_findings(report)]
    issues = [*_of_run(report), *map(_issue, findings)]
    return json_without_commands(json.dumps(issues, indent=1)) + "\n"


def _of_run(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "type": "issue",
            "check_name": f"{_words.PROGRAM_NAME}/verdict",
            "description": safe_line(remark.text, 2_000),
            "categories": [_DEFECT],
            "severity": _OF_RUN[remark.level],
            "fingerprint": sha256_hex(f"verdict\0{remark.text}", 16),
            "location": _location(_words.first_path(report), 1, 1),
        }
        for remark in _words.run_remarks(report)
    ]


def _issue(finding: Finding) -> dict[str, Any]:
    sure = finding.confidence is Confidence.HIGH
    body = safe_block(finding.body).strip()[:10_000]
    first = _words.line_at_head(finding)
    last = max(finding.line_end, first) if first else 0
    return {
        "type": "issue",
        "check_name": safe_line(_words.rule_or_category(finding)),
        # The name is in it as well: https://gitlab.com/gitlab-org/gitlab/-/issues/578172
        "description": safe_line(_words.finding_message(finding), 2_000),
        **({"content": {"body": body}} if body else {}),
        "categories": [_CATEGORIES.get(finding.category, _DEFECT)],
        "severity": _SEVERITIES[finding.priority] if sure else "info",
        "fingerprint": finding.fingerprint,
        "location": _location(finding.path, max(first, 1), max(last, 1)),
    }


def _location(path: str, begin: int, end: int) -> dict[str, Any]:
    return {"path": safe_line(path, 4_096), "lines": {"begin": begin, "end": end}}

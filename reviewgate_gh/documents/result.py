"""What a template's review answers: a verdict, findings, and the text that they were read from."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict


class Verdict(StrEnum):
    """The words of a summary; UNKNOWN where none can be read.

    The order of the first three is the order of severity.
    """

    PASS = "PASS"
    CONCERNS = "CONCERNS"
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"


class Severity(StrEnum):
    """The words of a finding."""

    PASS = "PASS"
    CONCERN = "CONCERN"
    FAIL = "FAIL"


class ReviewFinding(Struct, frozen=True):
    """One finding.

    `file_ref` is the place it names, `path`, `path:line` or `path:first-last`; `missing`: no such
    file is there; `beyond_end`: the file has no such line.
    """

    severity: Severity
    title: str
    description: str
    file_ref: str | None = None
    missing: bool = False
    beyond_end: bool = False


def _now() -> datetime:
    return datetime.now(UTC)


class ReviewResult(Struct, frozen=True):
    """One review.

    `input_files` maps the template's inputs to what was given; `error` says why the verdict is
    UNKNOWN.
    """

    verdict: Verdict
    findings: Sequence[ReviewFinding]
    raw_output: str
    template_name: str
    input_files: Mapping[str, str]
    timestamp: datetime = field(default_factory=_now)
    reviewer: str = ""
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON holds them: enums as their values, the time as ISO 8601."""
        findings = [
            {**asdict(finding), "severity": finding.severity.value} for finding in self.findings
        ]
        return {
            "verdict": self.verdict.value,
            "findings": findings,
            "raw_output": self.raw_output,
            "template_name": self.template_name,
            "input_files": dict(self.input_files),
            "timestamp": self.timestamp.isoformat(timespec="seconds"),
            "reviewer": self.reviewer,
            "error": self.error,
        }

    @property
    def has_failures(self) -> bool:
        """A finding is FAIL."""
        return any(finding.severity is Severity.FAIL for finding in self.findings)

    @property
    def concern_count(self) -> int:
        """How many findings are CONCERN."""
        return sum(finding.severity is Severity.CONCERN for finding in self.findings)

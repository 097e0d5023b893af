"""Checkstyle's XML, which many CI systems and review bots read.

https://github.com/checkstyle/checkstyle/blob/master/src/main/java/com/puppycrawl/tools/checkstyle/XMLLogger.java
"""

from xml.etree.ElementTree import Element, SubElement

from ..model.finding import Confidence, Finding, Priority
from ..model.report import Report
from ..text.safe import safe_line
from . import _words
from ._look import OutputStyle
from ._xml import written

_SEVERITIES = {
    Priority.P0: "error",
    Priority.P1: "error",
    Priority.P2: "warning",
    Priority.P3: "info",
}


def render(report: Report, style: OutputStyle) -> str:
    """The open findings by file; what a run has to say beside them is at the change's first
    file."""
    root = Element("checkstyle", version="4.3")
    files: dict[str, Element] = {}

    def file(path: str) -> Element:
        name = safe_line(path, 4_096)
        if name not in files:
            files[name] = SubElement(root, "file", name=name)
        return files[name]

    for remark in _words.run_remarks(report):
        error = {"severity": remark.level, "message": safe_line(remark.text, 2_000)}
        SubElement(
            file(_words.first_path(report)), "error", error, source=f"{_words.PROGRAM_NAME}.verdict"
        )
    for finding in [*_words.confident_findings(report), *_words.uncertain_findings(report)]:
        SubElement(file(finding.path), "error", _error(finding))
    return written(root)


def _error(finding: Finding) -> dict[str, str]:
    sure = finding.confidence is Confidence.HIGH
    line = _words.line_at_head(finding)
    place = {"line": line, "column": _words.sure_columns(finding)[0] if line else 0}
    rule = safe_line(_words.rule_or_category(finding))
    return {
        **{name: str(number) for name, number in place.items() if number > 0},
        "severity": _SEVERITIES[finding.priority] if sure else "info",
        "message": safe_line(_words.finding_message(finding), 2_000),
        "source": f"{_words.PROGRAM_NAME}.{rule}",
    }

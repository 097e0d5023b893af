"""JUnit's XML, which CI systems show as tests: the verdict, the reviewers and each open finding.

https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
https://docs.gitlab.com/ci/testing/unit_test_reports/
"""

from xml.etree.ElementTree import Element, SubElement

from ..model.finding import Confidence, Finding
from ..model.report import Outcome, Report, ReviewRow
from ..model.review import ReviewStatus
from ..text.safe import safe_block, safe_line
from . import _words
from ._look import OutputStyle
from ._xml import written

_MOST_TEXT = 10_000  # characters


def render(report: Report, style: OutputStyle) -> str:
    """Where the gate blocks, the verdict and the findings that make it are failures; where evidence
    is missing, the verdict and the reviewers without an answer are errors. All else is passed or
    skipped, so that the tests fail just where the gate does."""
    root = Element("testsuites", name=_words.PROGRAM_NAME)
    suite = SubElement(root, "testsuite", name=_words.PROGRAM_NAME)
    _verdict(suite, report)
    for row in report.reviews:
        _reviewer(suite, row, report)
    for finding in [*_words.confident_findings(report), *_words.uncertain_findings(report)]:
        _finding(suite, finding, report)
    cases = suite.findall("testcase")
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(kind) is not None for case in cases)))
    suite.set("tests", str(len(cases)))
    suite.set("time", f"{sum(row.seconds for row in report.reviews):.3f}")
    if report.started:
        suite.set("timestamp", safe_line(report.started).removesuffix("Z"))
    return written(root)


def _verdict(suite: Element, report: Report) -> None:
    case = _case(suite, "verdict", "verdict")
    texts = [*report.verdict.reasons, *(remark.text for remark in _words.run_remarks(report))]
    kind = "failure" if _blocks(report) else "error" if _is_incomplete(report) else "skipped"
    if kind != "skipped" or texts:
        text = "; ".join(dict.fromkeys(texts)) or _words.verdict_text(report)
        SubElement(case, kind, message=safe_line(text, 2_000))


def _blocks(report: Report) -> bool:
    blocks = report.verdict.outcome is Outcome.BLOCK and report.mode != "warn"
    return blocks and not report.skipped


def _is_incomplete(report: Report) -> bool:
    return report.verdict.outcome is Outcome.INCONCLUSIVE and not report.skipped


def _reviewer(suite: Element, row: ReviewRow, report: Report) -> None:
    case = _case(suite, "reviewers", row.name)
    case.set("time", f"{row.seconds:.3f}")
    if row.status is not ReviewStatus.OK:
        counts = row.required and _is_incomplete(report)
        text = safe_line(_words.review_end_texts([row])[0], 2_000)
        SubElement(case, "error" if counts else "skipped", message=text)


def _finding(suite: Element, finding: Finding, report: Report) -> None:
    message = safe_line(_words.finding_message(finding), 2_000)
    # The schema has no attributes for its place
    case = _case(suite, finding.path, f"{message} ({finding.fingerprint})")
    certain = finding.confidence is Confidence.HIGH and finding.is_located
    fails = _blocks(report) and certain and finding.priority.reaches(report.threshold)
    told = SubElement(case, "failure" if fails else "skipped", message=message)
    code = "\n".join(f"{quoted.number:>5}  {quoted.text}" for quoted in finding.excerpt)
    text = "\n\n".join(filter(None, [finding.position, code, finding.body.strip(), finding.note]))
    told.text = safe_block(text)[:_MOST_TEXT]


def _case(suite: Element, group: str, name: str) -> Element:
    names = {"classname": safe_line(group, 4_096), "name": safe_line(name, 4_096)}
    return SubElement(suite, "testcase", names)

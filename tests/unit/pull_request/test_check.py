"""The texts of a check run: within GitHub's limits, and whatever is foreign in them is inert."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from msgspec.structs import replace

from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from reviewgate_gh.model.report import Report
from reviewgate_gh.pull_request.check_run import check_annotations, check_summary, check_title
from tests.unit.model.values import values
from tests.unit.reporters.sample import BLOCKED, RICH, UNDEFINED
from tests.unit.reporters.test_safety import HOSTILE, TOKEN, hostile


def said(report: Report) -> str:
    """All that is posted."""
    return json.dumps(
        [check_title(report), check_summary(report), check_annotations(report)], ensure_ascii=False
    )


def test_the_annotations_are_the_findings_that_decide() -> None:
    found = {
        (each["path"], each["start_line"], each["annotation_level"])
        for each in check_annotations(RICH)
    }
    deciding = [
        f
        for f in RICH.findings
        if f.state is FindingState.OPEN
        and f.confidence is Confidence.HIGH
        and f.priority.value < "P3"
    ]
    assert len(found) == len(deciding) - 1, "one has a name that is not UTF-8"
    assert (UNDEFINED.path, UNDEFINED.line_start, "failure") in found and (
        ".reviewgate-gh.yaml",
        1,
        "warning",
    ) in found
    assert "caf\\xe9 key.pem" in check_summary(RICH)


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ({}, (12, 12)),
        ({"line_end": 15}, (12, 15)),
        ({"line_start": 0, "line_end": 0}, (1, 1)),
        ({"side": "LEFT", "line_end": 99}, (1, 1)),
    ],
    ids=["a line", "several", "the file", "a line that is gone"],
)
def test_the_place_is_one_at_head(change, lines) -> None:
    finding = replace(UNDEFINED, **{"line_start": 12, "line_end": 12, **change})
    [each] = check_annotations(replace(BLOCKED, findings=(finding,)))
    assert (each["start_line"], each["end_line"]) == lines


@pytest.mark.contract(plain=False)
def test_nothing_is_longer_than_github_takes() -> None:
    long = replace(UNDEFINED, title="t" * 9_000, body="b" * 9_000, rule="r" * 900, path="p" * 300)
    many = replace(
        RICH,
        findings=tuple(replace(long, line_start=n, line_end=n, ordinal=n) for n in range(1, 520)),
        notices=("n" * 900,) * 300,
    )
    summary, annotations = check_summary(many), check_annotations(many)
    assert len(check_title(many)) <= 255 and len(summary) < 65_535 and len(annotations) == 500
    assert all(len(each["title"]) <= 255 and len(each["message"]) <= 64_000 for each in annotations)
    assert "left out" in summary or "cut here" in summary


@pytest.mark.parametrize("kind", HOSTILE)
def test_foreign_text_is_inert(kind) -> None:
    for report in hostile(HOSTILE[kind]):
        text = said(
            replace(report, findings=tuple(replace(f, path="a.py") for f in report.findings))
        )
        bare = "".join(char for char in text if char.isalnum() or char == "_")
        assert TOKEN not in bare and TOKEN[:16] not in bare
        assert not [
            char
            for char in text
            if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t"
        ]
        assert not re.search(r'"::|\\n::|##\[', text)


@given(report=values(Report))
def test_any_report_has_texts(report: Report) -> None:
    json.dumps(
        [check_title(report), check_summary(report), check_annotations(report)], ensure_ascii=False
    ).encode()
    assert all(
        each["message"] and each["start_line"] >= 1 and each["end_line"] >= each["start_line"]
        for each in check_annotations(report)
    )


def test_p3_is_not_annotated() -> None:
    assert (
        check_annotations(replace(BLOCKED, findings=(replace(UNDEFINED, priority=Priority.P3),)))
        == ()
    )

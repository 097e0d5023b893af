"""Imported reports as reviews."""

import json
from pathlib import Path

import pytest

from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers.imports import import_report

ROW = b'{"message": "m", "location": {"path": "/w/a.py"}, "severity": "ERROR"}\n'


def test_a_report_is_a_review() -> None:
    answer = import_report(Path("/reports/lint.jsonl"), ROW, "/w")
    assert (answer.name, answer.status, answer.found, answer.error) == (
        "import/lint.jsonl",
        ReviewStatus.OK,
        1,
        "",
    )
    assert [f.path for f in answer.findings] == ["a.py"]


@pytest.mark.parametrize(
    ("code", "rule"),
    [("potential issue", "owl"), ("Security", "owl"), ("owl/bug", "owl"), ("E501", "owl/E501")],
)
def test_a_label_is_no_rule(code: str, rule: str) -> None:
    row = {
        "message": "m", "location": {"path": "a.py"},
        "source": {"name": "owl"}, "code": {"value": code},
    }  # fmt: skip
    [found] = import_report(Path("r.jsonl"), f"{json.dumps(row)}\n".encode(), "").findings
    assert (found.rule, found.has_specific_rule) == (rule, rule != "owl")
    label = code.rpartition("/")[2].lower().replace(" ", "-")
    assert found.category == (label if rule == "owl" else "lint")


def test_rubbish_is_a_broken_review_that_names_the_file() -> None:
    answer = import_report(Path("/reports/lint.jsonl"), ROW[:-5], "/w")
    assert (answer.status, answer.status.broken, answer.findings) == (
        ReviewStatus.UNPARSABLE,
        True,
        (),
    )
    assert answer.error.startswith("lint.jsonl: not a report of a known format")

"""Imported reports as reviews."""

from pathlib import Path

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


def test_rubbish_is_a_broken_review_that_names_the_file() -> None:
    answer = import_report(Path("/reports/lint.jsonl"), ROW[:-5], "/w")
    assert (answer.status, answer.status.broken, answer.findings) == (
        ReviewStatus.UNPARSABLE,
        True,
        (),
    )
    assert answer.error.startswith("lint.jsonl: not a report of a known format")

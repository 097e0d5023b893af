"""docs/report.schema.json: made from the report's own types, and true of what is written."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given

from reviewgate_gh.model.report import Report
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.json import render, report_schema
from tests.support import ROOT, Repo
from tests.unit.model.values import values
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import CLEAN, RICH

SCHEMA = Path("docs/report.schema.json")
VALIDATOR = jsonschema_rs.Draft202012Validator(json.loads((ROOT / SCHEMA).read_text("utf-8")))


def plain(text: str) -> dict:
    """The report; undecodable bytes of paths are no text for a validator."""
    return json.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))


def test_it_is_what_the_types_say() -> None:
    assert_golden(ROOT / SCHEMA, json.dumps(report_schema(), indent=2) + "\n")


@pytest.mark.parametrize("report", [RICH, CLEAN], ids=["rich", "clean"])
def test_reports_fit_it(report: Report) -> None:
    VALIDATOR.validate(plain(render(report, OutputStyle())))


@given(values(Report))
def test_any_report_fits_it(report: Report) -> None:
    VALIDATOR.validate(plain(render(report, OutputStyle())))


@pytest.mark.contract(plain=False)
def test_the_report_of_a_run_fits_it(repo: Repo) -> None:
    repo.commit({"a.py": "print(undefined)\n", "b.txt": "x\n"})
    done = repo.cli("review", "--commit", "HEAD", "--output", "json")
    report = plain(done.stdout)
    assert report["findings"], done.output
    VALIDATOR.validate(report)


@pytest.mark.parametrize(
    "change",
    [{"extra": 1}, {"schema_version": 2}, {"late": "no"}, {"verdict": {"outcome": "fine"}}],
)
def test_it_refuses_what_is_no_report(change: dict) -> None:
    assert not VALIDATOR.is_valid({**plain(render(CLEAN, OutputStyle())), **change})

"""reporters/annotations.py: workflow commands."""

import re

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.model.report import Outcome, Report, Verdict
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.annotations import render
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import BLOCKED, CLEAN, DOUBTFUL, RICH, UNDEFINED, WHOLE_FILE


def lines(report: Report) -> list[str]:
    return render(report, OutputStyle()).splitlines()


def of(*findings: Finding) -> Report:
    return replace(BLOCKED, findings=findings)


def test_golden() -> None:
    assert_golden("annotations.txt", render(RICH, OutputStyle()))


@pytest.mark.parametrize(
    ("priority", "level"), [("P0", "error"), ("P1", "error"), ("P2", "warning"), ("P3", "notice")]
)
def test_the_level_follows_the_priority(priority: str, level: str) -> None:
    assert lines(of(replace(UNDEFINED, priority=Priority(priority), body=""))) == [
        (
            f"::{level} file=src/app/totals.py,line=12,endLine=13,title={priority} F821 "
            f"({UNDEFINED.fingerprint})::Undefined "
            "name `total`"
        )
    ]


def test_no_line_for_the_whole_file_or_for_the_base() -> None:
    assert lines(of(WHOLE_FILE))[0].startswith(
        "::warning file=.reviewgate-gh.yaml,title=P2 gate-config ("
    )
    assert lines(of(replace(UNDEFINED, side="LEFT")))[0].startswith(
        "::error file=src/app/totals.py,title=P1 F821 ("
    )


def test_the_end_never_stands_before_the_start() -> None:
    assert "line=12,endLine=12," in lines(of(replace(UNDEFINED, line_end=0)))[0]


def test_properties_and_data_are_escaped() -> None:
    [text] = lines(
        of(
            replace(
                UNDEFINED,
                path="a,b::c%0A\n::error::x.py",
                title="50% of\r\n::add-mask::e",
                body="",
                rule="a:b,c",
            )
        )
    )
    properties, message = re.fullmatch(r"::error (.*?)::(.*)", text).groups()
    assert [part.split("=")[0] for part in properties.split(",")] == [
        "file",
        "line",
        "endLine",
        "title",
    ]
    assert "a%2Cb%3A%3Ac%250A" in properties and "title=P1 a%3Ab%2Cc (" in properties
    assert message.startswith("50%25 of")


def test_ten_of_each_level_and_the_rest_counted() -> None:
    many = [
        replace(UNDEFINED, priority=p, line_start=n, line_end=n)
        for p in Priority
        for n in range(1, 31)
    ]
    shown = lines(of(*many, DOUBTFUL))
    levels = [text.split(" ")[0] for text in shown]
    assert (levels.count("::error"), levels.count("::warning"), levels.count("::notice")) == (
        10,
        10,
        10,
    )
    assert shown[-1] == "::notice title=reviewgate-gh::92 more findings in the job's summary"
    assert "title=P0 " in shown[0]


def test_nothing_to_say_is_nothing() -> None:
    assert render(CLEAN, OutputStyle()) == ""


def test_low_confidence_is_left_to_the_summary() -> None:
    assert lines(of(DOUBTFUL)) == [
        "::notice title=reviewgate-gh::1 more finding in the job's summary"
    ]


def test_an_incomplete_review_is_an_error_and_an_override_a_warning() -> None:
    assert lines(RICH)[0] == (
        "::error title=reviewgate-gh is inconclusive::linters/shellcheck failed: exit 3: "
        "unknown option `--jsn`"
    )
    overridden = Verdict(
        Outcome.INCONCLUSIVE, ("overridden: nothing was reviewed",), not_reviewed=("a.py",)
    )
    assert lines(replace(CLEAN, verdict=overridden, skipped="late")) == [
        "::warning title=The gate was overridden::late"
    ]
    assert lines(replace(CLEAN, skipped="late\n::error::x")) == [
        "::warning title=The gate was overridden::late ::error::x"
    ]

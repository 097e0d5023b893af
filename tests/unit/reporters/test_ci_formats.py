"""reporters/checkstyle.py, junit.py and codeclimate.py: what other CI systems read."""

import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.model.report import Outcome, Report, Verdict
from reviewgate_gh.reporters import checkstyle, codeclimate, junit
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reviewers.imports.checkstyle import parse
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import (
    BLOCKED,
    CLEAN,
    DOUBTFUL,
    LONG_LINE,
    RICH,
    STYLE,
    UNDEFINED,
    UNREVIEWED,
    WHOLE_FILE,
)
from tests.unit.reporters.test_safety import HOSTILE, hostile

Render = Callable[[Report, OutputStyle], str]
XML = (checkstyle.render, junit.render)
OVERRIDDEN = replace(BLOCKED, skipped="in a hurry")


def tree(render: Render, report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(render(report, OutputStyle()))


def issues(report: Report) -> list[dict[str, Any]]:
    return json.loads(codeclimate.render(report, OutputStyle()))


def cases(report: Report, kind: str) -> list[str]:
    """The names of the tests that ended so."""
    return [case.get("name", "") for case in tree(junit.render, report).iter("testcase")
            if case.find(kind) is not None]  # fmt: skip


def test_what_is_written() -> None:
    for name, render in {
        "checkstyle": checkstyle.render,
        "junit": junit.render,
        "codeclimate": codeclimate.render,
    }.items():
        assert_golden(f"{name}.txt", render(RICH, OutputStyle()))


@pytest.mark.parametrize("kind", [*HOSTILE, "no characters"])
def test_any_text_makes_whole_documents(kind: str) -> None:
    for report in hostile(HOSTILE.get(kind, "\ufffe\uffff \x01 ]]> & <a b='c'> \ud800")):
        for render in XML:
            root = tree(render, report)
            assert {each.tag for each in root.iter()} <= {
                "checkstyle", "file", "error", "testsuites", "testsuite", "testcase", "failure",
                "skipped",
            }  # fmt: skip
        assert all(isinstance(each["location"]["path"], str) for each in issues(report))


def test_each_open_finding_is_there_with_its_place_and_severity() -> None:
    doubtful = replace(UNDEFINED, priority=Priority.P0, confidence=DOUBTFUL.confidence)
    removed = replace(UNDEFINED, side="LEFT", priority=Priority.P2, ordinal=2)
    report = replace(BLOCKED, findings=(UNDEFINED, LONG_LINE, WHOLE_FILE, doubtful, removed))
    found = [each.attrib for each in tree(checkstyle.render, report).iter("error")]
    assert [(each.get("line"), each.get("column"), each["severity"]) for each in found] == [
        ("12", None, "error"), (None, None, "warning"), ("12", None, "info"),
        (None, None, "warning"), ("140", "12", "warning"),
    ]  # fmt: skip
    assert found[2]["message"] == "P0 F821: Undefined name `total` (needs human review)"
    lines = [each["location"]["lines"] for each in issues(report)]
    assert [(each["begin"], each["end"]) for each in lines] == [
        (12, 13), (1, 1), (140, 140), (1, 1), (12, 13),
    ]  # fmt: skip
    assert [each["severity"] for each in issues(report)] == [
        "critical", "major", "major", "major", "info",
    ]  # fmt: skip
    tests = list(tree(junit.render, report).iter("testcase"))[1 + len(report.reviews) :]
    assert [each.get("classname") for each in tests] == [
        each.path for each in (UNDEFINED, WHOLE_FILE, LONG_LINE, removed, doubtful)
    ]
    assert (tests[0].find("failure").text or "").startswith("src/app/totals.py:12\n\n   10  def")


def test_what_we_import_as_checkstyle_is_what_we_write() -> None:
    """Another reader than the one that wrote it, with paths and titles of every kind."""
    for report in (BLOCKED, *hostile("a'b\" <c> & d")):
        text = checkstyle.render(report, OutputStyle())
        read = parse(text.encode())
        errors = list(ElementTree.fromstring(text).iter("error"))
        assert [each.line_start for each in read] == [int(e.get("line", 0)) for e in errors]
        # It cuts long ones
        assert [each.title[:100] for each in read] == [e.get("message", "")[:100] for e in errors]
    assert [each.path for each in parse(checkstyle.render(BLOCKED, OutputStyle()).encode())] == [
        UNDEFINED.path, STYLE[0].path,
    ]  # fmt: skip


def test_fingerprints_are_those_of_the_findings_and_differ() -> None:
    many = tuple(replace(UNDEFINED, ordinal=number) for number in range(1, 9))
    found = [each["fingerprint"] for each in issues(replace(BLOCKED, findings=many))]
    assert found == [each.fingerprint for each in many] and len({*found}) == len(many)


@pytest.mark.parametrize("report", [RICH, UNREVIEWED, OVERRIDDEN])
def test_what_is_no_plain_pass_is_not_clean(report: Report) -> None:
    bare = replace(report, findings=())
    assert issues(bare) and tree(checkstyle.render, bare).find("file/error") is not None
    assert cases(bare, "error") or cases(bare, "skipped")


def test_a_pass_is_clean_and_yet_a_test() -> None:
    assert issues(CLEAN) == [] and len(tree(checkstyle.render, CLEAN)) == 0
    suite = tree(junit.render, CLEAN).find("testsuite")
    assert suite is not None and suite.get("tests") == "3"
    assert [cases(CLEAN, kind) for kind in ("failure", "error", "skipped")] == [[], [], []]


def test_tests_fail_just_where_the_gate_does() -> None:
    block = replace(BLOCKED, findings=(UNDEFINED, STYLE[0]))
    first = f"P1 F821: Undefined name `total` ({UNDEFINED.fingerprint})"
    assert cases(block, "failure") == ["verdict", first] and not cases(block, "error")
    for passing in (
        replace(block, mode="warn"),
        replace(block, skipped="in a hurry"),
        replace(block, verdict=Verdict(Outcome.CONCERNS)),
        replace(RICH, verdict=Verdict(Outcome.CONCERNS, ("a lens is missing",))),
    ):
        assert not cases(passing, "failure") and not cases(passing, "error")
        assert first in cases(passing, "skipped")
    assert cases(RICH, "error") == ["verdict", "linters/shellcheck"]
    assert not cases(RICH, "failure")


def test_sums_are_those_of_the_tests() -> None:
    suite = tree(junit.render, RICH).find("testsuite")
    assert suite is not None
    sums = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert sums == {
        "tests": str(len(suite)),
        **{
            name: str(len(suite.findall(f"testcase/{kind}")))
            for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
        },
    }
    assert (suite.get("time"), suite.get("timestamp")) == ("0.430", "2026-01-02T03:04:05")

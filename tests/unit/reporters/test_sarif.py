"""reporters/sarif.py: valid SARIF within GitHub's limits."""

import base64
import gzip
import json
import random
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from reviewgate_gh import __version__
from reviewgate_gh.model.finding import CausingPlace, Finding, FindingState, Priority, QuotedLine
from reviewgate_gh.model.report import Report
from reviewgate_gh.reporters._look import OutputStyle
from reviewgate_gh.reporters.sarif import MAX_RESULTS, render
from tests.unit.model.values import values
from tests.unit.reporters.golden import assert_golden
from tests.unit.reporters.sample import (
    BLOCKED,
    CLEAN,
    DOUBTFUL,
    HEAD,
    NOTHING,
    RICH,
    SECRET,
    UNDEFINED,
    WHOLE_FILE,
)


def run(report: Report) -> dict[str, Any]:
    [only] = json.loads(render(report, OutputStyle()))["runs"]
    return only


def result(finding: Finding) -> dict[str, Any]:
    [only] = run(replace(BLOCKED, findings=(finding,)))["results"]
    return only


def place(finding: Finding) -> dict[str, Any]:
    return result(finding)["locations"][0]["physicalLocation"]


@pytest.mark.parametrize(("line", "region"), [(7, {"startLine": 7, "endLine": 7}), (0, None)])
def test_what_breaks_it_is_a_related_place(line: int, region: dict[str, int] | None) -> None:
    shown = result(replace(UNDEFINED, cause=CausingPlace("src/a b.py", line)))
    [related] = shown["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "src/a%20b.py"
    assert related["physicalLocation"].get("region") == region
    assert "relatedLocations" not in result(UNDEFINED)


@pytest.fixture
def schema(data: Path) -> Any:
    text = (data / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
    return jsonschema_rs.validator_for(json.loads(text), validate_formats=True)


@pytest.mark.peer
@pytest.mark.parametrize("report", [RICH, BLOCKED, CLEAN, NOTHING, replace(RICH, skipped="late")])
def test_it_is_valid(schema: Any, report: Report) -> None:
    schema.validate(json.loads(render(report, OutputStyle())))


@pytest.mark.peer
# The schema does not change
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(report=values(Report))
def test_it_is_valid_for_any_report(schema: Any, report: Report) -> None:
    schema.validate(
        json.loads(
            render(replace(report, started="2026-01-02T03:04:05Z", finished=""), OutputStyle())
        )
    )


def test_golden() -> None:
    assert_golden(
        "sarif.txt",
        render(RICH, OutputStyle()).replace(f'"version": "{__version__}"', '"version": "VERSION"'),
    )


def test_it_names_the_tool_and_the_revision() -> None:
    shown = run(BLOCKED)
    assert (shown["tool"]["driver"]["name"], shown["tool"]["driver"]["version"]) == (
        "reviewgate-gh",
        __version__,
    )
    assert shown["versionControlProvenance"][0]["revisionId"] == HEAD


@pytest.mark.parametrize(
    ("priority", "level"), [("P0", "error"), ("P1", "error"), ("P2", "warning"), ("P3", "note")]
)
def test_the_level_follows_the_priority(priority: str, level: str) -> None:
    assert result(replace(UNDEFINED, priority=Priority(priority)))["level"] == level


def test_every_result_names_its_rule_and_its_identity() -> None:
    shown = run(RICH)
    known = shown["tool"]["driver"]["rules"]
    assert all(known[found["ruleIndex"]]["id"] == found["ruleId"] for found in shown["results"])
    assert result(UNDEFINED)["partialFingerprints"] == {
        "reviewgateGh/v1": UNDEFINED.former_fingerprint,
        "reviewgateGh/v2": UNDEFINED.fingerprint,
    }
    assert result(DOUBTFUL)["ruleId"] == "performance"


def test_security_rules_carry_a_severity() -> None:
    rules = {rule["id"]: rule["properties"] for rule in run(RICH)["tool"]["driver"]["rules"]}
    assert rules["private-key"] == {"tags": ["secret", "security"], "security-severity": "9.5"}
    assert "security-severity" not in rules["F821"]


def test_the_address_is_the_path_s_bytes() -> None:
    assert place(SECRET)["artifactLocation"] == {
        "uri": "deploy/caf%E9%20key.pem",
        "uriBaseId": "%SRCROOT%",
    }
    assert (
        place(replace(SECRET, path="a:b#c?d/é%41"))["artifactLocation"]["uri"]
        == "a%3Ab%23c%3Fd/%C3%A9%2541"
    )


def test_a_region_only_for_lines_of_this_revision() -> None:
    assert place(UNDEFINED)["region"] == {
        "startLine": 12, "endLine": 13, "snippet": {"text": ("    for row in rows:\n"
        "        total += row.amount\n")},
    }  # fmt: skip
    assert "region" not in place(WHOLE_FILE) and "region" not in place(
        replace(UNDEFINED, side="LEFT")
    )
    assert place(replace(UNDEFINED, excerpt=(), line_end=0))["region"] == {
        "startLine": 12,
        "endLine": 12,
    }


def test_waived_and_dismissed_are_suppressed_and_other_states_absent() -> None:
    shown = {found["ruleId"]: found.get("suppressions") for found in run(RICH)["results"]}
    assert shown["S602"] == [
        {
            "kind": "external",
            "status": "accepted",
            "justification": "only run by hand, until 2027-01-01",
        }
    ]
    assert shown["SC2155"] and shown["F821"] is None
    for state in set(FindingState) - {
        FindingState.OPEN,
        FindingState.WAIVED,
        FindingState.DISMISSED,
    }:
        assert run(replace(BLOCKED, findings=(replace(UNDEFINED, state=state),)))["results"] == []


def test_a_message_holds_no_link() -> None:
    assert (
        result(replace(UNDEFINED, title="[x](http://e)", body="a\\[b"))["message"]["text"]
        == "\\[x\\](http://e)\n\na\\\\\\[b"
    )


def test_inconclusive_is_an_unsuccessful_run_with_its_reasons() -> None:
    [invocation] = run(RICH)["invocations"]
    assert invocation["executionSuccessful"] is False
    levels = [
        (said["level"], said["message"]["text"].split(":")[0])
        for said in invocation["toolExecutionNotifications"]
    ]
    assert levels == [
        ("error", "linters/shellcheck failed"),
        ("note", "linters/zizmor skipped"),
        ("warning", "Not reviewed"),
    ]
    assert run(BLOCKED)["invocations"][0]["executionSuccessful"] is True


@pytest.mark.contract(plain=False)
def test_the_most_severe_are_kept_and_the_rest_counted() -> None:
    small = Finding(Priority.P3, "style", "E501", "a.py", 1, 1, "long")
    waived = replace(small, priority=Priority.P0, state=FindingState.WAIVED)
    many = (
        waived,
        *(replace(small, line_start=n, rule=f"R{n}") for n in range(1, MAX_RESULTS + 5)),
        replace(small, priority=Priority.P0, rule="top"),
    )
    shown = run(replace(BLOCKED, findings=many))
    assert len(shown["results"]) == MAX_RESULTS and shown["results"][0]["ruleId"] == "top"
    assert len(shown["tool"]["driver"]["rules"]) == MAX_RESULTS
    assert shown["properties"]["leftOut"] == 6
    assert (
        "6 results over GitHub's limit left out"
        in shown["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    )


@pytest.mark.slow
def test_a_file_that_is_too_large_when_it_is_packed_loses_the_least_severe():
    """GitHub takes 10 MB of gzip: long texts that hardly pack are fewer results."""
    dice = random.Random(1)
    small = Finding(Priority.P3, "style", "E501", "a.py", 1, 1, "long")
    texts = (base64.b32encode(dice.randbytes(2_500)).decode().lower() for _ in range(4_500))
    found = tuple(
        replace(small, line_start=number, body=text) for number, text in enumerate(texts, 1)
    )
    text = render(
        replace(BLOCKED, findings=(*found, replace(small, rule="top", priority=Priority.P0))),
        OutputStyle(),
    )
    [shown] = json.loads(text)["runs"]
    assert (
        5_000_000 < len(gzip.compress(text.encode())) <= 10_000_000
        and len(shown["results"]) < 4_500
    )
    assert shown["results"][0]["ruleId"] == "top" and shown["properties"]["leftOut"] == 4_501 - len(
        shown["results"]
    )


def test_a_snippet_keeps_its_indentation_and_its_order() -> None:
    quoted = (
        QuotedLine(11, "a"),
        QuotedLine(12, "\tb"),
        QuotedLine(13, "  c"),
        QuotedLine(14, "d"),
    )
    assert place(replace(UNDEFINED, excerpt=quoted))["region"]["snippet"]["text"] == "\tb\n  c\n"

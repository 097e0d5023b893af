"""SARIF: places, rules, severities, suppressions, failed runs."""

import json
from typing import Any

import pytest

from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.reviewers.imports import sarif
from tests.unit.reviewers.imports.samples import SARIF


def _document(*results: Any, rules: Any = (), **run: Any) -> bytes:
    tool = {"driver": {"name": "Acme", "rules": list(rules)}}
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}
    ).encode()


def _one(result: dict[str, Any], root: str = "", **more: Any) -> Finding:
    (found,) = sarif.parse(_document({"message": {"text": "m"}, **result}, **more), root)
    return found


def _at(uri: str, **more: Any) -> dict[str, Any]:
    return {"locations": [{"physicalLocation": {"artifactLocation": {"uri": uri, **more}}}]}


def test_the_sample() -> None:
    first, second = sarif.parse(SARIF.encode(), "/w")
    assert (first.rule, first.priority, first.category) == ("acme-scan/A1", Priority.P1, "security")
    assert (first.path, first.line_start, first.line_end) == ("src/a.py", 3, 4)
    assert first.title == "first line more"
    assert first.body == "first line\nmore\n\nAlso at lib/x b.py:9\nhttps://acme.example/A1"
    assert first.sources == ("acme-scan",)
    assert (second.rule, second.priority, second.category) == ("acme-scan/A2", Priority.P3, "lint")
    assert (second.path, second.line_start, second.title) == ("bü.py", 0, "a is not b")
    assert (second.state, second.note) == (FindingState.WAIVED, "suppressed in the source: known")


@pytest.mark.parametrize(
    ("level", "kind", "default", "priority"),
    [
        ("error", None, None, "P1"),
        ("warning", None, None, "P2"),
        ("note", None, None, "P3"),
        ("none", None, None, "P3"),
        (None, None, None, "P2"),
        (None, None, "error", "P1"),
        (None, "review", "error", "P3"),
        (None, "informational", None, "P3"),
        ("error", "open", None, "P1"),
        ("note", None, "error", "P3"),
    ],
)
def test_levels(level: str | None, kind: str | None, default: str | None, priority: str) -> None:
    result = {
        "ruleId": "a",
        **({"level": level} if level else {}),
        **({"kind": kind} if kind else {}),
    }
    rule = {"id": "a", **({"defaultConfiguration": {"level": default}} if default else {})}
    assert _one(result, rules=[rule]).priority == priority


@pytest.mark.parametrize(
    ("score", "priority"),
    [
        ("9.0", "P0"),
        (10, "P0"),
        ("8.9", "P1"),
        (7, "P1"),
        ("6.9", "P2"),
        ("0.1", "P2"),
        ("", "P2"),
        (None, "P2"),
    ],
)
def test_security_severity(score: object, priority: str) -> None:
    found = _one({"ruleId": "a"}, rules=[{"id": "a", "properties": {"security-severity": score}}])
    assert found.priority == priority
    assert found.category == ("security" if score else "lint")


@pytest.mark.parametrize("score", ["high", "nan", "inf", True, [9]])
def test_a_security_severity_that_is_no_number_is_refused(score: object) -> None:
    with pytest.raises(ValueError, match="security-severity is not a number"):
        _one({"properties": {"security-severity": score}})


@pytest.mark.parametrize(
    ("uri", "root", "path"),
    [
        ("a.py", "", "a.py"),
        ("./a.py", "", "a.py"),
        ("a/../b.py", "", "b.py"),
        ("x%20b/%C3%BC.py", "", "x b/ü.py"),
        ("a%FF.py", "", "a\udcff.py"),
        ("100%.py", "", "100%.py"),
        ("100%2541.py", "", "100%41.py"),
        ("file:///w/a.py", "/w", "a.py"),
        ("file:///w/a.py", "/w/", "a.py"),
        ("file://localhost/w/a.py", "/w", "a.py"),
        ("file:/w/a.py", "/w", "a.py"),
        ("/w/a.py", "/w", "a.py"),
        ("FILE:///w/a.py", "/w", "a.py"),
        ("file:///other/a.py", "/w", "/other/a.py"),
        ("file:///ww/a.py", "/w", "/ww/a.py"),
        ("file:///C:/r/a.py", "C:/r", "a.py"),
        ("src\\a.py", "", "src\\a.py"),
        ("https://x.example/a%20b", "", "https:/x.example/a b"),
        ("../a.py", "", "../a.py"),
        ("", "", ""),
        (".", "", ""),
    ],
)
def test_uris(uri: str, root: str, path: str) -> None:
    assert _one(_at(uri), root).path == path


@pytest.mark.parametrize(
    ("bases", "root", "path"),
    [
        ({}, "/w", "a.py"),
        ({"B": {}}, "/w", "a.py"),
        ({"B": {"uri": "file:///w/"}}, "/w", "a.py"),
        ({"B": {"uri": "file:///w/sub/"}}, "/w", "sub/a.py"),
        ({"B": {"uri": "file:///ci/build/"}}, "/w", "a.py"),
        ({"B": {"uri": "lib/", "uriBaseId": "R"}, "R": {"uri": "file:///ci/"}}, "/w", "lib/a.py"),
        (
            {"B": {"uri": "lib/", "uriBaseId": "R"}, "R": {"uri": "file:///w/in/"}},
            "/w",
            "in/lib/a.py",
        ),
        ({"B": {"uri": "lib"}}, "", "lib/a.py"),
        ({"B": {"uri": "file:///C:/r/"}}, "C:/r", "a.py"),
    ],
)
def test_uri_bases(bases: dict[str, Any], root: str, path: str) -> None:
    assert _one(_at("a.py", uriBaseId="B"), root, originalUriBaseIds=bases).path == path


def test_bases_that_lead_to_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="refers to itself"):
        _one(
            _at("a.py", uriBaseId="B"),
            originalUriBaseIds={
                "B": {"uri": "x/", "uriBaseId": "C"},
                "C": {"uri": "y/", "uriBaseId": "B"},
            },
        )


@pytest.mark.parametrize("uri", ["a%00b", "\ud800", "a\0"])
def test_a_path_that_no_file_can_have_is_refused(uri: str) -> None:
    if uri == "\ud800":
        assert _one(_at(uri)).path == "\ufffd"
        return
    with pytest.raises(ValueError, match="not a valid file path"):
        _one(_at(uri))


@pytest.mark.parametrize(
    ("region", "lines"),
    [
        ({}, (0, 0)),
        ({"charOffset": 4}, (0, 0)),
        ({"startLine": 3}, (3, 3)),
        ({"startLine": 3, "endLine": 5}, (3, 5)),
        ({"startLine": 3, "endLine": 4, "endColumn": 1}, (3, 3)),
        ({"startLine": 3, "endLine": 3, "endColumn": 1}, (3, 3)),
    ],
)
def test_regions(region: dict[str, int], lines: tuple[int, int]) -> None:
    found = _one(
        {"locations": [{"physicalLocation": {"artifactLocation": {"uri": "a"}, "region": region}}]}
    )
    assert (found.line_start, found.line_end) == lines


@pytest.mark.parametrize(
    "region",
    [
        {"startLine": 5, "endLine": 3},
        {"startLine": -1},
        {"startLine": "3"},
        {"startLine": True},
        {"startLine": 1.5},
    ],
)
def test_regions_that_cannot_be_are_refused(region: dict[str, object]) -> None:
    with pytest.raises(
        ValueError, match=r"Line: expected a non-negative integer|ends on line 3 before"
    ):
        _one(
            {
                "locations": [
                    {"physicalLocation": {"artifactLocation": {"uri": "a"}, "region": region}}
                ]
            }
        )


@pytest.mark.parametrize(
    "location", [{}, {"physicalLocation": {}}, {"logicalLocations": [{"name": "f"}]}]
)
def test_a_result_without_a_file_keeps_its_finding(location: dict[str, Any]) -> None:
    assert _one({"locations": [location]}).path == _one({}).path == ""


def test_rules_by_index_id_and_extension() -> None:
    tool = {
        "driver": {"name": "CodeQL", "rules": [{"id": "d0"}]},
        "extensions": [
            {
                "name": "pack",
                "rules": [
                    {"id": "x/e0"},
                    {"id": "x/e1", "defaultConfiguration": {"level": "error"}},
                ],
            }
        ],
    }
    reference = {"id": "x/e1", "index": 1, "toolComponent": {"index": 0}}
    by_reference = _one({"rule": reference}, tool=tool)
    by_id = _one({"ruleId": "x/e1"}, tool=tool)
    by_parent = _one({"ruleId": "x/e1/7"}, tool=tool)
    by_index = _one({"ruleIndex": 0}, tool=tool)
    assert [(f.rule, f.priority.value) for f in (by_reference, by_id, by_parent, by_index)] == [
        ("codeql/x/e1", "P1"),
        ("codeql/x/e1", "P1"),
        ("codeql/x/e1/7", "P1"),
        ("codeql/d0", "P2"),
    ]


@pytest.mark.parametrize(
    "reference",
    [{"ruleIndex": 1}, {"rule": {"index": 0, "toolComponent": {"index": 0}}}, {"ruleIndex": -2}],
)
def test_a_rule_that_is_not_there_is_refused(reference: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rule 1 does not exist|rule 0 does not exist|ruleIndex"):
        _one(reference, rules=[{"id": "a"}])


@pytest.mark.parametrize(
    ("name", "rule", "full"),
    [
        ("Semgrep OSS", "python.lang.x", "semgrep/python.lang.x"),
        ("zizmor", "zizmor/a", "zizmor/a"),
        ("A  B", "", "a-b"),
        ("", "r", "tool/r"),
    ],
)
def test_rules_are_prefixed_by_the_tool(name: str, rule: str, full: str) -> None:
    assert _one({"ruleId": rule}, tool={"driver": {"name": name}}).rule == full


@pytest.mark.parametrize(
    ("suppressions", "state", "note"),
    [
        ([], FindingState.OPEN, ""),
        ([{"kind": "external"}], FindingState.WAIVED, "suppressed outside the source"),
        ([{"kind": "inSource", "status": "rejected"}], FindingState.OPEN, ""),
        (
            [{"kind": "inSource"}, {"kind": "external", "status": "underReview"}],
            FindingState.OPEN,
            "",
        ),
        (
            [{"kind": "inSource", "justification": "a\nb"}],
            FindingState.WAIVED,
            "suppressed in the source: a b",
        ),
    ],
)
def test_suppressions(suppressions: list[dict[str, str]], state: FindingState, note: str) -> None:
    found = _one({"suppressions": suppressions})
    assert (found.state, found.note) == (state, note)


def test_results_that_found_nothing_are_none() -> None:
    rows = [
        {"kind": "pass"},
        {"kind": "notApplicable"},
        {"baselineState": "absent"},
        {"baselineState": "unchanged"},
    ]
    assert len(sarif.parse(_document(*({"message": {"text": "m"}, **row} for row in rows)))) == 1


def test_several_runs_and_no_results() -> None:
    run = json.loads(_document({"message": {"text": "m"}}))["runs"][0]
    assert (
        len(
            sarif.parse(
                json.dumps(
                    {"version": "2.1.0", "runs": [run, {**run, "results": []}, run]}
                ).encode()
            )
        )
        == 2
    )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"version": "2.0.0", "runs": []}, "not SARIF 2.1.0: version is '2.0.0'"),
        ({"runs": []}, "not SARIF 2.1.0: version is None"),
        ({"version": "2.1.0"}, "runs: expected a list, got nothing"),
        ({"version": "2.1.0", "runs": []}, "contains no runs"),
        (
            {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a"}}}]},
            "run 1: no list of results",
        ),
        (
            {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a"}}, "results": None}]},
            "run 1: no list of results",
        ),
        ({"version": "2.1.0", "runs": [{"results": []}]}, "run 1: tool"),
    ],
)
def test_refused_documents(document: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        sarif.parse(json.dumps(document).encode())


def test_a_failed_run_is_refused_with_its_findings() -> None:
    ran = [{"executionSuccessful": True}, {"executionSuccessful": False, "exitCode": 2}]
    with pytest.raises(ValueError, match="acme: the tool says its run failed"):
        _one({}, invocations=ran)
    assert _one({}, invocations=ran[:1]).title == "m"


@pytest.mark.parametrize("word", ["false", 0, None])
def test_a_run_whose_success_is_no_truth_value_is_refused(word: object) -> None:
    with pytest.raises(ValueError, match="acme: the tool says its run failed"):
        _one({}, invocations=[{"executionSuccessful": word}])


@pytest.mark.parametrize("key", ["toolExecutionNotifications", "toolConfigurationNotifications"])
def test_a_run_that_tells_of_missing_results_is_refused(key: str) -> None:
    told = [
        {"level": "warning", "message": {"text": "slow"}},
        {"message": {"text": "also a warning"}},
    ]
    assert _one({}, invocations=[{"executionSuccessful": True, key: told}]).title == "m"
    with pytest.raises(
        ValueError, match=r"acme: the tool says that results are missing: cannot read a.py"
    ):
        _one(
            {},
            invocations=[
                {
                    "executionSuccessful": True,
                    key: [*told, {"level": "error", "message": {"text": "cannot read\na.py"}}],
                }
            ],
        )


def test_results_that_lie_in_other_files_are_not_taken_for_none() -> None:
    with pytest.raises(ValueError, match="run 1: its results are in other files"):
        _one(
            {}, externalPropertyFileReferences={"results": [{"location": {"uri": "results.json"}}]}
        )


def test_a_message_without_text_falls_back_to_the_rule() -> None:
    rule = {"id": "a", "shortDescription": {"text": "Short"}}
    assert _one({"ruleId": "a", "message": {"id": "gone"}}, rules=[rule]).title == "Short"
    assert _one({"ruleId": "b", "message": {"id": "gone"}}, rules=[rule]).title == "acme/b"

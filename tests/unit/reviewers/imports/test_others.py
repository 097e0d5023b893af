"""rdjson, rdjsonl, Checkstyle XML and ShellCheck json1: fields, suggestions, and what is
refused."""

import json
from typing import Any

import pytest

from reviewgate_gh.model.finding import Finding, Priority
from reviewgate_gh.reviewers.imports import checkstyle, rdjson, rdjsonl
from reviewgate_gh.reviewers.imports import shellcheck_json1 as shellcheck_json1
from tests.unit.reviewers.imports.samples import CHECKSTYLE, RDJSON, RDJSONL, SHELLCHECK


def _span(first: tuple[int, ...], last: tuple[int, ...] | None = None) -> dict[str, Any]:
    corners = {"start": first, "end": last} if last else {"start": first}
    return {
        name: dict(zip(("line", "column"), corner, strict=False))
        for name, corner in corners.items()
    }


def _suggested(text: str, where: dict[str, Any], place: dict[str, Any]) -> Finding:
    row = {
        "message": "m",
        "location": {"path": "a", "range": place},
        "suggestions": [{"range": where, "text": text}],
    }
    (found,) = rdjsonl.parse(json.dumps(row).encode())
    return found


def test_rdjson() -> None:
    first, second = rdjson.parse(RDJSON.encode(), "/w")
    assert (first.rule, first.priority, first.path, first.line_start, first.line_end) == (
        "acme/A1",
        Priority.P1,
        "src/a.py",
        3,
        3,
    )
    assert (first.suggestion, first.body, first.sources) == (
        "new",
        "https://acme.example/A1",
        ("acme",),
    )
    assert (second.rule, second.priority, second.path, second.line_start, second.suggestion) == (
        "acme",
        Priority.P3,
        "b.py",
        0,
        None,
    )


def test_rdjsonl() -> None:
    first, second = rdjsonl.parse(RDJSONL.encode())
    assert (first.rule, first.priority, first.line_start, first.line_end) == (
        "acme",
        Priority.P2,
        2,
        2,
    )
    assert (second.rule, second.priority) == ("rdjson", Priority.P3)


@pytest.mark.parametrize(
    ("text", "where", "suggestion"),
    [
        ("new\n", _span((2, 1), (4, 1)), "new"),
        ("a\nb\n", _span((2, 1), (4, 1)), "a\nb"),
        ("new", _span((2,), (3,)), "new"),
        ("new\n\n", _span((2,), (3,)), "new\n"),
        ("", _span((2, 1), (4, 1)), ""),
        ("new", _span((2, 1), (4, 1)), None),
        ("new", _span((2, 3), (3, 9)), None),
        ("new", _span((2, 1), (3, 9)), None),
        ("new", _span((2,), (4,)), None),
        ("new", _span((1,), (3,)), None),
    ],
)
def test_only_whole_lines_of_the_same_place_are_a_suggestion(
    text: str, where: dict[str, Any], suggestion: str | None
) -> None:
    assert _suggested(text, where, _span((2, 5), (3, 7))).suggestion == suggestion


def test_a_suggestion_for_one_line() -> None:
    assert _suggested("new", _span((7,)), _span((7, 2))).suggestion == "new"


@pytest.mark.parametrize("severity", ["FATAL", 9, ["ERROR"], {}])
def test_an_unknown_severity_is_refused(severity: object) -> None:
    row = {"message": "m", "location": {"path": "a"}, "severity": severity or {"a": 1}}
    with pytest.raises(ValueError, match="unknown severity"):
        rdjsonl.parse(json.dumps(row).encode())


@pytest.mark.parametrize(
    "row",
    [
        {"message": "m"},
        {"location": {"path": "a"}},
        {"message": "m", "location": {}},
        {"message": 3, "location": {"path": "a"}},
    ],
)
def test_a_diagnostic_must_have_message_and_path(row: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"message|location|path"):
        rdjsonl.parse(json.dumps(row).encode())


def test_one_bad_line_refuses_the_report() -> None:
    with pytest.raises(ValueError, match="line 3"):
        rdjsonl.parse(RDJSONL.encode() + b'{"message": "m"\n')


def test_checkstyle() -> None:
    first, second = checkstyle.parse(CHECKSTYLE.encode())
    assert (first.rule, first.priority, first.path, first.line_start, first.title) == (
        "checkstyle/acme.Rule",
        Priority.P2,
        "x b/ü.java",
        3,
        "a <b> 'c'",
    )
    assert (second.rule, second.priority, second.line_start) == ("checkstyle", Priority.P1, 0)
    (below,) = checkstyle.parse(
        b'<checkstyle><file name="/w/a"><error message="m" severity="info"/></file></checkstyle>',
        "/w",
    )
    assert (below.path, below.priority) == ("a", Priority.P3)
    assert checkstyle.parse(b'<checkstyle><file name="a"/></checkstyle>') == []


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "1234567890">'
    + "".join(f'<!ENTITY {n} "{f"&{chr(ord(n) - 1)};" * 10}">' for n in "bcdefghi")
    + "]>"
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (BOMB.encode() + b"<checkstyle>&i;</checkstyle>", "declarations are refused"),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><checkstyle/>', "declarations are refused"),
        ((BOMB + "<checkstyle>&i;</checkstyle>").encode("utf-16"), "not UTF-8"),
        ((BOMB + "<checkstyle>&i;</checkstyle>").encode("utf-16-le"), "not Checkstyle XML"),
        (
            b'<?xml version="1.0" encoding="utf-7"?><checkstyle>+ADwAIQ-</checkstyle><a/>',
            "not Checkstyle XML",
        ),
        (b"<checkstyle>&x;</checkstyle>", "undefined entity"),
        (b"<testsuite/>", "the document is a <testsuite>"),
        (b"<checkstyle><error/></checkstyle>", "<error> in <checkstyle>"),
        (b"<checkstyle><file><error/></file></checkstyle>", "file name"),
        (
            b'<checkstyle><file name="a"><error line="x" message="m"/></file></checkstyle>',
            "not a line number",
        ),
        (
            b'<checkstyle><file name="a"><error line="-1" message="m"/></file></checkstyle>',
            "not a line number",
        ),
        (b'<checkstyle><file name="a"><error line="1"/></file></checkstyle>', "without a message"),
        (
            b'<checkstyle><file name="a"><error severity="bad" message="m"/></file></checkstyle>',
            "unknown severity 'bad'",
        ),
        (
            b'<checkstyle><file name="a"><exception>it crashed</exception></file></checkstyle>',
            "its run failed: it crashed",
        ),
        (b"<a>" * 100_000, "not Checkstyle XML"),
    ],
    ids=range(15),
)
def test_refused_xml(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        checkstyle.parse(data)


def test_shellcheck() -> None:
    first, second = shellcheck_json1.parse(SHELLCHECK.encode())
    assert (first.rule, first.priority, first.path, first.line_start) == (
        "shellcheck/SC2086",
        Priority.P3,
        "a.sh",
        2,
    )
    assert first.body == "Fix: replace 2:6-2:8 by `x`\nhttps://www.shellcheck.net/wiki/SC2086"
    assert (second.rule, second.priority, second.category) == (
        "shellcheck/SC1073",
        Priority.P0,
        "syntax",
    )


@pytest.mark.parametrize(
    ("level", "code", "priority"),
    [
        ("error", 2068, "P1"),
        ("warning", 2164, "P2"),
        ("style", 2006, "P3"),
        ("error", 1009, "P0"),
        ("warning", 1090, "P2"),
        ("error", 1071, "P3"),
    ],
)
def test_shellcheck_levels(level: str, code: int, priority: str) -> None:
    row = {
        "file": "a",
        "line": 1,
        "endLine": 1,
        "column": 1,
        "endColumn": 1,
        "level": level,
        "code": code,
        "message": "m",
        "fix": None,
    }
    (found,) = shellcheck_json1.parse(json.dumps({"comments": [row]}).encode())
    assert (found.priority, found.rule) == (priority, f"shellcheck/SC{code}")


def test_shellcheck_names_files_that_are_not_utf8() -> None:
    (first, _) = shellcheck_json1.parse(SHELLCHECK.encode().replace(b"a.sh", b"s\xed\xb3\xbf.sh"))
    assert first.path == "s\udcff.sh"
